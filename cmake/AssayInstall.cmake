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
  # Completions and manual pages come from the command's own tables of options; a command for another processor cannot be asked.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "
      set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
      function(write_completion shell file)
        execute_process(COMMAND \"$<TARGET_FILE:assay_command>\" completion \${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
        file(WRITE \"\${share}/\${file}\" \"\${script}\")
      endfunction()
      write_completion(bash bash-completion/completions/assay)
      write_completion(zsh zsh/site-functions/_assay)
      write_completion(fish fish/vendor_completions.d/assay.fish)
      execute_process(COMMAND \"$<TARGET_FILE:assay_command>\" man --out \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)")
  endif()
endif()
