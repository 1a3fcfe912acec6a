// A config.json (policies/torch_lm/format/config.hpp): what is read can be written and read again.
#include <nlohmann/json.hpp>
#include "hone/plugin.hpp"
#include "property.hpp"
#include "torch_lm/format/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto json = nlohmann::json::parse(hone::fuzz::view(bytes, size), nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return 0;
    try {
        const hone::lm::Config config = hone::lm::read_config(json, "file");
        hone::fuzz::hold(config.heads % config.kv_heads == 0 && config.head_width % 2 == 0, "heads fit");
        const auto written = hone::lm::write_config(config);
        hone::fuzz::hold(hone::lm::write_config(hone::lm::read_config(nlohmann::json(written), "again")) == written,
                         "a config comes back");
    } catch (const hone::Refused&) {
    }
    return 0;
}
