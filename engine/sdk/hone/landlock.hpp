// hone/landlock.hpp: Landlock's rulesets by its system calls (linux/landlock.h of the build machine may be older than
// the running kernel). hone/confine.hpp enters them.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdint>
#include <optional>

namespace hone::landlock {

// rights of files and folders, numbered as the kernel does
constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3,
                        truncate = 1 << 14, ioctl_device = 1 << 15;
constexpr std::uint64_t read_only = read_file | read_dir, read_and_execute = read_only | execute;

struct Attributes {
    std::uint64_t files, network, scoped;
};
struct __attribute__((packed)) PathBeneath {
    std::uint64_t allowed;
    std::int32_t parent;
};

// 0: the kernel has no Landlock or does not enable it
inline int version() {
    const long v = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1u);
    return v > 0 ? static_cast<int>(v) : 0;
}

// Every right that this version can take away: files (13 rights, then refer, truncate, device ioctl), TCP, signals and
// abstract sockets.
inline Attributes everything(int abi) {
    const int rights = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5);
    return {(std::uint64_t{1} << rights) - 1, abi >= 4 ? 3u : 0u, abi >= 6 ? 3u : 0u};
}

// A ruleset that denies everything; -1: the kernel has no Landlock, or refused.
inline int make_ruleset() {
    const int abi = version();
    if (!abi) return -1;
    const Attributes attributes = everything(abi);
    const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    return static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0u));
}

// For whoever is confined wherever the kernel can: nullopt only where it has no Landlock. -1 stays -1, and is refused
// by who enters it.
inline std::optional<int> ruleset_if_there() { return version() ? std::optional(make_ruleset()) : std::nullopt; }

// Gives rights below path back; a path that does not exist is left out. Rights that this kernel does not know are
// dropped.
inline bool allow(int ruleset, const char* path, std::uint64_t rights) {
    const int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) return true;
    struct stat about;
    const bool folder = fstat(parent, &about) == 0 && S_ISDIR(about.st_mode);
    const std::uint64_t of_files = execute | write_file | read_file | truncate | ioctl_device;
    const PathBeneath rule{rights & everything(version()).files & (folder ? ~std::uint64_t{0} : of_files), parent};
    const bool done = syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0u) == 0;
    close(parent);
    return done;
}

}  // namespace hone::landlock
