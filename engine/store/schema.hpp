// store/schema.hpp: the tables of a journal.
#pragma once
#include <string>
#include "store/sqlite.hpp"

namespace hone {

constexpr std::int64_t journal_application_id = 0x686f6e65;  // "hone", in the file's header
// Of the tables. It changes with them, also where a key of a judgement does; a file of another number is refused.
constexpr std::int64_t journal_schema = 12;

// True if the file has no schema yet: nothing was ever committed to it.
bool unused(const Database&);
void make_tables(const Database&);
// Throws Error(environment) that says what to do if the file is foreign, older or newer.
void require_schema(const Database&, const std::string& file);

}  // namespace hone
