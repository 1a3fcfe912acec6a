#include "torch_lm/text/encoding/bpe_file.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {
namespace {

using nlohmann::json;

constexpr std::int32_t most_tokens = 1 << 20;

std::pair<std::string, std::string> pair_of(const json& entry, const std::string& place) {
    if (entry.is_array() && entry.size() == 2) return {entry[0].get<std::string>(), entry[1].get<std::string>()};
    const std::string both = entry.is_string() ? entry.get<std::string>() : "";
    const std::size_t space = both.find(' ');
    if (space == std::string::npos || both.find(' ', space + 1) != std::string::npos)
        throw Refused(place + ": the merge " + first_words(entry.dump()) + " is not of two tokens");
    return {both.substr(0, space), both.substr(space + 1)};
}

Merges read_merges(const json& list, const std::string& place) {
    Merges merges;
    merges.reserve(list.size());
    for (const auto& entry : list)
        if (!entry.is_string() || !entry.get_ref<const std::string&>().starts_with("#version"))
            merges.push_back(pair_of(entry, place));
    return merges;
}

void refuse_options(const json& model, const std::string& place) {
    if (const std::string type = model.value("type", "BPE"); type != "BPE")
        throw Refused(place + ": the model is " + first_words(type) + "; only BPE is supported");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (model.contains(key) && model[key].is_string() && !model[key].get<std::string>().empty())
            throw Refused(place + ": the BPE option " + key + " is not supported");
    if (model.contains("dropout") && model["dropout"].is_number() && model["dropout"].get<double>() != 0)
        throw Refused(place + ": the BPE option dropout is not supported");
}

BpeOptions read_options(const json& model, bool byte_level, const Vocabulary& vocabulary, const std::string& place) {
    BpeOptions options{byte_level, model.value("ignore_merges", false), model.value("byte_fallback", false),
                       model.value("fuse_unk", false)};
    if (!model.contains("unk_token") || model["unk_token"].is_null()) return options;
    const auto found = vocabulary.find(model["unk_token"].get<std::string>());
    if (found == vocabulary.end())
        throw Refused(place + ": the vocabulary does not have the unk_token \"" +
                      first_words(model["unk_token"].get<std::string>()) + "\"");
    options.unknown = found->second;
    return options;
}

Vocabulary read_vocabulary(const json& list, const std::string& place) {
    if (!list.is_object()) throw Refused(place + ": the vocabulary is not an object of tokens and their ids");
    Vocabulary vocabulary;
    std::vector<bool> taken;
    for (const auto& [token, number] : list.items()) {
        const std::int32_t id = read_id(number, token, place);
        if (static_cast<std::size_t>(id) >= taken.size()) taken.resize(id + 1);
        if (taken[id])
            throw Refused(place + ": two tokens have the id " + std::to_string(id) + "; one is \"" +
                          first_words(token) + "\"");
        taken[id] = true;
        vocabulary.emplace(token, id);
    }
    return vocabulary;
}

}  // namespace

BpeFile read_bpe(const json& model, bool byte_level, const std::string& place) {
    refuse_options(model, place);
    Vocabulary vocabulary = read_vocabulary(model.at("vocab"), place);
    const BpeOptions options = read_options(model, byte_level, vocabulary, place);
    return {std::move(vocabulary), read_merges(model.at("merges"), place), options};
}

std::int32_t read_id(const json& id, const std::string& token, const std::string& place) {
    if (!id.is_number_integer() || id < 0 || id >= most_tokens)
        throw Refused(place + ": token \"" + first_words(token) + "\" has the id " + first_words(id.dump()) +
                      ", which is not between 0 and " + std::to_string(most_tokens - 1));
    return id.get<std::int32_t>();
}

}  // namespace hone::lm
