#include "store/journal.hpp"
#include <chrono>
#include <ctime>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "store/changes.hpp"
#include "store/journal_state.hpp"
#include "store/runs.hpp"
#include "store/schema.hpp"

namespace hone {
namespace {

constexpr const char* insert_run =
    "INSERT INTO run(id, name, seed, script_path, script, settings, host, program_version, wall) VALUES (1, ?, ?, ?, "
    "?, ?, ?, ?, ?)";

void check_folder(const fs::path& folder) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code)
        throw Error(Blame::environment, folder.string(), "cannot be made: " + code.message(),
                    "check the folder above it");
    require_local(folder);
}

bool holds_run(const Database& database) {
    return !unused(database) && database.number("SELECT count(*) FROM run") > 0;
}

// A run that stopped before it did or spent anything, most often at a mistyped line: nothing is lost when another
// takes its place. (A request that was lost may have been billed.)
bool did_nothing(const Database& database) {
    return database.number(
               "SELECT (SELECT count(*) FROM operation WHERE result IS NOT NULL) + (SELECT count(*) FROM answer) + "
               "(SELECT count(*) FROM judgement) + (SELECT count(*) FROM update_step) + "
               "(SELECT count(*) FROM event WHERE kind IN ('lost', 'paid'))") == 0;
}

constexpr const char* clear_run =
    "DELETE FROM event; DELETE FROM prompt; DELETE FROM task; DELETE FROM operation; DELETE FROM run";

Error no_run(const fs::path& folder) {
    return Error(Blame::input, folder.string(), "holds no run to resume", "start it without --resume");
}

// Nothing of an operation was paid for or learnt from, so another may take its place. Only the last can be such.
bool holds_nothing(const Database& database, std::int64_t op) {
    const std::string one = std::to_string(op);
    std::string sum =
        "SELECT (SELECT count(*) FROM operation WHERE op > " + one + " OR (op = " + one + " AND result IS NOT NULL))";
    for (const char* table : {"answer", "judgement", "reward", "update_step", "checkpoint", "stage_row"})
        sum += " + (SELECT count(*) FROM " + std::string(table) + " WHERE op = " + one + ")";
    return database.number(sum) == 0;
}

std::string another(const std::string& recorded, const std::string& now, std::int64_t op, const Journal::Words& words) {
    const Json before = Json::parse(recorded), after = Json::parse(now);
    const std::string name = first_difference(before, after).value_or("");
    const std::string told = words ? words(op, name) : "";
    return told.empty() ? another_argument(before, after, name) : told;
}

}  // namespace

std::string wall_now() {
    using namespace std::chrono;
    const auto now = system_clock::now().time_since_epoch();
    const std::time_t seconds = duration_cast<std::chrono::seconds>(now).count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[40];
    const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text + n, sizeof text - n, ".%03dZ",
                  static_cast<int>(duration_cast<milliseconds>(now).count() % 1000));
    return text;
}

std::string Journal::State::keep(std::string_view text) const {
    const std::string name = sha256(text);
    Statement(database, "INSERT INTO text(sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING").with(name, text).run();
    return name;
}

std::string Journal::State::keep(Bytes bytes) const {
    const std::string name = sha256(bytes.at);
    Statement(database, "INSERT INTO text(sha256, body) VALUES (?, ?) ON CONFLICT DO NOTHING").with(name, bytes).run();
    return name;
}

Error Journal::State::changed(std::int64_t op, const std::string& cause) const {
    const RunInfo then = info();
    return Error(Blame::input, file(), "operation " + std::to_string(op) + " " + cause,
                 changed_since(then, resumed_by.value_or(then), changed_modules) +
                     "; undo that, or begin another run with --new");
}

std::string Journal::State::body(const std::string& name, const std::string& what) const {
    Statement statement(database, "SELECT body FROM text WHERE sha256 = ?");
    std::string bytes = statement.with(name).step() ? statement.bytes(0) : std::string();
    if (sha256(bytes) == name) return bytes;
    throw Error(Blame::environment, file(),
                what + " is not what was recorded: its text no longer gives its SHA-256, " + name.substr(0, 12) +
                    ", so the file was damaged or edited",
                "restore it from a copy");
}

std::string Journal::text(const std::string& name, const std::string& what) const { return state_->body(name, what); }

void Journal::State::replace_key(std::int64_t op, const std::string& key) const {
    Transaction transaction(database);
    Statement(database, "DELETE FROM prompt WHERE op = ?").with(op).run();
    Statement(database, "UPDATE operation SET key = ? WHERE op = ?").with(keep(key), op).run();
    transaction.commit();
}

Journal Journal::create(const std::string& folder, const RunInfo& info) {
    check_folder(folder);
    auto state = std::unique_ptr<State>(
        new State{folder, WriterLock(folder), Database(journal_file(folder), Database::Mode::create)});
    const Database& database = state->database;
    // refuses a foreign file before anything is changed
    const bool fresh = unused(database);
    if (!fresh) require_schema(database, state->file());
    if (holds_run(database) && !did_nothing(database))
        throw Error(Blame::input, folder, "holds a run already",
                    "go on with --resume, which keeps all that agrees with the script; begin another run with --new; "
                    "or remove the folder");
    database.log_ahead();
    if (fresh) make_tables(database);
    Transaction transaction(database);
    database.run(clear_run);
    const std::string script = state->keep(info.script_text);
    Statement(database, insert_run)
        .with(info.name, std::to_string(info.seed), info.script_path, script, dump(info.settings), dump(info.host),
              info.program_version, wall_now())
        .run();
    transaction.commit();
    return Journal(std::move(state));
}

bool Journal::exists(const std::string& folder) { return fs::exists(journal_file(folder)); }

Journal Journal::resume(const std::string& folder, const RunInfo& info) {
    if (!fs::exists(journal_file(folder))) throw no_run(folder);
    require_local(folder);
    auto state = std::unique_ptr<State>(
        new State{folder, WriterLock(folder), Database(journal_file(folder), Database::Mode::write)});
    if (unused(state->database)) throw no_run(folder);
    require_schema(state->database, state->file());
    if (!holds_run(state->database)) throw no_run(folder);
    state->database.log_ahead();
    state->recorded = state->database.number("SELECT coalesce(max(op), 0) FROM operation WHERE result IS NOT NULL");
    state->resumed_by = info;
    Journal journal(std::move(state));
    const RunInfo recorded = journal.info();
    if (recorded.seed != info.seed)
        throw Error(
            Blame::input, folder,
            "the run was recorded with seed " + std::to_string(recorded.seed) + ", not " + std::to_string(info.seed),
            "resume with that seed, or start a run with another name");
    journal.put_event(0, "resume",
                      {{"program_version", info.program_version},
                       {"host", info.host},
                       {"settings", info.settings},
                       {"script", sha256(info.script_text)}});
    return journal;
}

Journal Journal::read(const std::string& folder_or_name) {
    const fs::path folder = find_run(folder_or_name);
    auto state = std::unique_ptr<State>(
        new State{folder.string(), std::nullopt, Database(journal_file(folder), Database::Mode::read)});
    if (unused(state->database))
        throw Error(Blame::input, folder.string(), "holds no run yet", "start it with: hone run SCRIPT");
    require_schema(state->database, state->file());
    return Journal(std::move(state));
}

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal::~Journal() = default;
const std::string& Journal::folder() const { return state_->folder; }

RunInfo Journal::info() const { return state_->info(); }

RunInfo Journal::State::info() const {
    Statement row(database, "SELECT name, seed, script_path, script, settings, host, program_version FROM run");
    if (!row.step()) throw no_run(folder);
    return {row.bytes(0),        row.bytes(2),       body(row.bytes(3)), row.bytes(6), std::stoull(row.bytes(1)),
            parse(row.bytes(4)), parse(row.bytes(5))};
}

std::int64_t Journal::begin(const std::string& kind, const Json& key, const Words& words) {
    const std::int64_t op = ++state_->last_op;
    const std::string text = dump(key);
    Statement known(state_->database, "SELECT kind, key FROM operation WHERE op = ?");
    if (known.with(op).step()) {
        if (known.bytes(0) != kind)
            throw state_->changed(op, "was recorded as " + known.bytes(0) + " and is now " + kind);
        const std::string recorded = state_->body(known.bytes(1));
        if (recorded != text && holds_nothing(state_->database, op)) state_->replace_key(op, text);
        else if (recorded != text)
            throw state_->changed(op, "(" + kind + ") was recorded with " + another(recorded, text, op, words));
        return op;
    }
    Transaction transaction(state_->database);
    Statement(state_->database, "INSERT INTO operation(op, kind, key) VALUES (?, ?, ?)")
        .with(op, kind, state_->keep(text))
        .run();
    transaction.commit();
    return op;
}

std::optional<Json> Journal::result(std::int64_t op) const {
    Statement row(state_->database, "SELECT result FROM operation WHERE op = ? AND result IS NOT NULL");
    if (!row.with(op).step()) return std::nullopt;
    return state_->parse(state_->body(row.bytes(0), "the result of operation " + std::to_string(op)));
}

void Journal::end(std::int64_t op, const Json& result) {
    Transaction transaction(state_->database);
    Statement(state_->database, "UPDATE operation SET result = ? WHERE op = ? AND result IS NULL")
        .with(state_->keep(dump(result)), op)
        .run();
    transaction.commit();
}

}  // namespace hone
