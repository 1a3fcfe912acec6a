// store/sqlite.hpp: SQLite as values that close themselves: a database, a prepared statement, a transaction. Errors
// become hone::Error with the file as place; a full disk, a damaged file and a locked one each have words and a cure of
// their own.
#pragma once
#include <sqlite3.h>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include "base/json.hpp"

namespace hone {

class Database {
public:
    enum class Mode { create, write, read };  // write: the file must exist
    Database(const std::filesystem::path& file, Mode);
    void log_ahead() const;                             // WAL, each commit on disk before it returns
    void run(const char* sql) const;                    // any number of statements whose rows nobody wants
    std::int64_t number(const std::string& sql) const;  // the first column of the first row
    sqlite3* raw() const { return handle_.get(); }
    [[noreturn]] void fail(int code) const;

private:
    struct Close {
        void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
    };
    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> handle_;
};

// binds as BLOB, where a string_view binds as TEXT (any bytes, kept as they are)
struct Bytes {
    std::string_view at;
};

class Statement {
public:
    Statement(const Database&, std::string_view sql);
    // Binds all parameters in order: integers, double, text, Bytes, nullopt, optionals of these, Json (scalars as
    // themselves, trees as text).
    template <class... Values> Statement& with(const Values&... values) {
        sqlite3_reset(handle_.get());
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }
    Statement& with_list(const std::vector<Json>& values);
    bool step();  // true: a row is there
    void run() {
        while (step()) {
        }
    }
    bool null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
    std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
    double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
    std::string bytes(int column) const;  // TEXT or BLOB
    Json value(int column) const;         // a scalar; BLOB as text
    Json row() const;                     // an object keyed by column name

private:
    void check(int code) const {
        if (code != SQLITE_OK) database_.fail(code);
    }
    void bind(int i, std::int64_t v) { check(sqlite3_bind_int64(handle_.get(), i, v)); }
    void bind(int i, int v) { bind(i, static_cast<std::int64_t>(v)); }
    void bind(int i, double v) { check(sqlite3_bind_double(handle_.get(), i, v)); }
    void bind(int i, std::string_view v) {
        check(sqlite3_bind_text64(handle_.get(), i, v.data() ? v.data() : "", v.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    }
    void bind(int i, Bytes v) {
        check(sqlite3_bind_blob64(handle_.get(), i, v.at.data() ? v.at.data() : "", v.at.size(), SQLITE_TRANSIENT));
    }
    void bind(int i, const std::string& v) { bind(i, std::string_view(v)); }
    void bind(int i, const char* v) { bind(i, std::string_view(v)); }
    void bind(int i, std::nullopt_t) { check(sqlite3_bind_null(handle_.get(), i)); }
    void bind(int i, const Json& v);
    template <class T> void bind(int i, const std::optional<T>& v) {
        if (v) bind(i, *v);
        else bind(i, std::nullopt);
    }
    struct Finalize {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    const Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Transaction {  // rolled back unless committed; within another one it is a part of that
public:
    explicit Transaction(const Database& database)
        : database_(database), open_(sqlite3_get_autocommit(database.raw()) != 0) {
        if (open_) database_.run("BEGIN IMMEDIATE");
    }
    Transaction(const Transaction&) = delete;
    ~Transaction();
    void commit();

private:
    const Database& database_;
    bool open_;
};

}  // namespace hone
