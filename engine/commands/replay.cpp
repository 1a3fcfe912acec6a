// `hone replay ID`: judges once more what was judged, with the recorded keys, and says whether both findings agree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "base/host.hpp"
#include "base/paths.hpp"
#include "base/printable.hpp"
#include "base/progress.hpp"
#include "commands/command.hpp"
#include "commands/judging.hpp"
#include "judge/call/settings.hpp"
#include "judge/service/job.hpp"
#include "lua/task_file.hpp"
#include "store/evidence.hpp"

namespace hone {
namespace {

std::string short_hash(const std::string& hash) { return hash.substr(0, 12); }

// What must be there for a judgement to be repeated.
void check_complete(const Json& evidence) {
    const std::string id = evidence["id"];
    const Json& judgement = evidence["judgement"];
    if (judgement.value("verdict", "") == "INFRASTRUCTURE")
        throw Error(Blame::input, id, "says nothing about the program (INFRASTRUCTURE), so there is nothing to repeat",
                    "judge it anew");
    if (!evidence["candidate"].is_object())
        throw Error(Blame::input, id, "no program was found in the answer, so none was judged");
    for (const auto& [place, key] : {std::pair{"task", "doc"}, {"judge", "options"}})
        if (!evidence.contains(place) || !evidence[place].is_object() ||
            !evidence[place].value(key, Json()).is_object())
            throw Error(Blame::input, id, std::string("its record, by an older hone, lacks the ") + place,
                        "judge it anew");
    if (!judgement.contains("verifier") || judgement.value("keys", Json::array()).empty())
        throw Error(Blame::input, id, "its record lacks parts and keys", "judge it anew");
    if (judgement.contains("speedup") && judgement["speedup"].value("baseline", "") == "against" &&
        !evidence["against"].is_object())
        throw Error(Blame::input, id, "its record lacks the program that it was compared with", "judge it anew");
}

class Replay {
public:
    explicit Replay(const Json& evidence)
        : evidence_(evidence),
          recorded_(evidence["judgement"]),
          task_(check_task(evidence["task"]["doc"])),
          candidate_(rebuilt(evidence["candidate"])),
          judge_(plan()) {
        if (evidence["against"].is_object()) against_ = rebuilt(evidence["against"]);
    }

    // What is no longer what the score belongs to, each as one sentence.
    std::vector<std::string> changes() {
        std::vector<std::string> found;
        compare(found, "the record's program", recorded_.at("hash"), candidate_.hash);
        compare(found, "the record's task", recorded_.at("task_hash"), task_.hash());
        compare_file(found, "program", "plan", candidate_.hash);
        if (against_) compare_file(found, "against", "", against_->hash);
        const std::string address = evidence_["task"]["address"];
        try {
            compare(found, "the task " + address, task_.hash(), load_task(address).hash());
        } catch (const Error& error) {
            Progress::say("the task is not where it was, its record serves: " + std::string(error.what()));
        }
        const JudgePlan& now = judge_.plan();
        for (const Recipe* part : {&now.verifier, &now.timer, &now.reference})
            compare(found, "the plugin " + part->interface_name + "." + part->id,
                    recorded_.at(part->interface_name).at("file_hash"), part->file_hash);
        return found;
    }

    Judgement judge() { return ask(judge_, task_, candidate_, against_); }

    // The judge's options, all from the record but the seed and the number of benches.
    const Json& settings() const { return judge_.plan().options; }

private:
    static Candidate rebuilt(const Json& doc) {
        return make_candidate(doc.value("task", ""), doc.at("language"), doc.at("code"), doc.value("plan", ""));
    }

    Recipe recipe(const char* part) const {
        return make_recipe(part, recorded_.at(part).at("id"), recorded_.at(part).at("options"), "replay");
    }

    JudgePlan plan() const {
        Json options = evidence_["judge"]["options"];
        options["seed"] = recorded_.at("keys").at(0);
        options["benches"] = 1;
        return {recipe("verifier"), recipe("timer"), recipe("reference"),
                check_options(judge_options(), options, "replay")};
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

    const Json &evidence_, &recorded_;
    Task task_;
    Candidate candidate_;
    std::optional<Candidate> against_;
    Judge judge_;
};

double bound(const Json& speedup, const char* end, double absent) {
    const auto found = speedup.find(end);
    return found != speedup.end() && found->is_number() ? found->get<double>() : absent;
}

// Above this share a machine's noise would excuse any claim.
constexpr double most_noise = 0.2;

// Times are taken anew, so the ratios differ: they agree if their intervals meet, or if they differ by less than this
// machine's own noise. The record's noise is its claim as much as its speed is, and excuses nothing.
bool speeds_agree(const Json& then, const Json& now) {
    const Json &x = then["speedup"], &y = now["speedup"];
    const bool meet =
        bound(x, "lower", 0) <= bound(y, "upper", HUGE_VAL) && bound(y, "lower", 0) <= bound(x, "upper", HUGE_VAL);
    const double apart = std::fabs(std::log(bound(x, "estimate", 1) / bound(y, "estimate", 1)));
    const double noise = now.value("noise", 0.0);
    return meet || (noise <= most_noise && apart <= noise);
}

bool has_speed(const Json& doc) { return doc.value("passed", false) && doc.contains("speedup"); }

Json text_or_null(const Json& doc, const std::string& path) {
    const Json* found = find_path(doc, path);
    return found && found->is_string() ? *found : Json();
}

Json both(Json then, Json now, bool agrees) {
    return {{"recorded", std::move(then)}, {"now", std::move(now)}, {"agrees", agrees}};
}

// What failed; the key is the judging's own.
Json failure_of(const Json& doc) {
    Json failure = doc.value("failure", Json());
    if (!failure.is_object()) return failure;
    // where the time runs out is chance
    if (failure.value("property", Json()) == "takes too long") return Json{{"property", "takes too long"}};
    failure.erase("key");
    return failure;
}

Json defences_off(const Json& doc) { return doc.value("defences_off", Json::array()); }

// {verdict, kind, failure, reason, defences_off, planted, speedup: {recorded, now, agrees}}
Json compare(const Json& then, const Json& now) {
    Json points = Json::object();
    for (const char* key : {"verdict", "kind", "reason"}) {
        const Json a = text_or_null(then, key), b = text_or_null(now, key);
        points[key] = both(a, b, a == b);
    }
    points["failure"] = both(failure_of(then), failure_of(now), failure_of(then) == failure_of(now));
    points["defences_off"] = both(defences_off(then), defences_off(now), defences_off(then) == defences_off(now));
    const double then_planted = bound(then, "planted", 0), now_planted = bound(now, "planted", 0);
    points["planted"] = both(then_planted, now_planted, then_planted == now_planted);
    if (has_speed(then) && has_speed(now))
        points["speedup"] = both(then["speedup"], now["speedup"], speeds_agree(then, now));
    return points;
}

bool all_agree(const Json& points) {
    return std::all_of(points.begin(), points.end(), [](const Json& point) { return point["agrees"].get<bool>(); });
}

// What stands around a judgement and may explain why two differ.
Json surroundings(const Json& then, const Json& now) {
    const Json host = describe_host();
    return {{"hone", both(then.value("version", ""), HONE_VERSION, then.value("version", "") == HONE_VERSION)},
            {"cpu", both(text_or_null(then, "host.cpu"), host["cpu"], text_or_null(then, "host.cpu") == host["cpu"])},
            {"kernel", both(text_or_null(then, "host.release"), host["release"],
                            text_or_null(then, "host.release") == host["release"])},
            {"compiler", both(text_or_null(then, "judgement.facts.compiler"), text_or_null(now, "facts.compiler"),
                              text_or_null(then, "judgement.facts.compiler") == text_or_null(now, "facts.compiler"))},
            {"form of the reference",
             both(text_or_null(then, "judgement.baseline_form"), text_or_null(now, "baseline_form"),
                  text_or_null(then, "judgement.baseline_form") == text_or_null(now, "baseline_form"))},
            {"sandbox", both(text_or_null(then, "judgement.sandbox"), text_or_null(now, "sandbox"),
                             text_or_null(then, "judgement.sandbox") == text_or_null(now, "sandbox"))}};
}

std::string speed_text(const Json& doc) {
    if (!has_speed(doc)) return "-";
    const Json& s = doc["speedup"];
    char text[96];
    std::snprintf(text, sizeof text, "%.3gx [%.3g, %.3g]", bound(s, "estimate", 1), bound(s, "lower", 0),
                  bound(s, "upper", HUGE_VAL));
    return text;
}

std::string time_text(const Json& doc, const char* side) {
    const Json* seconds = find_path(doc, std::string("seconds.") + side);
    return seconds && seconds->is_number() ? engineering(*seconds, doc.value("unit", "s")) : "-";
}

void print_row(const char* name, const std::string& then, const std::string& now) {
    if (then != "-" || now != "-") std::printf("  %-9s %-26s %s\n", name, then.c_str(), now.c_str());
}

void print_for_people(const Json& evidence, const Json& now, const Json& points, const Json& around) {
    const Json& then = evidence["judgement"];
    print_row("", "recorded", "now");
    print_row("verdict", then["verdict"], now["verdict"]);
    print_row("speed-up", speed_text(then), speed_text(now));
    print_row("time", time_text(then, "candidate"), time_text(now, "candidate"));
    print_row("baseline", time_text(then, "baseline"), time_text(now, "baseline"));
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
std::string no_score(const Json& settings) {
    const std::string without = settings.at("without");
    std::string text = without.empty() ? "" : "without the defences " + without;
    if (settings.at("planted") > 0) text += std::string(text.empty() ? "" : " and ") + "with planted time";
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

int run(const Arguments& arguments) {
    const Json evidence = find_evidence(arguments.at(0), arguments.value("--run"));
    check_complete(evidence);
    const std::string id = evidence["id"];
    Replay replay(evidence);
    const std::vector<std::string> changes = replay.changes();
    std::string list;
    for (const std::string& change : changes) list += (list.empty() ? "" : "; ") + change;
    if (!changes.empty() && !arguments.has("--anyway"))
        throw Error(Blame::input, id, "the score no longer belongs to what is here: " + list,
                    "judge anew; --anyway repeats the recorded program and task with the parts that are here");
    const Judgement now = replay.judge();
    const Json points = compare(evidence["judgement"], now.doc), around = surroundings(evidence, now.doc);
    const bool agrees = all_agree(points);
    const std::string unscored = no_score(replay.settings());
    if (arguments.has("--json")) {
        const Json doc = {
            {"schema", "hone.replay/1"}, {"id", id},           {"agrees", agrees},  {"score", unscored.empty()},
            {"points", points},          {"changed", changes}, {"machine", around}, {"settings", replay.settings()},
            {"judgement", now.doc}};
        std::fputs(document_text(doc).c_str(), stdout);
    } else {
        print_for_people(printable_document(evidence), now.doc, printable_document(points), printable_document(around));
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
            run};
}

}  // namespace hone
