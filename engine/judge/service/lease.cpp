#include "judge/service/lease.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

// Byte 1 is the lease. Byte 0 is the door: whoever wants the lease passes it, and who wants it exclusively stands in it
// while waiting, so that sharers that come later cannot overtake for ever.
constexpr long door = 0, lease = 1;

bool own_folder(const std::string& path) {
    struct stat found {};
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return false;
    return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == getuid();
}

}  // namespace

std::string lease_file() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime && own_folder(std::string(runtime) + "/hone")) return std::string(runtime) + "/hone/lease";
    const std::string folder = "/tmp/hone-" + std::to_string(getuid());
    if (own_folder(folder)) return folder + "/lease";
    throw Error(Blame::environment, folder, "is no folder of this user", "set XDG_RUNTIME_DIR to a folder that is");
}

Lease::Lease() : Lease(lease_file()) {}

Lease::Lease(const std::string& file) : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (!file_) throw Error(Blame::environment, file, std::string("cannot be opened: ") + std::strerror(errno));
}

void Lease::lock(short kind, long byte) {
    struct flock request {};
    request.l_type = kind;
    request.l_whence = SEEK_SET;
    request.l_start = byte;
    request.l_len = 1;
    while (fcntl(file_.get(), F_OFD_SETLKW, &request) != 0)
        if (errno != EINTR) throw Error(Blame::environment, "lease", std::strerror(errno));
}

void Lease::share() {
    lock(F_UNLCK, lease);
    lock(F_RDLCK, door);
    lock(F_RDLCK, lease);
    lock(F_UNLCK, door);
}

void Lease::take() {
    lock(F_UNLCK, lease);
    lock(F_WRLCK, door);
    lock(F_WRLCK, lease);
    lock(F_UNLCK, door);
}

void Lease::release() { lock(F_UNLCK, lease); }

}  // namespace hone
