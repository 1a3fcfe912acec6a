// value.hpp: what a template computes with. Values are immutable, as transformers' sandbox has them; only a namespace
// changes.
#pragma once
#include <memory>
#include <variant>
#include "torch_lm/text/jinja/values/budget.hpp"
#include "torch_lm/text/jinja/values/text.hpp"

namespace hone::lm::jinja {

class Run;
class Arguments;
struct Value;
struct List;
struct Dict;

struct Undefined {
    std::shared_ptr<const std::string> why;  // "'x' is undefined"
};
struct None {};

// What has attributes of its own and is no data: a namespace, a loop, a macro, a method of a value. No list, dict or
// namespace holds one, so that values form no circle.
struct Object {
    virtual ~Object() = default;
    virtual const char* type() const = 0;
    virtual Value attribute(std::string_view name) const;
    virtual bool is_callable() const { return false; }
    virtual Value call(Run& run, const Arguments& arguments) const;
};

struct Value : std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const Text>,
                            std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Object>> {
    using variant::variant;
    template <class T> bool is() const { return std::holds_alternative<T>(*this); }
    template <class T> const T* as() const { return std::get_if<T>(this); }
    const Text* text() const { return pointer<const Text>(); }
    const List* list() const { return pointer<const List>(); }
    const Dict* dict() const { return pointer<const Dict>(); }
    Object* object() const { return pointer<Object>(); }
    bool is_number() const { return is<bool>() || is<std::int64_t>() || is<double>(); }

private:
    template <class T> T* pointer() const {
        const auto* held = std::get_if<std::shared_ptr<T>>(this);
        return held ? held->get() : nullptr;
    }
};

struct List {
    // keys, values, items: of a dict; generator: what filters such as map give, to be read once
    enum class Kind { list, tuple, keys, values, items, generator };
    std::vector<Value> items;
    Kind kind = Kind::list;
    std::size_t weight = 0;  // bytes, with all that it holds, counted as often as it is held
    int depth = 1;
    mutable bool was_read = false;
    bool has_length() const { return kind != Kind::generator; }
    bool has_index() const { return kind == Kind::list || kind == Kind::tuple; }
};

struct Dict {
    std::vector<std::pair<Value, Value>> items;  // in the order in which they were set; at most most_keys
    std::size_t weight = 0;
    int depth = 1;
    const Value* find(const Value& key) const;
};
inline constexpr std::size_t most_keys = 256;  // a dict is searched key by key

// Each charges what it makes and refuses what is too large.
Value make_text(Budget& budget, Text text);
Value make_list(Budget& budget, std::vector<Value> items, List::Kind kind = List::Kind::list);
Value make_dict(Budget& budget, std::vector<std::pair<Value, Value>> items);  // a later key wins, at the first's place
Value undefined(std::string why);
void extend(Budget& budget, Text& text, const Text& more);  // likewise

std::size_t weight(const Value& value);
int depth(const Value& value);
std::int32_t foreign_source(const Value& value);  // as Text's, of all that it holds
void check_is_data(const Value& value);           // refuses objects

}  // namespace hone::lm::jinja
