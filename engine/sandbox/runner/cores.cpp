// How many cores the candidate is told that it has, by the usual ways to ask: as many as its team has threads. The
// files that the C library would read cannot be opened here, and the first thread's own core is one. (The linker
// exports them, since libraries that it sees define or use them.)
#include <dlfcn.h>
#include <unistd.h>
#include <cstdlib>

#define HONE_EXPORT extern "C" __attribute__((visibility("default")))

HONE_EXPORT int get_nprocs() {
    const char* team = std::getenv("OMP_NUM_THREADS");
    return team ? std::atoi(team) : 1;
}

HONE_EXPORT int get_nprocs_conf() { return get_nprocs(); }

HONE_EXPORT long sysconf(int name) {
    using Sysconf = long (*)(int);
    static const auto libc = reinterpret_cast<Sysconf>(dlsym(RTLD_NEXT, "sysconf"));
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? get_nprocs() : libc(name);
}
