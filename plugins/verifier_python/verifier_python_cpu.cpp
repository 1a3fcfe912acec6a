// verifier.python-cpu: torch modules in KernelBench's form on the machine's own cores, each in a process that is forked
// from one that has imported torch.
#include "hone/plugin.hpp"
#include "hone/shared_memory.hpp"
#include "verifier_python/brief.hpp"
#include "verifier_python/extensions.hpp"
#include "verifier_python/ready.hpp"
#include "verifier_python/subject.hpp"
#include "verifier_python/zygote.hpp"

namespace hone::python {
namespace {

// Of a plain sum of few elements (docs/kernelbench.md): the process wakes, and Python begins with cold caches.
constexpr double language_seconds = 0.5e-3;

struct Verifier : OnSharedHost<HostVerifierPart> {
    using Subject = python::Subject;

    Verifier(Host host, Doc given)
        : OnSharedHost(host), python_(given.text("python")), remake_(given.flag("remake")), extensions_(host, "") {}

    void brief(Doc task, Out out) override { tell_brief(task, "cpu", out); }
    hone_device device() override {
        if (!zygote_) zygote_ = std::make_unique<Zygote>(host(), python_, "cpu");
        zygote_->require();
        return {sizeof(hone_device), "cpu", 0, nullptr, nullptr};
    }

    std::unique_ptr<Subject> open(Doc task, Doc candidate, Out facts) {
        if (!zygote_) throw Failed("verifier.python-cpu: no device was asked for");
        if (has_weights(task)) facts.num("prepack_steps", 1);
        return Subject::start(host(), *zygote_, task, candidate.text("code"), pieces(),
                              {false, nullptr, &extensions_, remake_}, facts);
    }

    void facts(Out out) override {
        tell_ready(python_, zygote_ && zygote_->has_answered(), false, out);
        out.num("leaves_traces", 1);  // files have times, and a program may read some
        out.num("language_seconds", language_seconds);
    }

    static constexpr const char* takes = R"({"fence": "python", "also": ["py"], "comment": "# ",
        "timer": "wall", "reference": "torch"})";
    static constexpr hone_option options[] = {python_option, remake_option, {}};

private:
    std::vector<Piece> pieces() const {
        std::vector<Piece> all;
        for (const hone_region& region : shared())
            all.push_back(
                {reinterpret_cast<std::uint64_t>(region.at), region.bytes, region.file, region.writable != 0});
        return all;
    }

    std::string python_;
    bool remake_;
    Extensions extensions_;
    std::unique_ptr<Zygote> zygote_;
};

}  // namespace
}  // namespace hone::python

using PythonOnCpu = hone::python::Verifier;
HONE_VERIFIER(PythonOnCpu, "python-cpu", "0.1",
              "torch modules (class ModelNew) on the machine's own cores, each in a process of its own")
