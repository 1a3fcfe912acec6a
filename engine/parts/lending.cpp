#include "parts/lending.hpp"
#include <algorithm>
#include <mutex>
#include "domain/documents.hpp"
#include "parts/handle.hpp"

namespace hone {
namespace {

std::mutex lending;
std::vector<const Lending*> lent;
thread_local std::string misread;

std::vector<std::string> names_of(const std::vector<Option>& table) {
    std::vector<std::string> names;
    for (const Option& option : table) names.push_back(option.name);
    return names;
}

std::string misspelt_option(const std::string& name, const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return "";
    return "the part's table of options has no \"" + name + "\"" + suggestion(name, names);
}

std::string kind_in_words(const Json& value) {
    if (value.is_object()) return "a record";
    if (value.is_array()) return "a list";
    return value.is_string() ? "a text" : value.is_boolean() ? "true or false" : "a number";
}

bool is_read_by(const Json& value, std::string_view asked) {
    return asked == "text" ? value.is_string() : value.is_number() || value.is_boolean();
}

// Where the value that was meant may lie: within a record or a list, or under another function of the document.
std::string nearest_read(const std::string& path, const Json& found, std::string_view asked) {
    if (found.is_array() && !found.empty() && is_read_by(found[0], asked)) return "; did you mean `" + path + ".0`?";
    if (found.is_object())
        for (const auto& [name, value] : found.items())
            if (is_read_by(value, asked)) return "; did you mean `" + path + "." + name + "`?";
    return found.is_structured() ? "; `count` tells its length"
           : found.is_string()   ? "; read it by `text`"
                                 : "; read it by `num`";
}

bool is_open(const std::string& type) { return type.empty() || type == "any" || type.find('|') != std::string::npos; }

void begin(const Lending* one) {
    const std::lock_guard lock(lending);
    lent.push_back(one);
}

}  // namespace

Lending::Lending(const Json& document, std::string title) : document_(document), title_(std::move(title)) {
    begin(this);
}

Lending::Lending(const Json& options, const std::vector<Option>& table) : document_(options), names_(names_of(table)) {
    begin(this);
}

Lending::~Lending() {
    const std::lock_guard lock(lending);
    std::erase(lent, this);
}

const hone_doc* Lending::doc() const { return as_doc(document_); }

Lendings::Lendings(const std::vector<Json>& documents, const char* title) {
    for (const Json& document : documents) {
        lent_.push_back(std::make_unique<Lending>(document, title));
        docs_.push_back(lent_.back()->doc());
    }
}

void note_miss(const Json& document, const std::string& path) {
    const std::lock_guard lock(lending);
    for (const Lending* one : lent) {
        if (&one->document_ != &document || !misread.empty()) continue;
        misread = one->title_.empty() ? misspelt_option(path, one->names_) : misspelt_key(one->title_, path);
        if (!misread.empty() && !one->title_.empty()) misread += "; hone/documents.md has every key";
    }
}

void note_other_kind(const Json& document, const std::string& path, const Json& found, const char* asked) {
    if (found.is_null() || is_read_by(found, asked)) return;
    const std::lock_guard lock(lending);
    for (const Lending* one : lent) {
        if (&one->document_ != &document || one->title_.empty() || !misread.empty()) continue;
        if (is_open(type_of_key(one->title_, path))) continue;
        misread = "`" + path + "` is " + kind_in_words(found) + nearest_read(path, found, asked) +
                  "; hone/documents.md has every key";
    }
}

void note_null(const char* what) {
    if (misread.empty()) misread = what;
}

std::string take_misread() { return std::exchange(misread, {}); }

}  // namespace hone
