// One value of an evaluated plan and where it stands, so that every refusal names its place. The data comes from a
// process that ran hostile text: nothing is taken that was not asked for by type and bounds.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace hone::cuda {

using Json = nlohmann::json;

struct PlanError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Field {
public:
    Field(const Json& value, std::string place) : value_(&value), place_(std::move(place)) {}

    [[noreturn]] void refuse(const std::string& reason) const {
        throw PlanError(place_.empty() ? reason : place_ + ": " + reason);
    }
    Field in(const std::string& place) const { return {*value_, joined(place)}; }  // the same value under a better name

    bool is_text() const { return value_->is_string(); }
    bool is_number() const { return value_->is_number(); }
    bool is_table() const { return value_->is_object(); }
    bool has(const char* name) const { return is_table() && value_->contains(name); }
    Field at(const std::string& name) const;                   // refuses its absence
    std::size_t count() const;                                 // elements of a list; refuses holes
    Field element(std::size_t i) const;                        // from 0
    std::vector<std::pair<std::string, Field>> named() const;  // what is no element of a list
    void only(std::initializer_list<const char*> names) const;

    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    std::int64_t integer(const char* name, std::int64_t preset, std::int64_t least, std::int64_t most) const {
        return has(name) ? at(name).integer(least, most) : preset;
    }
    const std::string& text() const;
    bool flag(const char* name) const;  // false if absent
    const Json& value() const { return *value_; }

private:
    std::string joined(const std::string& place) const { return place_.empty() ? place : place_ + ": " + place; }
    const Json* value_;
    std::string place_;
};

// "a, b, c"
std::string listed(const std::vector<std::string>& names);

}  // namespace hone::cuda
