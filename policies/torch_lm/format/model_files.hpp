// model_files.hpp: a model as people have it: a Hugging Face folder or a GGUF file.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "torch_lm/format/config.hpp"
#include "torch_lm/format/weight_source.hpp"
#include "torch_lm/text/chat_template.hpp"

namespace hone::lm {

struct ModelFiles {
    Config config;
    std::string tokenizer_json, tokenizer_place;  // the text of a tokenizer.json, and where it stands
    TemplateSource chat_template;                 // its text is empty where the files have none
    std::unique_ptr<WeightSource> weights;        // read from the disk when it is asked for
};

std::string models_folder();                // where ./dev model puts models
std::vector<std::string> fetched_models();  // their names, in order
// Where the model lies that an option names: a path as it is; a name without one is looked for among the models that
// ./dev model has fetched. Throws Refused if it is in neither place.
std::string find_model(const std::string& given);
// path: a folder with config.json, tokenizer.json and safetensors, or a .gguf file. Throws Refused, naming the file,
// the cause and the cure.
ModelFiles open_model(const std::string& path);

}  // namespace hone::lm
