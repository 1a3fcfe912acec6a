#include "store/evidence.hpp"
#include <algorithm>
#include "base/diff.hpp"
#include "base/error.hpp"
#include "base/options.hpp"
#include "store/bundles.hpp"
#include "store/record_text.hpp"
#include "store/report/report.hpp"
#include "store/runs.hpp"

namespace hone {
namespace {

constexpr const char* by_id =
    "SELECT op, grp, member, id, task, hash, analysis, design FROM judgement WHERE substr(id, 1, length(?1)) = ?1 "
    "ORDER BY op DESC, grp, "
    "member";
constexpr const char* by_hash =
    "SELECT op, grp, member, id, task, hash, analysis, design FROM judgement WHERE substr(hash, 1, length(?1)) = ?1 "
    "ORDER BY op DESC, grp "
    "DESC, member DESC";
constexpr const char* code_of = "SELECT hash, language, code, plan FROM candidate WHERE hash = ?1 LIMIT 1";
constexpr const char* earlier =
    "SELECT DISTINCT hash FROM judgement WHERE task = ?1 AND hash <> ?2 AND scored AND (op, grp, member) < (?3, ?4, "
    "?5)";
constexpr const char* speedup_of =
    "SELECT speedup_estimate AS speedup FROM judgement WHERE hash = ?1 AND task = ?2 AND unit = 's' AND scored AND "
    "speedup_baseline IS NOT 'against' ORDER BY op DESC LIMIT 1";

std::optional<Json> first_of(std::vector<Json> rows) {
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

// {hash, language, code, plan}
std::optional<Json> program_of(const Journal& journal, const Json& hash) {
    auto program = first_of(journal.rows(code_of, {hash}));
    if (!program) return program;
    const std::string whose = " of program " + hash.get<std::string>().substr(0, 12);
    for (const char* key : {"code", "plan"})
        (*program)[key] = (*program)[key].is_null() ? "" : journal.text((*program)[key], "the " + (key + whose));
    return program;
}

// One judgement may have been given to several askers: its id then occurs more than once.
void check_unique(const std::string& id, std::vector<std::string> found) {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() < 2) return;
    std::string ids;
    for (std::size_t i = 0; i < found.size() && i < 5; ++i) ids += (i ? ", " : "") + found[i];
    throw Error(Blame::input, id,
                std::to_string(found.size()) + " judgements begin so: " + ids + (found.size() > 5 ? ", ..." : ""),
                "give more of the id");
}

std::vector<std::string> ids_in(const std::vector<Json>& rows) {
    std::vector<std::string> ids;
    for (const Json& row : rows) ids.push_back(row["id"]);
    return ids;
}

std::optional<Json> locate(const Journal& journal, const std::string& id) {
    const std::vector<Json> rows = journal.rows(by_id, {id});
    check_unique(id, ids_in(rows));
    return rows.empty() ? first_of(journal.rows(by_hash, {id})) : std::optional(rows.front());
}

std::vector<std::string> exemplars_of(const Json& prompt) {
    std::vector<std::string> hashes;
    if (!prompt.is_object() || !prompt.contains("exemplars") || !prompt["exemplars"].is_array()) return hashes;
    for (const Json& exemplar : prompt["exemplars"])
        if (exemplar.is_string()) hashes.push_back(exemplar);
    return hashes;
}

Json nearest(const Journal& journal, const Json& at, const Json& prompt, const std::string& code) {
    std::vector<std::string> hashes = exemplars_of(prompt);
    const char* kind = hashes.empty() ? "earlier program" : "exemplar";
    if (hashes.empty())
        for (const Json& row : journal.rows(earlier, {at["task"], at["hash"], at["op"], at["grp"], at["member"]}))
            hashes.push_back(row["hash"]);
    Json best;
    std::size_t least = 0;
    for (const std::string& hash : hashes) {
        const auto program = program_of(journal, hash);
        if (!program) continue;
        const std::size_t changed = changed_lines(diff_lines((*program)["code"], code));
        if (!best.is_null() && changed >= least) continue;
        least = changed;
        best = *program;
    }
    if (best.is_null()) return best;
    const auto speedup = first_of(journal.rows(speedup_of, {best["hash"], at["task"]}));
    best["speedup"] = speedup ? (*speedup)["speedup"] : Json();
    best["kind"] = kind;
    return best;
}

Json or_null(std::optional<Json> value) { return value ? std::move(*value) : Json(); }

// What the operation's key says of the judge and of the program compared with.
Json key_of(const Journal& journal, std::int64_t op) {
    const auto row = first_of(journal.rows("SELECT key FROM operation WHERE op = ?", {op}));
    return row ? parse_record(journal.text((*row)["key"], "the key of operation " + std::to_string(op)), journal)
               : Json();
}

Json options_of(const Json& key) {
    const Json* options = find_path(key, "judge.options");
    return options ? Json{{"options", *options}} : Json();
}

Json against_of(const Journal& journal, const Json& key) {
    const Json* hash = find_path(key, "against");
    return hash && hash->is_string() ? or_null(program_of(journal, *hash)) : Json();
}

// The other answers that were given this judgement, since their program was the same.
Json shared_with(const Journal& journal, const Json& at) {
    Json others = Json::array();
    for (const Json& row : journal.rows(by_id, {at["id"]}))
        if (row["op"] != at["op"] || row["grp"] != at["grp"] || row["member"] != at["member"])
            others.push_back({{"op", row["op"]}, {"group", row["grp"]}, {"member", row["member"]}});
    return others;
}

// {raw, reason, changes, value, advantage}; changes null: only what the shaper gave is known.
Json reward_of(const Journal& journal, const Slot& slot) {
    Json reward = or_null(first_of(journal.rows(
        "SELECT raw, reason, changes, value, advantage FROM reward WHERE op = ? AND grp = ? AND member = ?",
        {slot.op, slot.group, slot.member})));
    if (reward.is_object() && reward["changes"].is_string())
        reward["changes"] = parse_record(reward["changes"].get<std::string>(), journal);
    return reward;
}

Json task_of(const Journal& journal, const Judgement& judgement) {
    const Json doc = or_null(journal.task(judgement.task, judgement.task_hash));
    const std::string suite = doc.is_object() ? doc.value("suite", std::string()) + "/" : "";
    return {{"address", suite + judgement.task}, {"doc", doc}};
}

std::string missing_place(const std::string& run) {
    return run.empty() ? "among what `hone judge` kept and in the runs below runs/" : "in run " + run;
}

[[noreturn]] void unknown(const std::string& id, const std::string& run, const std::vector<std::string>& known,
                          const std::string& passed) {
    std::vector<std::string> beginnings;
    for (const std::string& one : known) beginnings.push_back(one.substr(0, id.size()));
    const std::string near = nearest_name(id, beginnings);
    const auto at = std::find(beginnings.begin(), beginnings.end(), near);
    const std::string hint =
        near.empty() ? "" : "; did you mean \"" + known[static_cast<std::size_t>(at - beginnings.begin())] + "\"?";
    throw Error(Blame::input, id, "no judgement and no candidate begins so " + missing_place(run) + hint + passed,
                "`hone judge`, `hone best` and v_candidate of a journal give ids; --run names a run's folder");
}

std::vector<std::string> starting_with(const std::string& id, const std::vector<std::string>& ids) {
    std::vector<std::string> found;
    for (const std::string& one : ids)
        if (one.starts_with(id)) found.push_back(one);
    return found;
}

}  // namespace

std::optional<Json> find_evidence(const Journal& journal, const std::string& id) {
    const auto at = locate(journal, id);
    if (!at) return std::nullopt;
    const Slot slot{(*at)["op"].get<std::int64_t>(), (*at)["grp"].get<int>(), (*at)["member"].get<int>()};
    const auto text = [&](const char* key) {
        return (*at)[key].is_null() ? "" : journal.text((*at)[key], std::string("the ") + key);
    };
    const RunInfo info = journal.info();
    const Judgement judgement = journal.judgement(slot).value();
    const Json key = key_of(journal, slot.op);
    Json found = {{"schema", evidence_schema},
                  {"run", folder_name(journal)},
                  {"script", info.script_path},
                  {"host", info.host},
                  {"version", info.program_version},
                  {"files", nullptr},
                  {"task", task_of(journal, judgement)},
                  {"judge", options_of(key)},
                  {"against", against_of(journal, key)},
                  {"id", (*at)["id"]},
                  {"op", slot.op},
                  {"group", slot.group},
                  {"member", slot.member},
                  {"shared", shared_with(journal, *at)},
                  {"judgement", to_json(judgement)},
                  {"prompt", or_null(journal.prompt(slot.op, slot.group))},
                  {"policy", policy_of(key, or_null(journal.prompt(slot.op, slot.group)))},
                  {"answer", or_null(journal.answer(slot))},
                  {"candidate", or_null(program_of(journal, (*at)["hash"]))},
                  {"analysis", text("analysis")},
                  {"design", text("design")},
                  {"reward", reward_of(journal, slot)},
                  {"nearest", nullptr}};
    if (!found["candidate"].is_null())
        found["nearest"] = nearest(journal, *at, found["prompt"], found["candidate"]["code"]);
    return sealed(std::move(found));
}

Json find_evidence(const std::string& id, const std::string& run) {
    if (run.empty() && id.ends_with(".json") && fs::exists(id)) return read_bundle(id);
    std::vector<std::string> names = run.empty() ? list_runs() : std::vector{run}, known;
    if (run.empty()) known = bundle_ids();
    std::reverse(names.begin(), names.end());  // newest first
    const std::vector<std::string> kept = starting_with(id, known);
    check_unique(id, kept);
    if (!kept.empty()) return read_bundle(bundle_folder() / (kept.front() + ".json"));
    std::string passed;  // one run that cannot be read hides none of the others
    for (const std::string& name : names) try {
            const Journal journal = Journal::read(name);
            if (auto found = find_evidence(journal, id)) return *found;
            for (const std::string& one : ids_in(journal.rows("SELECT DISTINCT id FROM judgement")))
                known.push_back(one);
        } catch (const Error& error) {
            if (!run.empty() || error.blame() != Blame::environment) throw;
            passed += std::string("; not looked into: ") + error.what();
        }
    unknown(id, run, known, passed);
}

}  // namespace hone
