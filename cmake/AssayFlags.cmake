# Every flag of ours lives on one interface target; CMAKE_CXX_FLAGS stays the user's.
add_library(assay_flags INTERFACE)
target_compile_options(assay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${ASSAY_WARNINGS_AS_ERRORS}>:-Werror>
  # GCC 12 sees overlaps inside libstdc++'s own string concatenation (PR 105651).
  -Wno-restrict -Wno-stringop-overflow
  # In a unity build sources are includes, where GCC expects no anonymous namespace.
  $<$<BOOL:${CMAKE_UNITY_BUILD}>:-Wno-subobject-linkage>
  # No errno from sqrt and friends, or the vectoriser gives up; results are unchanged.
  -fno-math-errno)

if(ASSAY_SANITIZE)
  target_compile_options(assay_flags INTERFACE -fsanitize=${ASSAY_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -O1 -g1)
  if(ASSAY_SANITIZE MATCHES undefined)
    # Checked at every access, these double the time to compile Eigen; what they find, AddressSanitizer stops at too.
    # Readers of files, where bytes may lie anywhere, are compiled with all of them (CMakeLists.txt).
    target_compile_options(assay_flags INTERFACE -fno-sanitize=alignment,null,object-size,pointer-overflow,vptr)
  endif()
  target_compile_definitions(assay_flags INTERFACE ASSAY_SANITIZED=1)
  add_link_options(-fsanitize=${ASSAY_SANITIZE})
endif()
if(ASSAY_FUZZ AND NOT DEFINED ENV{LIB_FUZZING_ENGINE})  # OSS-Fuzz brings flags of its own
  target_compile_options(assay_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(ASSAY_COVERAGE)
  target_compile_options(assay_flags INTERFACE --coverage)
  add_link_options(--coverage)
endif()

# Clones of the project share what was compiled once: no object knows the folder it was made in.
add_compile_options(-fmacro-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
find_program(ASSAY_CCACHE ccache)
if(ASSAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${ASSAY_CCACHE})
endif()
find_program(ASSAY_MOLD mold)
if(ASSAY_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
endif()
