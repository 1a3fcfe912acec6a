// parts/library.hpp: find, open and check plugin libraries. One library, one part; the file's name is its address:
// "timer.cuda-probe.so".
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/options.hpp"
#include "hone/abi.h"

namespace hone {

struct PartFile {
    std::string interface_name;  // "timer"
    std::string id;              // "cuda-probe"
    std::filesystem::path path;
    std::filesystem::path hides;  // a later folder's file of the same address, if any
};

// Every part file in the folders, first folder wins. Nothing is opened.
std::vector<PartFile> list_parts(const std::vector<std::filesystem::path>& folders);

// The file of a part. Throws Error(input) with the folders searched and the nearest name there.
PartFile find_part(const std::string& interface_name, const std::string& id,
                   const std::vector<std::filesystem::path>& folders);

// An opened and checked library; never unloaded, so copies are cheap. Refusals name file, both versions and the cure.
class Library {
public:
    static Library open(const PartFile&);
    const hone_part& part() const { return *part_; }
    const PartFile& file() const { return file_; }
    const std::vector<Option>& options() const { return options_; }
    std::string file_hash() const;  // sha256 of the library
private:
    PartFile file_;
    const hone_part* part_ = nullptr;
    std::vector<Option> options_;
};

// A part named and configured, nothing instantiated: what a script's `run:timer(...)` makes and what travels to a
// bench.
struct Recipe {
    std::string interface_name, id;
    std::string file;  // path of the library
    std::string file_hash;
    Json options;  // checked, defaults filled
    Json to_json() const;
    static Recipe from_json(const Json&);
};

// Finds the library, checks the options on the spot (blaming `place`), and keeps only data. Throws Error(input).
Recipe make_recipe(const std::string& interface_name, const std::string& id, const Json& options,
                   const std::string& place);

}  // namespace hone
