#include "kept_answers.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include "hone/plugin.hpp"
#include "reply_text.hpp"

namespace http {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json to_json(const Answered& answer) {
    return {{"text", answer.choice.text},      {"finish", answer.choice.finish},
            {"ids", answer.choice.ids},        {"logp", answer.choice.logp},
            {"prompt_ids", answer.prompt_ids}, {"model", answer.model},
            {"tokens_in", answer.tokens_in},   {"tokens_cached", answer.tokens_cached},
            {"tokens_out", answer.tokens_out}, {"usd", answer.usd}};
}

Answered from_json(const json& kept, std::uint64_t tag, std::uint32_t member) {
    return {tag,
            member,
            {kept.at("text"), kept.at("finish"), kept.at("ids"), kept.at("logp")},
            kept.at("prompt_ids"),
            kept.at("tokens_in"),
            kept.at("tokens_cached"),
            kept.at("tokens_out"),
            0,
            kept.at("model")};
}

// Refusals and errors are asked again: once their cause is mended, a resumed run would meet them for ever.
bool is_answer(const Answered& answer) {
    return answer.choice.finish != HONE_ERROR && answer.choice.finish != HONE_REFUSAL;
}

}  // namespace

KeptAnswers::KeptAnswers(std::string folder) : folder_(std::move(folder)) {
    if (!on()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw hone::Refused("option answers: the folder " + folder_ + " cannot be made: " + error.message());
}

std::string KeptAnswers::path_of(const std::string& asked) const {
    const XXH128_hash_t hash = XXH3_128bits(asked.data(), asked.size());
    char name[40];
    std::snprintf(name, sizeof name, "%016llx%016llx.json", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return folder_ + "/" + name;
}

KeptAnswers::Found KeptAnswers::find(const std::string& asked, std::uint64_t tag, std::uint32_t member) const {
    const std::string path = path_of(asked);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return {};
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    try {
        Answered answer = from_json(json::parse(text.str()), tag, member);
        if (is_answer(answer)) return {std::move(answer), ""};
        return {};
    } catch (const json::exception&) {
        return {std::nullopt,
                path + " is damaged or cannot be read: what it answered is asked again, and paid for again"};
    }
}

std::string KeptAnswers::keep(const std::string& asked, const Answered& answer) const {
    if (!is_answer(answer)) return "";
    const std::string path = path_of(asked), part = path + ".part";
    std::ofstream file(part);
    file << to_json(answer).dump(-1, ' ', false, json::error_handler_t::replace);
    file.close();
    if (file && std::rename(part.c_str(), path.c_str()) == 0) return "";
    return path + " cannot be written: " + std::strerror(errno) + "; free space, or name another folder";
}

}  // namespace http
