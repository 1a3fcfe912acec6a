#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace hone::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        char path[] = "/tmp/hone_torch_lm_XXXXXX";
        path_ = mkdtemp(path);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace hone::test
