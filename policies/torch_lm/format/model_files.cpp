#include "torch_lm/format/model_files.hpp"
#include <algorithm>
#include <cstdlib>
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
    if (!file_exists(config_path) && file_exists(folder + "/adapter_config.json"))
        throw Refused(folder + ": holds an adapter alone; give the folder that hone saved it in, or, of one from " +
                      "elsewhere, a model into which it is merged (peft: merge_and_unload)");
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

std::string models_folder() {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    return (cache && *cache ? std::string(cache) : std::string(home ? home : "") + "/.cache") + "/hone/models";
}

std::vector<std::string> fetched_models() {
    std::vector<std::string> names;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(models_folder(), absent))
        if (entry.path().extension() == ".gguf") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string find_model(const std::string& given) {
    if (std::filesystem::exists(given)) return given;
    const std::string missing = "policy.torch-lm: model \"" + given + "\" is no folder or .gguf file here";
    const bool is_path = given.find('/') != std::string::npos;
    if (is_path || given.ends_with(".gguf"))
        throw Refused(missing + (is_path && given.front() != '/' && given.front() != '.'
                                     ? "; a model behind an API is asked by policy.http"
                                     : "; give the folder of a Hugging Face model, a .gguf file, or \"tiny\""));
    const std::string folder = models_folder(), path = folder + "/" + given + ".gguf";
    if (file_exists(path)) return path;
    throw Refused(missing + ", and " + folder + " has no " + given +
                  ".gguf. Give \"tiny\", the path of a model, smollm2 once ./dev model smollm2 has fetched it, or "
                  "provider/model for policy.http");
}

ModelFiles open_model(const std::string& path) {
    return std::filesystem::is_regular_file(path) ? gguf::open_model(path) : open_folder(path);
}

}  // namespace hone::lm
