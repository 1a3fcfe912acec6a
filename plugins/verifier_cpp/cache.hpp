// Bytes that are the same for every bench of a machine, kept in the user's cache folder. Losing them costs time only.
#pragma once
#include <string>

namespace hone::cpp {

// file: its name in the cache folder; key: everything that decides the bytes. Empty: not there, or of another key.
std::string recall(const std::string& file, const std::string& key);
// Whole or not at all; a full disk is no error.
void remember(const std::string& file, const std::string& key, const std::string& bytes);

// The processor's name: code made for one machine may not suit another that shares the cache folder.
std::string processor();

}  // namespace hone::cpp
