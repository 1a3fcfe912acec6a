// What a compiler made of a hostile program, and said of it (devices/cuda/compile/cubin, unit). Before a NUL NUL the
// log, after it the cubin.
#include "cuda/compile/cubin.hpp"
#include <algorithm>
#include <cctype>
#include "cuda/compile/unit.hpp"
#include "property.hpp"

using namespace hone::cuda;

namespace {

void check_kernel(const Kernel& kernel) {
    hone::fuzz::hold(!kernel.name.empty() && kernel.name.size() <= 256, "a kernel has a name");
    hone::fuzz::hold(kernel.registers >= 0 && kernel.shared_bytes >= 0 && kernel.stack_bytes >= 0,
                     "a kernel needs nothing less than nothing");
    hone::fuzz::hold(kernel.parameters.size() <= 512, "parameters are bounded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string all(hone::fuzz::view(bytes, size));
    const std::size_t middle = all.find(std::string(2, '\0'));
    const std::string log = all.substr(0, middle), binary = middle == std::string::npos ? all : all.substr(middle + 2);
    const std::string kept = own_lines(log);
    hone::fuzz::hold(kept.size() <= 4096 + 4, "a log is bounded");
    hone::fuzz::hold(
        std::none_of(kept.begin(), kept.end(), [](unsigned char c) { return c != '\n' && std::iscntrl(c); }),
        "no terminal is steered");
    for (const std::string& header : leading_headers(log))
        hone::fuzz::hold(header.find_first_of("<>\"\n") == std::string::npos && header[0] != '/',
                         "a header's name is nothing else");
    const auto cubin = read_cubin(binary);
    if (!cubin) return 0;
    hone::fuzz::hold(cubin->kernels.size() <= 64, "kernels are bounded");
    for (const Kernel& kernel : cubin->kernels) check_kernel(kernel);
    hone::fuzz::hold(resource_report(*cubin, log).size() <= 64 * 1024, "a report is bounded");
    return 0;
}
