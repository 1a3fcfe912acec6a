# Settings that every target of the tree shares.
add_library(hone_settings INTERFACE)
target_compile_options(hone_settings INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(hone_settings INTERFACE -Wno-restrict)  # GCC 12 warns of every std::string that is assigned a literal (its bug 105329)
endif()
if(HONE_ASAN)
  target_compile_options(hone_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hone_settings INTERFACE -fsanitize=address,undefined)
endif()
# DT_RPATH, not RUNPATH: a bundled library's own dependencies must be found too
target_link_options(hone_settings INTERFACE -Wl,--disable-new-dtags)

# parts of this tree: beside the program, and under the same warnings
set(HONE_PART_LIBRARIES hone_settings)
include(HoneAddPart)
