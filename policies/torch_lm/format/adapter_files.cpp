#include "torch_lm/format/adapter_files.hpp"
#include "hone/plugin.hpp"
#include "torch_lm/format/config_json.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/format/safetensors.hpp"
#include "torch_lm/model/tensors.hpp"

namespace hone::lm {
namespace {

constexpr std::int64_t most_rank = 4096;
const nlohmann::json matrices = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

double alpha_of(const ConfigJson& root) {
    const double alpha = root.number("lora_alpha", 8);
    if (!(alpha > 0)) throw Refused(root.place() + ": \"lora_alpha\" must be above zero");
    return alpha;
}

void refuse_other_adapters(const ConfigJson& root) {
    if (root.text("peft_type", "") != "LORA")
        throw Refused(root.place() + ": \"peft_type\" is not \"LORA\", the one kind that is supported");
    for (const char* key : {"use_dora", "use_rslora", "fan_in_fan_out"}) root.must_be(key, false);
    root.must_be("bias", "none");
}

}  // namespace

void save_adapter(const std::string& folder, const Adapter& adapter, const std::string& base) {
    const nlohmann::ordered_json about = {{"peft_type", "LORA"},
                                          {"task_type", "CAUSAL_LM"},
                                          {"base_model_name_or_path", base},
                                          {"r", adapter.rank()},
                                          {"lora_alpha", adapter.alpha()},
                                          {"lora_dropout", 0.0},
                                          {"bias", "none"},
                                          {"fan_in_fan_out", false},
                                          {"inference_mode", true},
                                          {"target_modules", matrices}};
    const at::Tensor values = adapter.values.cpu();
    std::vector<TensorToStore> tensors;
    for (const NamedTensor& of : adapter.tensors)
        tensors.push_back({of.name, of.shape, std::span(values.const_data_ptr<float>() + of.offset, of.size)});
    write_safetensors(folder + "/adapter_model.safetensors", tensors, {{"format", "pt"}});
    write_file(folder + "/adapter_config.json", about.dump(2) + "\n");
}

std::string base_of_adapter(const std::string& folder) {
    return read_json(folder + "/adapter_config.json").value("base_model_name_or_path", "");
}

std::optional<Adapter> load_adapter(const std::string& folder, const Config& config, Place place) {
    const std::string path = folder + "/adapter_config.json";
    if (!file_exists(path)) return {};
    const auto json = read_json(path);
    const ConfigJson root(json, path);
    refuse_other_adapters(root);
    Adapter adapter(config, root.whole("r", 1, most_rank), alpha_of(root), place);
    const SafeTensors file(folder + "/adapter_model.safetensors");
    std::vector<float> values(static_cast<std::size_t>(adapter.values.numel()));
    for (const NamedTensor& of : adapter.tensors)
        file.read(of.name, of.shape, std::span(values).subspan(of.offset, of.size));
    adapter.values.copy_(view_of(values.data(), {adapter.values.numel()}));
    return adapter;
}

}  // namespace hone::lm
