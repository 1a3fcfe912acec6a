// verifier.python: torch modules in KernelBench's form on a CUDA device, each in a process with a context of its own.
#include <algorithm>
#include "cuda/bench/workbench.hpp"
#include "cuda/compile/toolchain.hpp"
#include "hone/plugin.hpp"
#include "verifier_python/brief.hpp"
#include "verifier_python/extensions.hpp"
#include "verifier_python/ready.hpp"
#include "verifier_python/subject.hpp"
#include "verifier_python/zygote.hpp"

namespace hone::python {
namespace {

// Seconds: Python finds other caches and places in each process (docs/results/judge-gpu.md).
constexpr double process_spread = 25e-6;
constexpr double language_seconds = 30e-6;  // a plain sum of few elements, on the quickest host that was measured

class CudaVerifier : public cuda::Workbench {
public:
    using Subject = python::Subject;
    // A process takes a quarter of a second, and its calls hundreds of microseconds more than a kernel.
    static constexpr const char* takes = R"({"fence": "python", "also": ["py"], "files": [".py"], "comment": "# ",
        "timer": "cuda-probe", "reference": "torch",
        "careful": {"precision": 0.01, "seconds": 3.0, "pairs": 128}})";
    static constexpr hone_option options[] = {
        python_option,
        remake_option,
        {"device", "int", "0", "0..63", "which GPU"},
        {"nvcc", "text", "", nullptr, "compiles load_inline's sources; empty: CUDA_HOME, PATH or /usr/local/cuda"},
        {"nvrtc", "path", "", nullptr, "libnvrtc.so for the bench's own kernels; empty: searched for"},
        {}};

    CudaVerifier(Host host, Doc given)
        : Workbench(static_cast<int>(given.integer("device"))),
          host_(host),
          tools_(given.text("nvrtc")),
          python_(given.text("python")),
          remake_(given.flag("remake")),
          extensions_(host, given.text("nvcc")) {}

    void brief(Doc task, Out out) override {
        tell_brief(task, "cuda", out);
        out.text("empty", no_program);
    }

    hone_device device() override {
        if (!is_open()) open_device();
        if (!zygote_) zygote_ = std::make_unique<Zygote>(host_, python_, "cuda:" + std::to_string(index_));
        zygote_->require();
        enter();
        return {sizeof(hone_device), "cuda", index_, context_, nullptr};
    }

    std::unique_ptr<Subject> open(Doc task, Doc candidate, Out facts) {
        if (!is_open() || !zygote_) throw Failed(absent_);
        enter();
        if (has_weights(task)) facts.num("prepack_steps", 1);
        return Subject::start(host_, *zygote_, task, candidate.text("code"), pieces(),
                              {true, [this] { return here().works_for_another(); }, &extensions_, remake_}, facts);
    }

    void facts(Out out) override {
        tell_ready(python_, zygote_ && zygote_->has_answered(), true, out);
        tell_device(out);
        out.num("host_code", 1);
        out.num("process_spread", process_spread);
        out.num("leaves_traces", 1);  // files have times, and a program may read some
        out.num("language_seconds", language_seconds);
    }

private:
    void open_device() {
        try {
            open_context();
        } catch (const cuda::Error& e) {
            absent_ = std::string(e.what()) +
                      "; judge it on a machine with an NVIDIA GPU, or on this one's cores by verifier.python-cpu "
                      "(--verifier python-cpu; "
                      "hone run: --set verifier=python-cpu, if the script has that setting)";
            throw Failed(absent_);
        }
        load_kernels(host_, tools_);
        extensions_.compile_for(native_arch());
    }
    std::vector<Piece> pieces() const {
        std::vector<Piece> all;
        for (const cuda::Reserved& reserved : reserved_)
            if (reserved.writable != 2)
                all.push_back(
                    {reserved.memory.at, reserved.memory.bytes, reserved.memory.file, reserved.writable == 1});
        return all;
    }

    Host host_;
    cuda::Toolchain tools_;
    std::string python_, absent_ = "no device was asked for";
    bool remake_;
    Extensions extensions_;
    std::unique_ptr<Zygote> zygote_;
};

}  // namespace
}  // namespace hone::python

using PythonOnCuda = hone::python::CudaVerifier;
HONE_VERIFIER(PythonOnCuda, "python", "0.1",
              "torch modules (class ModelNew) on a CUDA device, each in a process and context of its own")
