#include "store/schema.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "domain/document_text.hpp"
#include "domain/judgement.hpp"

namespace hone {
namespace {

// Texts, token ids and long documents are stored once, in `text`, and named by their SHA-256. `doc` holds a document as
// JSON; its columns repeat what a query wants, computed from it. grp, member: see Slot. $JUDGEMENT, $SAMPLE and $SHOWN
// are columns of the documents' own tables (domain/judgement.hpp).
constexpr const char* tables = R"sql(
CREATE TABLE text(sha256 TEXT PRIMARY KEY, body ANY NOT NULL) STRICT;
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, seed TEXT NOT NULL, script_path TEXT NOT NULL,
  script TEXT NOT NULL REFERENCES text, settings TEXT NOT NULL, host TEXT NOT NULL, program_version TEXT NOT NULL, wall TEXT NOT NULL) STRICT;
CREATE TABLE operation(
  op INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL REFERENCES text, result TEXT REFERENCES text) STRICT;
CREATE TABLE prompt(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, messages TEXT REFERENCES text, doc TEXT NOT NULL,
  task TEXT AS (doc ->> '$.task'), stage TEXT AS (doc ->> '$.stage'), step INTEGER AS (doc ->> '$.step'),
  PRIMARY KEY (op, grp)) STRICT;
CREATE TABLE answer(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, member INTEGER NOT NULL,
  text TEXT REFERENCES text, prompt_ids TEXT REFERENCES text, ids BLOB, logp BLOB, doc TEXT NOT NULL,  -- little-endian int32, float32
  finish TEXT AS (doc ->> '$.finish'), version INTEGER AS (doc ->> '$.version'), tokens_in REAL AS (doc ->> '$.tokens_in'),
  tokens_out REAL AS (doc ->> '$.tokens_out'), usd REAL AS (doc ->> '$.usd'),
  PRIMARY KEY (op, grp, member)) STRICT;
CREATE TABLE candidate(
  task TEXT NOT NULL, hash TEXT NOT NULL, language TEXT, code TEXT NOT NULL REFERENCES text, plan TEXT REFERENCES text,
  canonical TEXT NOT NULL,  -- programs that differ only in what text/canonical.hpp leaves out are one in the archive
  PRIMARY KEY (task, hash)) STRICT;
CREATE INDEX candidate_hash ON candidate(hash);
CREATE TABLE judgement(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, member INTEGER NOT NULL, id TEXT NOT NULL, task TEXT, hash TEXT,
  analysis TEXT REFERENCES text, design TEXT REFERENCES text, doc TEXT NOT NULL, wall TEXT,
$JUDGEMENT  scored INTEGER AS (doc ->> '$.verdict' = 'PASSED' AND json_array_length(doc, '$.defences_off') = 0),
  PRIMARY KEY (op, grp, member), FOREIGN KEY (task, hash) REFERENCES candidate) STRICT;
CREATE INDEX judgement_candidate ON judgement(task, hash);
CREATE INDEX judgement_id ON judgement(id);
CREATE TABLE sample(
  op INTEGER NOT NULL, grp INTEGER NOT NULL, member INTEGER NOT NULL, pair INTEGER NOT NULL,
$SAMPLE  PRIMARY KEY (op, grp, member, pair), FOREIGN KEY (op, grp, member) REFERENCES judgement) STRICT, WITHOUT ROWID;
CREATE TABLE reward(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, member INTEGER NOT NULL,
  raw REAL, reason TEXT NOT NULL,                   -- as the shaper gave it; NULL: left out
  changes TEXT,                                     -- [{name, value}], in order; NULL: no stage has said yet what it optimised
  value REAL, advantage REAL,                       -- what was optimised; NULL: left out, no part in the update
  PRIMARY KEY (op, grp, member)) STRICT, WITHOUT ROWID;
CREATE TABLE update_step(
  op INTEGER PRIMARY KEY REFERENCES operation, policy TEXT NOT NULL, doc TEXT NOT NULL,
  objective REAL AS (doc ->> '$.objective'), grad_norm REAL AS (doc ->> '$.grad_norm'), tokens INTEGER AS (doc ->> '$.tokens'),
  version INTEGER AS (doc ->> '$.version')) STRICT;
CREATE TABLE checkpoint(
  op INTEGER NOT NULL REFERENCES operation, policy TEXT NOT NULL, folder TEXT NOT NULL, PRIMARY KEY (op, policy)) STRICT;
CREATE TABLE stage_row(
  op INTEGER PRIMARY KEY REFERENCES operation, stage TEXT NOT NULL, doc TEXT NOT NULL, wall REAL) STRICT;  -- wall: seconds
CREATE TABLE event(id INTEGER PRIMARY KEY, op INTEGER NOT NULL, kind TEXT NOT NULL, doc TEXT NOT NULL, wall TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX event_of_operation ON event(op, kind) WHERE op > 0;
CREATE TABLE task(  -- as it was judged by, so that a judgement can be repeated when its file has changed or is gone
  name TEXT NOT NULL, hash TEXT NOT NULL, doc TEXT NOT NULL REFERENCES text, PRIMARY KEY (name, hash)) STRICT;

-- one row a judgement: every number that a plot wants, without knowing the joins
CREATE VIEW v_candidate AS SELECT
  run.name AS run, j.op, j.grp, j.member, j.id, p.stage, p.step, j.task, j.hash, c.language, length(t.body) AS code_bytes$SHOWN,
  j.scored, w.value AS reward, w.raw AS reward_raw, w.changes AS reward_changes, w.advantage, w.reason AS reward_reason,
  a.version AS policy_version, a.finish, a.tokens_in, a.tokens_out, a.usd, coalesce(json_array_length(p.doc, '$.exemplars'), 0) AS exemplars
FROM judgement j JOIN run
  LEFT JOIN prompt p USING (op, grp) LEFT JOIN answer a USING (op, grp, member) LEFT JOIN reward w USING (op, grp, member)
  LEFT JOIN candidate c ON c.task = j.task AND c.hash = j.hash LEFT JOIN text t ON t.sha256 = c.code;
)sql";

// The numbers and texts of a judgement, but for those that are columns in their own right.
std::vector<Column> judgement_columns() {
    static const std::vector<std::string> own = {"id", "task", "hash"};
    std::vector<Column> columns;
    add_columns<Judgement>(columns);
    std::erase_if(columns, [](const Column& one) { return std::find(own.begin(), own.end(), one.name) != own.end(); });
    return columns;
}

// What depends on the clock on the wall is a column in the view alone.
bool is_wall(const Column& column) { return column.path.starts_with("wall."); }

std::string computed(const Column& column) {
    return "  \"" + column.name + "\" " + column.type + " AS (doc ->> '$." + column.path + "'),\n";
}

std::string shown(const Column& column) {
    if (!is_wall(column)) return ", j.\"" + column.name + "\"";
    return ", j.wall ->> '$" + column.path.substr(4) + "' AS " + column.name;
}

std::string sample_columns() {
    std::string sql;
    for (const KeyText& list : describe<judged::Samples>().keys)
        sql += "  \"" + list.name + "\" " + (list.type.starts_with("number") ? "REAL" : "INTEGER") + ",\n";
    return sql;
}

void fill(std::string& sql, const std::string& mark, const std::string& text) {
    sql.replace(sql.find(mark), mark.size(), text);
}

std::string make_schema() {
    std::string sql = tables, columns, in_view;
    for (const Column& column : judgement_columns()) {
        if (!is_wall(column)) columns += computed(column);
        in_view += shown(column);
    }
    fill(sql, "$JUDGEMENT", columns);
    fill(sql, "$SAMPLE", sample_columns());
    fill(sql, "$SHOWN", in_view);
    return sql;
}

}  // namespace

bool unused(const Database& database) {
    return database.number("PRAGMA user_version") == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0;
}

void make_tables(const Database& database) {
    Transaction transaction(database);
    database.run(make_schema().c_str());
    const std::string marks = "PRAGMA application_id = " + std::to_string(journal_application_id) +
                              "; PRAGMA user_version = " + std::to_string(journal_schema);
    database.run(marks.c_str());
    transaction.commit();
}

void require_schema(const Database& database, const std::string& file) {
    if (database.number("PRAGMA application_id") != journal_application_id)
        throw Error(Blame::environment, file, "a database, but no journal of hone", "name a run's folder");
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version == journal_schema) return;
    throw Error(Blame::environment, file,
                std::string("written by ") + (version < journal_schema ? "an older" : "a newer") + " hone (schema " +
                    std::to_string(version) + ", this one reads " + std::to_string(journal_schema) + ")",
                "read it with that hone, or start the run anew under another name");
}

}  // namespace hone
