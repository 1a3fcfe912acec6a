// verifier.python: torch modules in KernelBench's form on a CUDA device, each in a process with a context of its own.
#include <algorithm>
#include "cuda/bench/workbench.hpp"
#include "cuda/compile/toolchain.hpp"
#include "hone/plugin.hpp"
#include "verifier_python/brief.hpp"
#include "verifier_python/extensions.hpp"
#include "verifier_python/subject.hpp"
#include "verifier_python/zygote.hpp"

namespace hone::python {
namespace {

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
        {"trusted", "bool", "false", nullptr,
         "its judgements are scores: the programs were not written to win by what runs beside the clock"},
        {"nvcc", "text", "", nullptr, "compiles load_inline's sources; empty: CUDA_HOME, PATH or /usr/local/cuda"},
        {"nvrtc", "path", "", nullptr, "libnvrtc.so for the bench's own kernels; empty: searched for"},
        {}};

    CudaVerifier(Host host, Doc given)
        : Workbench(static_cast<int>(given.integer("device"))),
          host_(host),
          tools_(given.text("nvrtc")),
          trusted_(given.flag("trusted")),
          python_(given.text("python")),
          remake_(given.flag("remake")),
          extensions_(host, given.text("nvcc")) {}

    void brief(Doc task, Out out) override { tell_brief(task, "cuda", out); }

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
        if (!trusted_)
            facts.text("no_score", "a program with host code can use the device beside the clock (verifier.trusted)");
        if (has_weights(task)) facts.num("prepack_steps", 1);
        renew_twin(task);
        facts.num("null_call_apart", 1);
        return Subject::start(host_, *zygote_, task, candidate.text("code"), pieces(),
                              {true, [this] { return here().works_for_another(); }, twin_, &extensions_, remake_},
                              facts);
    }

    // The twin maps what there is when it starts, and keeps it from being given back.
    std::uint64_t reserve(std::uint64_t bytes, std::int32_t writable) override {
        if (writable != 2) twin_.reset();
        return Workbench::reserve(bytes, writable);
    }
    void release(std::uint64_t at) override {
        const auto seen = [at](const Piece& piece) { return piece.begin == at; };
        const std::vector<Piece> all = pieces();
        if (std::any_of(all.begin(), all.end(), seen)) twin_.reset();
        Workbench::release(at);
    }

    void facts(Out out) override {
        tell_python(python_, out);
        tell_device(out);
    }

private:
    void open_device() {
        try {
            open_context();
        } catch (const cuda::Error& e) {
            absent_ = std::string(e.what()) +
                      "; judge it on a machine with an NVIDIA GPU, or on this one's cores: --verifier python-cpu";
            throw Failed(absent_);
        }
        load_kernels(host_, tools_);
        extensions_.compile_for(native_arch());
    }
    // It makes the same views as a program of the task, and ends with the process that has forked it.
    void renew_twin(const Doc& task) {
        const std::string key = std::to_string(zygote_->generation()) + task.text("hash");
        if (twin_ && twin_key_ == key) return;
        twin_.reset();
        twin_ =
            Subject::start(host_, *zygote_, task, "", pieces(), {true, nullptr, nullptr, nullptr, false}, Out(nullptr));
        if (!twin_) throw Failed("verifier.python: a process without a program did not start");
        twin_key_ = std::to_string(zygote_->generation()) + task.text("hash");
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
    bool trusted_;
    std::string twin_key_, python_, absent_ = "no device was asked for";
    bool remake_;
    Extensions extensions_;
    std::unique_ptr<Zygote> zygote_;
    std::shared_ptr<Subject> twin_;  // ends before the zygote
};

}  // namespace
}  // namespace hone::python

using PythonOnCuda = hone::python::CudaVerifier;
HONE_VERIFIER(PythonOnCuda, "python", "0.1",
              "torch modules (class ModelNew) on a CUDA device, each in a process and context of its own")
