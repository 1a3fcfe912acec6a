#include "cuda/compile/toolchain.hpp"
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include "cuda/compile/unit.hpp"

namespace hone::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_known = 64, most_bytes = 1 << 20;
constexpr const char* wordless = "the compiler refused it";
constexpr std::array libraries = {"libnvrtc.so.13", "libnvrtc.so.12"};

// site-packages of PyTorch, or what ./dev unpacks: where the user says, else where hone was built with.
fs::path torch_folder() {
    const char* named = std::getenv("HONE_TORCH_DIR");
    return named ? named : HONE_TORCH_DIR;
}

// Toolkits, then the wheels that come with PyTorch.
std::vector<fs::path> library_folders() {
    std::vector<fs::path> folders;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* value = std::getenv(name)) folders.emplace_back(fs::path(value) / "lib64");
    folders.emplace_back("/usr/local/cuda/lib64");
    folders.emplace_back("/usr/lib/x86_64-linux-gnu");
    if (const fs::path torch = torch_folder(); !torch.empty())
        for (const char* wheel : {"cu13", "cuda_nvrtc", "cuda_cupti"})
            folders.emplace_back(torch / "nvidia" / wheel / "lib");
    return folders;
}

std::string find_nvrtc() {
    for (const auto& folder : library_folders())
        for (const char* name : libraries)
            if (fs::exists(folder / name)) return fs::canonical(folder / name);
    throw Refused(
        "verifier.cuda: NVRTC (libnvrtc.so.13 or .12) was not found; install CUDA's NVRTC (pip: nvidia-cuda-nvrtc), "
        "set CUDA_HOME, or pass "
        "the option nvrtc = \"/path/to/libnvrtc.so.13\"");
}

// Headers of a toolkit (cuda_fp16.h, mma.h); CUDA 13's wheels keep them in the same relative place.
std::string include_folder(const fs::path& library) {
    for (fs::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (fs::exists(folder / "include" / "cuda_fp16.h")) return fs::canonical(folder / "include");
    return "";
}

template <std::size_t n> void put(char (&to)[n], const std::string& text) {
    if (text.size() >= n)
        throw Refused("verifier.cuda: a path of " + std::to_string(text.size()) + " letters is too long: " + text);
    std::memcpy(to, text.c_str(), text.size() + 1);
}

ServeMessage serve_message(const std::string& nvrtc, const std::string& arch) {
    ServeMessage message{};
    put(message.library, nvrtc);
    put(message.headers, include_folder(nvrtc));
    put(message.temporary, fs::temp_directory_path());
    put(message.architecture, arch);
    message.seconds = compile_seconds;
    return message;
}

// The first line that tells one, or the first of all: warnings may stand before it.
std::string first_error(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (line.find(" error") != std::string::npos) return line;
    return log.substr(0, log.find('\n'));
}

// How the child ended, in the words of the bench's own build service.
void judge(const Product& product, Compiled& compiled) {
    const auto fail = [&](const char* verdict, const std::string& reason) {
        compiled.verdict = verdict, compiled.reason = reason;
    };
    const int status = product.reply.status, code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
              signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const std::string seconds = std::to_string(compile_seconds) + " s";
    if (product.reply.outcome == Outcome::too_long) fail("TIMEOUT", "the compiler took more than " + seconds);
    else if (signal == SIGXCPU) fail("TIMEOUT", "the compiler used more than " + seconds);
    else if (signal == SIGKILL || code == exit_no_memory ||
             (signal == SIGABRT && product.reply.peak_bytes > compile_memory / 4))
        fail("OUT_OF_MEMORY", "the compiler needed more than " + std::to_string(compile_memory >> 30) + " GiB");
    else if (code == exit_too_large || signal == SIGXFSZ)
        fail("COMPILE_ERROR", "the compiler wrote more than " + std::to_string(product_room >> 20) + " MiB");
    else if (signal) fail("COMPILE_ERROR", std::string("the compiler was ended by ") + strsignal(signal));
    else if (code == exit_compiled && !product.cubin.empty()) return;
    else fail("COMPILE_ERROR", compiled.log.empty() ? wordless : first_error(compiled.log));
}

// "--define-macro=N=V" as a line: as an option it would need precompiled headers of its own. "": not of that kind.
std::string macro_line(const std::string& option) {
    constexpr std::string_view head = "--define-macro=";
    if (!option.starts_with(head)) return {};
    std::string macro = option.substr(head.size());
    const std::size_t equal = macro.find('=');
    if (equal == std::string::npos) macro += " 1";
    else macro[equal] = ' ';
    return "#define " + macro + "\n";
}

Compiled digest(Product&& product) {
    Compiled compiled;
    compiled.seconds = product.reply.seconds;
    compiled.cpu_seconds = product.reply.cpu_seconds;
    compiled.peak_bytes = static_cast<double>(product.reply.peak_bytes);
    compiled.precompiled = product.reply.precompiled != 0;
    compiled.log = own_lines(product.log);
    judge(product, compiled);
    if (!compiled.verdict.empty()) return compiled;
    if (auto contents = read_cubin(product.cubin)) {
        compiled.contents = std::move(*contents);
        compiled.resources = resource_report(compiled.contents, product.log);
    }
    compiled.cubin = std::move(product.cubin);
    return compiled;
}

fs::path own_folder() {  // of the plugin
    Dl_info here{};
    dladdr(reinterpret_cast<const void*>(&find_nvrtc), &here);
    return fs::canonical(here.dli_fname).parent_path();
}

}  // namespace

std::string Toolchain::program(const std::string& name) {
    const fs::path path = own_folder() / "../../../bin" / name;
    if (!fs::exists(path))
        throw Refused("verifier.cuda: its program " + path.lexically_normal().string() +
                      " is missing; install hone whole");
    return fs::canonical(path);
}

std::string Toolchain::runner_library(const std::string& name) {
    const fs::path path = own_folder() / "../runners" / name;
    return fs::exists(path) ? fs::canonical(path).string() : "";
}

std::string Toolchain::cupti() {
    for (const auto& folder : library_folders())
        for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
            for (const fs::path& path : {folder / name, folder.parent_path() / "extras/CUPTI/lib64" / name})
                if (fs::exists(path)) return fs::canonical(path);
    throw Refused(
        "verifier.cuda: CUPTI (libcupti.so.13 or .12) was not found; install it (pip: nvidia-cuda-cupti), set "
        "CUDA_HOME, or leave out records = \"cupti\"");
}

const std::string& Toolchain::nvrtc() {
    if (nvrtc_.empty()) nvrtc_ = find_nvrtc();
    return nvrtc_;
}

void tell(const Compiled& compiled, Out facts) {
    facts.num("build_seconds", compiled.seconds);
    facts.num("build_cpu_seconds", compiled.cpu_seconds);
    facts.num("build_peak_bytes", compiled.peak_bytes);
    facts.text("log", compiled.log);
    if (!compiled.verdict.empty()) return;
    const auto listed = [](auto&& names) {
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
        return text;
    };
    std::vector<std::string> kernels, tensor;
    double code = 0;
    for (const Kernel& kernel : compiled.contents.kernels) {
        kernels.push_back(kernel.name);
        code += static_cast<double>(kernel.code_bytes);
        for (const auto& [name, n] : kernel.tensor)
            if (std::find(tensor.begin(), tensor.end(), name) == tensor.end()) tensor.push_back(name);
    }
    facts.text("resources", compiled.resources);
    facts.text("entry_points", listed(kernels));
    facts.num("code_bytes", code);
    if (!tensor.empty()) facts.text("tensor_instructions", listed(tensor));
    if (!compiled.contents.calls.empty()) facts.text("device_calls", listed(compiled.contents.calls));
}

std::string Toolchain::version() const { return server_ ? server_->version() : ""; }

void Toolchain::ask(const Host& host, const CompileRequest& request, const std::string& arch, Product& product) {
    for (int trial = 0; trial < 2; ++trial) {
        if (!server_)
            server_ = std::make_unique<CompileServer>(host, program("hone-nvrtc"), serve_message(nvrtc(), arch));
        if (server_->compile(request, product)) {
            if (product.reply.outcome == Outcome::not_started || product.reply.status == exit_unusable << 8)
                throw Failed(
                    "verifier.cuda: the compile server could not confine or start a compiler; is memory short?");
            return;
        }
        server_.reset();  // whoever ended it: a fresh one tries once more
    }
    throw Failed("verifier.cuda: the compile server ended twice at one source");
}

// NVRTC has no words for an architecture that it does not know, nor for more static shared memory than a block can
// have.
void Toolchain::explain_silence(const Host& host, const std::string& arch, Compiled& compiled) {
    const std::string nothing = "extern \"C\" __global__ void k() {}\n";
    Product product;
    ask(host, {nothing, {"--gpu-architecture=" + arch}, {}}, arch, product);
    if (digest(std::move(product)).verdict == "COMPILE_ERROR")
        throw Refused("verifier.cuda: option \"arch\": NVRTC " + version() + " compiles nothing for \"" + arch +
                      "\"; leave it out, or name one such as sm_90a");
    compiled.reason +=
        std::string(" without a word; one cause is more static shared memory than a block can have (48 KiB)");
}

Compiled Toolchain::compile(const Host& host, const std::string& source, const std::string& arch,
                            const std::vector<std::string>& options) {
    std::string text;
    CompileRequest request{text, {"--gpu-architecture=" + arch}, leading_headers(source)};
    for (const std::string& option : options)
        if (const std::string line = macro_line(option); !line.empty()) text += line;
        else request.options.push_back(option);
    text += (text.empty() ? "" : "#line 1 \"k.cu\"\n") + source;
    std::string key;
    for (const std::string& option : request.options) key += option + "\n";
    key += "\n" + text;
    for (const Known& known : known_)
        if (known.key == key) return known.compiled;
    Product product;
    ask(host, request, arch, product);
    Compiled compiled = digest(std::move(product));
    if (compiled.reason == wordless) explain_silence(host, arch, compiled);
    if (compiled.verdict.empty() && compiled.cubin.size() + key.size() <= most_bytes) {
        if (known_.size() == most_known) known_.pop_front();
        known_.push_back({std::move(key), compiled});
    }
    return compiled;
}

}  // namespace hone::cuda
