// What a resumed run computes anew, though the journal has it: it is compared. So are rewards, which are no operation.
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "store/journal_state.hpp"

namespace hone {
namespace {

using Number = std::optional<double>;

constexpr double rounding = 1e-9;  // another build of hone may round differently

bool agree(const Number& recorded, const Number& now) {
    if (!recorded || !now) return !recorded && !now;
    return std::abs(*recorded - *now) <= rounding * std::max({1.0, std::abs(*recorded), std::abs(*now)});
}

std::string shown(const Number& value) {
    char text[32] = "none";
    if (value) std::snprintf(text, sizeof text, "%.9g", *value);
    return text;
}

Number number_of(const Json& change) {
    const auto at = change.find("value");
    return at == change.end() || !at->is_number() ? std::nullopt : Number(at->get<double>());
}

// Of (op, grp, member); none: no row.
struct Row {
    Number raw, value, advantage;
    std::optional<Json> changes;  // none: no stage has said yet what it optimised
};

std::optional<Row> row_of(const Database& database, const Slot& slot) {
    Statement row(database,
                  "SELECT raw, value, advantage, changes FROM reward WHERE op = ? AND grp = ? AND member = ?");
    if (!row.with(slot.op, slot.group, slot.member).step()) return std::nullopt;
    const auto number = [&](int column) { return row.null(column) ? std::nullopt : Number(row.real(column)); };
    return Row{number(0), number(1), number(2), row.null(3) ? std::nullopt : std::optional(Json::parse(row.bytes(3)))};
}

struct Difference {
    std::string what;
    Number recorded, now;
};

// Names of changes are no difference: a function's is its line in the script, which moves.
std::optional<Difference> difference(const Row& recorded, const Rewarded& now) {
    if (!agree(recorded.raw, now.raw)) return Difference{"reward", recorded.raw, now.raw};
    const std::size_t n = std::max(recorded.changes->size(), now.changes.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (i >= recorded.changes->size() || i >= now.changes.size())
            return Difference{"number of changes of the reward", recorded.changes->size(), now.changes.size()};
        const Number before = number_of((*recorded.changes)[i]), after = number_of(now.changes[i]);
        if (!agree(before, after)) return Difference{"change of the reward", before, after};
    }
    if (!agree(recorded.value, now.value)) return Difference{"reward", recorded.value, now.value};
    if (!agree(recorded.advantage, now.advantage)) return Difference{"advantage", recorded.advantage, now.advantage};
    return std::nullopt;
}

std::string place_of(const Slot& slot) {
    return " of member " + std::to_string(slot.member + 1) + " in group " + std::to_string(slot.group + 1);
}

}  // namespace

void Journal::differs(std::int64_t op, const std::string& what, Number recorded, Number now) const {
    Statement known(state_->database, "SELECT kind FROM operation WHERE op = ?");
    const std::string kind = known.with(op).step() ? known.bytes(0) : "unknown";
    throw state_->changed(
        op, "(" + kind + ") was recorded with another " + what + ": " + shown(recorded) + ", now " + shown(now));
}

bool Journal::put_module(const std::string& file, const std::string& hash) {
    Statement first(state_->database,
                    "SELECT doc ->> '$.sha256' FROM event WHERE kind = 'module' AND doc ->> '$.file' = ? ORDER BY id");
    const bool known = first.with(file).step();
    if (known && first.bytes(0) == hash) return false;
    put_event(0, "module", {{"file", file}, {"sha256", hash}});
    if (known) state_->changed_modules.insert(file);
    return known;
}

void Journal::put_reward(const Slot& slot, double raw, const std::string& reason) {
    const Number value = std::isnan(raw) ? std::nullopt : Number(raw);
    const auto row = row_of(state_->database, slot);
    if (!state_->shaped.insert({slot.op, slot.group, slot.member}).second) {
        if (row && !agree(row->raw, value))
            throw Error(Blame::input, "run:shape",
                        "another reward" + place_of(slot) + " was committed before: " + shown(row->raw) + ", now " +
                            shown(value),
                        "a run has one objective: shape a group once, and compute what else you look at in Lua");
        return;
    }
    if (row && row->changes) return;  // what became of it is compared by put_rewarded
    if (row && slot.op < state_->recorded && !agree(row->raw, value))
        differs(slot.op, "reward" + place_of(slot), row->raw, value);
    Statement(state_->database,
              "INSERT INTO reward(op, grp, member, raw, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET raw = "
              "excluded.raw, reason = excluded.reason")
        .with(slot.op, slot.group, slot.member, value, reason)
        .run();
}

void Journal::put_rewarded(const Slot& slot, const Rewarded& one) {
    const auto row = row_of(state_->database, slot);
    if (!state_->rewarded.insert({slot.op, slot.group, slot.member}).second) {
        if (const auto other = row ? difference(*row, one) : std::nullopt)
            throw Error(Blame::input, "run:rewarded",
                        "another " + other->what + place_of(slot) + " was committed before: " + shown(other->recorded) +
                            ", now " + shown(other->now),
                        "a run has one objective: commit the rewards of a rollout once");
        return;
    }
    if (row && row->changes && slot.op < state_->recorded) {
        if (const auto other = difference(*row, one))
            differs(slot.op, other->what + place_of(slot), other->recorded, other->now);
        return;
    }
    Statement(
        state_->database,
        "INSERT INTO reward(op, grp, member, raw, reason, changes, value, advantage) VALUES (?, ?, ?, ?, ?, ?, "
        "?, ?) ON CONFLICT(op, grp, member) DO UPDATE SET raw = excluded.raw, reason = excluded.reason, changes = "
        "excluded.changes, value = excluded.value, advantage = excluded.advantage")
        .with(slot.op, slot.group, slot.member, one.raw, one.reason, dump(one.changes), one.value, one.advantage)
        .run();
}

}  // namespace hone
