// verifier.cuda: CUDA C++ kernels, compiled by NVRTC in a sandbox, run in a process and device context of their own. This process owns
// inputs
// (mapped there for reading), outputs, truth and the clock.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include "bench_source.hpp"
#include "brief.hpp"
#include "plan.hpp"
#include "plan_fit.hpp"
#include "runners.hpp"
#include "subject.hpp"
#include "toolchain.hpp"

namespace {

using namespace hone::cuda;

class CudaVerifier {
public:
    using Subject = hone::cuda::Subject;
    static constexpr hone_option options[] = {
        {"arch", "text", "", nullptr, "architecture to compile for, such as sm_90a; empty: the device's, or sm_90a where there is none"},
        {"device", "int", "0", "0..63", "which GPU"},
        {"block", "int", "256", "32..1024", "threads of a block; one thread makes one element of the first output"},
        {"launch", "choice", "stream", "stream|graph", "how a call's steps reach the device: one by one, or as one CUDA graph"},
        {"warm", "int", "2", "0..16", "processes with a device context kept ready for candidates to come"},
        {"nvrtc", "path", "", nullptr, "libnvrtc.so to compile with; empty: searched for"},
        {}};

    CudaVerifier(hone::Host host, hone::Doc set)
        : host_(host), tools_(set.text("nvrtc")), arch_(set.text("arch")), index_(static_cast<int>(set.integer("device"))),
          block_(static_cast<int>(set.integer("block", 256))), warm_(static_cast<std::size_t>(set.integer("warm"))), launch_(set.text("launch")) {}

    void brief(hone::Doc task, hone::Out out) {
        out.text("fences", "cuda lua");
        out.text("tier", "device");
        out.text("prototype", prototype(task));
        out.text("text", brief_text(task, block_));
    }

    hone_device device() {
        if (!driver_) open_device();
        enter();
        hone_device made{};
        made.size = sizeof made;
        made.kind = "cuda";
        made.index = index_;
        made.context = context_;
        made.queue = nullptr;  // the context's default queue
        return made;
    }

    std::unique_ptr<Subject> open(hone::Doc task, hone::Doc candidate, hone::Out facts) {
        std::unique_ptr<Plan> plan = plan_of(task, candidate.text("plan"), facts);
        std::vector<std::string> modules;
        if (!plan || !build(*plan, candidate.text("code"), modules, facts)) return nullptr;
        if (!driver_) throw hone::Failed("built for " + arch() + ", not run: " + absent_);
        enter();
        return Subject::start(host_, {driver_, device_, context_}, *runners_, std::move(plan), modules, reserved_, facts);
    }

    std::uint64_t reserve(std::uint64_t bytes, int writable) {
        enter();
        reserved_.push_back({create_shared(*driver_, device_, std::max<std::uint64_t>(bytes, 1), writable != 2), writable});
        return reserved_.back().memory.at;
    }
    void release(std::uint64_t at) {
        enter();
        const auto found = std::find_if(reserved_.begin(), reserved_.end(), [&](const Reserved& r) { return r.memory.at == at; });
        if (found == reserved_.end()) throw hone::Refused("verifier.cuda: release of memory that was not reserved");
        driver_->synchronize(nullptr);
        destroy(*driver_, found->memory);
        reserved_.erase(found);
    }
    void write(std::uint64_t at, const void* from, std::uint64_t bytes) {
        enter();
        driver_->check(driver_->to_device(at, from, bytes), "cuMemcpyHtoD");
    }
    void read(std::uint64_t at, void* to, std::uint64_t bytes) {
        enter();
        driver_->check(driver_->to_host(to, at, bytes), "cuMemcpyDtoH");
    }
    void set(std::uint64_t at, std::uint64_t bytes, std::uint32_t word) {
        enter();
        if (at % 4 || bytes % 4) throw hone::Refused("verifier.cuda: set takes whole words");
        driver_->check(driver_->set_words(at, word, bytes / 4, nullptr), "cuMemsetD32Async");
    }
    void fill(const hone_tensor& tensor, std::uint64_t key, std::uint32_t number, std::int32_t law, float scale, float shift) {
        enter();
        std::uint64_t at = tensor.at, n = 1;
        for (int i = 0; i < tensor.rank; ++i) n *= static_cast<std::uint64_t>(tensor.shape[i]);
        int dtype = tensor.dtype;
        void* arguments[] = {&at, &n, &key, &number, &dtype, &law, &scale, &shift};
        const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>((n + 1023) / 1024, 1, 4096));
        driver_->check(driver_->launch(fill_, blocks, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel (fill)");
    }
    void gather(const hone_tensor& tensor, const std::int64_t* index, std::uint32_t n, double* to) {
        enter();
        const std::size_t bytes = n * sizeof(double);
        if (bytes > gather_bytes_) {
            if (gather_at_) driver_->free(gather_at_);
            driver_->check(driver_->allocate(&gather_at_, 2 * bytes), "cuMemAlloc");
            gather_bytes_ = bytes;
        }
        Address results = gather_at_ + gather_bytes_;
        std::uint64_t at = tensor.at;
        int dtype = tensor.dtype;
        write(gather_at_, index, bytes);
        void* arguments[] = {&at, &dtype, &gather_at_, &n, &results};
        driver_->check(driver_->launch(gather_, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr),
                       "cuLaunchKernel (gather)");
        read(results, to, bytes);
    }

    void facts(hone::Out out) {
        try { out.text("compiler", "NVRTC " + (tools_.version().empty() ? "" : tools_.version() + " ") + tools_.nvrtc()); }
        catch (const hone::Refused&) { out.text("compiler", "no NVRTC"); }
        out.text("arch", arch());
        if (!driver_) return;
        char name[128] = "";
        int version = 0, processors = 0;
        std::size_t bytes = 0;
        driver_->device_name(name, sizeof name, device_);
        driver_->driver_version(&version);
        driver_->device_attribute(&processors, attribute::multiprocessors, device_);
        driver_->device_memory(&bytes, device_);
        out.text("product", name);
        out.text("driver_api", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
        out.num("multiprocessors", processors);
        out.num("memory_bytes", static_cast<double>(bytes));
        out.num("bytes_per_second", peak_bytes_per_second());
    }

private:
    // A context apart from torch's: the reference is then as far from the clock as a candidate is, one switch of contexts away.
    void open_device() {
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
        try {
            const Driver& driver = Driver::get();
            driver.check(driver.device(&device_, index_), "cuDeviceGet");
            driver.check(driver.make_context(&context_, schedule_spin, device_), "cuCtxCreate");
            driver_ = &driver;
        } catch (const Error& e) {
            absent_ = std::string(e.what()) + "; judge it on a machine with an NVIDIA GPU, or use verifier \"cpp\" for CPU tasks";
            throw hone::Failed(absent_);
        }
        runners_.emplace(host_, Toolchain::program("hone-jail-cuda"), index_, warm_);  // made while this process prepares
        load_kernels();
    }
    // Libraries that use the CUDA runtime make the primary context current as they please.
    void enter() { driver_->check(driver_->set_context(context_), "cuCtxSetCurrent"); }
    void load_kernels() {
        const Compiled compiled = tools_.compile(host_, bench_source, arch(), {"--fmad=false"});
        if (!compiled.verdict.empty())
            throw hone::Broken("verifier.cuda: its own kernels do not compile: " + compiled.reason + "\n" + compiled.log);
        Module module = nullptr;
        driver_->check(driver_->load_module(&module, compiled.cubin.data()), "cuModuleLoadData");
        driver_->check(driver_->function(&fill_, module, "fill"), "cuModuleGetFunction");
        driver_->check(driver_->function(&gather_, module, "gather"), "cuModuleGetFunction");
    }
    // Twice what the memory's pins can carry: part of a task's bytes may stay in the L2 as lines not yet written, so this is no floor too
    // high.
    double peak_bytes_per_second() const {
        int kilohertz = 0, bits = 0;
        driver_->device_attribute(&kilohertz, attribute::memory_kilohertz, device_);
        driver_->device_attribute(&bits, attribute::memory_bus_bits, device_);
        return 2.0 * 2.0 * 1e3 * kilohertz * bits / 8;
    }
    const std::string& arch() {
        if (!arch_.empty()) return arch_;
        int major = 9, minor = 0;
        if (driver_) {
            driver_->device_attribute(&major, attribute::major, device_);
            driver_->device_attribute(&minor, attribute::minor, device_);
        }
        // from Hopper on the suffix admits the instructions that belong to one architecture alone
        arch_ = "sm_" + std::to_string(major) + std::to_string(minor) + (major >= 9 ? "a" : "");
        return arch_;
    }
    // null: told in facts.
    std::unique_ptr<Plan> plan_of(hone::Doc task, const std::string& text, hone::Out facts) {
        const TaskShapes shapes = read_shapes(task);
        facts.text("plan", text.empty() ? "inferred" : "lua");
        if (text.empty()) return infer_plan(shapes, static_cast<std::uint32_t>(block_));
        const std::string tolerance = task.text("tolerance"), of_class = task.text("tolerance.class");
        std::string reason;
        std::unique_ptr<Plan> plan = read_plan(host_, text, {shapes, device_facts(), tolerance != "f64" && of_class != "f64"}, reason);
        if (!plan) refuse("PLAN_ERROR", reason, facts);
        return plan;
    }
    // One module for each set of options that the plan asks for; false: told in facts.
    bool build(Plan& plan, const std::string& code, std::vector<std::string>& modules, hone::Out facts) {
        double seconds = 0, bytes = 0;
        for (const auto& flags : plan.builds) {
            Compiled compiled = tools_.compile(host_, code, arch(), flags);
            tell(compiled, facts);
            facts.num("build_seconds", seconds += compiled.seconds);
            if (!compiled.verdict.empty()) return false;
            const std::string reason = misfit(plan.program, static_cast<std::uint32_t>(modules.size()), compiled.contents);
            if (!reason.empty()) return refuse(plan.program.inferred ? "COMPILE_ERROR" : "PLAN_ERROR", reason, facts);
            bytes += static_cast<double>(compiled.cubin.size());
            modules.push_back(std::move(compiled.cubin));
        }
        plan.program.n_modules = static_cast<std::uint32_t>(modules.size());
        plan.program.graph = launch_ == "graph";
        facts.num("cubin_bytes", bytes);
        facts.num("steps", plan.program.shapes[0].n);
        facts.num("workspace_bytes", static_cast<double>(plan.workspace_bytes()));
        facts.text("launch", launch_);
        return true;
    }
    static bool refuse(const std::string& verdict, const std::string& reason, hone::Out facts) {
        facts.text("verdict", verdict);
        facts.text("reason", reason);
        return false;
    }
    DeviceFacts device_facts() const {
        DeviceFacts facts;
        if (!driver_) return facts;
        for (const auto& [to, which] : {std::pair{&facts.multiprocessors, attribute::multiprocessors},
                                        {&facts.shared_bytes, attribute::block_shared_bytes}, {&facts.l2_bytes, attribute::l2_bytes}}) {
            int value = 0;
            driver_->check(driver_->device_attribute(&value, which, device_), "cuDeviceGetAttribute");
            *to = value;
        }
        return facts;
    }

    hone::Host host_;
    Toolchain tools_;
    std::string arch_, absent_ = "no device was asked for";
    int index_, block_;
    std::size_t warm_;
    std::string launch_;
    const Driver* driver_ = nullptr;
    Device device_ = 0;
    Context context_ = nullptr;
    Function fill_ = nullptr, gather_ = nullptr;
    Address gather_at_ = 0;
    std::size_t gather_bytes_ = 0;
    std::vector<Reserved> reserved_;
    std::optional<Runners> runners_;
};

}  // namespace

HONE_VERIFIER(CudaVerifier, "cuda", "1.0", "CUDA C++ kernels by NVRTC, each candidate in a process and device context of its own")
