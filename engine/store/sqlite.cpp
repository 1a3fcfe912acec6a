#include "store/sqlite.hpp"
#include <cerrno>
#include <cstring>
#include "base/error.hpp"

namespace hone {
namespace {

constexpr int busy_milliseconds = 10'000;

const char* full_disk = "the disk is full: this write was taken back, everything committed before it is safe";

Error error_of(int code, int system_errno, const std::string& file, const std::string& text) {
    const auto unfit = [&](std::string cause, std::string cure) {
        return Error(Blame::environment, file, std::move(cause), std::move(cure));
    };
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && (system_errno == ENOSPC || system_errno == EDQUOT)))
        return unfit(full_disk, "free some space and go on with --resume");
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return unfit("another program has kept the file locked for " + std::to_string(busy_milliseconds / 1000) + " s",
                     "end that program and try again");
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return unfit("damaged, or no journal of hone (SQLite: " + text + ")",
                     "restore it from a copy, or rescue its rows with: sqlite3 FILE .recover");
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_IOERR)
        return unfit(text + (system_errno ? std::string(" (") + std::strerror(system_errno) + ")" : ""),
                     "check that the folder exists, is yours and is on a healthy disk");
    return Error(Blame::run, file, "SQLite: " + text);
}

}  // namespace

Database::Database(const std::filesystem::path& file, Mode mode) : file_(file) {
    const int how = mode == Mode::read    ? SQLITE_OPEN_READONLY
                    : mode == Mode::write ? SQLITE_OPEN_READWRITE
                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, how, nullptr);
    handle_.reset(raw);
    if (code != SQLITE_OK) fail(code);
    sqlite3_busy_timeout(raw, busy_milliseconds);
    run("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY");  // a full TMPDIR is not the journal's disk
}

void Database::log_ahead() const { run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); }

void Database::run(const char* sql) const {
    const int code = sqlite3_exec(raw(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const std::string& sql) const {
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

void Database::fail(int code) const {
    const int system_errno = raw() ? sqlite3_system_errno(raw()) : 0;
    throw error_of(code & 0xff, system_errno, file_.string(), raw() ? sqlite3_errmsg(raw()) : sqlite3_errstr(code));
}

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(database.raw(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
    if (code != SQLITE_OK) database.fail(code);
    handle_.reset(raw);
}

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    database_.fail(code);
}

std::string Statement::bytes(int column) const {
    const void* at = sqlite3_column_blob(handle_.get(), column);
    return at ? std::string(static_cast<const char*>(at),
                            static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)))
              : std::string();
}

Json Statement::value(int column) const {
    switch (sqlite3_column_type(handle_.get(), column)) {
        case SQLITE_NULL:
            return nullptr;
        case SQLITE_INTEGER:
            return integer(column);
        case SQLITE_FLOAT:
            return real(column);
        default:
            return bytes(column);
    }
}

Json Statement::row() const {
    Json row = Json::object();
    for (int i = 0; i < sqlite3_column_count(handle_.get()); ++i) row[sqlite3_column_name(handle_.get(), i)] = value(i);
    return row;
}

void Statement::bind(int i, const Json& v) {
    if (v.is_null()) return bind(i, std::nullopt);
    if (v.is_boolean()) return bind(i, static_cast<std::int64_t>(v.get<bool>()));
    if (v.is_number_integer()) return bind(i, v.get<std::int64_t>());
    if (v.is_number()) return bind(i, v.get<double>());
    if (v.is_string()) return bind(i, v.get_ref<const std::string&>());
    bind(i, v.dump());
}

Statement& Statement::with_list(const std::vector<Json>& values) {
    sqlite3_reset(handle_.get());
    for (std::size_t i = 0; i < values.size(); ++i) bind(static_cast<int>(i) + 1, values[i]);
    return *this;
}

Transaction::~Transaction() {
    // already undone if SQLite did it itself
    if (open_) sqlite3_exec(database_.raw(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    if (open_) database_.run("COMMIT");
    open_ = false;
}

}  // namespace hone
