#include "base/json.hpp"
#include <charconv>
#include <string_view>

namespace hone {

namespace {

const Json* step(const Json& node, std::string_view key) {
    if (node.is_object()) {
        const auto found = node.find(key);
        return found == node.end() ? nullptr : &*found;
    }
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    const bool number = error == std::errc() && end == key.data() + key.size();
    return node.is_array() && number && index < node.size() ? &node[index] : nullptr;
}

}  // namespace

const Json* find_path(const Json& root, const std::string& path) {
    const Json* node = &root;
    std::string_view rest = path;
    while (node && !rest.empty()) {
        const std::size_t dot = rest.find('.');
        node = step(*node, rest.substr(0, dot));
        rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    return node;
}

}  // namespace hone
