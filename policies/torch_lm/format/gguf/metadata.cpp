#include "torch_lm/format/gguf/metadata.hpp"
#include <array>
#include <limits>
#include "hone/plugin.hpp"
#include "torch_lm/text/utf8.hpp"

namespace hone::lm::gguf {
namespace {

struct TypeFacts {
    const char* name;
    std::size_t bytes;  // a text: at least
};
constexpr std::array<TypeFacts, 13> types = {{{"a uint8", 1},
                                              {"an int8", 1},
                                              {"a uint16", 2},
                                              {"an int16", 2},
                                              {"a uint32", 4},
                                              {"an int32", 4},
                                              {"a float32", 4},
                                              {"a bool", 1},
                                              {"a text", 8},
                                              {"an array", 12},
                                              {"a uint64", 8},
                                              {"an int64", 8},
                                              {"a float64", 8}}};
constexpr std::size_t most_key_bytes = 65535,  // by the format
    least_entry = 8 + 4 + 1;                   // bytes of a key, its type and its value

const TypeFacts& facts(Type type) { return types[static_cast<std::size_t>(type)]; }

// For error texts; a key is made of any bytes.
std::string shown(std::string_view key) { return "\"" + first_words(repair_utf8(key)) + "\""; }

Type read_type(Cursor& cursor, std::string_view key) {
    const auto number = cursor.number<std::uint32_t>("the type of a value");
    if (number >= types.size())
        throw Refused(cursor.place() + ": metadata " + shown(key) + " has the unknown type " + std::to_string(number));
    return static_cast<Type>(number);
}

std::string_view read_elements(Cursor& cursor, Type type, std::uint64_t count) {
    if (type != Type::text) return cursor.take(count * facts(type).bytes, "a value");
    const std::size_t left = cursor.left();
    Cursor ahead = cursor;  // to find the end
    for (std::uint64_t i = 0; i < count; ++i) ahead.text("a text");
    return cursor.take(left - ahead.left(), "a text");
}

Value read_value(Cursor& cursor, std::string_view key) {
    Value value{read_type(cursor, key), false, 1, {}};
    if (value.type == Type::array) {
        value.is_array = true;
        value.type = read_type(cursor, key);
        if (value.type == Type::array)
            throw Refused(cursor.place() + ": metadata " + shown(key) +
                          " is an array of arrays, which is not supported");
        value.count = cursor.count("the length of an array", facts(value.type).bytes);
    }
    value.bytes = read_elements(cursor, value.type, value.count);
    return value;
}

bool is_whole(Type type) { return type <= Type::i32 || type == Type::u64 || type == Type::i64; }
bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }
bool is_number(Type type) { return is_whole(type) || is_float(type); }
bool is_flag(Type type) { return type == Type::flag; }
bool is_text(Type type) { return type == Type::text; }

// visit(number) with the C++ type that the value has.
template <class Visit> auto as_number(Cursor& at, Type type, const Visit& visit) {
    constexpr const char* what = "a value";
    switch (type) {
        case Type::u8:
            return visit(at.number<std::uint8_t>(what));
        case Type::i8:
            return visit(at.number<std::int8_t>(what));
        case Type::u16:
            return visit(at.number<std::uint16_t>(what));
        case Type::i16:
            return visit(at.number<std::int16_t>(what));
        case Type::u32:
            return visit(at.number<std::uint32_t>(what));
        case Type::i32:
            return visit(at.number<std::int32_t>(what));
        case Type::i64:
            return visit(at.number<std::int64_t>(what));
        case Type::f32:
            return visit(at.number<float>(what));
        case Type::f64:
            return visit(at.number<double>(what));
        default:
            return visit(at.number<std::uint64_t>(what));
    }
}

// Of a whole type. Beyond int64 is int64's largest, which is outside all bounds.
std::int64_t next_whole(Cursor& at, Type type) {
    return as_number(at, type, [](auto number) {
        if constexpr (std::is_same_v<decltype(number), std::uint64_t>)
            return static_cast<std::int64_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
        else if constexpr (std::is_floating_point_v<decltype(number)>) return std::int64_t{0};  // never asked
        else return static_cast<std::int64_t>(number);
    });
}

double next_number(Cursor& at, Type type) {
    return as_number(at, type, [](auto number) { return static_cast<double>(number); });
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const Character c = first_character(text);
        if (!c.whole) return false;
        text.remove_prefix(c.length);
    }
    return true;
}

}  // namespace

Metadata::Metadata(Cursor& cursor, std::uint64_t count) : place_(cursor.place()) {
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string_view key = cursor.text("a key");
        if (key.size() > most_key_bytes)
            throw Refused(place_ + ": a key has " + std::to_string(key.size()) + " bytes; the format allows " +
                          std::to_string(most_key_bytes));
        if (!values_.emplace(key, read_value(cursor, key)).second)
            throw Refused(place_ + ": has metadata " + shown(key) + " twice");
    }
}

const Value& Metadata::value(const std::string& key, bool is_array, const char* wanted, bool (*fits)(Type)) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw Refused(place_ + ": has no metadata " + shown(key));
    const Value& value = found->second;
    if (value.is_array != is_array || !fits(value.type))
        throw Refused(place_ + ": metadata " + shown(key) + " is " +
                      (value.is_array ? "an array of which each is " : "") + facts(value.type).name + ", not " +
                      wanted);
    return value;
}

std::string Metadata::text(const std::string& key) const {
    Cursor at(value(key, false, "a text", is_text).bytes, place_);
    const std::string_view text = at.text("a text");
    if (!is_utf8(text)) throw Refused(place_ + ": metadata " + shown(key) + " is not UTF-8");
    return std::string(text);
}

std::int64_t Metadata::whole(const std::string& key, std::int64_t least, std::int64_t most) const {
    const Value& found = value(key, false, "a whole number", is_whole);
    Cursor at(found.bytes, place_);
    const std::int64_t number = next_whole(at, found.type);
    if (number < least || number > most)
        throw Refused(place_ + ": metadata " + shown(key) + " is " + std::to_string(number) + ", not from " +
                      std::to_string(least) + " to " + std::to_string(most));
    return number;
}

double Metadata::number(const std::string& key) const {
    const Value& found = value(key, false, "a number", is_number);
    Cursor at(found.bytes, place_);
    return next_number(at, found.type);
}

bool Metadata::flag(const std::string& key) const { return value(key, false, "a bool", is_flag).bytes[0] != 0; }

std::vector<std::string> Metadata::texts(const std::string& key) const {
    const Value& found = value(key, true, "an array of texts", is_text);
    std::vector<std::string> texts;
    Cursor at(found.bytes, place_);
    for (std::uint64_t i = 0; i < found.count; ++i) {
        texts.emplace_back(at.text("a text"));
        if (!is_utf8(texts.back()))
            throw Refused(place_ + ": metadata " + shown(key) + ": text " + std::to_string(i) + " is not UTF-8");
    }
    return texts;
}

std::vector<std::int64_t> Metadata::wholes(const std::string& key) const {
    const Value& found = value(key, true, "an array of whole numbers", is_whole);
    std::vector<std::int64_t> numbers;
    Cursor at(found.bytes, place_);
    for (std::uint64_t i = 0; i < found.count; ++i) numbers.push_back(next_whole(at, found.type));
    return numbers;
}

std::vector<double> Metadata::numbers(const std::string& key) const {
    const Value& found = value(key, true, "an array of numbers", is_number);
    std::vector<double> numbers;
    Cursor at(found.bytes, place_);
    for (std::uint64_t i = 0; i < found.count; ++i) numbers.push_back(next_number(at, found.type));
    return numbers;
}

}  // namespace hone::lm::gguf
