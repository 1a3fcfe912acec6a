#include "torch_lm/format/mapped_file.hpp"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include "hone/plugin.hpp"

namespace hone::lm {

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) {
        const int error = errno;
        if (file >= 0) ::close(file);
        throw Refused(path_ + ": cannot be read: " + std::strerror(error));
    }
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* map = bytes ? ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
    const int error = errno;
    ::close(file);
    if (map == MAP_FAILED) throw Refused(path_ + ": cannot be mapped: " + std::strerror(error));
    map_ = {static_cast<const char*>(map), Unmap{bytes}};
}

void MappedFile::Unmap::operator()(const char* at) const { ::munmap(const_cast<char*>(at), bytes); }

}  // namespace hone::lm
