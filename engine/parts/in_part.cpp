#include "parts/in_part.hpp"
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

constexpr std::size_t place_bytes = 128;
const InPart* innermost = nullptr;
char* shared = nullptr;  // [place_bytes]

void keep_place() {
    if (shared) InPart::tell(shared, place_bytes);
}

}  // namespace

InPart::InPart(const std::string& part, const char* function) noexcept
    : part_(part.c_str()), function_(function), outer_(innermost) {
    innermost = this;
    keep_place();
}

InPart::~InPart() {
    innermost = outer_;
    keep_place();
}

void InPart::tell(char* text, std::size_t room) noexcept {
    std::size_t n = 0;
    const auto add = [&](const char* from) {
        while (*from && n + 1 < room) text[n++] = *from++;
    };
    if (innermost) add(innermost->part_), add(" ("), add(innermost->function_), add(")");
    text[n] = '\0';
}

Fd make_place() {
    Fd file(memfd_create("place", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), place_bytes) != 0)
        throw Error(Blame::environment, "bench", std::string("no memory to share: ") + std::strerror(errno));
    return file;
}

bool share_place(int file) {
    void* const at = mmap(nullptr, place_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return false;
    shared = static_cast<char*>(at);
    keep_place();
    return true;
}

std::string place_in(const Fd& place) {
    char text[place_bytes] = "";
    if (pread(place.get(), text, sizeof text - 1, 0) <= 0 || !text[0]) return "";
    return std::string(" in ") + text;
}

}  // namespace hone
