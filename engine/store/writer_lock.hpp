// store/writer_lock.hpp: one process writes a run. The lock dies with its holder and names it meanwhile.
#pragma once
#include <filesystem>
#include "base/process.hpp"

namespace hone {

class WriterLock {
public:
    // Throws Error(environment) that names the process which holds the lock.
    explicit WriterLock(const std::filesystem::path& folder);

private:
    Fd file_;
};

bool being_written(const std::filesystem::path& folder);  // a process holds its lock

// The kind of network file system behind a statfs type ("NFS"), or null. SQLite's WAL needs memory shared between
// processes of one host.
const char* network_file_system(long statfs_type);
// Throws Error(environment) if the folder is on one.
void require_local(const std::filesystem::path& folder);

}  // namespace hone
