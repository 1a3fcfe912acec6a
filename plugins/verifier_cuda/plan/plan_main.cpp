// hone-plan PLAN FACTS PRODUCT: evaluates a launch plan (Lua) once for each shape. A program of its own so that hostile
// text meets the interpreter in a confined process: PLAN in, plain data out. FACTS: {"shapes": [{"N": 4096}], "device":
// {...}}. PRODUCT: {"plans": [...]}, and {"error": text} of the first shape that has none.
#include <sys/resource.h>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include "hone/confine.hpp"
#include "verifier_cuda/plan/plan_lua.hpp"

namespace {

constexpr rlim_t processor_seconds = 1;  // what counts no instructions, such as joining long texts, ends here

std::string read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
    using hone::cuda::Json;
    if (argc != 4) return 2;
    // at the second one the signal would be the one of memory
    hone::confine::limit(RLIMIT_CPU, processor_seconds, processor_seconds + 1);
    const std::string text = read(argv[1]);
    const Json facts = Json::parse(read(argv[2]));
    Json product = {{"plans", Json::array()}};
    for (std::size_t shape = 0; shape < facts.at("shapes").size(); ++shape) {
        try {
            product["plans"].push_back(hone::cuda::evaluate_plan(text, facts["shapes"][shape], facts.at("device")));
        } catch (const std::exception& e) {
            product["error"] = e.what();
            break;
        }
    }
    std::ofstream(argv[3], std::ios::binary) << product.dump(-1, ' ', true, Json::error_handler_t::replace);
}
