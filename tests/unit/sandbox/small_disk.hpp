// A disk that is soon full.
#pragma once
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <string>

namespace hone {

// Runs `body` in a child and returns its status as waitpid gives it.
template <class Body> int in_child(Body body) {
    const pid_t pid = fork();
    if (pid == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

// A file system of so many KB at the folder, for this process and its children. False where there are no user
// namespaces.
inline bool mount_small(const std::string& folder, int kilobytes) {
    const auto user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    return mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(kilobytes) + "k").c_str()) == 0;
}

inline bool resize_small(const std::string& folder, int kilobytes) {
    return mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT, ("size=" + std::to_string(kilobytes) + "k").c_str()) ==
           0;
}

}  // namespace hone
