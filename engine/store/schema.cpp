#include "store/schema.hpp"
#include "base/error.hpp"

namespace hone {
namespace {

// Texts, token ids and long documents are stored once, in `text`, and named by their SHA-256. `doc` holds a document as
// JSON; its columns repeat what a query wants, computed from it. grp, member: see Slot. Ratios of speed are plain: 1.3
// is 30 % faster.
const char* const version_1 = R"sql(
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
  PRIMARY KEY (task, hash)) STRICT;
CREATE INDEX candidate_hash ON candidate(hash);
CREATE TABLE judgement(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, member INTEGER NOT NULL, id TEXT NOT NULL, task TEXT, hash TEXT,
  analysis TEXT REFERENCES text, design TEXT REFERENCES text, doc TEXT NOT NULL, wall TEXT,
  verdict TEXT AS (doc ->> '$.verdict'), reason TEXT AS (doc ->> '$.reason'), outcome TEXT AS (doc ->> '$.outcome'),
  speedup REAL AS (doc ->> '$.speedup.estimate'), speedup_lower REAL AS (doc ->> '$.speedup.lower'),
  speedup_upper REAL AS (doc ->> '$.speedup.upper'), baseline TEXT AS (doc ->> '$.speedup.baseline'),
  seconds_candidate REAL AS (doc ->> '$.seconds.candidate'), seconds_baseline REAL AS (doc ->> '$.seconds.baseline'),
  pairs INTEGER AS (doc ->> '$.pairs'), noise REAL AS (doc ->> '$.noise'), roofline_share REAL AS (doc ->> '$.roofline_share'),
  trust TEXT AS (doc ->> '$.trust'), sandbox TEXT AS (doc ->> '$.sandbox'), device TEXT AS (doc ->> '$.device'),
  scored INTEGER AS (doc ->> '$.verdict' = 'PASSED' AND coalesce(json_array_length(doc, '$.defences_off'), 0) = 0),
  PRIMARY KEY (op, grp, member), FOREIGN KEY (task, hash) REFERENCES candidate) STRICT;
CREATE INDEX judgement_candidate ON judgement(task, hash);
CREATE INDEX judgement_id ON judgement(id);
CREATE TABLE sample(
  op INTEGER NOT NULL, grp INTEGER NOT NULL, member INTEGER NOT NULL, pair INTEGER NOT NULL,
  candidate REAL NOT NULL, baseline REAL NOT NULL, first ANY,  -- in the timer's unit; first: what the judge noted of the pair's order
  PRIMARY KEY (op, grp, member, pair), FOREIGN KEY (op, grp, member) REFERENCES judgement) STRICT, WITHOUT ROWID;
CREATE TABLE reward(
  op INTEGER NOT NULL REFERENCES operation, grp INTEGER NOT NULL, member INTEGER NOT NULL, value REAL, reason TEXT NOT NULL,  -- NULL: left out
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

-- one row a judgement: every number that a plot wants, without knowing the joins
CREATE VIEW v_candidate AS SELECT
  run.name AS run, j.op, j.grp, j.member, j.id, p.stage, p.step, j.task, j.hash, c.language, length(t.body) AS code_bytes,
  j.verdict, j.scored, j.reason, j.outcome, j.speedup, j.speedup_lower, j.speedup_upper, j.baseline, j.seconds_candidate, j.seconds_baseline,
  j.pairs, j.noise, j.roofline_share, j.trust, j.sandbox, j.device, w.value AS reward, w.reason AS reward_reason,
  a.version AS policy_version, a.finish, a.tokens_in, a.tokens_out, a.usd, coalesce(json_array_length(p.doc, '$.exemplars'), 0) AS exemplars,
  j.wall ->> '$.build' AS wall_build, j.wall ->> '$.verify' AS wall_verify, j.wall ->> '$.time' AS wall_time, j.wall ->> '$.total' AS wall_total
FROM judgement j JOIN run
  LEFT JOIN prompt p USING (op, grp) LEFT JOIN answer a USING (op, grp, member) LEFT JOIN reward w USING (op, grp, member)
  LEFT JOIN candidate c ON c.task = j.task AND c.hash = j.hash LEFT JOIN text t ON t.sha256 = c.code;
)sql";

// seconds of the candidate's call by its own process, which it may have forged; NULL: not told
const char* const version_2 = "ALTER TABLE sample ADD COLUMN inside REAL";

// each task as it was judged by (domain/task.hpp), so that a judgement can be repeated when its file has changed or is
// gone
const char* const version_3 =
    "CREATE TABLE task(name TEXT NOT NULL, hash TEXT NOT NULL, doc TEXT NOT NULL REFERENCES text, PRIMARY KEY (name, "
    "hash)) STRICT";

// programs that differ only in what text/canonical.hpp leaves out are one in the archive; NULL: recorded before, one by
// its own
const char* const version_4 = "ALTER TABLE candidate ADD COLUMN canonical TEXT";

// 1: the pair counts for the interval (judge/timing/paired_measurement.hpp); NULL: recorded before, when every pair did
const char* const version_5 = "ALTER TABLE sample ADD COLUMN counted ANY";

// seconds of the call of what it was compared with, by that process; NULL: not told, or compared with the reference
const char* const version_6 = "ALTER TABLE sample ADD COLUMN baseline_inside REAL";

// seconds of the candidate's call by a clock out of its reach (hone_sample); NULL: its time needs no witness
const char* const version_7 = "ALTER TABLE sample ADD COLUMN witness REAL";

constexpr const char* steps_of_journal[] = {version_1, version_2, version_3, version_4,
                                            version_5, version_6, version_7};

std::int64_t version_of(const Database& database, const std::string& file, std::size_t known) {
    if (database.number("PRAGMA application_id") != journal_application_id)
        throw Error(Blame::environment, file, "a database, but no journal of hone", "name a run's folder");
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version > static_cast<std::int64_t>(known))
        throw Error(Blame::environment, file,
                    "written by a newer hone (schema " + std::to_string(version) + ", this one knows " +
                        std::to_string(known) + ")",
                    "use that hone, or a newer one");
    return version;
}

}  // namespace

std::span<const char* const> journal_schema() { return steps_of_journal; }

bool unused(const Database& database) {
    return database.number("PRAGMA user_version") == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0;
}

void migrate(const Database& database, const std::string& file, std::span<const char* const> steps) {
    const bool fresh = unused(database);
    for (std::size_t at = fresh ? 0 : static_cast<std::size_t>(version_of(database, file, steps.size()));
         at < steps.size(); ++at) {
        Transaction transaction(database);
        database.run(steps[at]);
        const std::string marks = "PRAGMA application_id = " + std::to_string(journal_application_id) +
                                  "; PRAGMA user_version = " + std::to_string(at + 1);
        database.run(marks.c_str());
        transaction.commit();
    }
}

void require_schema(const Database& database, const std::string& file, std::span<const char* const> steps) {
    const std::int64_t version = version_of(database, file, steps.size());
    if (version < static_cast<std::int64_t>(steps.size()))
        throw Error(Blame::environment, file, "written by an older hone (schema " + std::to_string(version) + ")",
                    "resume the run once: that brings it forward");
}

}  // namespace hone
