// model.hpp: everything that a GGUF file says of a model.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include "torch_lm/format/mapped_file.hpp"
#include "torch_lm/format/model_files.hpp"

namespace hone::lm::gguf {

ModelFiles open_model(const std::string& path);  // throws Refused
// bytes: the whole file, kept by `keep`, or outliving the weights.
ModelFiles read_model(std::string_view bytes, const std::string& place, std::shared_ptr<const MappedFile> keep);

}  // namespace hone::lm::gguf
