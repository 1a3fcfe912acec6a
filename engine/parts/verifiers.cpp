#include "parts/verifiers.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/options.hpp"
#include "base/paths.hpp"
#include "domain/candidate.hpp"
#include "parts/handle.hpp"
#include "parts/library.hpp"

namespace hone {
namespace {

bool has(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

const std::vector<std::string>& takes_keys() {
    static const std::vector<std::string> keys = {"fence", "also",      "files",     "headers", "comment", "suite",
                                                  "timer", "reference", "otherwise", "careful", "closely", "zoo"};
    return keys;
}

[[noreturn]] void refuse_takes(const Library& library, const std::string& cause, const std::string& cure) {
    throw Error(Blame::input, library.file().path.string(), "what it takes cannot be read: " + cause, cure);
}

// A misspelt key, or an ending as no file has it, would never be asked, and another verifier would get the programs.
void check_takes(const Library& library, const Json& doc) {
    for (const auto& [key, value] : doc.items())
        if (!has(takes_keys(), key))
            refuse_takes(library, "hone reads no key \"" + key + "\"", choose(key, takes_keys(), "keys"));
    for (const char* key : {"files", "headers"})
        for (const std::string& ending : doc.value(key, std::vector<std::string>()))
            if (!ending.starts_with('.'))
                refuse_takes(library, std::string("\"") + key + "\" has the ending \"" + ending + "\" without a dot",
                             "did you mean \"." + ending + "\"?");
    for (const char* key : {"careful", "closely", "zoo"})
        if (doc.contains(key) && !doc.at(key).is_object())
            refuse_takes(library, std::string("\"") + key + "\" is no object",
                         "write names of options and their values");
}

VerifierKind read_kind(const std::string& id, const Json& doc) {
    const auto list = [&](const char* key) { return doc.value(key, std::vector<std::string>()); };
    return {.id = id,
            .fence = doc.at("fence"),
            .also = list("also"),
            .files = list("files"),
            .headers = list("headers"),
            .comment = doc.value("comment", "# "),
            .suite = doc.value("suite", ""),
            .timer = doc.value("timer", ""),
            .reference = doc.value("reference", ""),
            .otherwise = doc.value("otherwise", false),
            .careful = doc.value("careful", Json::object()),
            .closely = doc.value("closely", Json::object()),
            .zoo = doc.value("zoo", Json::object())};
}

}  // namespace

std::optional<VerifierKind> kind_of(const Library& library) {
    const auto* functions = static_cast<const hone_verifier*>(library.part().functions);
    if (!HONE_OFFERS(functions, takes)) return std::nullopt;
    try {
        const Json doc = Json::parse(functions->takes);
        VerifierKind kind = read_kind(library.file().id, doc);
        check_takes(library, doc);
        return kind;
    } catch (const Json::exception& e) {
        refuse_takes(library, plain_words(e),
                     "hone/verifier.h has the keys of hone_verifier.takes; \"fence\" must be there");
    }
}

namespace {

struct Found {
    std::vector<VerifierKind> kinds;
    std::vector<std::string> refused;
};

Found find_verifiers() {
    Found found;
    for (const PartFile& file : list_parts(plugin_folders())) {
        if (file.interface_name != "verifier") continue;
        try {
            const Library library = Library::open(file);
            if (const auto kind = kind_of(library)) found.kinds.push_back(*kind);
        } catch (const Error& e) {  // the other verifiers go on
            found.refused.push_back("verifier." + file.id + " was refused: " + e.what());
        }
    }
    return found;
}

const Found& verifiers() {
    static const Found found = find_verifiers();
    return found;
}

template <class Test> const VerifierKind* first(Test&& test) {
    const auto found = std::find_if(verifier_kinds().begin(), verifier_kinds().end(), test);
    return found == verifier_kinds().end() ? nullptr : &*found;
}

}  // namespace

std::string VerifierKind::fence_with_names() const {
    std::string names = fence;
    for (const std::string& name : also) names += "|" + name;
    return names;
}

const std::vector<VerifierKind>& verifier_kinds() { return verifiers().kinds; }

std::vector<std::string> missing_folders() {
    std::vector<std::string> missing;
    for (const fs::path& folder : plugin_folders())
        if (!fs::is_directory(folder))
            missing.push_back(folder.string() + " is no folder: no part was looked for there");
    return missing;
}

std::vector<std::string> passed_over() {
    std::vector<std::string> all = missing_folders();
    all.insert(all.end(), verifiers().refused.begin(), verifiers().refused.end());
    return all;
}

const VerifierKind* verifier_kind(const std::string& id) {
    return first([&](const VerifierKind& kind) { return kind.id == id; });
}

const VerifierKind* verifier_of_file(const std::filesystem::path& file, const std::string& text) {
    const std::string ending = file.extension();
    if (const auto* kind = first([&](const VerifierKind& k) { return has(k.files, ending); })) return kind;
    if (const auto* kind = first([&](const VerifierKind& k) { return has_fence(text, k.fence_with_names()); }))
        return kind;
    return first([](const VerifierKind& kind) { return kind.otherwise; });
}

std::string all_names(const std::string& fence) {
    const auto* kind = first([&](const VerifierKind& k) { return k.fence == fence; });
    return kind ? kind->fence_with_names() : fence;
}

bool is_code_file(const std::filesystem::path& file) {
    const std::string ending = file.extension();
    return first([&](const VerifierKind& k) { return has(k.files, ending) || has(k.headers, ending); }) != nullptr;
}

}  // namespace hone
