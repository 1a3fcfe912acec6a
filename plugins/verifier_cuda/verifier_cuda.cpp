// verifier.cuda: CUDA C++ kernels, compiled by NVRTC in a sandbox, run in a process and device context of their own.
// This process owns inputs (mapped there for reading), outputs, truth and the clock.
#include <dlfcn.h>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include "brief.hpp"
#include "cuda/bench/workbench.hpp"
#include "cuda/compile/toolchain.hpp"
#include "probe_source.hpp"
#include "verifier_cuda/plan/hidden.hpp"
#include "verifier_cuda/plan/plan.hpp"
#include "verifier_cuda/plan/plan_fit.hpp"
#include "verifier_cuda/runner/probe_subject.hpp"
#include "verifier_cuda/runner/runners.hpp"
#include "verifier_cuda/runner/subject.hpp"

namespace {

using namespace hone::cuda;

constexpr double most_build_seconds = 45;  // of all modules before the last; each may take compile_seconds

class CudaVerifier : public Workbench {
public:
    using Subject = hone::cuda::Subject;
    // On a GPU a call costs tens of microseconds and a fresh process 0.1 s: many pairs, for the zoo so many that an
    // attack that begins late is timed often enough to show.
    static constexpr const char* takes = R"({"fence": "cuda", "also": ["cu"], "files": [".cu"], "headers": [".cuh"],
        "comment": "// ", "suite": "gpu-basics", "timer": "cuda-events", "reference": "torch",
        "careful": {"precision": 0.005, "seconds": 3.0, "pairs": 256},
        "zoo": {"benches": 1, "precision": 0.01, "seconds": 5, "pairs": 128, "pool_mb": 8192, "deadline": 30}})";
    static constexpr hone_option options[] = {
        {"arch", "text", "", nullptr,
         "architecture to compile for, such as sm_90a; empty: the device's, or sm_90a where there is none"},
        {"device", "int", "0", "0..63", "which GPU"},
        {"block", "int", "256", "32..1024", "threads of a block; one thread makes one element of the first output"},
        {"launch", "choice", "stream", "stream|graph",
         "how a call's steps reach the device: one by one, or as one CUDA graph"},
        {"warm", "int", "1", "0..16", "processes with a device context that are made while a candidate is compiled"},
        {"records", "choice", "none", "none|cupti",
         "what a program's process tells of its kernels beside events; cupti: by NVIDIA's profiler (seconds.recorded), "
         "never scored, for programs that are trusted"},
        {"nvrtc", "path", "", nullptr, "libnvrtc.so to compile with; empty: searched for"},
        {}};

    CudaVerifier(hone::Host host, hone::Doc set)
        : Workbench(static_cast<int>(set.integer("device"))),
          host_(host),
          tools_(set.text("nvrtc")),
          arch_(set.text("arch")),
          block_(static_cast<int>(set.integer("block", 256))),
          warm_(static_cast<std::size_t>(set.integer("warm"))),
          launch_(set.text("launch")),
          library_(Toolchain::runner_library("hone-library-steps.so")),
          records_(set.text("records") == "cupti") {}

    void brief(hone::Doc task, hone::Out out) override {
        out.text("fences", "cuda lua");
        out.text("tier", "device");
        out.text("prototype", prototype(task));
        out.text("text", brief_text(task, block_, !library_.empty()));
    }

    hone_device device() override {
        if (!is_open()) open_device();
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
        if (runners_) runners_->prepare();
        std::unique_ptr<Plan> plan = plan_of(task, candidate.text("plan"), facts);
        Runners* const runners = plan && runners_ ? &runners_of(*plan) : nullptr;
        std::vector<std::string> modules;
        if (!plan || !build(*plan, candidate.text("code"), modules, facts)) return nullptr;
        if (!is_open()) throw hone::Failed("built for " + arch() + ", not run: " + absent_);
        enter();
        return Subject::start(host_, here(), runners ? *runners : runners_of(*plan), std::move(plan), modules,
                              reserved_, facts);
    }

    void probe(const std::function<void()>& flush, hone::Out out) override {
        const Compiled compiled = tools_.compile(host_, probe_source, arch(), {});
        if (!compiled.verdict.empty())
            throw hone::Broken("verifier.cuda: its own probes do not compile: " + compiled.reason + "\n" +
                               compiled.log);
        enter();
        probe_driver(host_, here(), *this, reserved_, *runners_, compiled.cubin, flush).tell(out);
        runners_->prepare();
    }

    void facts(hone::Out out) override {
        std::string compiler = "no NVRTC", cure;
        try {
            compiler = "NVRTC " + (tools_.version().empty() ? "" : tools_.version() + " ") + tools_.nvrtc();
        } catch (const hone::Refused&) {
            cure = "install CUDA's NVRTC (pip: nvidia-cuda-nvrtc) or set CUDA_HOME to compile GPU tasks";
        }
        out.text("compiler", compiler);
        const bool driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
        if (!driver && cure.empty()) cure = "GPU tasks are compiled here, and judged on a machine with NVIDIA's driver";
        out.text("ready",
                 (driver ? "driver found; " : "no driver (libcuda.so.1; CPU tasks do not need one); ") + compiler);
        if (!cure.empty()) out.text("cure", cure);
        out.text("arch", arch());
        tell_device(out);
    }

private:
    void open_device() {
        try {
            open_context();
        } catch (const Error& e) {
            absent_ = std::string(e.what()) +
                      "; judge it on a machine with an NVIDIA GPU, or use verifier \"cpp\" for CPU tasks";
            throw hone::Failed(absent_);
        }
        // made while this process prepares
        make_runners(runners_, "");
        load_kernels(host_, tools_);
    }
    void make_runners(std::optional<Runners>& runners, const std::string& library) {
        const std::string cupti = records_ ? Toolchain::cupti() : "";
        runners.emplace(host_, Toolchain::program("hone-jail-cuda"),
                        std::to_string(index_) + ":" + cupti + ":" + library, warm_);
    }
    // LibTorch is there for plans that ask for it: loading it takes a second.
    Runners& runners_of(const Plan& plan) {
        if (plan.program.n_library_steps == 0) return *runners_;
        if (library_runners_) library_runners_->prepare();
        else make_runners(library_runners_, library_);
        return *library_runners_;
    }
    const std::string& arch() {
        if (arch_.empty()) arch_ = native_arch();
        return arch_;
    }
    // null: told in facts.
    std::unique_ptr<Plan> plan_of(hone::Doc task, const std::string& text, hone::Out facts) {
        const TaskShapes shapes = read_shapes(task);
        facts.text("plan", text.empty() ? "inferred" : "lua");
        if (text.empty()) return infer_plan(shapes, static_cast<std::uint32_t>(block_));
        const std::string of_class = task.text("tolerance.class");
        std::string reason;
        std::unique_ptr<Plan> plan =
            read_plan(host_, text, {shapes, device_facts(), of_class != "f64", no_library()}, reason);
        if (!plan) return refuse("PLAN_ERROR", reason, facts), nullptr;
        plan->program.tf32 = of_class == "tf32";
        return plan;
    }
    // One module for each set of options that the plan asks for, the timed shape's first; false: told in facts.
    bool build(Plan& plan, const std::string& code, std::vector<std::string>& modules, hone::Out facts) {
        double seconds = 0;
        for (const auto& flags : plan.builds) {
            const bool timed = modules.empty();
            if (seconds > most_build_seconds) return refuse("TIMEOUT", hidden_build, facts);
            Compiled compiled = tools_.compile(host_, code, arch(), flags);
            if (timed) tell(compiled, facts);
            seconds += compiled.seconds;
            if (!compiled.verdict.empty())
                return refuse(compiled.verdict, told(timed, compiled.reason, hidden_build), facts);
            const std::string reason =
                misfit(plan.program, static_cast<std::uint32_t>(modules.size()), compiled.contents);
            if (!reason.empty()) return refuse(plan.program.inferred ? "COMPILE_ERROR" : "PLAN_ERROR", reason, facts);
            modules.push_back(std::move(compiled.cubin));
        }
        plan.program.n_modules = static_cast<std::uint32_t>(modules.size());
        plan.program.graph = launch_ == "graph";
        tell_plan(plan, modules.front(), facts);
        return true;
    }
    // Of the timed shape, as all facts are.
    void tell_plan(const Plan& plan, const std::string& module, hone::Out facts) const {
        facts.num("cubin_bytes", static_cast<double>(module.size()));
        facts.num("steps", plan.program.shapes[0].n);
        if (const std::uint32_t prepacks = plan.prepack_steps()) facts.num("prepack_steps", prepacks);
        facts.num("workspace_bytes", static_cast<double>(plan.workspaces.front().bytes));
        if (const std::string operators = plan.operators(); !operators.empty()) facts.text("operators", operators);
        facts.text("launch", launch_);
    }
    std::string no_library() const {
        return library_.empty() ? "library steps are not offered here: this hone was built without LibTorch; build it "
                                  "with ./dev build, or write a kernel in place of the step"
                                : "";
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
                                        {&facts.shared_bytes, attribute::block_shared_bytes},
                                        {&facts.l2_bytes, attribute::l2_bytes}}) {
            int value = 0;
            driver_->check(driver_->device_attribute(&value, which, device_), "cuDeviceGetAttribute");
            *to = value;
        }
        return facts;
    }

    hone::Host host_;
    Toolchain tools_;
    std::string arch_, absent_ = "no device was asked for";
    int block_;
    std::size_t warm_;
    std::string launch_, library_;  // library_: what opens LibTorch in a runner
    bool records_;
    std::optional<Runners> runners_, library_runners_;
};

}  // namespace

HONE_VERIFIER(CudaVerifier, "cuda", "1.0",
              "CUDA C++ kernels by NVRTC, each candidate in a process and device context of its own")
