# The page that --html writes: bundled from web/ by Node.js and embedded in the library.
#   ON    it must be built
#   AUTO  built where Node.js is found; when that fails, e.g. offline, the library is built without it
#   OFF   left out: --html then says how to get it
set(ASSAY_WITH_WEB AUTO CACHE STRING "Page of --html (needs Node.js): ON, OFF or AUTO")
set(assay_page ${CMAKE_CURRENT_BINARY_DIR}/web/page.html)

# A source distribution may bring the page along, made where Node.js was at hand.
set(assay_shipped_page ${CMAKE_CURRENT_SOURCE_DIR}/web/page.html)
if(ASSAY_WITH_WEB AND EXISTS ${assay_shipped_page})
  set_source_files_properties(src/report/page_template.cpp PROPERTIES
    COMPILE_DEFINITIONS "ASSAY_PAGE_FILE=\"${assay_shipped_page}\"" OBJECT_DEPENDS ${assay_shipped_page})
  message(STATUS "Report page: shipped with the sources")
elseif(ASSAY_WITH_WEB)
  find_program(ASSAY_NODE node)
  find_program(ASSAY_NPM npm)
  if(ASSAY_NODE AND ASSAY_NPM)
    file(GLOB_RECURSE assay_web_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/src/*)
    add_custom_command(
      OUTPUT ${assay_page}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/web/build.sh ${assay_page} ${ASSAY_WITH_WEB}
      DEPENDS ${assay_web_sources} web/build.sh web/build.mjs web/package.json web/package-lock.json
      COMMENT "Bundling the page of --html" VERBATIM)
    target_sources(assay PRIVATE ${assay_page})
    set_source_files_properties(src/report/page_template.cpp PROPERTIES
      COMPILE_DEFINITIONS "ASSAY_PAGE_FILE=\"${assay_page}\"" OBJECT_DEPENDS ${assay_page})
    message(STATUS "Report page: ${ASSAY_NODE}")
  elseif(ASSAY_WITH_WEB STREQUAL "AUTO")
    message(STATUS "Report page: left out, Node.js was not found (`make web` installs it)")
  else()
    message(FATAL_ERROR "ASSAY_WITH_WEB=${ASSAY_WITH_WEB}, but node and npm were not found; run `make web`, or install nodejs and npm")
  endif()
endif()
# It names a file to the assembler, which a unity build would hand to its neighbours.
set_source_files_properties(src/report/page_template.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                            SKIP_PRECOMPILE_HEADERS ON)
