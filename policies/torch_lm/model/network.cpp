#include "torch_lm/model/network.hpp"

namespace hone::lm {

std::unique_ptr<Network> make_network(const Model& model) {
    return model.place.torch ? make_transformer(model) : make_host_network(model);
}

bool known_to_host(const Config& c) { return !c.qkv_bias && !c.qk_norm; }

}  // namespace hone::lm
