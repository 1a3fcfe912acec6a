#include "verifier_cuda/runner/probe_subject.hpp"
#include <cstring>
#include <numeric>
#include "verifier_cuda/plan/plan.hpp"

namespace hone::cuda {
namespace {

constexpr std::int64_t input_elements = 1 << 22, found_elements = 8192;  // as probes.cu has them
constexpr double patience = 2, whole_stay = 6e-3;                        // seconds
constexpr std::size_t hand_overs = 9;
enum Trial : std::int64_t {
    keep_and_find = 1,
    keep,
    find,
    find_others,
    leave_and_count,
    leave,
    count,
    stay,
    store,
    n_trials
};

constexpr const char* plan_text = R"(
local keep = { kernel = "keep", grid = 1024, block = 256, args = { "a", "o" } }
local function find(offset) return { kernel = "find", grid = 128, block = 32, args = { { "a", offset }, "o" } } end
local function shared(name) return { kernel = name, grid = 1024, block = 256, args = { "o" } } end
return ({ { keep, find(0) }, { keep }, { find(0) }, { find(8388608) },
          { shared("leave"), shared("count") }, { shared("leave") }, { shared("count") }, { { kernel = "stay", grid = 1, block = 1, args = { "o" } } },
          { { kernel = "store", grid = 1, block = 1, args = { "a" } } } })[N]
)";

TaskShapes shapes_of_trials() {
    TaskShapes shapes{{"N"}, {}, {{"a", "f32", 4, false, {}}}, {{"o", "f32", 4, false, {}}}};
    for (std::int64_t trial = keep_and_find; trial < n_trials; ++trial) {
        shapes.sizes.push_back({trial});
        shapes.inputs[0].shapes.push_back({input_elements});
        shapes.outputs[0].shapes.push_back({found_elements});
    }
    return shapes;
}

// The judge's memory for the trials, for as long as they last.
class Room {
public:
    Room(Workbench& bench, std::uint64_t bytes, int writable) : bench_(bench), at_(bench.reserve(bytes, writable)) {
        bench.set(at_, bytes, 0);
    }
    ~Room() {
        try {
            bench_.release(at_);
        } catch (...) {
        }  // the device is lost then, which the next call tells
    }
    Room(const Room&) = delete;
    std::uint64_t at() const { return at_; }

private:
    Workbench& bench_;
    std::uint64_t at_;
};

class Trials {
public:
    Trials(const Host& host, const Bench& bench, Workbench& workbench, const std::vector<Reserved>& reserved,
           Runners& runners, const std::string& cubin)
        : bench_(bench),
          workbench_(workbench),
          input_(workbench, 4 * input_elements, 0),
          output_(workbench, 4 * found_elements, 1) {
        std::string reason;
        std::unique_ptr<Plan> plan = read_plan(host, plan_text, {shapes_of_trials(), {}, true}, reason);
        if (!plan) throw Broken("verifier.cuda: the plan of its own probes: " + reason);
        plan->program.n_modules = 1;
        subject_ = Subject::start(host, bench, runners, std::move(plan), {cubin}, reserved, quiet());
        if (!subject_) throw Broken("verifier.cuda: its own probes cannot be loaded");
    }

    // Why it ended badly, in the verdict's words; nullopt: it did not.
    std::optional<std::string> run(Trial trial) {
        launch(trial);
        std::string reason;
        hone_out end{&reason, [](void*, const char*, double) {},
                     [](void* ctx, const char* key, hone_text value) {
                         if (!std::strcmp(key, "reason")) *static_cast<std::string*>(ctx) = text(value);
                     }};
        double inside = 0;
        if (subject_->wait(patience, inside, Out(&end))) return std::nullopt;
        return reason;
    }
    void change_contexts() { bench_.turn(); }
    void flush(const std::function<void()>& of_timer) {
        of_timer();
        change_contexts();  // who works in another context does not wait for what was queued
    }
    // The numbers that it tells.
    std::vector<float> told(Trial trial) {
        if (const auto reason = run(trial)) throw Failed("verifier.cuda: its own probes end badly: " + *reason);
        std::vector<float> numbers(found_elements);
        workbench_.read(output_.at(), numbers.data(), numbers.size() * sizeof numbers[0]);
        return numbers;
    }
    double mean_told(Trial trial) {
        const std::vector<float> numbers = told(trial);
        return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
    }
    double hand_over() {
        std::vector<double> seconds;
        while (seconds.size() < hand_overs) {
            bench_.turn();
            const double begun = now();
            subject_->null_call();
            bench_.turn();
            seconds.push_back(now() - begun - HONE_NULL_CALL_SECONDS);
            double inside = 0;
            subject_->wait(patience, inside, quiet());
        }
        std::nth_element(seconds.begin(), seconds.begin() + hand_overs / 2, seconds.end());
        return seconds[hand_overs / 2];
    }
    double slice() {
        bench_.turn();
        const double begun = now();
        launch(stay);
        bench_.turn();
        const double first = now() - begun;
        double inside = 0;
        subject_->wait(patience, inside, quiet());
        return first < whole_stay ? first : 0;
    }
    bool input_lasts() {
        float first = 1;
        workbench_.read(input_.at(), &first, sizeof first);
        return first == 0;
    }

private:
    static Out quiet() {
        static hone_out nowhere{nullptr, [](void*, const char*, double) {}, [](void*, const char*, hone_text) {}};
        return Out(&nowhere);
    }
    void launch(Trial trial) {
        const std::int64_t size = trial;
        const hone_tensor in{input_.at(), HONE_F32, 1, &input_elements},
            out{output_.at(), HONE_F32, 1, &found_elements};
        subject_->launch({sizeof(hone_call), &in, &out, 1, 1, 0, 0, &size, 1});
    }

    Bench bench_;
    Workbench& workbench_;
    Room input_, output_;
    std::unique_ptr<Subject> subject_;
};

}  // namespace

DriverProbe probe_driver(const Host& host, const Bench& bench, Workbench& workbench,
                         const std::vector<Reserved>& reserved, Runners& runners, const std::string& cubin,
                         const std::function<void()>& flush) {
    Trials trials(host, bench, workbench, reserved, runners, cubin);
    DriverProbe probe;
    probe.hand_over = trials.hand_over();
    probe.slice = trials.slice();
    if (flush) {
        const std::vector<float> hits = trials.told(keep_and_find);
        trials.run(keep);
        trials.flush(flush);
        const std::vector<float> flushed = trials.told(find);
        trials.flush(flush);
        probe.flush = FlushFinding(hits, trials.told(find_others), flushed);
    }
    probe.shared_kept = trials.mean_told(leave_and_count);
    trials.run(leave);
    trials.change_contexts();
    probe.shared_left = trials.mean_told(count);
    probe.stores_fault = trials.run(store).value_or("").starts_with("illegal address");  // the last: it ends the runner
    probe.inputs_last = trials.input_lasts();
    return probe;
}

}  // namespace hone::cuda
