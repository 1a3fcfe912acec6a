// base/printable.hpp: foreign text that a terminal shows and does not obey.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/json.hpp"

namespace hone {

// U+FFFD stands for each control but newline and tab (escape, C1, DEL), each invisible or reordering format character
// (bidirectional controls, zero widths), each line or paragraph separator, and each byte that is no UTF-8. A carriage
// return before a newline is left out.
std::string printable(std::string_view text);

// Each word of more than 1000 bytes by its beginning and length: no path is so long, and a name of a program may be.
std::string shortened(std::string_view text);

Json printable_document(const Json& doc);  // every text of it, keys too

bool is_utf8(std::string_view text);
std::string valid_utf8(std::string text);  // with U+FFFD for what is no UTF-8

std::string listed(const std::vector<std::string>& words);  // "a, b and c"

// A document for standard output: ASCII alone, so that what is raw in it (a program's text) reaches no terminal either.
std::string document_text(const Json& doc);

}  // namespace hone
