// config_json.hpp: values of a config.json, checked.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>
#include "torch_lm/format/config.hpp"

namespace hone::lm {

// An object of a config.json, for error texts with its place. A key whose value is null counts as absent.
class ConfigJson {
public:
    ConfigJson(const nlohmann::json& root, std::string place) : root_(root), place_(std::move(place)) {}
    bool has(const char* key) const { return root_.contains(key) && !root_[key].is_null(); }
    const nlohmann::json& at(const char* key) const { return root_[key]; }
    const std::string& place() const { return place_; }
    // Each throws Refused for a value of another type or outside its bounds.
    std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const;  // there must be one
    std::int64_t whole(const char* key, std::int64_t absent, std::int64_t least, std::int64_t most) const;
    double number(const char* key) const;  // there must be one
    double number(const char* key, double absent) const;
    bool flag(const char* key, bool absent) const;
    std::string text(const char* key, const std::string& absent) const;
    std::vector<std::int64_t> wholes(const char* key) const;  // one or a list
    void must_be(const char* key, const nlohmann::json& wanted) const;

private:
    void refuse(const char* key, const std::string& wanted) const;
    const nlohmann::json& root_;
    std::string place_;
};

// rope_theta and the scaling, of rope_parameters (transformers 5), or of rope_theta and rope_scaling.
void read_rope(const ConfigJson& root, Config& config);
void write_rope(const Config& config, nlohmann::ordered_json& root);

}  // namespace hone::lm
