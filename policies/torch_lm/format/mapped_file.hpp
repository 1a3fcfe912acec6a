// mapped_file.hpp: a file as read-only memory; what is read of it comes from the page cache.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hone::lm {

class MappedFile {
public:
    explicit MappedFile(std::string path);  // throws Refused: PATH: cause
    const std::string& path() const { return path_; }
    std::string_view bytes() const { return {map_.get(), map_ ? map_.get_deleter().bytes : 0}; }

private:
    struct Unmap {
        std::size_t bytes;
        void operator()(const char* at) const;
    };
    std::string path_;
    std::unique_ptr<const char, Unmap> map_{nullptr, Unmap{0}};
};

}  // namespace hone::lm
