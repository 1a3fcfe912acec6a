#include "torch_lm/format/gguf/model.hpp"
#include <utility>
#include "torch_lm/format/gguf/config.hpp"
#include "torch_lm/format/gguf/file.hpp"
#include "torch_lm/format/gguf/tokenizer.hpp"
#include "torch_lm/format/gguf/weights.hpp"

namespace hone::lm::gguf {
namespace {

// The template and the tokens that it names, by their spelling.
TemplateSource template_of(const Metadata& metadata) {
    TemplateSource source{
        metadata.text("tokenizer.chat_template", ""), metadata.place() + ", tokenizer.chat_template", {}};
    const std::vector<std::string> tokens = metadata.texts("tokenizer.ggml.tokens");
    for (const auto& [name, key] :
         {std::pair{"bos_token", "bos"}, {"eos_token", "eos"}, {"unk_token", "unknown"}, {"pad_token", "padding"}}) {
        const std::string id = std::string("tokenizer.ggml.") + key + "_token_id";
        const auto most = static_cast<std::int64_t>(tokens.size()) - 1;
        if (metadata.has(id)) source.special_tokens.emplace_back(name, tokens[metadata.whole(id, 0, most)]);
    }
    return source;
}

}  // namespace

ModelFiles read_model(std::string_view bytes, const std::string& place, std::shared_ptr<const MappedFile> keep) {
    File file = read_file(bytes, place);
    ModelFiles model;
    model.config = config_of(file);
    model.tokenizer_json = tokenizer_json(file.metadata, model.config);
    model.tokenizer_place = place + ", tokenizer.ggml";
    model.chat_template = template_of(file.metadata);
    model.weights = std::make_unique<Weights>(std::move(file), model.config, std::move(keep));
    return model;
}

ModelFiles open_model(const std::string& path) {
    auto file = std::make_shared<const MappedFile>(path);
    return read_model(file->bytes(), path, file);
}

}  // namespace hone::lm::gguf
