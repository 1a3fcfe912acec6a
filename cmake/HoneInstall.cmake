# What an installation holds besides the programs and parts: headers, scripts, and the package that lets others build parts. The package is
# headers only, so it lies under share and finds its prefix by its own place: the tree can be moved.
include(CMakePackageConfigHelpers)
install(DIRECTORY engine/sdk/hone DESTINATION include)
install(DIRECTORY scripts examples DESTINATION share/hone)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/honeConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/honeConfig.cmake cmake/HoneAddPart.cmake ${CMAKE_BINARY_DIR}/honeConfigVersion.cmake DESTINATION share/cmake/hone)
# the same in the build tree, so that `hone new` prints lines that work without an installation
foreach(file cmake/honeConfig.cmake cmake/HoneAddPart.cmake ${CMAKE_BINARY_DIR}/honeConfigVersion.cmake)
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${CMAKE_BINARY_DIR}/share/cmake/hone/${name} COPYONLY)
endforeach()
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/engine/sdk ${CMAKE_BINARY_DIR}/include SYMBOLIC)
configure_file(cmake/hone.pc.in hone.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hone.pc DESTINATION share/pkgconfig)
