# Settings that every target of the tree shares.
add_library(hone_settings INTERFACE)
target_compile_options(hone_settings INTERFACE -Wall -Wextra $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow> -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of nearly every std::string that is put together from literals (its bug 105329) and of arrays that are large enough
  target_compile_options(hone_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(HONE_ASAN)
  # the tests' own code is spared the checks for undefined behaviour, which cost a third of compiling it
  set(checked $<IF:$<BOOL:$<TARGET_PROPERTY:HONE_TESTS>>,address,address$<COMMA>undefined>)
  target_compile_options(hone_settings INTERFACE -fsanitize=${checked} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hone_settings INTERFACE -fsanitize=address,undefined)
endif()
# DT_RPATH, not RUNPATH: a bundled library's own dependencies must be found too
target_link_options(hone_settings INTERFACE -Wl,--disable-new-dtags)

# parts of this tree: beside the program, and under the same warnings
set(HONE_PART_LIBRARIES hone_settings)
include(HoneAddPart)

# hone_precompile(TARGET HEADERS...): compiles a target's usual headers once. Their compiled form has other bytes after every build, so what
# ccache looks at in its place (./dev sets CCACHE_PCH_EXTSUM) is the sum of what it is made from.
function(hone_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  set(made_from "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${ARGN}")
  foreach(header nlohmann/json.hpp gtest/gtest.h)
    find_file(found_header ${header} NO_CACHE)
    if(found_header)
      file(SHA256 ${found_header} sum)
      string(APPEND made_from " ${sum}")
    endif()
    unset(found_header)
  endforeach()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum "${made_from}")
endfunction()

# hone_compile_together(TARGET): up to eight sources of a folder are compiled as one, so that what they share (JSON's templates, gtest's) is made
# once (docs/results/compile-times.md). Names in unnamed namespaces are therefore unique within a folder. HONE_TOGETHER=OFF (the preset dev) compiles each
# file alone: sooner done after an edit, and a missing include is seen.
function(hone_compile_together target)
  if(NOT HONE_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED files_of_${folder})
      set(files_of_${folder} 0)
    endif()
    math(EXPR group "${files_of_${folder}} / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    math(EXPR files_of_${folder} "${files_of_${folder}} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes what is not the main file for a header, and warns there of GoogleTest's macros
  target_compile_options(${target} PRIVATE -Wno-dangling-else $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
