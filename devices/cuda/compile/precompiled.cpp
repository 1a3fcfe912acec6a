#include "cuda/compile/precompiled.hpp"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <iterator>
#include "cuda/compile/nvrtc_page.hpp"
#include "hone/confine.hpp"

namespace hone::cuda {
namespace {

constexpr std::size_t most_entries = 6;  // CUB's have 200 MB each
constexpr rlim_t most_seconds = 60;

// Options that NVRTC 13 accepts to differ from those of a precompiled header; for the others it reads the headers
// again, with a warning.
constexpr const char* neutral_options[] = {
    "--maxrregcount=", "--fmad=",         "--restrict",      "--extra-device-vectorization",
    "--ftz=false",     "--prec-div=true", "--prec-sqrt=true"};

std::string key_of(const std::vector<std::string>& headers, const std::vector<std::string>& options) {
    std::string key;
    for (const std::string& header : headers) key += header + "\n";
    for (const std::string& option : options)
        if (std::none_of(std::begin(neutral_options), std::end(neutral_options),
                         [&](const char* begin) { return option.starts_with(begin); }))
            key += option + "\n";
    return key;
}

}  // namespace

std::string prelude(const std::vector<std::string>& headers) {
    std::string text;
    for (const std::string& header : headers) text += "#include <" + header + ">\n";
    return text.empty() ? text : text + "#pragma nv_hdrstop\n";
}

void Precompiled::compile(const std::vector<std::string>& headers, std::vector<std::string> options) const {
    options.push_back("--create-pch=" + path_);
    if (nvrtc_.compile(prelude(headers), options).error) unlink(path_.c_str());
}

// The file as sealed memory, which no child can change and which needs no folder. -1: there is no such file.
int Precompiled::take() const {
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat about {};
    fstat(file, &about);
    int memory = memfd_create("hone-headers", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (off_t left = about.st_size; left > 0 && memory >= 0;) {
        const ssize_t n = sendfile(memory, file, nullptr, static_cast<std::size_t>(left));
        if (n <= 0) close(memory), memory = -1;
        left -= n;
    }
    close(file);
    unlink(path_.c_str());
    if (memory >= 0) fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    return memory;
}

void Precompiled::make(const std::vector<std::string>& headers, const std::vector<std::string>& options) {
    compile(headers, options);
    entries_.push_back({key_of(headers, options), take()});
}

std::string Precompiled::find(const std::vector<std::string>& headers, const std::vector<std::string>& options) {
    if (headers.empty()) return {};
    const std::string key = key_of(headers, options);
    for (const Entry& entry : entries_)
        if (entry.key == key) return entry.file < 0 ? std::string() : "/proc/self/fd/" + std::to_string(entry.file);
    if (maker_) return {};
    maker_ = fork();
    if (maker_ == 0) {
        confine::end_with_parent();
        close(host_socket);
        confine::limit(RLIMIT_CPU, most_seconds, most_seconds);
        compile(headers, options);
        _exit(0);
    }
    if (maker_ < 0) return maker_ = 0, std::string();
    if (entries_.size() == most_entries) {
        close(entries_[1].file);  // the first is the one that most programs need
        entries_.erase(entries_.begin() + 1);
    }
    entries_.push_back({key, -1});
    return {};
}

bool Precompiled::ended(pid_t child, int status) {
    if (child != maker_) return false;
    maker_ = 0;
    if (status != 0) unlink(path_.c_str());  // ended half way
    entries_.back().file = take();
    return true;
}

}  // namespace hone::cuda
