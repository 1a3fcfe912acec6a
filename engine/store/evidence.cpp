#include "store/evidence.hpp"
#include "base/diff.hpp"
#include "base/error.hpp"

namespace hone {
namespace {

constexpr const char* by_id =
    "SELECT op, grp, member, id, task, hash, analysis, design FROM judgement WHERE substr(id, 1, length(?1)) = ?1 ORDER BY op DESC, grp, "
    "member";
constexpr const char* by_hash =
    "SELECT op, grp, member, id, task, hash, analysis, design FROM judgement WHERE substr(hash, 1, length(?1)) = ?1 ORDER BY op DESC, grp "
    "DESC, member DESC";
constexpr const char* code_of =
    "SELECT c.hash, c.language, code.body AS code, coalesce(plan.body, '') AS plan FROM candidate c JOIN text code ON code.sha256 = c.code "
    "LEFT JOIN text plan ON plan.sha256 = c.plan WHERE c.hash = ?1 LIMIT 1";
constexpr const char* earlier =
    "SELECT DISTINCT hash FROM judgement WHERE task = ?1 AND hash <> ?2 AND scored AND (op, grp, member) < (?3, ?4, ?5)";
constexpr const char* speedup_of = "SELECT speedup FROM judgement WHERE hash = ?1 AND scored ORDER BY op DESC LIMIT 1";

std::optional<Json> first_of(std::vector<Json> rows) { return rows.empty() ? std::nullopt : std::optional(std::move(rows.front())); }

std::optional<Json> locate(const Journal& journal, const std::string& id) {
    const std::vector<Json> rows = journal.rows(by_id, {id});
    if (rows.size() > 1 && rows[0]["id"] != rows[1]["id"]) {
        std::string ids;
        for (std::size_t i = 0; i < rows.size() && i < 5; ++i) ids += (i ? ", " : "") + rows[i]["id"].get<std::string>();
        throw Error(Blame::input, id, std::to_string(rows.size()) + " judgements begin so: " + ids + (rows.size() > 5 ? ", ..." : ""),
                    "give more of the id");
    }
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
        const auto program = first_of(journal.rows(code_of, {hash}));
        if (!program) continue;
        const std::size_t changed = changed_lines(diff_lines((*program)["code"], code));
        if (!best.is_null() && changed >= least) continue;
        least = changed;
        best = *program;
    }
    if (best.is_null()) return best;
    const auto speedup = first_of(journal.rows(speedup_of, {best["hash"]}));
    best["speedup"] = speedup ? (*speedup)["speedup"] : Json();
    best["kind"] = kind;
    return best;
}

Json or_null(std::optional<Json> value) { return value ? std::move(*value) : Json(); }

}  // namespace

std::optional<Json> find_evidence(const Journal& journal, const std::string& id) {
    const auto at = locate(journal, id);
    if (!at) return std::nullopt;
    const Slot slot{(*at)["op"].get<std::int64_t>(), (*at)["grp"].get<int>(), (*at)["member"].get<int>()};
    const auto text = [&](const char* key) {
        return first_of(journal.rows("SELECT body FROM text WHERE sha256 = ?", {(*at)[key]})).value_or(Json{{"body", ""}})["body"];
    };
    Json found = {{"run", journal.info().name},
                  {"id", (*at)["id"]},
                  {"op", slot.op},
                  {"group", slot.group},
                  {"member", slot.member},
                  {"judgement", or_null(journal.judgement(slot))},
                  {"prompt", or_null(journal.prompt(slot.op, slot.group))},
                  {"answer", or_null(journal.answer(slot))},
                  {"candidate", or_null(first_of(journal.rows(code_of, {(*at)["hash"]})))},
                  {"analysis", text("analysis")},
                  {"design", text("design")},
                  {"reward", or_null(first_of(journal.rows("SELECT value, reason FROM reward WHERE op = ? AND grp = ? AND member = ?",
                                                           {slot.op, slot.group, slot.member})))},
                  {"nearest", nullptr}};
    if (!found["candidate"].is_null()) found["nearest"] = nearest(journal, *at, found["prompt"], found["candidate"]["code"]);
    return found;
}

}  // namespace hone
