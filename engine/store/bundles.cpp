#include "store/bundles.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "base/hash.hpp"
#include "domain/judgement.hpp"
#include "store/journal_state.hpp"

namespace hone {
namespace {

constexpr std::size_t id_digits = 16, most_bytes = 64 << 20;

// As text that reads back as the very same document: what is no UTF-8 or no finite number is replaced before it counts.
Json plain(const Json& document) { return Json::parse(dump(document)); }

std::string digest(const Json& document) { return sha256(dump(document)).substr(0, id_digits); }

std::string content_id(Json evidence) {
    evidence.erase("id");
    evidence["judgement"].erase("id");
    return digest(evidence);
}

// A run's judgement has its id from the run, so its file brings the digest of its content besides.
bool is_untouched(Json evidence) {
    if (!evidence.contains("content")) return content_id(evidence) == evidence["id"];
    const Json content = evidence["content"];
    evidence.erase("content");
    return content == digest(evidence);
}

}  // namespace

Json sealed(Json evidence) {
    evidence["content"] = digest(evidence);
    return evidence;
}

fs::path bundle_folder() { return state_folder() / "evidence"; }

Json keep_bundle(Json evidence) {
    evidence["schema"] = evidence_schema;
    evidence["made"] = wall_now();
    evidence = plain(evidence);
    const std::string id = content_id(evidence);
    evidence["id"] = id;
    evidence["judgement"]["id"] = id;
    std::error_code code;
    fs::create_directories(bundle_folder(), code);
    if (code)
        throw Error(Blame::environment, bundle_folder().string(), "cannot be made: " + code.message(),
                    "set XDG_STATE_HOME");
    write_file(bundle_folder() / (id + ".json"), evidence.dump(1) + "\n");
    return evidence;
}

std::vector<std::string> bundle_ids() {
    std::vector<std::string> ids;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(bundle_folder(), code))
        if (entry.path().extension() == ".json") ids.push_back(entry.path().stem().string());
    std::sort(ids.begin(), ids.end());
    return ids;
}

Json read_bundle(const fs::path& file) {
    Json evidence = Json::parse(read_file(file, most_bytes), nullptr, false);
    if (!evidence.is_object() || evidence.value("schema", Json()) != evidence_schema ||
        !evidence.contains("judgement") || !evidence["judgement"].is_object() || !evidence.contains("id") ||
        !evidence["id"].is_string())
        throw Error(Blame::input, file.string(), "is no evidence of a judgement",
                    std::string("a file of `hone judge` or of `hone show ID --json` is one (") + evidence_schema + ")");
    if (!is_untouched(evidence))
        throw Error(Blame::input, file.string(), "was edited after it was written: its content no longer gives its id",
                    "judge the program anew");
    try {
        judgement_from_json(evidence["judgement"]);
    } catch (const Error& e) {
        throw Error(Blame::input, file.string(), std::string("is of another version of hone: ") + e.what(),
                    "judge the program anew");
    }
    return evidence;
}

}  // namespace hone
