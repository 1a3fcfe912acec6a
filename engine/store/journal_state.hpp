// store/journal_state.hpp: what the files of the journal share.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include "base/error.hpp"
#include "base/paths.hpp"
#include "store/record_text.hpp"
#include "store/sqlite.hpp"
#include "store/writer_lock.hpp"

namespace hone {

inline fs::path journal_file(const fs::path& folder) { return folder / "journal.sqlite"; }

// Documents hold texts of models, which may be no UTF-8; whole texts are kept beside them, byte for byte.
inline std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string wall_now();  // "2026-01-31T12:00:00.123Z"

struct Journal::State {
    std::string folder;
    std::optional<WriterLock> lock;  // none: for reading only
    Database database;
    std::int64_t last_op = 0;   // the last operation begun by this process
    std::int64_t recorded = 0;  // the last that had ended when this process went on with the run
    std::optional<RunInfo> resumed_by{};
    // (op, group, member) whose reward this process has put: a later put of it changes nothing
    std::set<std::tuple<std::int64_t, int, int>> shaped, rewarded;
    std::set<std::string> changed_modules{};     // that this process took in: the run began with others
    std::map<std::string, std::string> units{};  // of the timers that judged, by id and options
    struct Build {
        std::int64_t op;
        std::string file_hash;
    };
    std::map<std::string, Build> builds{};  // of the parts that judged last, by "timer wall"

    RunInfo info() const;
    // The error of a resumed run whose operation is not what was recorded.
    Error changed(std::int64_t op, const std::string& cause) const;
    std::string file() const { return journal_file(folder).string(); }
    // Stores a text once and returns its name (SHA-256).
    std::string keep(std::string_view text) const;
    std::string keep(Bytes) const;
    void keep_candidate(const Candidate&) const;
    void replace_key(std::int64_t op, const std::string& key) const;  // of an operation that holds nothing
    std::string body(const std::string& sha256, const std::string& what = "a text") const;  // as Journal::text
    // Throws where a timer that judged here before counts in another unit now.
    void require_unit(const Judgement&);
    // Throws where a part that judged in this operation before is another build now; tells of it in a later operation.
    void require_builds(std::int64_t op, const Judgement&);
    void require_build(const std::string& role, const judged::Part&, std::int64_t op);
    Build& last_build(const std::string& role, const std::string& id, const Build& now);
    Json parse(const std::string& text) const { return parse_record(text, folder); }
};

}  // namespace hone
