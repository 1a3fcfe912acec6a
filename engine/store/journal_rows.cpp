// The rows that belong to an operation: prompts, answers, judgements, updates, checkpoints, stages, events.
#include <algorithm>
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "domain/document_text.hpp"
#include "store/journal_state.hpp"
#include "store/pack.hpp"
#include "text/canonical.hpp"

namespace hone {
namespace {

constexpr std::size_t hash_digits = 8;  // that tell a file from another

std::optional<std::string> text_of(const Json& value) {
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

// Takes a list out of a document as packed bytes; what does not pack stays there.
std::optional<std::string> take_packed(Json& doc, const char* key, std::optional<std::string> (*pack)(const Json&)) {
    const auto at = doc.find(key);
    auto packed = at == doc.end() ? std::nullopt : pack(*at);
    if (packed) doc.erase(at);
    return packed;
}

std::optional<Bytes> view(const std::optional<std::string>& bytes) {
    return bytes ? std::optional(Bytes{*bytes}) : std::nullopt;
}

const std::vector<KeyText>& sample_lists() {
    static const std::vector<KeyText> lists = describe<judged::Samples>().keys;
    return lists;
}

std::string columns_of_samples() {
    std::string names;
    for (const KeyText& list : sample_lists()) names += ", \"" + list.name + "\"";
    return names;
}

void put_samples(const Database& database, const Slot& slot, const Json& samples) {
    std::string marks;
    for (std::size_t i = 0; i < sample_lists().size(); ++i) marks += ", ?";
    Statement row(database, "INSERT INTO sample(op, grp, member, pair" + columns_of_samples() + ") VALUES (?, ?, ?, ?" +
                                marks + ")");
    for (std::size_t i = 0; i < samples["candidate"].size(); ++i) {
        std::vector<Json> values = {slot.op, slot.group, slot.member, i};
        for (const KeyText& list : sample_lists())
            values.push_back(samples.contains(list.name) ? samples[list.name][i] : Json());
        row.with_list(values).run();
    }
}

// A list that is nowhere told is absent, unless it may not be.
Json get_samples(const Database& database, const Slot& slot) {
    Statement row(database, "SELECT pair" + columns_of_samples() +
                                " FROM sample WHERE op = ? AND grp = ? AND member = ? ORDER BY pair");
    row.with(slot.op, slot.group, slot.member);
    Json samples = Json::object();
    while (row.step())
        for (int i = 1; const KeyText& list : sample_lists()) {
            const Json value = row.value(i++);
            samples[list.name].push_back(list.type == "boolean[]" ? Json(value == 1) : value);
        }
    for (const KeyText& list : sample_lists())
        if (list.type.ends_with("?") && samples.contains(list.name) &&
            std::all_of(samples[list.name].begin(), samples[list.name].end(),
                        [](const Json& value) { return value.is_null(); }))
            samples.erase(list.name);
    return samples;
}

// What has no id of its own gets one from its place in the journal.
std::string id_of(const Judgement& judgement, const Slot& slot, const std::string& hash) {
    if (!judgement.id.empty()) return judgement.id;
    return sha256(hash + "/" + std::to_string(slot.op) + "/" + std::to_string(slot.group) + "/" +
                  std::to_string(slot.member))
        .substr(0, 16);
}

}  // namespace

void Journal::State::keep_candidate(const Candidate& c) const {
    Statement(database,
              "INSERT INTO candidate(task, hash, language, code, plan, canonical) VALUES (?, ?, ?, ?, ?, ?) "
              "ON CONFLICT DO NOTHING")
        .with(c.task, c.hash, c.language, keep(c.code), keep(c.plan), canonical_hash(c.language, c.code, c.plan))
        .run();
}

void Journal::together(const std::function<void()>& puts) {
    Transaction transaction(state_->database);
    puts();
    transaction.commit();
}

void Journal::put_prompt(std::int64_t op, int group, const Json& prompt) {
    Json doc = prompt;
    const Json messages = take(doc, "messages");
    Transaction transaction(state_->database);
    const auto kept = messages.is_null() ? std::nullopt : std::optional(state_->keep(dump(messages)));
    Statement(state_->database, "INSERT INTO prompt(op, grp, messages, doc) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .with(op, group, kept, dump(doc))
        .run();
    transaction.commit();
}

std::optional<Json> Journal::prompt(std::int64_t op, int group) const {
    Statement row(state_->database, "SELECT doc, messages FROM prompt WHERE op = ? AND grp = ?");
    if (!row.with(op, group).step()) return std::nullopt;
    Json doc = state_->parse(row.bytes(0));
    if (!row.null(1)) doc["messages"] = state_->parse(state_->body(row.bytes(1)));
    return doc;
}

void Journal::put_answer(const Slot& slot, const Json& answer) {
    Json doc = answer;
    const auto text = text_of(doc.value("text", Json()));
    if (text) doc.erase("text");
    const auto ids = take_packed(doc, "ids", pack_ids), prompt_ids = take_packed(doc, "prompt_ids", pack_ids),
               logp = take_packed(doc, "logp", pack_floats);
    Transaction transaction(state_->database);
    const auto kept_text = text ? std::optional(state_->keep(*text)) : std::nullopt;
    const auto kept_prompt = prompt_ids ? std::optional(state_->keep(Bytes{*prompt_ids})) : std::nullopt;
    Statement(state_->database,
              "INSERT INTO answer(op, grp, member, text, prompt_ids, ids, logp, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .with(slot.op, slot.group, slot.member, kept_text, kept_prompt, view(ids), view(logp), dump(doc))
        .run();
    transaction.commit();
}

std::optional<Json> Journal::answer(const Slot& slot) const {
    Statement row(state_->database,
                  "SELECT doc, text, prompt_ids, ids, logp FROM answer WHERE op = ? AND grp = ? AND member = ?");
    if (!row.with(slot.op, slot.group, slot.member).step()) return std::nullopt;
    Json doc = state_->parse(row.bytes(0));
    if (!row.null(1)) doc["text"] = state_->body(row.bytes(1));
    if (!row.null(2)) doc["prompt_ids"] = unpack_ids(state_->body(row.bytes(2)));
    if (!row.null(3)) doc["ids"] = unpack_ids(row.bytes(3));
    if (!row.null(4)) doc["logp"] = unpack_floats(row.bytes(4));
    return doc;
}

// A timer's unit is in no key of an operation: it is the library's, which may be built anew. A judgement of what was
// not timed tells none.
void Journal::State::require_unit(const Judgement& judgement) {
    if (!judgement.timer || !judgement.per_call()) return;
    const std::string options = dump(judgement.timer->options);
    const auto [known, fresh] = units.try_emplace(judgement.timer->id + " " + options, judgement.unit);
    if (fresh) {
        Statement before(database,
                         "SELECT doc ->> '$.unit' FROM judgement WHERE doc ->> '$.timer.id' = ? AND "
                         "doc -> '$.timer.options' = json(?) AND coalesce(doc -> '$.seconds', doc -> '$.cost') IS NOT "
                         "NULL LIMIT 1");
        if (before.with(judgement.timer->id, options).step()) known->second = before.bytes(0);
    }
    if (known->second == judgement.unit) return;
    throw Error(Blame::input, file(),
                "timer \"" + judgement.timer->id + "\" counted in \"" + known->second +
                    "\" when this run was recorded, and counts in \"" + judgement.unit + "\" now",
                "build it with the old unit again, or begin another run with --new");
}

// That judged last; none: `now`.
Journal::State::Build& Journal::State::last_build(const std::string& role, const std::string& id, const Build& now) {
    const auto [known, fresh] = builds.try_emplace(role + " " + id, now);
    if (!fresh) return known->second;
    const std::string before = "SELECT op, doc ->> '$." + role + ".file_hash' FROM judgement WHERE doc ->> '$." + role +
                               ".id' = ? ORDER BY op DESC LIMIT 1";
    Statement last(database, before);
    if (last.with(id).step()) known->second = {last.integer(0), last.bytes(1)};
    return known->second;
}

void Journal::State::require_build(const std::string& role, const judged::Part& part, std::int64_t op) {
    Build& last = last_build(role, part.id, {op, part.file_hash});
    const Build then = last;
    const std::string name = role + " \"" + part.id + "\"", where = "operation " + std::to_string(then.op);
    if (then.file_hash != part.file_hash && then.op == op)
        throw Error(Blame::input, file(),
                    name + " (file " + part.file_hash.substr(0, hash_digits) +
                        ") is another build than the one that judged in " + where + " so far (file " +
                        then.file_hash.substr(0, hash_digits) + ")",
                    "put the old build back, or begin another run with --new");
    last = {op, part.file_hash};
    if (then.file_hash != part.file_hash)
        Progress::say(name + " has changed since " + where +
                      ": what the journal holds up to there was judged by the former one");
}

// As a unit, a part's file is in no key: judgements of two builds would stand in one row of a table, as if they were
// alike.
void Journal::State::require_builds(std::int64_t op, const Judgement& judgement) {
    if (judgement.verifier) require_build("verifier", *judgement.verifier, op);
    if (judgement.timer) require_build("timer", *judgement.timer, op);
    if (judgement.reference) require_build("reference", *judgement.reference, op);
}

void Journal::put_judgement(const Slot& slot, const Submission& submission, const Judgement& judgement) {
    state_->require_unit(judgement);
    state_->require_builds(slot.op, judgement);
    Json doc = to_json(judgement);
    const Json wall = take(doc, "wall"), samples = take(doc, "samples");
    const std::optional<Candidate>& candidate = submission.candidate;
    const auto hash = candidate ? std::optional(candidate->hash) : std::nullopt;
    Transaction transaction(state_->database);
    if (candidate) state_->keep_candidate(*candidate);
    if (submission.against) state_->keep_candidate(*submission.against);
    Statement(state_->database,
              "INSERT INTO judgement(op, grp, member, id, task, hash, analysis, design, doc, wall) VALUES (?, ?, ?, ?, "
              "?, ?, ?, ?, ?, ?)")
        .with(slot.op, slot.group, slot.member, id_of(judgement, slot, hash.value_or("")),
              candidate ? candidate->task : judgement.task, hash, state_->keep(submission.analysis),
              state_->keep(submission.design), dump(doc), wall)
        .run();
    if (!samples.is_null()) put_samples(state_->database, slot, samples);
    transaction.commit();
}

std::optional<Judgement> Journal::judgement(const Slot& slot) const {
    Statement row(state_->database, "SELECT doc, wall FROM judgement WHERE op = ? AND grp = ? AND member = ?");
    if (!row.with(slot.op, slot.group, slot.member).step()) return std::nullopt;
    Json doc = state_->parse(row.bytes(0));
    if (!row.null(1)) doc["wall"] = state_->parse(row.bytes(1));
    Json samples = get_samples(state_->database, slot);
    if (!samples.empty()) doc["samples"] = std::move(samples);
    return judgement_from_json(doc);
}

void Journal::put_task(const Task& task) {
    Statement(state_->database, "INSERT INTO task(name, hash, doc) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .with(task.name(), task.hash(), state_->keep(dump(to_json(task))))
        .run();
}

std::optional<Json> Journal::task(const std::string& name, const std::string& hash) const {
    Statement row(state_->database, "SELECT doc FROM task WHERE name = ? AND hash = ?");
    if (!row.with(name, hash).step()) return std::nullopt;
    return state_->parse(state_->body(row.bytes(0), "task \"" + name + "\""));
}

void Journal::put_update(std::int64_t op, const std::string& policy, const Json& stats) {
    Statement(state_->database, "INSERT INTO update_step(op, policy, doc) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .with(op, policy, dump(stats))
        .run();
}

void Journal::put_checkpoint(std::int64_t op, const std::string& policy, const std::string& folder) {
    Statement(state_->database, "INSERT INTO checkpoint(op, policy, folder) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .with(op, policy, folder)
        .run();
}

std::optional<Journal::Checkpoint> Journal::last_checkpoint(const std::string& policy) const {
    Statement row(state_->database, "SELECT op, folder FROM checkpoint WHERE policy = ? ORDER BY op DESC LIMIT 1");
    if (!row.with(policy).step()) return std::nullopt;
    return Checkpoint{row.integer(0), row.bytes(1)};
}

void Journal::put_stage(std::int64_t op, const std::string& stage, const Json& row) {
    Json doc = row;
    const Json seconds = take(doc, "seconds");
    Statement(state_->database,
              "INSERT INTO stage_row(op, stage, doc, wall) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .with(op, stage, dump(doc), seconds)
        .run();
}

void Journal::put_event(std::int64_t op, const std::string& kind, const Json& document) {
    Statement(state_->database, "INSERT INTO event(op, kind, doc, wall) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .with(op, kind, dump(document), wall_now())
        .run();
}

}  // namespace hone
