# find_package(hone 0.1 REQUIRED): target hone::sdk (headers only) and the functions hone_add_part and hone_test_part.
get_filename_component(_hone_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET hone::sdk)
  add_library(hone::sdk INTERFACE IMPORTED)
  set_target_properties(hone::sdk PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_hone_prefix}/include" INTERFACE_COMPILE_FEATURES cxx_std_20)
  # a function without `override` may be misspelt: then it overrides nothing, and the part does not offer it
  set_property(TARGET hone::sdk PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-Werror=suggest-override;-Werror=overloaded-virtual>")
endif()
set(HONE_PART_DESTINATION "${_hone_prefix}/lib/hone/plugins")  # of the hone that was found, wherever this project itself installs
include("${CMAKE_CURRENT_LIST_DIR}/HoneAddPart.cmake")

# hone_test_part(INTERFACE ID [OPTION=VALUE]...): the test contract.INTERFACE.ID asks every function of the part whether it keeps the contract of
# its header. Options are those that the part cannot be made without.
function(hone_test_part interface id)
  string(REPLACE "-" "_" target "part_${interface}_${id}")
  add_test(NAME contract.${interface}.${id} COMMAND "${_hone_prefix}/bin/hone-contract" $<TARGET_FILE:${target}> ${ARGN})
  set_tests_properties(contract.${interface}.${id} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
