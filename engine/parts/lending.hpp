// parts/lending.hpp: a document that a part may read during a call, with the table of its keys. A part that reads a key
// that the table lacks gets nothing from it, and its call fails with words (Handle::check).
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "base/json.hpp"
#include "base/options.hpp"
#include "hone/abi.h"

namespace hone {

class Lending {
public:
    // title: of a document, such as "hone.Task" (domain/documents.hpp). The document must outlive this.
    Lending(const Json& document, std::string title);
    Lending(const Json& options, const std::vector<Option>& table);
    ~Lending();
    Lending(const Lending&) = delete;
    const hone_doc* doc() const;

private:
    friend void note_miss(const Json&, const std::string&);
    friend void note_other_kind(const Json&, const std::string&, const Json&, const char*);
    const Json& document_;
    const std::string title_;
    const std::vector<std::string> names_;  // of options
};

// Several of them, for a call that takes a list.
class Lendings {
public:
    Lendings(const std::vector<Json>& documents, const char* title);
    const std::vector<const hone_doc*>& docs() const { return docs_; }

private:
    std::vector<std::unique_ptr<Lending>> lent_;
    std::vector<const hone_doc*> docs_;
};

// A part asked a document for what is not there. Remembers the words if its table has no such key.
void note_miss(const Json& document, const std::string& path);
// A part asked a document for a number ("num") or a text ("text") where something else lies. Remembers the words unless
// its table leaves open what lies there.
void note_other_kind(const Json& document, const std::string& path, const Json& found, const char* asked);
// A part gave null where words belong: "fills in a null key; name it". Remembered like a misspelt key.
void note_null(const char* what);
std::string take_misread();  // the first of this thread since it was taken last; "" if none

}  // namespace hone
