// base/paths.hpp: where things lie: the installation (or build tree) of this program, the user's folders (XDG), and
// small file helpers.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

namespace fs = std::filesystem;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // some editors begin a file with it

fs::path program_path();                 // this executable
fs::path runner_path();                  // hone-jail, beside this executable
std::vector<fs::path> plugin_folders();  // HONE_PLUGIN_PATH, then the installed or built folder
// HONE_SCRIPT_PATH, then the installed or source scripts folder ("hone/" and "suites/" lie below)
std::vector<fs::path> script_folders();
fs::path examples_folder();   // what `hone new` copies
fs::path installation();      // of the installation, or the build folder: bin/ lies in it
fs::path cache_folder();      // $XDG_CACHE_HOME/hone, made if absent
fs::path temporary_folder();  // $TMPDIR, else /tmp; throws Error(environment)
// $XDG_STATE_HOME/hone, not made: what `hone judge` found lies below (store/bundles.hpp)
fs::path state_folder();
// $HONE_CONFIG, ./hone.toml or $XDG_CONFIG_HOME/hone/hone.toml; empty if none
fs::path config_file();

// Throws Error(environment) with path and reason; Error(input) for what is no regular file, or a longer one than
// `most`.
std::string read_file(const fs::path&, std::size_t most = std::string::npos);
// Through a temporary and rename: whole or not at all. A symbolic link stays one. What is no regular file (a pipe, a
// device, /dev/stdout) is written into as it is. Throws Error(environment).
void write_file(const fs::path&, std::string_view bytes);

}  // namespace hone
