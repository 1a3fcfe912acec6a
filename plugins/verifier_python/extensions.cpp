#include "verifier_python/extensions.hpp"
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include "extension_text.hpp"
#include "hone/record.hpp"
#include "verifier_python/zygote.hpp"

namespace hone::python {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t programs_kept = 4, longest_failure = 400;

// All are the one header.
constexpr std::array headers = {"torch/extension.h",
                                "torch/torch.h",
                                "torch/types.h",
                                "torch/all.h",
                                "torch/script.h",
                                "ATen/ATen.h",
                                "ATen/cuda/CUDAContext.h",
                                "ATen/cuda/Exceptions.h",
                                "ATen/cuda/CUDAUtils.h",
                                "ATen/Dispatch.h",
                                "ATen/core/Tensor.h",
                                "c10/cuda/CUDAGuard.h",
                                "c10/cuda/CUDAStream.h",
                                "c10/cuda/CUDAException.h",
                                "c10/util/Exception.h",
                                "c10/util/Optional.h",
                                "c10/cuda/CUDAFunctions.h",
                                "c10/util/Half.h",
                                "pybind11/pybind11.h",
                                "pybind11/stl.h",
                                "pybind11/numpy.h"};
constexpr const char* include_all = "#include \"hone_extension.hpp\"\n";

// Compilers quote the program: only ASCII, since it stands in a line of an order.
std::string plain(std::string text) {
    text.resize(std::min(text.size(), longest_failure));
    for (char& c : text)
        if (c < ' ' || c > '~') c = '?';
    return text;
}

// Compilers name files of the build's folder, or what #line says.
std::string first_error(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        const bool is_error = line.find("error") != std::string::npos || line.find("undefined") != std::string::npos;
        if (!is_error) continue;
        if (const std::size_t folder = line.find("hone-build-"); folder != std::string::npos)
            line = line.substr(std::min(line.find("/work/", folder) + 6, line.size()));
        return line;
    }
    return "";
}

void add_flags(std::vector<std::string>& argv, const std::vector<std::string>& given, bool cuda) {
    for (const std::string& flag : words_of(given)) {
        const std::string of_host = flag.starts_with("-Xcompiler=") ? flag.substr(11) : "";
        const std::optional<std::string> passed = of_host.empty() ? passed_on(flag, cuda) : passed_on(of_host, false);
        if (!passed) throw std::invalid_argument("the flag " + flag + " is not one of those that hone passes on");
        if (passed->empty()) continue;
        if (cuda && !of_host.empty()) argv.insert(argv.end(), {"-Xcompiler", *passed});
        else argv.push_back(*passed);
    }
}

}  // namespace

std::string Extensions::find_nvcc() const {
    if (!nvcc_.empty()) return find_program(nvcc_);
    const char* home = std::getenv("CUDA_HOME");
    for (const std::string& path : {home ? std::string(home) + "/bin/nvcc" : std::string(), find_program("nvcc"),
                                    std::string("/usr/local/cuda/bin/nvcc")})
        if (!path.empty() && access(path.c_str(), X_OK) == 0) return path;
    return "";
}

// nvcc compiles both halves, and needs its toolkit's folder; without CUDA the C++ compiler is enough.
// -O1, unless a program says otherwise: without it a call of an extension takes twice as long.
std::vector<std::string> Extensions::command(const Wish& wish) const {
    std::vector<std::string> argv;
    const bool on_device = !architecture_.empty();
    if (!wish.cuda.empty() && !on_device)
        throw std::invalid_argument("CUDA sources, and this verifier's device is the CPU");
    if (on_device) {
        const std::string nvcc = find_nvcc();
        if (nvcc.empty()) throw std::invalid_argument("no nvcc: --set verifier.nvcc=PATH");
        const fs::path toolkit = fs::canonical(nvcc).parent_path().parent_path();
        argv = {fs::canonical(nvcc),
                "-arch=" + architecture_,
                "--threads=2",
                "-DHONE_CUDA",
                "--expt-relaxed-constexpr",
                "-I",
                toolkit,
                "-I",
                toolkit / "include",
                "-Xcompiler",
                "-fPIC",
                "-Xcompiler",
                "-fno-gnu-unique",
                "-Xcompiler",
                "-fno-lto",
                "-Xcompiler",
                "-O1"};
        add_flags(argv, wish.cuda_flags, true);
        for (const std::string& word : words_of(wish.flags)) add_flags(argv, {"-Xcompiler " + word}, true);
    } else {
        argv = {find_program("c++"), "-fPIC", "-fno-gnu-unique", "-fno-lto", "-fvisibility=hidden", "-O1"};
        if (argv[0].empty()) throw std::invalid_argument("no C++ compiler: there is no c++ on PATH");
        add_flags(argv, wish.flags, false);
    }
    for (const char* word :
         {"-w", "-std=c++17", "-shared", "-I", "@/include", "-DTORCH_EXTENSION_NAME=extension", "@/sources.cpp"})
        argv.emplace_back(word);
    if (!wish.cuda.empty()) argv.emplace_back("@/sources.cu");
    argv.insert(argv.end(), {"-o", "@/library.so"});
    return argv;
}

namespace {

hone_text borrowed(const std::string& text) { return {text.data(), text.size()}; }

// The library's bytes, or why there are none.
struct Made {
    std::string library, failure;
    double seconds = 0;
};

Made made_by(const Host& host, const std::vector<std::string>& words, const Wish& wish) {
    std::vector<std::pair<std::string, std::string>> files = {
        {"include/hone_extension.hpp", extension_text}, {"sources.cpp", wish.cpp}, {"sources.cu", wish.cuda}};
    for (const char* header : headers) files.emplace_back(std::string("include/") + header, include_all);
    std::vector<hone_file> given;
    for (const auto& [name, bytes] : files) given.push_back({borrowed(name), borrowed(bytes)});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    argv.push_back(nullptr);
    Record out;
    host.check(host.raw()->build(host.raw()->ctx, argv.data(), given.data(), static_cast<std::uint32_t>(given.size()),
                                 "library.so", out.out()),
               "verifier.python: the compiler could not be run");
    Made made{out.text("product"), "", out.num("seconds")};
    if (!made.library.empty()) return made;
    made.failure = first_error(out.text("log"));
    if (made.failure.empty()) made.failure = out.text("reason");
    return made;
}

}  // namespace

Extension Extensions::build(const Wish& wish) const {
    Made made;
    try {
        made = made_by(host_, command(wish), wish);
    } catch (const std::invalid_argument& refused) {
        made.failure = refused.what();
    }
    Extension extension{wish.key, plain(made.failure), SharedMemory(host_, made.library.size(), false), made.seconds};
    std::copy(made.library.begin(), made.library.end(), static_cast<char*>(extension.library.region().at));
    return extension;
}

Extensions::Wanted& Extensions::of(const std::string& code) {
    for (Wanted& known : programs_)
        if (known.code == code) return known;
    if (programs_.size() == programs_kept) programs_.pop_front();
    return programs_.emplace_back(Wanted{code, {}, false});
}

}  // namespace hone::python
