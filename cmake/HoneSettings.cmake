# Settings that every target of the tree shares.
add_library(hone_settings INTERFACE)
target_compile_options(hone_settings INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers -ffp-contract=off)
if(HONE_ASAN)
  target_compile_options(hone_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hone_settings INTERFACE -fsanitize=address,undefined)
endif()
# DT_RPATH, not RUNPATH: a bundled library's own dependencies must be found too
target_link_options(hone_settings INTERFACE -Wl,--disable-new-dtags)

# hone_add_part(timer wall wall.cpp...): the library "timer.wall.so". The same function is offered by the installed package.
function(hone_add_part interface id)
  set(target "part_${interface}_${id}")
  string(REPLACE "-" "_" target "${target}")
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME "${interface}.${id}" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${HONE_PLUGIN_DIR})
  target_link_libraries(${target} PRIVATE hone_sdk hone_settings)
  set_property(GLOBAL APPEND PROPERTY HONE_PARTS ${target})  # the contract test runs over each
  set(HONE_PART_TARGET ${target} PARENT_SCOPE)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hone/plugins)
endfunction()
