// domain/documents.hpp: the documents that parts and scripts get, as text.
#pragma once
#include <string>
#include <vector>
#include "domain/document_text.hpp"

namespace hone {

std::vector<DocumentText> documents();  // also those within others
// What is wrong with a path into a document: `hone.Exemplar has no "speedup.lowr"; did you mean "speedup.lower"?`; ""
// if the document, or one within it, may have that key.
std::string misspelt_key(const std::string& title, const std::string& path);
// "number", "integer|string", "hone.Speedup": what a document's table says of a path; "" if it has no such key.
std::string type_of_key(const std::string& title, const std::string& path);
// The keys of a verifier's brief that hone reads; a verifier may add its own.
const std::vector<std::string>& brief_keys();
std::string documents_markdown();  // hone/documents.md, which is installed with the headers

}  // namespace hone
