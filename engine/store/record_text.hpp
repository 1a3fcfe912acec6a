// store/record_text.hpp: JSON out of a row of a journal.
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

// Throws Error(input) that names the journal and the place in the text.
Json parse_record(const std::string& text, const std::string& folder);
inline Json parse_record(const std::string& text, const Journal& journal) {
    return parse_record(text, journal.folder());
}

}  // namespace hone
