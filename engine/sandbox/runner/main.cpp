// hone-jail: the confined runner. Maps what the bench shares, starts the thread team, locks every door, and only then
// loads the candidate's library, whose constructors are already hostile code. Everything in this process is within the
// candidate's reach, so it decides nothing.
#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <cstdio>
#include <cstring>
#include "hone/confine.hpp"
#include "hone/landlock.hpp"
#include "sandbox/runner/control.hpp"

namespace {

using namespace hone;

enum Exit { bad_setup = 100, bad_library = 101 };

[[noreturn]] void leave(JailControl* control, const char* trouble) {
    std::snprintf(control->trouble, sizeof control->trouble, "%s", trouble);
    _exit(bad_setup);
}

JailControl* map_control() {
    void* at = mmap(nullptr, sizeof(JailControl), PROT_READ | PROT_WRITE, MAP_SHARED, jail_control, 0);
    if (at == MAP_FAILED) _exit(bad_setup);
    close(jail_control);
    return static_cast<JailControl*>(at);
}

void map_regions(JailControl* control) {
    for (std::uint32_t i = 0; i < control->n_regions; ++i) {
        const JailRegion& region = control->regions[i];
        const int protection = region.writable ? PROT_READ | PROT_WRITE : PROT_READ,
                  file = jail_regions + static_cast<int>(i);
        void* wanted = reinterpret_cast<void*>(region.at);
        if (mmap(wanted, region.bytes, protection, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, file, 0) != wanted)
            leave(control, "a region could not be mapped");
        close(file);
    }
}

// OpenMP keeps the threads of its first parallel region; later ones wake them.
void start_team(int threads) {
#pragma omp parallel num_threads(threads)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Root's powers end here: the runner could start from wherever it is installed, the candidate needs nothing.
void drop_powers(JailControl* control) {
    if (!control->capabilities && !confine::drop_capabilities()) leave(control, "capabilities could not be given up");
}

void confine_files(JailControl* control) {
    if (!control->landlock) return;
    const int ruleset = landlock::make_ruleset();
    if (!confine::enter_ruleset(ruleset)) leave(control, "Landlock refused");
    close(ruleset);
}

void send_descriptor(int file) {
    char byte = 0, room[CMSG_SPACE(sizeof file)] = {};
    iovec part{&byte, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (file >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        *head = {CMSG_LEN(sizeof file), SOL_SOCKET, SCM_RIGHTS};
        std::memcpy(CMSG_DATA(head), &file, sizeof file);
    }
    sendmsg(jail_socket, &message, MSG_NOSIGNAL);
}

// From here on what changes or reaches others, and the ends and starts of threads, is seen and answered by the bench
// (SECCOMP_RET_USER_NOTIF); what else a kernel does not need gets an error number.
void confine_calls(JailControl* control) {
    int listener = -1;
    if (control->n_filter) {
        const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH |
                               SECCOMP_FILTER_FLAG_NEW_LISTENER | confine::keep_speculation;
        listener = confine::install_filter({control->filter, control->n_filter}, flags);
        if (listener < 0) leave(control, "seccomp refused");
    }
    send_descriptor(listener);
    close(listener);
    close(jail_socket);
}

// What compilers put vectors' functions into; a program that needs it finds it loaded. No harm where there is none.
void load_vector_functions() { dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL); }

JailEntry load(JailControl* control) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", jail_library);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* entry = library ? dlsym(library, control->symbol) : nullptr;
    if (!entry) _exit(bad_library);  // without a word: the candidate's code could have put its own there
    close(jail_library);
    return reinterpret_cast<JailEntry>(entry);
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

// The bench has the same core and stops this process at once. Stopped in here it goes on 0.7 us sooner than in the wait
// below, as would a candidate that took this loop's place.
constexpr int yields = 8;

[[noreturn]] void serve(JailControl* control, JailEntry entry) {
    for (std::uint32_t last = 1;;) {
        control->done.store(last);
        futex(control->done, FUTEX_WAKE, 1);
        for (int i = 0; i < yields && control->bell.load() == last; ++i) sched_yield();
        while (control->bell.load() == last) futex(control->bell, FUTEX_WAIT, last);
        last = control->bell.load();
        const std::uint64_t begun = ticks();
        entry(reinterpret_cast<const void* const*>(control->in), reinterpret_cast<void* const*>(control->out),
              control->sizes);
        control->inside = ticks() - begun;
    }
}

}  // namespace

int main() {
    JailControl* control = map_control();
    map_regions(control);
    drop_powers(control);
    load_vector_functions();
    confine_files(control);
    start_team(static_cast<int>(control->threads));
    confine_calls(control);
    serve(control, load(control));
}
