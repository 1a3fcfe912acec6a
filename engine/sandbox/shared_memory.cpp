#include "sandbox/shared_memory.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>
#include "base/error.hpp"
#include "base/process.hpp"

namespace hone {
namespace {

#ifndef F_SEAL_FUTURE_WRITE
constexpr int F_SEAL_FUTURE_WRITE = 0x0010;
#endif

[[noreturn]] void fail(std::uint64_t bytes) {
    throw Error(Blame::environment, "shared memory", std::to_string(bytes) + " bytes: " + std::strerror(errno),
                "free memory or judge smaller shapes");
}

}  // namespace

hone_region share_memory(std::uint64_t bytes, bool writable, bool seal) {
    const Fd file(memfd_create("hone-region", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) fail(bytes);
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
    if (at == MAP_FAILED) fail(bytes);
    // a jail that could shrink the file would make the bench's own reads fail
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | (writable || !seal ? 0 : F_SEAL_FUTURE_WRITE) | F_SEAL_SEAL;
    const int kept = fcntl(file.get(), F_ADD_SEALS, seals) == 0 ? fcntl(file.get(), F_DUPFD_CLOEXEC, 3) : -1;
    if (kept < 0) {
        munmap(at, bytes);
        fail(bytes);
    }
    return {at, bytes, writable || !seal, kept};
}

void unshare_memory(const hone_region& region) {
    munmap(region.at, region.bytes);
    close(region.file);
}

}  // namespace hone
