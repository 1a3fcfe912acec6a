// domain/documents.hpp: the documents that parts and scripts get, as text.
#pragma once
#include <string>
#include <vector>
#include "domain/document_text.hpp"

namespace hone {

std::vector<DocumentText> documents();  // also those within others
std::string documents_markdown();       // hone/documents.md, which is installed with the headers

}  // namespace hone
