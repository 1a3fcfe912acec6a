// store/schema.hpp: the tables of a journal and the steps that bring an older file forward.
#pragma once
#include <span>
#include <string>
#include "store/sqlite.hpp"

namespace hone {

constexpr std::int64_t journal_application_id = 0x686f6e65;  // "hone", in the file's header

// Step i brings a file from schema i to schema i + 1; steps are never edited once released, only added.
std::span<const char* const> journal_schema();

// True if the file has no schema yet: nothing was ever committed to it.
bool unused(const Database&);
// Brings the schema to the last step, each step in a transaction of its own. Throws Error(environment) if the file is
// foreign or newer.
void migrate(const Database&, const std::string& file, std::span<const char* const> steps);
// As migrate, for a file that may only be read: it must be of the last step already.
void require_schema(const Database&, const std::string& file, std::span<const char* const> steps);

}  // namespace hone
