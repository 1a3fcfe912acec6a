// reference.torch: a task's own definition on LibTorch, as baseline ("eager", "graph", and with packages "compiled",
// "compiled graph") and as truth ("float64").
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <sched.h>
#include <torch/version.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include "compiled.hpp"
#include "cuda/driver.hpp"
#include "hone/plugin.hpp"
#include "libtorch/libtorch.hpp"
#include "program.hpp"
#include "recording.hpp"

namespace {

using hone::torch_reference::LuaProgram;
using hone::torch_reference::Package;
using hone::torch_reference::Transcript;

// The call's memory as tensors, nothing copied.
std::vector<at::Tensor> views(const hone_tensor* tensors, uint32_t n, c10::Device device) {
    std::vector<at::Tensor> made;
    made.reserve(n);
    for (uint32_t i = 0; i < n; ++i) made.push_back(hone::libtorch::view(tensors[i], device));
    return made;
}

// Factory operators without a dtype follow the form: torch.ones{..} is float64 in the float64 form.
class DefaultDtype {
public:
    explicit DefaultDtype(at::ScalarType type) : before_(c10::get_default_dtype()) {
        c10::set_default_dtype(c10::scalarTypeToTypeMeta(type));
    }
    ~DefaultDtype() { c10::set_default_dtype(before_); }
    DefaultDtype(const DefaultDtype&) = delete;
    DefaultDtype& operator=(const DefaultDtype&) = delete;

private:
    caffe2::TypeMeta before_;
};

// torch works in the context that is current, and means the device's primary one. The bench has one of its own, current
// before and after.
class PrimaryContext {
public:
    explicit PrimaryContext(c10::Device device) : on_(device.is_cuda()) {
        if (!on_) return;
        const auto& driver = hone::cuda::Driver::get();
        static hone::cuda::Context primary = nullptr;
        if (!primary) driver.check(driver.primary_context(&primary, device.index()), "cuDevicePrimaryCtxRetain");
        driver.check(driver.push_context(primary), "cuCtxPushCurrent");
    }
    ~PrimaryContext() {
        hone::cuda::Context popped = nullptr;
        if (on_) hone::cuda::Driver::get().pop_context(&popped);
    }
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;

private:
    bool on_;
};

struct Totals {  // for facts; numbers are of the "eager" form
    double calls = 0, copied = 0, copy_seconds = 0, seconds = 0;
    std::string operators;  // of the float64 form opened last
};

// As many as a candidate's team has, which a bench says; its own thread is bound to one core by then. Elsewhere one for
// each core.
int team_threads() {
    const char* const team = std::getenv("OMP_NUM_THREADS");
    if (team && std::atoi(team) > 0) return std::atoi(team);
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

class TorchReference : public hone::ReferencePart {
public:
    static constexpr hone_option options[] = {
        {"threads", "int", "0", "0..1024", "threads of torch's operators; 0: as many as a candidate has"},
        {"compiled", "path", "", nullptr,
         "folder of packages that scripts/compile_references.py made with torch.compile: further forms of the "
         "baseline. "
         "For a task that has none it gets a transcript, of which that script makes one"},
        {}};

    class Program : public hone::LoadedReference {
    public:
        struct Form {
            bool float64, recorded, compiled;
            c10::Device device;
            int left_out;
        };
        Program(hone::Host host, const std::string& name, hone::Doc task, const Form& form, int threads,
                const std::optional<Package>& package, std::shared_ptr<Totals> totals)
            : host_(host),
              tf32_(task.text("tolerance.class") == "tf32"),
              lua_(name, task.text("source"), std::max(1L, task.integer("index", 1)), form.device, form.float64,
                   form.left_out),
              device_(form.device),
              float64_(form.float64),
              threads_(threads),
              package_(package),
              totals_(std::move(totals)) {
            if (device_.is_cuda()) {
                const PrimaryContext context(device_);
                watch_.emplace();
                if (form.recorded) recording_.emplace(device_);
            }
            const PrimaryContext context(device_);
            if (form.compiled) compiled_.emplace(*package_, device_);
            to_be_written_ = package_ && !form.compiled && !form.float64 && !form.recorded && package_->lacks_all();
            for (long i = 0; i < task.count("outputs"); ++i)
                names_.push_back(task.text("outputs." + std::to_string(i) + ".name"));
        }
        void launch(const hone_call& call) override {
            const PrimaryContext context(device_);
            const c10::InferenceMode inference;
            const DefaultDtype dtype(float64_ ? at::kDouble : at::kFloat);
            if (device_.is_cuda()) hone::libtorch::set_precision(tf32_);
            if (at::get_num_threads() != threads_) at::set_num_threads(threads_);
            timed([&] {
                if (recording_) recording_->launch(call, [&] { run(call); });
                else run(call);
            });
        }
        void deliver(const hone_call& call) override {
            if (!compiled_) return;
            const PrimaryContext context(device_);
            const c10::InferenceMode inference;
            try {
                compiled_->deliver(views(call.out, call.n_out, device_));
            } catch (const std::exception& e) {
                throw hone::Refused("reference.torch: " + package_->file() + ": " + hone::libtorch::first_line(e));
            }
            wait();
        }
        // What an empty call costs on a GPU: the change of contexts.
        void null_call() override {
            if (device_.is_cpu()) return;
            const PrimaryContext context(device_);
            timed([&] {
                if (recording_) recording_->null_call();
                else hone::torch_reference::pause(nullptr);
            });
        }
        void inside(double& seconds) override {
            seconds = NAN;
            if (!watch_) return;
            const PrimaryContext context(device_);
            seconds = watch_->seconds();
        }
        void wait() override {
            const PrimaryContext context(device_);
            if (!device_.is_cpu()) at::detail::getCUDAHooks().deviceSynchronize(device_.index());
        }

    private:
        template <class Body> void timed(Body&& body) {
            const hone::cuda::Stream queue = recording_ ? recording_->queue() : nullptr;
            if (watch_) watch_->start(queue);
            body();
            if (watch_) watch_->stop(queue);
        }
        void run(const hone_call& call) {
            if (compiled_) return run_compiled(call);
            const std::vector<at::Tensor> inputs = views(call.in, call.n_in, device_);
            if (to_be_written_ && package_->is_timed(call)) return transcribe(call, inputs);
            run_operators(call, inputs);
        }
        void transcribe(const hone_call& call, const std::vector<at::Tensor>& inputs) {
            to_be_written_ = false;
            Transcript transcript(inputs);
            {
                struct AtEnd {
                    LuaProgram& lua;
                    ~AtEnd() { lua.transcribe(nullptr); }
                } at_end{lua_};
                lua_.transcribe(&transcript);
                run_operators(call, inputs);
            }
            const std::string fault = package_->write(transcript, tf32_);
            if (!fault.empty()) host_.log(2, "reference.torch: " + fault);  // only the next round's packages need it
        }
        void run_compiled(const hone_call& call) {
            if (!package_->is_timed(call))
                throw hone::Refused("reference.torch: " + package_->file() + " is for the task's timed shape alone");
            try {
                compiled_->run(views(call.in, call.n_in, device_));
            } catch (const std::exception& e) {
                throw hone::Refused("reference.torch: " + package_->file() +
                                    " cannot be run: " + hone::libtorch::first_line(e));
            }
        }
        void run_operators(const hone_call& call, const std::vector<at::Tensor>& inputs) {
            auto names = names_;
            for (auto i = names.size(); i < call.n_out; ++i) names.push_back(std::to_string(i + 1));
            try {
                const auto ran = lua_.run(inputs, views(call.out, call.n_out, device_), names,
                                          {call.sizes, call.sizes + call.n_sizes});
                if (float64_) return void(totals_->operators = lua_.operators());
                totals_->calls += 1;
                totals_->copied += static_cast<double>(ran.copied);
                totals_->copy_seconds += ran.copy_seconds;
                totals_->seconds += ran.seconds;
            } catch (const std::runtime_error& e) {
                throw hone::Refused(std::string("reference.torch: ") + e.what());
            }
        }

        hone::Host host_;
        bool tf32_, to_be_written_ = false;  // its transcript
        LuaProgram lua_;
        c10::Device device_;
        bool float64_;
        int threads_;
        std::optional<Package> package_;
        std::shared_ptr<Totals> totals_;
        std::vector<std::string> names_;
        std::optional<hone::torch_reference::Stopwatch> watch_;  // on a GPU
        std::optional<hone::torch_reference::Recording> recording_;
        std::optional<hone::torch_reference::Compiled> compiled_;
    };

    TorchReference(hone::Host host, hone::Doc set)
        : host_(host), threads_(static_cast<int>(set.integer("threads"))), compiled_(set.text("compiled")) {
        if (threads_ == 0) threads_ = team_threads();
    }

    std::unique_ptr<Program> open(const hone_device& device, hone::Doc task, std::string_view form) {
        // beside the common forms: "float64 without 3" leaves the third operator out, for who asks whether it
        // matters
        const bool on_gpu = std::string_view(device.kind) == "cuda";
        if (!on_gpu && std::string_view(device.kind) != "cpu")
            throw hone::Failed("reference.torch runs on devices of kind cpu and cuda, not \"" +
                               std::string(device.kind) + "\"");
        constexpr std::string_view without = "float64 without ";
        const int left_out =
            form.starts_with(without) ? std::atoi(std::string(form.substr(without.size())).c_str()) : 0;
        if (left_out > 0) form = "float64";
        const bool recorded = form.ends_with("graph"), compiled = form.starts_with("compiled");
        if (recorded && !on_gpu) throw hone::Failed("reference.torch: calls can be recorded as graphs on a GPU only");
        constexpr std::string_view forms[] = {"eager", "graph", "compiled", "compiled graph", "float64"};
        if (std::find(std::begin(forms), std::end(forms), form) == std::end(forms))
            throw hone::Failed("reference.torch has no form \"" + std::string(form) + "\"");
        if (on_gpu) open_cuda();
        const bool float64 = form == "float64";
        const c10::Device where =
            on_gpu ? c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device.index)) : c10::Device(c10::kCPU);
        std::optional<Package> package;
        if (!compiled_.empty()) package.emplace(compiled_, task, where);
        if (compiled && !(package && package->exists())) throw hone::Failed("reference.torch: no package of this task");
        const Program::Form chosen{float64, recorded, compiled, where, left_out};
        try {
            return std::make_unique<Program>(host_, task.text("name"), task, chosen, threads_, package, totals_);
        } catch (const hone::Refused&) {
            throw;
        }  // in our words already
        catch (const std::runtime_error& e) {
            throw hone::Refused(std::string("reference.torch: ") + e.what());
        }
    }

    void facts(hone::Out out) override {
        out.text("library", "LibTorch");
        out.text("version", TORCH_VERSION);
        out.num("threads", threads_);
        out.text("instructions", at::get_cpu_capability());
        if (!totals_->operators.empty()) out.text("operators", totals_->operators);
        // The copy of a result that no operator could write in place is part of the time: a bias in the candidate's
        // favour, told here.
        if (totals_->calls) out.num("outputs_copied_per_call", totals_->copied / totals_->calls);
        if (totals_->seconds > 0) out.num("copy_share_of_time", totals_->copy_seconds / totals_->seconds);
    }

private:
    // Of the shell: they would change the baseline alone.
    static void forget_settings() {
        for (const char* name : {"NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG", "CUDA_LAUNCH_BLOCKING"})
            unsetenv(name);
    }

    static void open_cuda() {
        forget_settings();
        try {
            hone::libtorch::open_cuda();
        } catch (const hone::Refused& e) {
            throw hone::Refused(std::string("reference.torch: ") + e.what());
        }
    }
    hone::Host host_;
    int threads_;
    std::string compiled_;  // folder
    std::shared_ptr<Totals> totals_ = std::make_shared<Totals>();
};

}  // namespace

HONE_REFERENCE(TorchReference, "torch", "1.0",
               "a task's reference on LibTorch: every ATen operator from Lua, eager, compiled or in float64")
