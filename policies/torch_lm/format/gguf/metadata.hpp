// metadata.hpp: the keys of a GGUF file and their values, typed.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "torch_lm/format/gguf/cursor.hpp"

namespace hone::lm::gguf {

enum class Type : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, flag, text, array, u64, i64, f64 };

// Where a value lies; checked when it was read.
struct Value {
    Type type;  // of an array: of its elements
    bool is_array;
    std::uint64_t count;     // 1, or that of the elements
    std::string_view bytes;  // all of them
};

class Metadata {
public:
    // Reads count keys with their values. Throws Refused. Arrays of arrays, which no writer makes, are refused.
    Metadata(Cursor& cursor, std::uint64_t count);
    bool has(const std::string& key) const { return values_.contains(key); }
    const std::string& place() const { return place_; }
    // Each throws Refused, with the key, where there is none, or one of another type or outside its bounds.
    std::string text(const std::string& key) const;
    std::int64_t whole(const std::string& key, std::int64_t least, std::int64_t most) const;
    double number(const std::string& key) const;
    bool flag(const std::string& key) const;
    std::vector<std::string> texts(const std::string& key) const;  // valid UTF-8
    std::vector<std::int64_t> wholes(const std::string& key) const;
    std::vector<double> numbers(const std::string& key) const;
    // With what an absent key stands for.
    std::string text(const std::string& key, const std::string& absent) const { return has(key) ? text(key) : absent; }
    std::int64_t whole(const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most) const {
        return has(key) ? whole(key, least, most) : absent;
    }
    double number(const std::string& key, double absent) const { return has(key) ? number(key) : absent; }
    bool flag(const std::string& key, bool absent) const { return has(key) ? flag(key) : absent; }

private:
    const Value& value(const std::string& key, bool is_array, const char* wanted, bool (*fits)(Type)) const;
    std::string place_;
    std::map<std::string, Value> values_;
};

}  // namespace hone::lm::gguf
