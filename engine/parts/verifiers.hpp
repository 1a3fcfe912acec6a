// parts/verifiers.hpp: what each verifier says of the programs it takes (hone_verifier.takes), so that the engine
// itself knows no language, no suite and no device.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "parts/library.hpp"

namespace hone {

struct VerifierKind {
    std::string id;                        // "cpp"
    std::string fence;                     // of its programs: a candidate's language
    std::vector<std::string> also;         // other names of that language in answers: "c++"
    std::vector<std::string> files;        // endings of its programs, the usual one first: ".cpp"
    std::vector<std::string> headers;      // endings of files that are code too: ".h"
    std::string comment;                   // begins a comment: "// "
    std::string suite;                     // of a bare task name
    std::string timer, reference;          // that go with it; reference "": the best that is here
    bool otherwise = false;                // takes programs whose file's ending says nothing
    Json careful = Json::object();         // options of the judge for one program that is looked at closely
    Json closely = Json::object();         // options of the verifier likewise
    Json zoo = Json::object();             // options of the judge for the attacks of the zoo
    std::string fence_with_names() const;  // "cpp|c++|cxx|cc", as parse_answer takes it
};

// What a verifier says; nullopt: nothing. Throws Error(input) where that is no such JSON, or has a key that hone does
// not read or an ending without its dot.
std::optional<VerifierKind> kind_of(const Library&);

// Of all verifiers in the plugin folders, by id; those that say nothing or are refused are left out. Opens each library
// once.
const std::vector<VerifierKind>& verifier_kinds();

// A sentence each: folders of HONE_PLUGIN_PATH that are none; with passed_over the verifiers that are refused, too.
std::vector<std::string> missing_folders();
std::vector<std::string> passed_over();

const VerifierKind* verifier_kind(const std::string& id);  // null: none here, or it says nothing
// By a program's file: its ending, else the blocks of code in `text`, else the kind that takes the rest; null: none
// does.
const VerifierKind* verifier_of_file(const std::filesystem::path& file, const std::string& text = {});
std::string all_names(const std::string& fence);       // "cpp" -> "cpp|c++|cxx|cc"; itself where no verifier has it
bool is_code_file(const std::filesystem::path& file);  // by its ending, of any verifier

}  // namespace hone
