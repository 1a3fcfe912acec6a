// file.hpp: the GGUF container (versions 2 and 3): metadata, names of tensors, their numbers. A file may come from
// anywhere: every length and offset is checked before it is used.
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once
#include <map>
#include <string>
#include <string_view>
#include "torch_lm/format/encoding.hpp"
#include "torch_lm/format/gguf/metadata.hpp"

namespace hone::lm::gguf {

struct File {
    Metadata metadata;
    std::map<std::string, EncodedTensor> tensors;  // rows are whole blocks; shapes as PyTorch's: the file's, reversed
};

// bytes: the whole file; tensors point into it. Throws Refused: `PLACE: cause`.
File read_file(std::string_view bytes, const std::string& place);

}  // namespace hone::lm::gguf
