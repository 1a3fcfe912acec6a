// mutant_peer ORIGINAL.so MUTANT.so < SPEC: do two kernels do the same? Decided without any of the judge's code, inputs
// or rules: both run on shapes and distributions of this program's own, and any difference that rounding cannot explain
// counts, and so does a crash, an endless loop, a write outside of the outputs or into an input.
//
// SPEC, one call a line: tensors in the order of the arguments, then `sizes` with the sizes in theirs:
//     in f32 4096 in i64 32 10 out f32 4096 sizes 32 128          (dtype, elements; whole numbers: and the first one
//     beyond the range)
// Output: "same" or "differs: WHY"; exit code 0. Exit code 2: the original itself fails.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t pad = 4096;                // bytes around every tensor
constexpr unsigned seconds = 4, patience = 120;  // of processor time, of waiting: for all calls together
constexpr double times_noise = 100;              // what a bit more or less in every input changes
constexpr double own_rounding = 4e-6;            // of an element's size

struct Tensor {
    bool out = false, whole = false;
    std::size_t elements = 0, limit = 0, at = 0;  // at: offset in the memory of a call
    std::size_t bytes() const { return elements * (whole ? 8 : 4); }
};

struct Call {
    std::vector<Tensor> tensors;
    std::vector<long> sizes;
    std::size_t begin = 0, bytes = 0;  // in the memory of a run
    int law = 0;
    unsigned seed = 0;
};

enum { normal, positive, whole_numbers, large, tiny, spiky, rising, near_constant, negative, laws };

double draw(std::mt19937& random, int law, std::size_t i, std::size_t n) {
    const double z = std::normal_distribution<double>()(random), u = std::uniform_real_distribution<double>()(random);
    switch (law) {
        case normal:
            return z;
        case positive:
            return u;
        case whole_numbers:
            return std::floor(7 * u) - 3;
        case large:
            return 30 * z;
        case tiny:
            return 1e-3 * z;
        case spiky:
            return u < 0.1 ? 0 : u > 0.995 ? 100 * z : z;
        case rising:
            return static_cast<double>(i) / static_cast<double>(n) + 0.01 * z;
        case near_constant:
            return 5 + 0.1 * z;
        default:
            return -u - 0.01;
    }
}

bool parse(const std::string& line, Call& call) {
    std::istringstream in(line);
    std::string word, dtype;
    while (in >> word && word != "sizes") {
        Tensor t;
        t.out = word == "out";
        in >> dtype >> t.elements;
        t.whole = dtype == "i64";
        if (dtype != "i64" && dtype != "f32") return false;
        if (t.whole && !t.out) in >> t.limit;
        t.at = call.bytes + pad;
        call.bytes += (t.bytes() + 63) / 64 * 64 + 2 * pad;
        call.tensors.push_back(t);
    }
    for (long n = 0; in >> n;) call.sizes.push_back(n);
    return word == "sizes" && !call.tensors.empty();
}

std::vector<Call> read_spec() {
    std::vector<Call> calls;
    std::size_t begin = 0;
    unsigned seed = 1;
    for (std::string line; std::getline(std::cin, line);) {
        Call call;
        if (!parse(line, call)) {
            std::fprintf(stderr, "mutant_peer: cannot read \"%s\"\n", line.c_str());
            std::exit(3);
        }
        for (int law = 0; law < laws; ++law) {
            call.law = law;
            call.seed = seed++;
            call.begin = begin;
            begin += call.bytes;
            calls.push_back(call);
        }
    }
    return calls;
}

// What is no tensor holds large numbers, so that reading there shows, and others around outputs than around inputs, so
// that copying does.
void fill(const Call& call, char* memory, bool nudged) {
    char* base = memory + call.begin;
    for (std::size_t k = 0; k < call.tensors.size(); ++k) {
        const std::size_t end = k + 1 < call.tensors.size() ? call.tensors[k + 1].at - pad : call.bytes;
        const float odd = (call.tensors[k].out ? -7.75e17f : 1.2345e19f) * static_cast<float>(k + 1);
        for (std::size_t i = call.tensors[k].at - pad; i + 4 <= end; i += 4) std::memcpy(base + i, &odd, 4);
    }
    std::mt19937 random(call.seed), nudges(call.seed + 7777);
    for (const Tensor& t : call.tensors) {
        if (t.out) continue;
        for (std::size_t i = 0; i < t.elements; ++i) {
            if (t.whole) {
                const std::int64_t value = static_cast<std::int64_t>(random() % t.limit);
                std::memcpy(base + t.at + 8 * i, &value, 8);
                continue;
            }
            float value = static_cast<float>(draw(random, call.law, i, t.elements));
            if (nudged) value = std::nextafter(value, nudges() % 2 ? 1e30f : -1e30f);
            std::memcpy(base + t.at + 4 * i, &value, 4);
        }
    }
}

using Kernel = void (*)(long, long, long, long, long, long, long, long, long, long, long, long);

void run_all(Kernel k, const std::vector<Call>& calls, char* memory, bool nudged) {
    for (const Call& call : calls) {
        fill(call, memory, nudged);
        long words[12] = {};
        std::size_t n = 0;
        for (const Tensor& t : call.tensors) words[n++] = reinterpret_cast<long>(memory + call.begin + t.at);
        for (const long size : call.sizes) words[n++] = size;
        k(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9], words[10],
          words[11]);
    }
}

// In a child, which may die of it. "": it ended well.
std::string run(const char* library, const std::vector<Call>& calls, char* memory, bool nudged) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{seconds, seconds};
        setrlimit(RLIMIT_CPU, &limit);
        alarm(patience);
        // threads that wait for others on a busy machine must not burn its time
        setenv("OMP_WAIT_POLICY", "passive", 1);
        void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        void* symbol = handle ? dlsym(handle, "k") : nullptr;
        if (!symbol) _exit(9);
        run_all(reinterpret_cast<Kernel>(symbol), calls, memory, nudged);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGALRM
                   ? "it does not end"
                   : "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

float at(const char* base, std::size_t i) {
    float value;
    std::memcpy(&value, base + 4 * i, 4);
    return value;
}

// The root mean square of what nudging the inputs changes in the original's output.
double noise_of(const Tensor& t, const char* original, const char* nudged) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < t.elements; ++i) {
        const double d = static_cast<double>(at(original, i)) - at(nudged, i);
        if (std::isfinite(d)) sum += d * d, n += 1;
    }
    return n > 0 ? std::sqrt(sum / n) : 0;
}

std::string compare_floats(const Tensor& t, const char* original, const char* nudged, const char* mutant) {
    const double allowed = times_noise * noise_of(t, original, nudged);
    for (std::size_t i = 0; i < t.elements; ++i) {
        const double x = at(original, i), y = at(mutant, i), z = at(nudged, i);
        if (!std::isfinite(x) || !std::isfinite(z)) {
            if (std::isfinite(y) && !std::isfinite(z)) return "a number for " + std::to_string(x);
            continue;
        }
        if (std::fabs(y - x) <= allowed + own_rounding * std::fabs(x)) continue;
        std::ostringstream text;
        text << "element " << i << " of " << t.elements << " is " << y << ", should be " << x;
        return text.str();
    }
    return "";
}

std::string compare(const Call& call, const char* original, const char* nudged, const char* mutant) {
    for (const Tensor& t : call.tensors) {
        if (!t.out) continue;
        const std::size_t at = call.begin + t.at;
        std::string why;
        if (!t.whole) why = compare_floats(t, original + at, nudged + at, mutant + at);
        else if (std::memcmp(original + at, nudged + at, t.bytes()) == 0 &&
                 std::memcmp(original + at, mutant + at, t.bytes()) != 0)
            why = "another whole number";
        if (!why.empty()) return why;
    }
    // all the rest of a call's memory must be as the original left it
    std::size_t from = 0;
    for (std::size_t i = 0; i <= call.tensors.size(); ++i) {
        const bool end = i == call.tensors.size();
        if (!end && !call.tensors[i].out) continue;
        const std::size_t to = end ? call.bytes : call.tensors[i].at;
        if (std::memcmp(original + call.begin + from, mutant + call.begin + from, to - from) != 0)
            return "it writes outside of its outputs";
        if (!end) from = call.tensors[i].at + call.tensors[i].bytes();
    }
    return "";
}

std::string name_of(const Call& call) {
    static const char* const names[] = {"normal", "positive", "whole numbers", "large",   "tiny",
                                        "spiky",  "rising",   "near constant", "negative"};
    std::string text;
    for (const long n : call.sizes) text += (text.empty() ? "" : "x") + std::to_string(n);
    return text + ", " + names[call.law];
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return std::fprintf(stderr, "usage: mutant_peer ORIGINAL.so MUTANT.so < SPEC\n"), 3;
    const std::vector<Call> calls = read_spec();
    if (calls.empty()) return std::fprintf(stderr, "mutant_peer: no call\n"), 3;
    const std::size_t bytes = calls.back().begin + calls.back().bytes;
    char* memory[3];
    for (char*& m : memory) {
        void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) return std::perror("mutant_peer: mmap"), 3;
        m = static_cast<char*>(got);
    }
    for (const int nudged : {0, 1})
        if (const std::string fault = run(words[1], calls, memory[nudged], nudged); !fault.empty())
            return std::fprintf(stderr, "mutant_peer: the original: %s\n", fault.c_str()), 2;
    std::string why = run(words[2], calls, memory[2], false);
    for (std::size_t i = 0; why.empty() && i < calls.size(); ++i) {
        why = compare(calls[i], memory[0], memory[1], memory[2]);
        if (!why.empty()) why = "at " + name_of(calls[i]) + ": " + why;
    }
    std::printf("%s%s\n", why.empty() ? "same" : "differs: ", why.c_str());
    return 0;
}
