# find_package(hone 0.1 REQUIRED): target hone::sdk (headers only) and the function hone_add_part.
get_filename_component(_hone_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET hone::sdk)
  add_library(hone::sdk INTERFACE IMPORTED)
  set_target_properties(hone::sdk PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_hone_prefix}/include" INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/HoneAddPart.cmake")
