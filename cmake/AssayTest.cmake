# assay_test(NAME sources...): one test program per layer; CTest sees every test of it.
include(GoogleTest)
find_package(GTest REQUIRED)

add_library(assay_test_support STATIC support/support.cpp)
target_include_directories(assay_test_support PUBLIC support)
target_compile_definitions(assay_test_support PUBLIC ASSAY_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(assay_test_support PUBLIC assay_internal GTest::gmock GTest::gtest PRIVATE assay_flags)
# Compiling the tests takes longer than running them.
target_compile_options(assay_test_support PUBLIC $<$<CONFIG:Release>:-O1>)
# With sanitizers GCC 12 takes the empty state of std::optional for an uninitialised value; they would find a real one.
if(ASSAY_SANITIZE)
  target_compile_options(assay_test_support PUBLIC -Wno-maybe-uninitialized)
endif()

function(assay_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE assay_test_support GTest::gtest_main assay_flags)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
endfunction()
