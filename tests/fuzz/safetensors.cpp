// A safetensors file (policies/torch_lm/format/safetensors.hpp).
#include "torch_lm/format/safetensors.hpp"
#include "hone/plugin.hpp"
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using hone::fuzz::hold;
    const std::string_view file = hone::fuzz::view(bytes, size);
    try {
        const hone::lm::SafeTensorsHeader header = hone::lm::read_safetensors(file, "file");
        for (const auto& [name, tensor] : header.tensors)
            hold(tensor.at >= file.data() && tensor.bytes <= file.size() &&
                     tensor.at + tensor.bytes <= file.data() + file.size(),
                 "a tensor lies in the file");
    } catch (const hone::Refused&) {
    }
    return 0;
}
