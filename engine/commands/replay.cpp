// `hone replay ID`: judges once more what was judged, with the recorded keys, and says whether both findings agree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/host.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "base/quantity.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "domain/document_json.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/job.hpp"
#include "lua/task_file.hpp"
#include "store/evidence.hpp"

namespace hone {
namespace {

std::string short_hash(const std::string& hash) { return hash.substr(0, 12); }

// What must be there for a judgement to be repeated.
void check_complete(const Json& evidence, const Judgement& judgement) {
    const std::string id = evidence["id"];
    if (!judgement.scorable())
        throw Error(Blame::input, id, "says nothing about the program (INFRASTRUCTURE), so there is nothing to repeat",
                    "judge it anew");
    if (!evidence["candidate"].is_object())
        throw Error(Blame::input, id, "no program was found in the answer, so none was judged");
    for (const auto& [place, key] : {std::pair{"task", "doc"}, {"judge", "options"}})
        if (!evidence.contains(place) || !evidence[place].is_object() ||
            !evidence[place].value(key, Json()).is_object())
            throw Error(Blame::input, id, std::string("its record, by an older hone, lacks the ") + place,
                        "judge it anew");
    if (!judgement.verifier || !judgement.timer || !judgement.reference || judgement.keys.empty())
        throw Error(Blame::input, id, "its record lacks parts and keys", "judge it anew");
    if (judgement.speedup && judgement.speedup->baseline == "against" && !evidence["against"].is_object())
        throw Error(Blame::input, id, "its record lacks the program that it was compared with", "judge it anew");
}

class Replay {
public:
    Replay(const Json& evidence, const Judgement& recorded)
        : evidence_(evidence),
          recorded_(recorded),
          task_(check_task(evidence["task"]["doc"])),
          candidate_(rebuilt(evidence["candidate"])),
          judge_(plan()) {
        if (evidence["against"].is_object()) against_ = rebuilt(evidence["against"]);
    }

    // Also from a suite beside the run's script.
    Task task_now(const std::string& address) const {
        try {
            return load_task(address);
        } catch (const Error&) {
            const fs::path beside = fs::path(evidence_.value("script", "")).parent_path() / "suites" / address;
            if (!fs::is_directory(beside.parent_path())) throw;
            return load_task(beside.string());
        }
    }

    // What is no longer what the score belongs to, each as one sentence.
    std::vector<std::string> changes() {
        std::vector<std::string> found;
        compare(found, "the record's program", recorded_.hash, candidate_.hash);
        compare(found, "the record's task", recorded_.task_hash, task_.hash());
        compare_file(found, "program", "plan", candidate_.hash);
        if (against_) compare_file(found, "against", "", against_->hash);
        const std::string address = evidence_["task"]["address"];
        try {
            compare(found, "the task " + address, task_.hash(), at_shape(task_now(address), task_.shape).hash());
        } catch (const Error& error) {
            Progress::say("the task is not where it was, its record serves: " + std::string(error.what()));
        }
        const JudgePlan& now = judge_.plan();
        for (const auto& [part, then] : {std::pair{&now.verifier, &recorded_.verifier},
                                         {&now.timer, &recorded_.timer},
                                         {&now.reference, &recorded_.reference}})
            compare(found, "the plugin " + part->interface_name + "." + part->id, (*then)->file_hash, part->file_hash);
        return found;
    }

    Judgement judge() {
        Progress progress("replay", 1);
        return ask(judge_, task_, candidate_, against_, [&](const std::string& note) { progress.update(0, note); });
    }

    // The judge's options, all from the record but the seed and the number of benches.
    const Json& settings() const { return judge_.plan().options; }

private:
    static Candidate rebuilt(const Json& doc) {
        return make_candidate(doc.value("task", ""), doc.at("language"), doc.at("code"), doc.value("plan", ""));
    }

    JudgePlan plan() const {
        Json options = evidence_["judge"]["options"];
        options["seed"] = recorded_.keys.front();
        options["benches"] = 1;
        const auto recipe = [](const char* interface_name, const judged::Part& part) {
            return make_recipe(interface_name, part.id, part.options, "replay");
        };
        return {recipe("verifier", *recorded_.verifier), recipe("timer", *recorded_.timer),
                recipe("reference", *recorded_.reference), check_options(judge_options(), options, "replay")};
    }

    static void compare(std::vector<std::string>& found, const std::string& what, const std::string& then,
                        const std::string& now) {
        if (then != now) found.push_back(what + " was " + short_hash(then) + " and is " + short_hash(now));
    }

    std::string file_named(const char* which) const {
        const Json file = evidence_["files"].is_object() ? evidence_["files"].value(which, Json()) : Json();
        return file.is_string() ? file.get<std::string>() : "";
    }

    // A file that is gone changes nothing: the record holds the program. One that holds another program has no claim to
    // this score.
    void compare_file(std::vector<std::string>& found, const char* which, const char* which_plan,
                      const std::string& hash) {
        const std::string path = file_named(which), plan = file_named(which_plan);
        if (!fs::exists(path) || (!plan.empty() && !fs::exists(plan))) return;
        try {
            compare(found, path, hash, read_candidate(judge_, task_, path, plan).hash);
        } catch (const Error& error) {
            found.push_back(path + " holds no program any more");
        }
    }

    const Json& evidence_;
    const Judgement& recorded_;
    Task task_;
    Candidate candidate_;
    std::optional<Candidate> against_;
    Judge judge_;
};

// Above this share a machine's noise would excuse any claim.
constexpr double most_noise = 0.2;

// Times are taken anew, so the ratios differ: they agree if their intervals meet, or if they differ by less than this
// machine's own noise. The record's noise is its claim as much as its speed is, and excuses nothing.
bool speeds_agree(const Judgement& then, const Judgement& now) {
    const Speedup &x = *then.speedup, &y = *now.speedup;
    const bool meet = x.lower <= y.upper.value_or(HUGE_VAL) && y.lower <= x.upper.value_or(HUGE_VAL);
    const double apart = std::fabs(std::log(x.estimate / y.estimate));
    return meet || (now.noise <= most_noise && apart <= now.noise);
}

bool has_speed(const Judgement& judgement) { return judgement.passed() && judgement.speedup; }

Json both(Json then, Json now, bool agrees) {
    return {{"recorded", std::move(then)}, {"now", std::move(now)}, {"agrees", agrees}};
}

Json both(const Json& then, const Json& now) { return both(then, now, then == now); }

// What failed; the key is the judging's own.
Json failure_of(const Judgement& judgement) {
    if (!judgement.failure) return nullptr;
    // where the time runs out is chance
    if (judgement.failure->property == "takes too long") return Json{{"property", "takes too long"}};
    Json failure = document_to_json(*judgement.failure);
    failure.erase("key");
    failure.erase("folder");
    return failure;
}

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

// {verdict, kind, failure, reason, defences_off, planted, speedup: {recorded, now, agrees}}
Json compare(const Judgement& then, const Judgement& now) {
    Json points = {{"verdict", both(verdict_name(then.verdict), verdict_name(now.verdict))},
                   {"kind", both(or_null(then.kind), or_null(now.kind))},
                   {"reason", both(then.reason, now.reason)},
                   {"failure", both(failure_of(then), failure_of(now))},
                   {"defences_off", both(then.defences_off, now.defences_off)},
                   {"planted", both(then.planted.value_or(0), now.planted.value_or(0))}};
    if (has_speed(then) && has_speed(now))
        points["speedup"] =
            both(document_to_json(*then.speedup), document_to_json(*now.speedup), speeds_agree(then, now));
    return points;
}

bool all_agree(const Json& points) {
    return std::all_of(points.begin(), points.end(), [](const Json& point) { return point["agrees"].get<bool>(); });
}

Json text_or_null(const Json& doc, const std::string& path) {
    const Json* found = find_path(doc, path);
    return found && found->is_string() ? *found : Json();
}

// What stands around a judgement and may explain why two differ.
Json surroundings(const Json& evidence, const Judgement& then, const Judgement& now) {
    const Json host = describe_host();
    return {{"hone", both(evidence.value("version", ""), HONE_VERSION)},
            {"cpu", both(text_or_null(evidence, "host.cpu"), host["cpu"])},
            {"kernel", both(text_or_null(evidence, "host.release"), host["release"])},
            {"compiler", both(text_or_null(then.facts, "compiler"), text_or_null(now.facts, "compiler"))},
            {"form of the reference", both(or_null(then.baseline_form), or_null(now.baseline_form))},
            {"sandbox", both(then.sandbox, now.sandbox)}};
}

std::string speed_text(const Judgement& judgement) {
    if (!has_speed(judgement)) return "-";
    const Speedup& s = *judgement.speedup;
    char text[96];
    std::snprintf(text, sizeof text, "%.3gx [%.3g, %.3g]", s.estimate, s.lower, s.upper.value_or(HUGE_VAL));
    return text;
}

std::string time_text(const Judgement& judgement, double judged::Seconds::*side) {
    return judgement.per_call() ? engineering((*judgement.per_call()).*side, judgement.unit) : "-";
}

void print_row(const char* name, const std::string& then, const std::string& now) {
    if (then != "-" || now != "-") std::printf("  %-9s %-26s %s\n", name, then.c_str(), now.c_str());
}

void print_for_people(const Judgement& then, const Judgement& now, const Json& points, const Json& around) {
    print_row("", "recorded", "now");
    print_row("verdict", verdict_name(then.verdict), verdict_name(now.verdict));
    print_row("speed-up", speed_text(then), speed_text(now));
    print_row("time", time_text(then, &judged::Seconds::candidate), time_text(now, &judged::Seconds::candidate));
    print_row("baseline", time_text(then, &judged::Seconds::baseline), time_text(now, &judged::Seconds::baseline));
    const auto word = [](const Json& value) {
        return value.is_string() && value != "" ? value.get<std::string>() : std::string("-");
    };
    for (const char* key : {"kind", "reason"}) {
        const Json& point = points[key];
        if (point["agrees"] && word(point["now"]) != "-") std::printf("  %-9s %s\n", key, word(point["now"]).c_str());
        if (!point["agrees"])
            std::printf("  %-9s recorded: %s\n  %-9s now: %s\n", key, word(point["recorded"]).c_str(), "",
                        word(point["now"]).c_str());
    }
    for (const auto& [what, pair] : around.items())
        if (!pair["agrees"])
            std::printf("  %-9s recorded: %s\n  %-9s now: %s\n", what.c_str(), word(pair["recorded"]).c_str(), "",
                        word(pair["now"]).c_str());
}

std::string conclusion(const Json& points) {
    for (const auto& [key, what] : {std::pair{"verdict", "verdict"},
                                    {"kind", "kind"},
                                    {"failure", "failure"},
                                    {"reason", "reason"},
                                    {"defences_off", "set of defences"},
                                    {"planted", "share of planted time"}})
        if (!points[key]["agrees"]) return std::string("differs: another ") + what;
    if (!points.contains("speedup")) return "agrees: the same verdict for the same reason";
    return points["speedup"]["agrees"]
               ? "agrees: the same verdict, and the speed-ups are the same within their intervals or the noise"
               : "differs: the speed-ups' intervals lie apart by more than the noise";
}

// Why a replay with these settings confirms no score; empty if it may.
std::string no_score(const Json& settings, const Judgement& then) {
    const std::string without = settings.at("without");
    std::string text = without.empty() ? "" : "without the defences " + without;
    if (settings.at("planted") > 0) text += std::string(text.empty() ? "" : " and ") + "with planted time";
    if (text.empty() && !then.defences_off.empty()) text = "with " + listed(then.defences_off);
    return text.empty() ? text : "no score: its record has it judged " + text;
}

// Those that are not hone's own: who made the record chose them.
std::string settings_text(const Json& settings) {
    const Json usual = check_options(judge_options(), Json::object(), "replay");
    std::string text;
    for (const auto& [name, value] : settings.items())
        if (name != "seed" && name != "benches" && value != usual.value(name, Json()))
            text +=
                (text.empty() ? "" : " ") + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    return text.empty() ? "hone's own" : "of the record: " + text;
}

int run_replay(const Arguments& arguments) {
    const Json evidence = find_evidence(arguments.at(0), arguments.value("--run"));
    const Judgement then = judgement_from_json(evidence["judgement"]);
    check_complete(evidence, then);
    const std::string id = evidence["id"];
    Replay replay(evidence, then);
    const std::vector<std::string> changes = replay.changes();
    std::string list;
    for (const std::string& change : changes) list += (list.empty() ? "" : "; ") + change;
    if (!changes.empty() && !arguments.has("--anyway"))
        throw Error(Blame::input, id, "the score no longer belongs to what is here: " + list,
                    "judge anew; --anyway repeats the recorded program and task with the parts that are here");
    const Judgement now = replay.judge();
    const Json points = compare(then, now), around = surroundings(evidence, then, now);
    const bool agrees = all_agree(points);
    const std::string unscored = no_score(replay.settings(), then);
    if (arguments.has("--json")) {
        const Json doc = {
            {"schema", "hone.replay/1"}, {"id", id},           {"agrees", agrees},  {"score", unscored.empty()},
            {"points", points},          {"changed", changes}, {"machine", around}, {"settings", replay.settings()},
            {"judgement", to_json(now)}};
        std::fputs(document_text(doc).c_str(), stdout);
    } else {
        print_for_people(then, now, printable_document(points), printable_document(around));
        for (const std::string& change : changes) std::printf("  changed   %s\n", printable(change).c_str());
        std::printf("  settings  %s\n", printable(settings_text(replay.settings())).c_str());
        if (!unscored.empty()) std::printf("%s\n", unscored.c_str());
        std::printf("%s\n", now.scorable() ? conclusion(points).c_str() : "it could not be judged here");
    }
    if (!now.scorable()) return static_cast<int>(Blame::environment);
    return agrees && unscored.empty() ? 0 : static_cast<int>(Blame::run);
}

}  // namespace

Command replay_command() {
    return {"replay",
            "ID",
            "judge once more with the recorded keys: do both findings agree?",
            "ID is a judgement's id or a candidate's hash (the first digits are enough), of `hone judge` or of a run, "
            "or a file of\nevidence.\n"
            "Exit code: 0 they agree, 1 they do not, or it is no score (defences off, time planted), 3 program, task, "
            "parts or the file of\nevidence "
            "have changed since, 4 it could not be judged here.",
            {{"--anyway", "",
              "although something has changed: the recorded program and task, with the parts that are here"},
             {"--run", "RUN", "look in this run only"},
             {"--json", "", "one JSON document (hone.replay/1)"}},
            run_replay};
}

}  // namespace hone
