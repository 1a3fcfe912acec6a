#include "verifier_python/wish.hpp"
#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>
#include "cpp/flags.hpp"

namespace hone::python {
namespace {

constexpr std::size_t longest_flag = 200;  // std::regex recurses by the text's length

std::size_t number(const std::string& text) {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
        throw std::invalid_argument("a length that is no number");
    return std::stoul(text);
}

// It is told in failures, which stand in the lines of an order.
bool is_plain(const std::string& flag) {
    return flag.size() <= longest_flag &&
           std::all_of(flag.begin(), flag.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Wish read_wish(const std::string& bytes) {
    Wish wish;
    std::size_t cpp = 0, cuda = 0, at = 0;
    for (;;) {
        const std::size_t end = bytes.find('\n', at);
        if (end == std::string::npos) throw std::invalid_argument("a wish without an end");
        const std::string line = bytes.substr(at, end - at);
        at = end + 1;
        if (line.empty()) break;
        if (line.starts_with("key ")) wish.key = line.substr(4);
        else if (line.starts_with("cpp ")) cpp = number(line.substr(4));
        else if (line.starts_with("cuda ")) cuda = number(line.substr(5));
        else if (line.starts_with("flag ")) wish.flags.push_back(line.substr(5));
        else if (line.starts_with("cuda-flag ")) wish.cuda_flags.push_back(line.substr(10));
        else throw std::invalid_argument("a line that is not known");
    }
    if (wish.key.size() != 64 || wish.key.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw std::invalid_argument("a key that is none");
    for (const auto* flags : {&wish.flags, &wish.cuda_flags})
        if (std::any_of(flags->begin(), flags->end(), [](const std::string& flag) { return !is_plain(flag); }))
            throw std::invalid_argument("a flag of more than 200 characters, or of others than ASCII's");
    if (bytes.size() - at != cpp + cuda) throw std::invalid_argument("texts of other lengths");
    wish.cpp = bytes.substr(at, cpp);
    wish.cuda = bytes.substr(at + cpp, cuda);
    return wish;
}

std::optional<std::string> passed_on(const std::string& flag, bool cuda) {
    if (flag.size() > longest_flag) return std::nullopt;
    static const std::regex defined("-D[A-Za-z_]\\w*(=[\\w.+-]*)?|-U[A-Za-z_]\\w*");
    static const std::regex device(
        "-O[0-3]|-?-use_fast_math|-?-maxrregcount[= ]?\\d+|-?-fmad=(true|false)|--expt-relaxed-constexpr|"
        "--expt-extended-lambda|-?-extended-lambda|-?-ptxas-options=-(O[0-3]|v|warn-spills|"
        "dlcm=c[agsv])|-Xptxas=-(O[0-3]|v|dlcm=c[agsv])|-?-prec-(div|sqrt)=(true|false)|-?-ftz=(true|false)");
    // for people and profilers, or the bench's own to choose (the standard is C++17)
    static const std::regex left_out(
        "-std=.*|-g|-G|-w|-W\\w.*|-lineinfo|--?generate-line-info|-fPIC|-shared|"
        "(--?)?(gencode|arch|gpu-architecture|generate-code)[= ].*|-gencode.*|-arch.*|arch=.*|"
        "--?threads[= ]\\d+|-v|--verbose|-diag-suppress.*|-l(cublas|cudart|cudnn|c10|torch\\w*)");
    if (std::regex_match(flag, left_out)) return "";
    // nvcc hands several words on to the C++ compiler where commas part them
    if (flag.find(',') != std::string::npos) return std::nullopt;
    const bool known = cuda ? std::regex_match(flag, device) : flag == "-fopenmp" || cpp::is_allowed(flag);
    if (known || std::regex_match(flag, defined)) return flag;
    return std::nullopt;
}

std::vector<std::string> words_of(const std::vector<std::string>& given) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < given.size(); ++i) {
        std::istringstream text(given[i]);
        for (std::string word; text >> word;) {
            const bool joins =
                !all.empty() && (all.back() == "-Xptxas" || all.back() == "--ptxas-options" ||
                                 all.back() == "-Xcompiler" || all.back() == "-maxrregcount" ||
                                 all.back() == "--maxrregcount" || all.back() == "-gencode" || all.back() == "-arch");
            if (joins) all.back() += "=" + word;
            else all.push_back(word);
        }
    }
    return all;
}

}  // namespace hone::python
