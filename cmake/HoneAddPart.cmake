# hone_add_part(INTERFACE ID SOURCES...): the library "INTERFACE.ID.so", which is how hone finds the part; `cmake --install` puts it beside the parts
# of the hone that was found. Sets HONE_PART_TARGET for target_link_libraries. Used by hone's own tree and, installed, by everybody else's.
function(hone_add_part interface id)
  set(kinds policy prompt shaper timer verifier reference)
  if(NOT interface IN_LIST kinds)
    list(JOIN kinds ", " kinds)
    message(FATAL_ERROR "hone_add_part(${interface} ${id} ...): there is no kind of part \"${interface}\"; kinds: ${kinds}. hone would never look into ${interface}.${id}.so.")
  endif()
  string(REPLACE "-" "_" target "part_${interface}_${id}")
  add_library(${target} MODULE ${ARGN})
  # visibility hidden: a part exports one symbol, so that no two parts can meet
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "${interface}.${id}" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(HONE_PLUGIN_DIR)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HONE_PLUGIN_DIR})
  endif()
  target_link_libraries(${target} PRIVATE hone::sdk ${HONE_PART_LIBRARIES})
  if(NOT HONE_PART_DESTINATION)
    set(HONE_PART_DESTINATION lib/hone/plugins)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${HONE_PART_DESTINATION})
  set_property(GLOBAL APPEND PROPERTY HONE_PARTS ${target})
  set(HONE_PART_TARGET ${target} PARENT_SCOPE)
endfunction()
