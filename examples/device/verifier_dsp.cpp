// verifier.dsp: how programs are built and launched on the device of dsp.hpp, and how the judge works in its memory. No
// reference runs there: the judge runs the task's reference on the host and writes the truth through `write`; times are
// compared with a program of the device (task.baseline_program, or hone judge --against).
#include <hone/plugin.hpp>
#include <hone/verifier.hpp>
#include "dsp.hpp"

namespace {

struct Loaded : hone::LoadedCandidate {  // one candidate, assembled
    dsp::Device* device;
    dsp::Program program;
    const hone_call* queued = nullptr;

    void launch(const hone_call& call) override { queued = &call; }
    bool wait(double, double& inside, hone::Out) override {
        std::vector<std::uint64_t> in;
        for (std::uint32_t i = 0; i < queued->n_in; ++i) in.push_back(queued->in[i].at);
        std::int64_t n = 1;
        for (int i = 0; i < queued->out->rank; ++i) n *= queued->out->shape[i];
        device->run(program, in, queued->out->at, n);
        inside = NAN;  // only the timer reads the device's counter
        return true;
    }
};

// The device's memory and the judge's work in it. On hardware each of these is a copy or a small kernel of yours
// (hone/checks.h has their contracts); the simulator lends the host's versions its own bytes.
class DspMemory : public hone::VerifierPart {
public:
    uint64_t reserve(uint64_t bytes, int32_t) override { return dsp_.reserve(bytes); }
    void release(uint64_t at) override { dsp_.release(at); }
    void write(uint64_t at, const void* from, uint64_t bytes) override { std::memcpy(dsp_.host(at), from, bytes); }
    void read(uint64_t at, void* to, uint64_t bytes) override { std::memcpy(to, dsp_.host(at), bytes); }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override { host_.copy(here(to), here(from), bytes); }
    void differ(uint64_t a, uint64_t b, uint64_t bytes, uint64_t count) override {
        host_.differ(here(a), here(b), bytes, here(count));
    }
    void strays(uint64_t at, uint64_t bytes, uint32_t word, uint64_t count) override {
        host_.strays(here(at), bytes, word, here(count));
    }
    void widen(const hone_tensor& from, uint64_t to) override { host_.widen(here(from), here(to)); }
    void moments(const hone_tensor& answer, uint64_t truth, uint64_t moments) override {
        host_.moments(here(answer), here(truth), here(moments));
    }
    void local_scale(uint64_t truth, uint64_t n, uint64_t row, double usual, double roundoff, uint64_t scale) override {
        host_.local_scale(here(truth), n, row, usual, roundoff, here(scale));
    }
    void compare(const hone_tensor& got, const hone_comparison& with, uint64_t errors) override {
        hone_comparison translated = with;
        translated.truth = here(with.truth);
        translated.local_scale = here(with.local_scale);
        host_.compare(here(got), translated, here(errors));
    }

protected:
    dsp::Device dsp_;

private:
    uint64_t here(uint64_t at) { return reinterpret_cast<uint64_t>(dsp_.host(at)); }
    hone_tensor here(hone_tensor tensor) { return tensor.at = here(tensor.at), tensor; }
    hone::HostMemory host_;
};

class Dsp : public DspMemory {
public:
    using Subject = Loaded;
    static constexpr const char* takes =
        R"({"fence": "dsp", "files": [".dsp"], "comment": "# ", "timer": "dsp-cycles"})";
    Dsp(hone::Host, hone::Doc) {}

    void brief(hone::Doc, hone::Out out) override {
        out.text("text",
                 "Write a program for each element: lines of load rN INPUT, set rN NUMBER, add|sub|mul rN rN rN, "
                 "store OUTPUT rN, with registers r0 to r7. Memory takes 8 cycles, all else 1.");
        out.text("fences", "dsp");
        out.text("prototype", "load r0 a\nstore o r0");
        out.text("empty", empty);  // its calls tell what the way to a program takes
        out.text("tier", "simulated device, in the bench's own process");
    }
    hone_device device() override {
        return {sizeof(hone_device), "dsp", 0, &dsp_, const_cast<uint64_t*>(&dsp_.cycles())};
    }

    std::unique_ptr<Loaded> open(hone::Doc task, hone::Doc candidate, hone::Out facts) {
        auto loaded = std::make_unique<Loaded>();
        loaded->device = &dsp_;
        if (candidate.text("code") == empty) return loaded;  // of any task: it touches no tensor
        try {
            loaded->program = dsp::assemble(candidate.text("code"), inputs_of(task), task.text("outputs.0.name"));
        } catch (const std::invalid_argument& e) {  // a bad candidate is a verdict, not an error
            facts.text("verdict", "COMPILE_ERROR");
            facts.text("reason", e.what());
            return nullptr;
        }
        return loaded;
    }
    void facts(hone::Out out) override { out.text("product", "simulated signal processor"); }

private:
    static constexpr const char* empty = "# nothing";
    // The device works on f32 tensors of one size; other tasks are refused before it reads past a tensor.
    static std::vector<std::string> inputs_of(hone::Doc task) {
        std::vector<std::string> names;
        for (long i = 0; i < task.count("inputs"); ++i) {
            const std::string input = "inputs." + std::to_string(i);
            bool fits = task.count("outputs") == 1 && task.text(input + ".dtype") == "f32" &&
                        task.text("outputs.0.dtype") == "f32" && task.count(input + ".shape") == 1 &&
                        task.count("outputs.0.shape") == 1 &&
                        task.text(input + ".shape.0") == task.text("outputs.0.shape.0");
            if (!fits) throw std::invalid_argument("the device takes tasks of f32 vectors of one size");
            names.push_back(task.text(input + ".name"));
        }
        return names;
    }
};

}  // namespace

HONE_VERIFIER(Dsp, "dsp", "1.0", "programs of a simulated signal processor that has memory of its own")
