# `cmake --install build` and `find_package(assay)`.
include(CMakePackageConfigHelpers)

install(TARGETS assay EXPORT assay-targets)
# Only the interface of these private parts is exported; the library links them itself.
install(TARGETS assay_flags assay_openblas EXPORT assay-targets)
install(DIRECTORY include/assay TYPE INCLUDE)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/assay/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay)
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
configure_package_config_file(cmake/assay-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/assay-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/assay-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/assay-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/assay-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
if(TARGET assay_command)
  install(TARGETS assay_command)
endif()
