#include "store/writer_lock.hpp"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

std::string holder_of(int fd) {
    char text[256];
    const ssize_t got = pread(fd, text, sizeof text, 0);
    return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "another process";
}

std::string this_process() {
    char host[128] = {};
    gethostname(host, sizeof host - 1);
    return "process " + std::to_string(getpid()) + " on " + host;
}

// Tries again for a moment: whoever asks being_written() holds the lock as long as the question takes, and a writer
// that was killed while it started a process leaves the lock to that process until its program has begun.
bool lock(int fd) {
    for (int tries = 0; tries < 50; ++tries, usleep(20000))
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    return false;
}

}  // namespace

bool being_written(const std::filesystem::path& folder) {
    const Fd file(open((folder / "writer.lock").c_str(), O_RDONLY | O_CLOEXEC));
    return file && flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

WriterLock::WriterLock(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "writer.lock";
    file_ = Fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file_)
        throw Error(Blame::environment, path.string(), std::strerror(errno),
                    "check that the folder is yours and can be written");
    if (!lock(file_.get()))
        throw Error(Blame::environment, folder.string(), "the run is being written by " + holder_of(file_.get()),
                    "wait for it, end it, or start a run with another name");
    const std::string self = this_process();
    if (ftruncate(file_.get(), 0) != 0 || pwrite(file_.get(), self.data(), self.size(), 0) < 0)
        return;  // a full disk: the lock holds all the same
}

const char* network_file_system(long statfs_type) {
    switch (static_cast<unsigned long>(statfs_type) & 0xffffffffUL) {
        case 0x6969:
            return "NFS";
        case 0xff534d42:
        case 0xfe534d42:
        case 0x517b:
            return "SMB";
        case 0x5346414f:
        case 0x6b414653:
            return "AFS";
        case 0x00c36400:
            return "Ceph";
        case 0x0bd00bd0:
            return "Lustre";
        case 0x47504653:
            return "GPFS";
        default:
            return nullptr;
    }
}

void require_local(const std::filesystem::path& folder) {
    struct statfs facts {};
    if (statfs(folder.c_str(), &facts) != 0) return;
    if (const char* kind = network_file_system(static_cast<long>(facts.f_type)))
        throw Error(Blame::environment, folder.string(),
                    std::string("on a network file system (") + kind + "), where a journal can be damaged",
                    "name a folder on a local disk: hone.run{dir = \"/local/runs\"}");
}

}  // namespace hone
