// judge/call/prepared_task.hpp: one task as a bench holds it: the reference opened in its forms, and sets of inputs
// with their truth. The sets are shared by the candidates of a bench (each lives in a jail of its own and has seen none
// of them), so truth is made once and not once a candidate. Sets of the shapes that are drawn for one judging end with
// it.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "base/stats.hpp"
#include "judge/call/arena.hpp"
#include "judge/call/bench_parts.hpp"
#include "judge/call/input_set.hpp"
#include "judge/call/settings.hpp"
#include "judge/correctness/inputs.hpp"

namespace hone {

// Neighbours among the timed sets, whose order may differ from process to process.
inline constexpr std::size_t sets_in_turn = 4;
// Those of timed calls. The last is in each turn.
std::vector<Variant> timed_variants(const Task&, const Settings&);
// The distributions of one turn, from 64 random bits: each of these as often, and one at least of the last. of: not
// empty.
std::array<Variant, sets_in_turn> draw_variants(const std::vector<Variant>& of, std::uint64_t drawn);

class PreparedTask {
public:
    // Of the settings: seed (all keys follow from it; without it from a number that nobody can foresee, and that is
    // drawn anew now and then), pool_bytes, and the defences.
    PreparedTask(Task, Arena&, Reference&, const hone_device&, const Settings&, std::size_t scratch_bytes);

    const Task& task() const { return task_; }
    // The task as this judging's candidate is built for: its hidden shapes and those that were drawn.
    const Task& drawn_task() const { return drawn_task_; }
    bool secret() const { return secret_; }  // see base/chance.hpp
    // What candidates are compared with: the fastest of the reference's forms, once one is chosen
    // (judge/timing/calibration.hpp); before, the eager one.
    ReferenceProgram& baseline() { return others_.contains(form_) ? others_.at(form_) : eager_; }
    // false: the reference runs on the host, so a program of the device must be the baseline.
    bool reference_on_device() const { return !eager_.staged(); }
    const std::string& baseline_form() const { return form_; }
    // that the reference has, beside "eager"
    const std::map<std::string, ReferenceProgram>& other_forms() const { return others_; }
    void choose_form(const std::string& name) { form_ = name; }
    ReferenceProgram& float64() { return float64_; }
    // Shape 0 is the timed one, the hidden ones follow, then those drawn for this judging.
    std::size_t shapes() const { return layouts_.size(); }
    std::size_t lasting_shapes() const { return lasting_; }  // all but the drawn ones
    Layout& layout(std::size_t shape) { return *layouts_[shape]; }
    const Layout& layout(std::size_t shape) const { return *layouts_[shape]; }
    Shape smallest_sizes() const;  // of any shape, each size for itself
    Shape largest_sizes() const;
    const std::string& shape_name(std::size_t shape) const;  // for reasons: "the timed shape", "a hidden shape"
    const std::vector<Variant>& variants() const { return variants_; }
    // Takes `furthest` out of the variants where outputs might not hold its truth. Before candidates are asked.
    void settle_variants();
    std::uint64_t input_bytes() const { return input_bytes_; }  // what the arena must offer
    std::uint64_t output_bytes() const { return output_bytes_; }
    // The layouts of one timed run's calls (hone_run.calls), all of the timed shape; the first is layout(0).
    std::size_t calls() const { return calls_; }
    std::size_t most_calls() const;  // that the pool's memory holds
    // Before the next make_room, and before a program is opened. What was measured with other numbers is forgotten.
    void set_calls(std::size_t);
    Layout& call_layout(std::size_t call) { return call == 0 ? layout(0) : *more_calls_[call - 1]; }

    // Set number n of a shape and variant, made on first use and kept while there is room. Borrowed until the next
    // call of any of the three.
    const InputSet& set(std::size_t shape, Variant, std::size_t n);
    std::vector<const InputSet*> usual_sets(std::size_t n);  // a run's, declared, from the few that calibration uses
    // A run's: see timed_set, from number n on. each: called after each set.
    std::vector<const InputSet*> timed_sets(std::size_t n, const std::function<void()>& each);
    // Whether set number 0 is there already. What the pool had no room for is made at each use.
    bool keeps(std::size_t shape, Variant) const;
    // With the candidate it decides every choice of a judging: given as replay key it repeats it.
    std::uint64_t seed() const { return seed_; }
    // After some judgings, and before a candidate is judged again, the seed and with it all sets are new, unless there
    // is a replay key: what passed or won by luck is to have no second chance with the same inputs. Draws the judging's
    // own shapes. with_seed_of_its_own: always (BenchContext::leaves_traces).
    void begin_judging(const std::string& candidate_hash, bool with_seed_of_its_own = false);
    void forget();  // frees the sets, keeps the programs
    std::size_t bytes() const { return bytes_; }
    // wall time of the fastest eager call seen at the timed shape, infinite before the first
    double reference_seconds() const { return reference_seconds_; }

    // of the reference against itself: |estimate| plus half width, in ln; measured on first use, and again while above
    // 0.2
    std::optional<double> noise;
    double undisturbed_reading = no_reading;  // of the reference, by all measurements
    // seconds of each form by name, null: its numbers are wrong; filled where there is more than one
    Json forms;
    double run_seconds = 0;    // of the baseline's shortest run of calls(), where it was looked at
    double best_score = 0;     // of protocol cuda-l1, in this bench
    bool long_enough = false;  // to be timed
    bool window_known = false, surely_fine = false;  // judge/timing/window.hpp: of the baseline; of candidates too
    bool program_verified = false;                   // the task's own baseline program, in this bench
    bool flush_checked = false;                      // the timer's, over a call of this task
    std::optional<double> empty_call;  // what a call without work costs, in the timer's unit; where that is measured

private:
    // Number n of those that are timed: `declared`, or another of timed_variants. Were all as declared, a program
    // could tell from the first calls of its process that it is only timed there, and be wrong for all other values.
    // Which are which is drawn for each candidate.
    const InputSet& timed_set(std::size_t n);
    Variant timed_variant(std::size_t n) const;
    const InputSet& kept_or_spare(std::size_t shape, Variant, std::size_t n);
    std::unique_ptr<InputSet> make_set(std::size_t shape, Variant, std::size_t n);
    std::vector<double> least_usual(std::size_t shape, Variant);  // Definition::least_usual
    std::uint64_t key_for(std::size_t shape, Variant, std::size_t n);
    void renew(const std::string& candidate_hash, bool always);
    void draw_shapes(const std::string& candidate_hash);
    void add_shape(const Shape&);
    static bool outputs_hold(const InputSet&);
    void make_room_for_drawn();

    Task task_, drawn_task_;
    Arena& arena_;
    std::optional<std::uint64_t> replay_;
    bool secret_, draws_shapes_;
    std::vector<Variant> timed_;  // of the sets that are timed
    std::uint64_t seed_;
    std::set<std::string> judged_;  // with this seed
    ReferenceProgram eager_;
    ReferenceProgram float64_;
    std::map<std::string, ReferenceProgram> others_;  // forms
    std::string form_ = "eager";
    std::size_t scratch_bytes_;
    std::vector<std::unique_ptr<Layout>> layouts_;
    std::vector<Shape> shapes_;  // of the layouts
    std::string judging_;        // hash of the candidate that is judged
    std::size_t lasting_ = 0;    // shapes that stay from judging to judging
    std::vector<Variant> variants_;
    bool settled_ = false;
    std::map<std::pair<std::size_t, Variant>, std::map<std::size_t, std::unique_ptr<InputSet>>> sets_;
    std::uint64_t input_bytes_ = 0, output_bytes_ = 0;
    std::size_t bytes_ = 0, pool_bytes_;
    std::vector<std::unique_ptr<InputSet>> spares_;  // sets that the pool has no room for, while they are used
    std::size_t calls_ = 1;
    std::vector<std::unique_ptr<Layout>> more_calls_;
    double reference_seconds_;
};

}  // namespace hone
