#include "cuda/bench/workbench.hpp"
#include <algorithm>
#include <cstdlib>
#include "bench_source.hpp"

namespace hone::cuda {
namespace {

constexpr unsigned threads = 256;  // as looks.cu has it
constexpr std::uint64_t most_blocks = 2048;
constexpr std::size_t most_kept = 2;  // pieces of memory: one takes turns with that which is in use
constexpr std::size_t partial_bytes = most_blocks * sizeof(hone_errors);

// Operations of one multiprocessor in a clock, by the data sheets of A100, A40, L40S, H100 and B200. A product of
// float32 can be made of three of TF32, which is more than fp32 units give on some.
struct Arithmetic {
    int architecture;
    double f32, tf32, half;
};
constexpr Arithmetic arithmetic[] = {
    {80, 128, 1024, 2048}, {86, 256, 512, 1024}, {89, 256, 512, 1024}, {90, 256, 2048, 4096}, {100, 256, 4096, 8192}};
constexpr double products_for_f32 = 3;

std::uint64_t elements(const hone_tensor& tensor) {
    std::uint64_t n = 1;
    for (int i = 0; i < tensor.rank; ++i) n *= static_cast<std::uint64_t>(tensor.shape[i]);
    return n;
}

}  // namespace

void Workbench::open_context() {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    const Driver& driver = Driver::get();
    driver.check(driver.device(&device_, index_), "cuDeviceGet");
    driver.check(driver.make_context(&context_, schedule_spin, device_), "cuCtxCreate");
    nvml_.emplace(driver, device_);
    driver_ = &driver;
}

void Workbench::enter() const { driver_->check(driver_->set_context(context_), "cuCtxSetCurrent"); }

void Workbench::load_kernels(const Host& host, Toolchain& tools) {
    const Compiled compiled = tools.compile(host, bench_source, native_arch(), {"--fmad=false"});
    if (!compiled.verdict.empty())
        throw Broken("the bench's own kernels do not compile: " + compiled.reason + "\n" + compiled.log);
    Module module = nullptr;
    driver_->check(driver_->load_module(&module, compiled.cubin.data()), "cuModuleLoadData");
    empty_ = load_empty(*driver_);
    const std::pair<const char*, Function*> kernels[] = {{"fill", &fill_},
                                                         {"gather", &gather_},
                                                         {"differ", &differ_},
                                                         {"strays", &strays_},
                                                         {"widen", &widen_},
                                                         {"moments", &moments_},
                                                         {"scale_of_neighbours", &scale_of_neighbours_},
                                                         {"scale_of_rows", &scale_of_rows_},
                                                         {"compare", &compare_}};
    for (const auto& [name, function] : kernels)
        driver_->check(driver_->function(function, module, name), "cuModuleGetFunction");
}

std::string Workbench::no_room(const std::string& error, std::uint64_t bytes) const {
    std::uint64_t sum = 0;
    for (const Reserved& r : reserved_) sum += r.asked;
    return error + ": there is no room for " + std::to_string(bytes >> 20) + " MiB beside " +
           std::to_string(sum >> 20) + " MiB of the judge's; make judge.pool_mb smaller, or the task's timed shape";
}

std::uint64_t Workbench::reserve(std::uint64_t bytes, std::int32_t writable) {
    enter();
    bytes = std::max<std::uint64_t>(bytes, 1);
    if (writable == 2 && reuse(bytes)) return reserved_.back().memory.at;
    try {
        reserved_.push_back({create_shared(*driver_, device_, bytes, writable != 2), writable, bytes});
    } catch (const Error& e) {
        if (kept_.empty()) throw Failed(no_room(e.what(), bytes));
        while (!kept_.empty()) drop_oldest();
        return reserve(bytes, writable);
    }
    return reserved_.back().memory.at;
}

bool Workbench::reuse(std::uint64_t bytes) {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Reserved& r) { return r.asked == bytes; });
    if (found == kept_.end()) return false;
    reserved_.push_back(*found);
    kept_.erase(found);
    return true;
}

void Workbench::keep(const Reserved& released) {
    kept_.push_back(released);
    if (kept_.size() > most_kept) drop_oldest();
}

void Workbench::drop_oldest() {
    destroy(*driver_, kept_.front().memory);
    kept_.erase(kept_.begin());
}

void Workbench::release(std::uint64_t at) {
    enter();
    const auto found =
        std::find_if(reserved_.begin(), reserved_.end(), [&](const Reserved& r) { return r.memory.at == at; });
    if (found == reserved_.end()) throw Refused("verifier.cuda: release of memory that was not reserved");
    driver_->synchronize(nullptr);
    if (found->writable == 2) keep(*found);
    else destroy(*driver_, found->memory);
    reserved_.erase(found);
}

void Workbench::write(std::uint64_t at, const void* from, std::uint64_t bytes) {
    enter();
    driver_->check(driver_->to_device(at, from, bytes), "cuMemcpyHtoD");
}

void Workbench::read(std::uint64_t at, void* to, std::uint64_t bytes) {
    enter();
    driver_->check(driver_->to_host(to, at, bytes), "cuMemcpyDtoH");
}

void Workbench::set(std::uint64_t at, std::uint64_t bytes, std::uint32_t word) {
    enter();
    if (at % 4 || bytes % 4) throw Refused("verifier.cuda: set takes whole words");
    driver_->check(driver_->set_words(at, word, bytes / 4, nullptr), "cuMemsetD32Async");
}

template <class... Arguments> void Workbench::run(Function function, std::uint64_t items, Arguments... arguments) {
    enter();
    void* pointers[] = {&arguments...};
    const auto blocks =
        static_cast<unsigned>(std::clamp<std::uint64_t>((items + threads - 1) / threads, 1, most_blocks));
    driver_->check(driver_->launch(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, pointers, nullptr),
                   "cuLaunchKernel (the bench's)");
}

Address Workbench::scratch(std::size_t bytes) {
    if (bytes <= scratch_bytes_) return scratch_at_;
    enter();
    if (scratch_at_) driver_->free(scratch_at_);
    driver_->check(driver_->allocate(&scratch_at_, bytes), "cuMemAlloc");
    scratch_bytes_ = bytes;
    return scratch_at_;
}

void Workbench::fill(const hone_tensor& tensor, std::uint64_t key, std::uint32_t number, std::int32_t law, float scale,
                     float shift) {
    const std::uint64_t n = elements(tensor);
    run(fill_, (n + 3) / 4, tensor.at, n, key, number, tensor.dtype, law, scale, shift);
}

void Workbench::gather(const hone_tensor& tensor, const std::int64_t* index, std::uint32_t n, double* to) {
    const std::size_t bytes = n * sizeof(double);
    const Address places = scratch(std::max(2 * bytes, partial_bytes)), results = places + bytes;
    write(places, index, bytes);
    run(gather_, n, tensor.at, tensor.dtype, places, n, results);
    read(results, to, bytes);
}

void Workbench::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    enter();
    driver_->check(driver_->copy(to, from, bytes, nullptr), "cuMemcpyDtoDAsync");
}

void Workbench::differ(std::uint64_t a, std::uint64_t b, std::uint64_t bytes, std::uint64_t count) {
    run(differ_, (bytes + 3) / 4, a, b, bytes, count);
}

void Workbench::strays(std::uint64_t at, std::uint64_t bytes, std::uint32_t word, std::uint64_t count) {
    run(strays_, bytes / 4, at, bytes / 4, word, count);
}

void Workbench::widen(const hone_tensor& from, std::uint64_t to) {
    const std::uint64_t n = elements(from);
    run(widen_, n, from.at, from.dtype, n, to);
}

void Workbench::moments(const hone_tensor& answer, std::uint64_t truth, std::uint64_t moments) {
    const std::uint64_t n = elements(answer);
    run(moments_, n, answer.at, answer.dtype, n, truth, scratch(partial_bytes), moments);
}

void Workbench::local_scale(std::uint64_t truth, std::uint64_t n, std::uint64_t row, double usual, double roundoff,
                            std::uint64_t local_scale) {
    enter();
    void* arguments[] = {&truth, &n, &usual, &local_scale};
    // one thread an element: ranks are taken within a block
    const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
    driver_->check(driver_->launch(scale_of_neighbours_, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
                   "cuLaunchKernel (scale_of_neighbours)");
    run(scale_of_rows_, (n + row - 1) / row * threads, truth, n, row, roundoff, local_scale);
}

void Workbench::compare(const hone_tensor& got, const hone_comparison& with, std::uint64_t errors) {
    const std::uint64_t n = elements(got);
    run(compare_, n, got.at, got.dtype, n, with, scratch(partial_bytes), errors);
}

std::string Workbench::native_arch() const {
    int major = 9, minor = 0;
    if (driver_) {
        driver_->device_attribute(&major, attribute::major, device_);
        driver_->device_attribute(&minor, attribute::minor, device_);
    }
    // from Hopper on the suffix admits the instructions that belong to one architecture alone
    return "sm_" + std::to_string(major) + std::to_string(minor) + (major >= 9 ? "a" : "");
}

void Workbench::tell_device(Out out) const {
    if (!driver_) return;
    char name[128] = "";
    int version = 0, processors = 0, kilohertz = 0, bits = 0;
    std::size_t bytes = 0;
    driver_->device_name(name, sizeof name, device_);
    driver_->driver_version(&version);
    driver_->device_attribute(&processors, attribute::multiprocessors, device_);
    driver_->device_attribute(&kilohertz, attribute::memory_kilohertz, device_);
    driver_->device_attribute(&bits, attribute::memory_bus_bits, device_);
    driver_->device_memory(&bytes, device_);
    out.text("product", name);
    out.text("driver_api", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
    out.num("multiprocessors", processors);
    out.num("memory_bytes", static_cast<double>(bytes));
    out.num("bytes_per_second", 2.0 * 1e3 * kilohertz * bits / 8);  // what the memory's pins can carry
    tell_arithmetic(processors, out);
}

// Multiply-adds count two, none is sparse, the clock is the highest that the device has.
void Workbench::tell_arithmetic(int processors, Out out) const {
    int major = 0, minor = 0, kilohertz = 0;
    driver_->device_attribute(&major, attribute::major, device_);
    driver_->device_attribute(&minor, attribute::minor, device_);
    driver_->device_attribute(&kilohertz, attribute::kilohertz, device_);
    for (const Arithmetic& known : arithmetic) {
        if (known.architecture != 10 * major + minor) continue;
        const double clocks = 1e3 * kilohertz * processors;
        out.num("flops_per_second", clocks * std::max(known.f32, known.tf32 / products_for_f32));
        out.num("flops_per_second_tf32", clocks * known.tf32);
        out.num("flops_per_second_f16", clocks * known.half);
        out.num("flops_per_second_bf16", clocks * known.half);
    }
}

}  // namespace hone::cuda
