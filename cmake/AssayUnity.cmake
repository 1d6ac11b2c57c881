# assay_unity_by_folder(target size): in a unity build, `size` sources of one folder are compiled together, never those of two:
# what a folder forgets to include, another one cannot lend it, and a new file disturbs its own folder alone.
function(assay_unity_by_folder target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    string(MAKE_C_IDENTIFIER "${folder}" name)
    math(EXPR ${name}_count "${${name}_count} + 1")
    math(EXPR batch "(${${name}_count} - 1) / ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${batch}")
  endforeach()
endfunction()
