// hone/filter.hpp: filters of system calls, written by libseccomp (link it) and installed by hone/confine.hpp. Written
// before the process that installs them has given anything up: libseccomp allocates and makes a memory file.
#pragma once
#include <linux/filter.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hone {

using Filter = std::vector<sock_filter>;

// A filter under construction. An architecture that lacks a call has no rule for it. A rule that could not be made, or
// a name that libseccomp does not know, is an error: a rule that is missing might be one that forbids.
class FilterBuilder {
public:
    // otherwise: what happens to calls that no rule names. Calls of another architecture end the process.
    explicit FilterBuilder(std::uint32_t otherwise) : context_(seccomp_init(otherwise)) {
        if (!context_) throw std::runtime_error("libseccomp refused to make a filter");
        require(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0,
                "the architecture");
    }

    void rule(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> arguments = {}) {
        const int number = seccomp_syscall_resolve_name(name);
        require(number != __NR_SCMP_ERROR &&
                    seccomp_rule_add_array(context_.get(), action, number, static_cast<unsigned>(arguments.size()),
                                           std::data(arguments)) == 0,
                name);
    }
    void rules(std::uint32_t action, std::initializer_list<const char*> names) {
        for (const char* name : names) rule(action, name);
    }
    // Its rules are looked at before those of other calls.
    void first(const char* name) { seccomp_syscall_priority(context_.get(), seccomp_syscall_resolve_name(name), 255); }

    Filter program() const {
        const int file = memfd_create("filter", MFD_CLOEXEC);
        const bool written = file >= 0 && seccomp_export_bpf(context_.get(), file) == 0;
        const off_t bytes = written ? lseek(file, 0, SEEK_END) : 0;
        Filter filter(bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(sock_filter) : 0);
        const bool read = bytes > 0 && pread(file, filter.data(), static_cast<std::size_t>(bytes), 0) == bytes;
        close(file);
        require(read, "the program");
        return filter;
    }

private:
    static void require(bool done, const char* what) {
        if (!done) throw std::runtime_error(std::string("libseccomp could not write a filter: ") + what);
    }

    struct Release {
        void operator()(void* context) const { seccomp_release(context); }
    };
    std::unique_ptr<void, Release> context_;
};

}  // namespace hone
