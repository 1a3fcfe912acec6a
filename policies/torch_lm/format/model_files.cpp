#include "torch_lm/format/model_files.hpp"
#include <filesystem>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/gguf/model.hpp"
#include "torch_lm/format/safetensors_folder.hpp"
#include "torch_lm/format/template_files.hpp"

namespace hone::lm {
namespace {

ModelFiles open_folder(const std::string& folder) {
    const std::string config_path = folder + "/config.json", generation = folder + "/generation_config.json";
    if (!file_exists(config_path))
        throw Refused(folder + ": has no config.json; give the folder of a Hugging Face model, a .gguf file, or " +
                      "\"tiny\" for a model with random weights");
    ModelFiles model;
    model.config = read_config(read_json(config_path), config_path);
    if (file_exists(generation)) read_generation_config(read_json(generation), generation, model.config);
    model.tokenizer_place = folder + "/tokenizer.json";
    model.tokenizer_json = read_file(model.tokenizer_place);
    model.chat_template = read_template(folder);
    model.weights = std::make_unique<SafeTensorsFolder>(folder);
    return model;
}

}  // namespace

ModelFiles open_model(const std::string& path) {
    return std::filesystem::is_regular_file(path) ? gguf::open_model(path) : open_folder(path);
}

}  // namespace hone::lm
