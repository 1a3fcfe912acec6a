#include "torch_lm/format/safetensors_folder.hpp"
#include <set>
#include "hone/plugin.hpp"
#include "torch_lm/format/files.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm {

SafeTensorsFolder::SafeTensorsFolder(const std::string& folder) {
    place_ = folder + "/model.safetensors.index.json";
    if (file_exists(place_)) open_listed(folder);
    else open(place_ = folder + "/model.safetensors");
}

void SafeTensorsFolder::open(const std::string& path) {
    files_.push_back(std::make_unique<SafeTensors>(path));
    for (const auto& [name, tensor] : files_.back()->tensors())
        if (!places_.emplace(name, files_.back().get()).second)
            throw Refused(path + ": tensor \"" + first_words(name) + "\" lies in another file of the folder, too");
}

void SafeTensorsFolder::open_listed(const std::string& folder) {
    const auto json = read_json(place_);
    if (!json.contains("weight_map") || !json["weight_map"].is_object())
        throw Refused(place_ + ": has no \"weight_map\"");
    if (json["weight_map"].empty()) throw Refused(place_ + ": lists no tensors");
    std::set<std::string> names;
    for (const auto& [tensor, name] : json["weight_map"].items())
        names.insert(name.is_string() ? name.get<std::string>() : "");
    for (const std::string& name : names) {
        if (name.empty() || name.find('/') != std::string::npos)
            throw Refused(place_ + ": \"" + first_words(name) + "\" is not the name of a file beside it");
        open(folder + "/" + name);
    }
}

const SafeTensors& SafeTensorsFolder::file_of(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) throw Refused(place_ + ": has no tensor \"" + name + "\"");
    return *found->second;
}

void SafeTensorsFolder::read(const std::string& name, const Extents& shape, std::span<float> to) const {
    file_of(name).read(name, shape, to);
}

void SafeTensorsFolder::read(const std::string& name, const Extents& shape, std::span<std::uint16_t> bf16_bits) const {
    file_of(name).read(name, shape, bf16_bits);
}

std::vector<std::string> SafeTensorsFolder::beside(const std::set<std::string>& used) const {
    std::vector<std::string> names;
    for (const auto& [name, file] : places_)
        if (!used.contains(name) && !name.ends_with("rotary_emb.inv_freq")) names.push_back(name);
    return names;
}

}  // namespace hone::lm
