// parts/saved_folder.hpp: folders that hold a saved policy. Saving replaces such a folder or an empty one, and nothing
// else: a folder of another kind is somebody's work.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace hone {

// The folder as an absolute path without links, if a policy may be saved there. Throws Error(input) for a file, for a
// folder that holds anything else, for one that is or contains one of `around`, and for one of `own` or below it.
std::string check_saved_folder(const std::string& folder, const std::vector<std::string>& around,
                               const std::vector<std::string>& own);

// write gets an empty folder beside, which then takes the place of `folder`, with a list of what was written in it and
// the SHA-256 of each file.
void replace_saved_folder(const std::string& folder, const std::function<void(const std::string&)>& write);

// Throws Error(environment) naming the folder where it is gone, or a file whose bytes are no longer those that were
// saved, by the list of hashes there.
void check_saved_files(const std::string& folder);

// One SHA-256 of all that lies in the folder: the names and bytes of its files. Of a file: its own.
std::string hash_of_folder(const std::string& folder);

}  // namespace hone
