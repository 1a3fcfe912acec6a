#include <cmath>
#include "torch_lm/text/jinja/values/operators.hpp"

namespace hone::lm::jinja {
namespace {

using Whole = std::int64_t;

[[noreturn]] void too_large() { throw Fault("a number leaves the range of 64 bits; compute with smaller ones"); }
[[noreturn]] void by_zero() { throw Fault("a division by zero; ask for the divisor first"); }

Whole whole(const Value& number) {
    const bool* flag = number.as<bool>();
    return flag ? *flag : std::get<Whole>(number);
}

Whole power(Whole base, Whole exponent) {
    Whole result = 1;
    for (; exponent > 0; --exponent) {
        if (result == 0 || (result == 1 && base == 1)) return result;
        if (base == -1) return exponent % 2 ? -result : result;
        if (__builtin_mul_overflow(result, base, &result)) too_large();
    }
    return result;
}

Value calculate_whole(std::string_view sign, Whole a, Whole b);

// As Python: the remainder has the sign of the divisor, the quotient goes down.
Value divide_down(Whole a, Whole b, bool remainder) {
    if (b == 0) by_zero();
    if (b == -1) return remainder ? Value(Whole{0}) : calculate_whole("-", 0, a);
    const bool down = a % b != 0 && (a % b < 0) != (b < 0);
    return remainder ? a % b + (down ? b : 0) : a / b - down;
}

Value calculate_whole(std::string_view sign, Whole a, Whole b) {
    Whole result = 0;
    if (sign == "//" || sign == "%") return divide_down(a, b, sign == "%");
    if (sign == "**") return power(a, b);
    const bool fits = sign == "+"   ? !__builtin_add_overflow(a, b, &result)
                      : sign == "-" ? !__builtin_sub_overflow(a, b, &result)
                                    : !__builtin_mul_overflow(a, b, &result);
    if (!fits) too_large();
    return result;
}

Value calculate_real(std::string_view sign, double a, double b) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "**") {
        if (a == 0 && b < 0) by_zero();
        if (a < 0 && b != std::floor(b)) throw Fault("a root of a negative number; compute with a positive one");
        return std::pow(a, b);
    }
    if (b == 0) by_zero();
    if (sign == "/") return a / b;
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    if (sign == "%") return rest == 0 ? std::copysign(0.0, b) : rest;
    return std::round((a - rest) / b);
}

Value repeat(Budget& budget, const Value& what, Whole times) {
    const std::size_t n = times < 0 ? 0 : static_cast<std::size_t>(times);
    const std::size_t size = what.text() ? what.text()->size() : what.list()->items.size();
    if (size && n > most_bytes / size)
        throw Fault("a text or list is repeated too often; at most 64 MiB can come of it");
    budget.charge(n);
    Text text;
    std::vector<Value> items;
    for (std::size_t i = 0; i < n && size; ++i) {
        if (what.text()) text.append(*what.text());
        else items.insert(items.end(), what.list()->items.begin(), what.list()->items.end());
    }
    return what.text() ? make_text(budget, std::move(text)) : make_list(budget, std::move(items), what.list()->kind);
}

Value join(Budget& budget, const List& a, const List& b) {
    std::vector<Value> items = a.items;
    items.insert(items.end(), b.items.begin(), b.items.end());
    return make_list(budget, std::move(items), a.kind);
}

bool is_sequence(const Value& value) { return value.text() || (value.list() && value.list()->has_index()); }

bool is_whole(const Value& value) { return value.is<bool>() || value.is<Whole>(); }

}  // namespace

Value calculate(Budget& budget, std::string_view sign, const Value& a, const Value& b) {
    if (is_whole(a) && is_whole(b) && sign != "/" && !(sign == "**" && whole(b) < 0))
        return calculate_whole(sign, whole(a), whole(b));
    if (a.is_number() && b.is_number()) return calculate_real(sign, to_double(a), to_double(b));
    if (sign == "+" && a.text() && b.text()) {
        Text text = *a.text();
        text.append(*b.text());
        return make_text(budget, std::move(text));
    }
    if (sign == "+" && is_sequence(a) && is_sequence(b) && a.list() && b.list() && a.list()->kind == b.list()->kind)
        return join(budget, *a.list(), *b.list());
    if (sign == "*" && is_sequence(a) && is_whole(b)) return repeat(budget, a, whole(b));
    if (sign == "*" && is_sequence(b) && is_whole(a)) return repeat(budget, b, whole(a));
    for (const Value* value : {&a, &b})
        if (const Undefined* none = value->as<Undefined>()) throw Fault(*none->why + "; ask \"is defined\" first");
    throw Fault(type_of(a) + " " + std::string(sign) + " " + type_of(b) +
                " cannot be computed; convert one of them (|string, |int), or join texts with ~");
}

Value negative(const Value& value) {
    if (value.is<double>()) return -std::get<double>(value);
    if (is_whole(value)) return calculate_whole("-", 0, whole(value));
    if (const Undefined* none = value.as<Undefined>()) throw Fault(*none->why + "; ask \"is defined\" first");
    throw Fault("-" + type_of(value) + " cannot be computed; convert it with |int");
}

}  // namespace hone::lm::jinja
