// verifier.fake: a device that exists only on paper, on which every promise of the judge can be tested exactly. A
// candidate is a few integers; the task's key `device` says which are right and what they cost:
//
//     device = { op = "axpy", code = 3, best = {1, 4}, seconds = 1e-4, reference = 2e-4 }
//
// The first integer chooses the algorithm: only `code` computes `op`; the others change the cost,
// seconds * (1 + 0.25 * sum |x[i] - best[i]|), which advances a virtual clock (a double behind hone_device.queue).
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>
#include <utility>
#include <vector>
#include "hone/plugin.hpp"
#include "testing/next_call.hpp"
#include "testing/program.hpp"

namespace {

constexpr double clock_range = 1024;  // seconds; small enough that a microsecond keeps nine digits
constexpr long calls_until_worn = 60;

float* floats(const hone_tensor& x) { return reinterpret_cast<float*>(x.at); }

int64_t elements(const hone_tensor& x) { return static_cast<int64_t>(hone::on_host::elements(x)); }

// The operations that this device knows; each fills the first output from all inputs.
void axpy(const hone_call& call) {  // o = 2a + b
    for (int64_t i = 0; i < elements(call.out[0]); ++i)
        floats(call.out[0])[i] = 2 * floats(call.in[0])[i] + floats(call.in[1])[i];
}
void square(const hone_call& call) {  // o = a * a
    for (int64_t i = 0; i < elements(call.out[0]); ++i)
        floats(call.out[0])[i] = floats(call.in[0])[i] * floats(call.in[0])[i];
}
void row_sum(const hone_call& call) {  // o[r] = sum over c of a[r,c]
    const int64_t rows = call.in[0].shape[0], columns = call.in[0].shape[1];
    for (int64_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (int64_t c = 0; c < columns; ++c) sum += floats(call.in[0])[r * columns + c];
        floats(call.out[0])[r] = sum;
    }
}
void matmul(const hone_call& call) {  // o = a b
    const int64_t rows = call.in[0].shape[0], inner = call.in[0].shape[1], columns = call.in[1].shape[1];
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            float sum = 0;
            for (int64_t k = 0; k < inner; ++k)
                sum += floats(call.in[0])[r * inner + k] * floats(call.in[1])[k * columns + c];
            floats(call.out[0])[r * columns + c] = sum;
        }
}

void update(const hone_call& call) {  // o = s a + o in place; the second input is the scalar s
    const float s = std::bit_cast<float>(static_cast<uint32_t>(call.values[1]));
    for (int64_t i = 0; i < elements(call.out[0]); ++i) floats(call.out[0])[i] += s * floats(call.in[0])[i];
}

using Operation = void (*)(const hone_call&);
const std::map<std::string, Operation> operations = {
    {"axpy", axpy}, {"square", square}, {"row-sum", row_sum}, {"matmul", matmul}, {"update", update}};

struct Device {
    double clock = 0;
    bool wedged = false;
    int burdens = 0;      // programs that slow others
    bool jolted = false;  // the program whose clock was jolted is closed
};

class Subject : public hone::LoadedCandidate {
public:
    Subject(fake::Program program, hone::Doc task, Device& device, double hand_over)
        : program_(std::move(program)),
          operation_(operations.at(task.text("device.op"))),
          device_(device),
          clock_(&device.clock),
          hand_over_(hand_over) {
        device_.burdens += does("burdens");
        wrong_ = program_.integers.empty() ? 0 : static_cast<double>(program_.integers[0]) - task.num("device.code");
        double distance = 0;
        for (size_t i = 1; i < program_.integers.size(); ++i)
            distance += std::fabs(static_cast<double>(program_.integers[i]) -
                                  task.num("device.best." + std::to_string(i - 1), 0));
        cost_ = task.num("device.seconds", 1e-4) * (1 + 0.25 * distance);
    }

    ~Subject() override {
        device_.burdens -= does("burdens");
        device_.jolted |= does("jolted") && timed_;
    }

    void null_call() override {}

    void launch(const hone_call& call) override {
        call_ = call;
        if (++lived_ == 1) first_sizes_.assign(call.sizes, call.sizes + call.n_sizes);
        if (does("once")) next_.see(call), timed_ |= next_.in_a_run();
        if (timed_) ++calls_;
        if (does("die")) std::abort();
        if (does("hoards")) throw hone::Failed("cuMemCreate: out of memory");
        if (does("stall")) std::this_thread::sleep_for(std::chrono::hours(1));
        *clock_ += hand_over_;
        if (does("empty")) return;
        if (does("ahead")) {
            next_.see(call);
            if (std::exchange(answered_, 0) == call.out[0].at) return;
            if (next_.is_there()) compute(next_.of(call)), answered_ = next_.of(call).out[0].at;
        }
        if (does("behind")) {
            next_.see(call);
            if (next_.is_there()) return void(left_.push_back(call));
            for (const hone_call& earlier : std::exchange(left_, {})) compute(earlier);
        }
        if (does("foresees") && foreseen(call)) return void(*clock_ += cost_ / 10);
        *clock_ += does("forge")                                    ? cost_ / 1000
                   : device_.burdens > does("burdens")              ? 2 * cost_
                   : does("unfinished")                             ? cost_ / 5
                   : does("peeks")                                  ? cost_ / 10
                   : does("early")                                  ? cost_ / 5
                   : does("gone")                                   ? -cost_ / 10
                   : does("chases") && !std::exchange(held_, false) ? cost_ / 10
                                                                    : cost_;
        if (does("crash") || does("hang") || does("unfinished")) return;
        if (does("peeks")) return void(std::copy(answer_.begin(), answer_.end(), floats(call.out[0])));
        does("stale") ? replay(call) : compute(call);
    }

    void prepare(const hone_call& call) override {
        timed_ = true;  // only single calls that are timed are prepared
        if (does("foresees")) see(call);
    }

    void prepack(const hone_call& call) override {
        *clock_ += cost_;
        if (does("packs")) packed_.assign(floats(call.in[1]), floats(call.in[1]) + elements(call.in[1]));
        if (!does("peeks")) return;
        operation_(call);
        answer_.assign(floats(call.out[0]), floats(call.out[0]) + elements(call.out[0]));
    }
    bool prepacks() const { return does("packs") || does("peeks") || does("trips"); }

    bool wait(double seconds, double& inside, hone::Out end) override {
        inside = does("flatter")                      ? cost_ / 2
                 : does("jolted") && !device_.jolted  ? cost_ / 2
                 : does("shade")                      ? cost_ - 3e-6
                 : does("settles") && calls_ <= 27    ? cost_ - 3e-6
                 : does("flicker") && calls_ % 9 == 0 ? cost_ / 100
                                                      : cost_;
        if (does("unfinished")) compute(call_);
        device_.wedged |= does("wedge");
        if (device_.wedged) return tell(end, "RUNTIME_ERROR", "the device is wedged");
        if (does("crash") || does("trips"))
            return tell(end, "RUNTIME_ERROR", "the program ended with signal 11 (segmentation fault)");
        if (does("hang") || cost_ > seconds)
            return tell(end, "TIMEOUT", "one call ran longer than " + std::to_string(seconds) + " s");
        return true;
    }

    void suspend(
        bool suspended) override {  // a held program cannot run: what it does late, it does at the last moment before
        held_ |= suspended;
        if (!suspended || !does("late") || !timed_) return;
        for (int64_t i = 0; i < elements(call_.out[0]); ++i) floats(call_.out[0])[i] += 1;
    }

private:
    bool does(std::string_view mischief) const { return program_.mischief == mischief; }
    static bool tell(hone::Out end, std::string_view verdict, std::string_view reason) {
        end.text("verdict", verdict);
        end.text("reason", reason);
        return false;
    }

    void replay(const hone_call& call) {
        const std::pair seen{call.in[0].at, floats(call.in[0])[0]};
        float* const out = floats(call.out[0]);
        const auto n = static_cast<size_t>(elements(call.out[0]));
        if (seen == seen_ && answer_.size() == n) return void(std::copy(answer_.begin(), answer_.end(), out));
        compute(call);
        seen_ = seen;
        answer_.assign(out, out + n);
    }

    void compute(const hone_call& call) const {
        const int64_t n = elements(call.out[0]);
        float* out = floats(call.out[0]);
        const float last = out[n - 1];
        does("packs") ? operation_(with_packed(call)) : operation_(call);
        double error = 0.05 * wrong_;
        if (does("once") && timed_) error = 0.05;
        if (does("wears") && lived_ > calls_until_worn) error = 0.05;
        if (does("shy") && lived_ > 3) error = 0.05;
        if (does("outgrown") && is_beyond_first(call) && lies_far(call.in[0])) error = 1;
        if (does("aligned")) error = 1e-7 * static_cast<double>(call.out[0].at / 64 % 2);
        if (does("random")) error = 1e-7 * static_cast<double>(lived_ % 2);
        if (error != 0)
            for (int64_t i = 0; i < n; ++i) out[i] += static_cast<float>(error * (1 + std::fabs(out[i])));
        if (does("unwritten")) out[n - 1] = last;
        if (does("outside")) out[n] = 0;
        if (does("input")) floats(call.in[0])[0] += 1;
    }

    bool is_beyond_first(const hone_call& call) const {
        return !std::equal(first_sizes_.begin(), first_sizes_.end(), call.sizes, std::greater_equal<>());
    }
    static bool lies_far(const hone_tensor& tensor) {  // not by an outlier: that is the first or the last
        const auto is_far = [&](int64_t i) {
            return std::fabs(floats(tensor)[i]) > 100 && std::fabs(floats(tensor)[i]) < 1e4;
        };
        return elements(tensor) > 3 && is_far(1) && is_far(2);
    }

    // The inputs that lie there, and the answer to them.
    void see(const hone_call& call) {
        foreseen_.assign(floats(call.in[0]), floats(call.in[0]) + elements(call.in[0]));
        compute(call);
        answer_.assign(floats(call.out[0]), floats(call.out[0]) + elements(call.out[0]));
    }
    bool foreseen(const hone_call& call) const {
        if (!std::equal(foreseen_.begin(), foreseen_.end(), floats(call.in[0]))) return false;
        if (foreseen_.empty()) return false;
        std::copy(answer_.begin(), answer_.end(), floats(call.out[0]));
        return true;
    }

    hone_call with_packed(const hone_call& call) const {
        inputs_.assign(call.in, call.in + call.n_in);
        inputs_[1].at = reinterpret_cast<uint64_t>(packed_.data());
        hone_call changed = call;
        changed.in = inputs_.data();
        return changed;
    }

    fake::Program program_;
    Operation operation_;
    Device& device_;
    double *clock_, hand_over_, wrong_ = 0, cost_ = 0;
    long calls_ = 0, lived_ = 0;
    bool timed_ = false, held_ = false;  // since its last launch
    std::pair<uint64_t, float> seen_{};
    fake::NextCall next_;
    std::vector<hone_call> left_;  // for the last call of a run
    uint64_t answered_ = 0;        // where the outputs of the call lie that was answered ahead
    std::vector<float> answer_, packed_, foreseen_;
    std::vector<int64_t> first_sizes_;  // the timed ones
    mutable std::vector<hone_tensor> inputs_;
    hone_call call_{};  // the last one; its arrays live as long as the judge's arena
};

class FakeVerifier : public hone::HostVerifierPart {
public:
    using Subject = ::Subject;
    FakeVerifier(hone::Host, hone::Doc given)
        : hand_over_(given.num("hand_over", 0)),
          weak_(given.text("weak")),
          host_code_(given.flag("host_code")),
          leaves_traces_(given.flag("leaves_traces")) {}

    void brief(hone::Doc task, hone::Out out) override {
        const std::string count = std::to_string(task.count("device.best") + 1);
        out.text("text", "A program is " + count + " integers from 0 to 9, separated by spaces.");
        out.text("fences", "fake");
        out.text("prototype", "");
        out.text("tier", "fake");
        out.text("empty", "empty");
    }

    hone_device device() override { return {sizeof(hone_device), "fake", 0, nullptr, &device_->clock}; }

    std::unique_ptr<Subject> open(hone::Doc task, hone::Doc candidate, hone::Out facts) {
        std::string why;
        const std::optional<fake::Program> program = fake::parse(candidate.text("code"), why);
        if (!program || !operations.contains(task.text("device.op"))) {
            if (program)
                why = "task \"" + task.text("name") +
                      "\" does not say what its programs do on the fake device: no key device.op that is known";
            facts.text("verdict", "COMPILE_ERROR");
            facts.text("reason", why);
            return nullptr;
        }
        // each program begins at an hour of its own, so that timer.virtual draws other noise for it
        device_->clock = static_cast<double>(std::hash<std::string>()(candidate.text("code"))) / 0x1p64 * clock_range;
        auto subject = std::make_unique<Subject>(*program, task, *device_, hand_over_);
        if (subject->prepacks()) facts.num("prepack_steps", 1);
        return subject;
    }

    void facts(hone::Out out) override {
        out.text("product", "fake device");
        out.num("bytes_per_second", 1e10);
        if (host_code_) out.num("host_code", 1);
        if (leaves_traces_) out.num("leaves_traces", 1);
    }

    void probe(const std::function<void()>& flush, hone::Out out) override {
        if (weak_ == "dumb") throw hone::Failed("nothing answers");
        if (flush) flush();
        out.text("weak", weak_);
    }

    static constexpr const char* takes =
        R"({"fence": "fake", "timer": "virtual", "reference": "lua", "suite": "fake"})";
    static constexpr hone_option options[] = {
        {"hand_over", "num", "0", "0..1", "seconds that each call costs before the program begins"},
        {"host_code", "bool", "false", nullptr, "programs command the device themselves, also beside a clock"},
        {"leaves_traces", "bool", "false", nullptr, "a program can leave words for a later process"},
        {"weak", "text", "", nullptr,
         "what this device's walls lack; \"dumb\": it does not answer when it is tried out"},
        {}};

private:
    std::unique_ptr<Device> device_ = std::make_unique<Device>();
    double hand_over_;
    std::string weak_;
    bool host_code_, leaves_traces_;
};

}  // namespace

HONE_VERIFIER(FakeVerifier, "fake", "1.0", "a device on paper with a virtual clock; programs are a few integers")
