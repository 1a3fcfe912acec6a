#include "commands/judge/repeats.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/stats.hpp"
#include "commands/judge/speed_text.hpp"
#include "commands/judge/text.hpp"
#include "domain/document_json.hpp"
#include "run/interrupt.hpp"

namespace hone {
namespace {

constexpr double between_looks = 0.2;  // seconds

class Repeats {
public:
    Repeats(const JudgeRequest& request, bool json) : request_(request), json_(json) {}

    // Each in a bench of its own; false: the program was rejected.
    bool run() {
        std::optional<Programs> programs;
        for (int i = 0; i < request_.times; ++i) {
            Progress progress("judge", request_.times);
            // the schedule decides when it ends, and the line counts the seconds of this judging alone
            const OnNote note = [&](const std::string& text) { progress.update(i, text, Progress::Left::unknown); };
            wait_for(i, note);
            Judge judge(request_.plan);
            if (!programs) programs = read_programs(judge, request_, note);
            judgements_.push_back(judge_once(judge, request_, *programs, note));
            if (judgements_.back().scorable() && !judgements_.back().passed()) return false;
            if (!json_) tell_last();
        }
        return true;
    }

    const Judgement& last() const { return judgements_.back(); }

    std::vector<Judgement> passed() const {
        std::vector<Judgement> list = judgements_;
        std::erase_if(list, [](const Judgement& j) { return !j.passed() || !j.speedup; });
        return list;
    }

    Json document(const std::optional<Judgement>& all) const {
        Json list = Json::array();
        for (const Judgement& judgement : judgements_) list.push_back(to_json(judgement));
        const auto lost =
            std::count_if(judgements_.begin(), judgements_.end(), [](const Judgement& j) { return !j.scorable(); });
        Json doc = {{"schema", "hone.repeats/1"}, {"lost", lost}, {"judgements", list}};
        if (all) doc["outcome"] = *all->outcome, doc["speedup"] = document_to_json(*all->speedup);
        return doc;
    }

private:
    // The first begins at once, the last when all of the time asked for is over.
    void wait_for(int number, const OnNote& note) const {
        const double due = begun_ + request_.over * number / std::max(1, request_.times - 1);
        for (double left; (left = due - monotonic_seconds()) > 0;) {
            note("the next one begins in " + std::to_string(static_cast<int>(std::ceil(left))) + " s");
            std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, between_looks)));
            check_interrupt();
        }
    }

    void tell_last() const {
        const Judgement printed = judgement_from_json(printable_document(to_json(last())));
        const std::string text = printed.passed() ? speed_text(printed) : verdict_text(printed),
                          evidence = printed.id.empty() ? "" : "; hone show " + printed.id;
        std::printf("%zu of %d  %s%s\n", judgements_.size(), request_.times, text.c_str(), evidence.c_str());
        std::fflush(stdout);  // the next one may take minutes
    }

    const JudgeRequest& request_;
    const bool json_;
    const double begun_ = monotonic_seconds();
    std::vector<Judgement> judgements_;
};

}  // namespace

Judgement hull(const std::vector<Judgement>& passed) {
    Judgement all = passed.front();
    Speedup& whole = *all.speedup;
    std::vector<double> logarithms;
    bool one_outcome = true;
    for (const Judgement& judgement : passed) {
        const Speedup& one = *judgement.speedup;
        logarithms.push_back(std::log(one.estimate));
        whole.lower = std::min(whole.lower, one.lower);
        if (whole.upper) whole.upper = one.upper ? std::optional(std::max(*whole.upper, *one.upper)) : std::nullopt;
        one_outcome = one_outcome && judgement.outcome == all.outcome;
    }
    whole.estimate = std::exp(mean(logarithms));
    const bool contains_one = whole.lower <= 1 && (!whole.upper || *whole.upper >= 1);
    if (!one_outcome || contains_one) all.outcome = "ambiguous";
    return all;
}

int judge_repeatedly(const JudgeRequest& request, bool json) {
    Repeats repeats(request, json);
    const bool rejected = !repeats.run();
    const std::vector<Judgement> passed = repeats.passed();
    const std::optional<Judgement> all = rejected || passed.empty() ? std::nullopt : std::optional(hull(passed));
    if (json) std::fputs(document_text(repeats.document(all)).c_str(), stdout);
    else if (rejected) print_for_people(judgement_from_json(printable_document(to_json(repeats.last()))));
    else if (all) print_hull(*all, passed.size());
    if (!all) return exit_code(repeats.last());
    return meets(request.at_least, *all, json) ? 0 : static_cast<int>(Blame::run);
}

}  // namespace hone
