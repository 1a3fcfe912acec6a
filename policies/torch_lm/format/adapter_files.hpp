// adapter_files.hpp: an adapter as PEFT stores it: adapter_config.json and adapter_model.safetensors.
#pragma once
#include <optional>
#include <string>
#include "torch_lm/model/adapter.hpp"

namespace hone::lm {

// Into an existing folder. base: the name or path of the model that it changes.
void save_adapter(const std::string& folder, const Adapter& adapter, const std::string& base);
// None where the folder has no adapter_config.json. Throws Refused, naming the file, the cause and the cure, for
// another kind of adapter or another model's.
std::string base_of_adapter(const std::string& folder);  // what PEFT loads it over; "": not told
std::optional<Adapter> load_adapter(const std::string& folder, const Config& config, Place place);

}  // namespace hone::lm
