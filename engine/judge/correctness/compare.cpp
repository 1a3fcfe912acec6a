#include "judge/correctness/compare.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include "judge/correctness/numbers.hpp"

namespace hone {
namespace {

using Elements = std::vector<std::size_t>;

constexpr std::size_t least_cluster = 8;  // fewer scattered elements may lie together by chance

constexpr double large_error = 1e-2;

// "about 1e-2": the power of ten below. Where inputs or shape are secret a program could tell them by the errors that
// it makes: two classes.
std::string bucket(double relative, bool open) {
    if (!open) return relative < large_error ? "below 1e-2" : "1e-2 or more";
    const int power = static_cast<int>(std::floor(std::log10(std::max(relative, 1e-12))));
    return power >= 3 ? "1e3 or more" : "about 1e" + std::to_string(power);
}

// In three classes where a program could tell secrets by how many elements it spoils.
std::string share(std::size_t part, std::size_t whole, bool open) {
    if (part == whole) return "all";
    if (!open) return 2 * part > whole ? "most" : "some";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return percent < 1    ? "less than 1 %"
           : percent > 99 ? "more than 99 %"
                          : std::to_string(static_cast<int>(percent)) + " %";
}

std::vector<std::int64_t> coordinates(const Truth& truth, std::size_t element) {
    std::vector<std::int64_t> index(truth.shape.size());
    auto rest = static_cast<std::int64_t>(element);
    for (std::size_t d = index.size(); d-- > 0; rest /= truth.shape[d]) index[d] = rest % truth.shape[d];
    return index;
}

std::string part_of_dimension(const Truth& truth, std::size_t d, bool start, bool end) {
    static constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
    const bool line = truth.shape.size() == 1;
    const std::string of =
        line ? "the output" : std::string("the ") + ordinals[std::min<std::size_t>(d, 5)] + " dimension";
    std::string text = ", all ";
    text += end ? "near the end of " : start ? "near the start of " : "in one part of ";
    return text += of;
}

// Where wrong elements lie together, as a skipped tile or tail leaves them: "", or ", all near the end of the second
// dimension". Of secret inputs that end alone is told.
std::string cluster(const Truth& truth, const Elements& wrong, bool open) {
    if (wrong.size() < least_cluster) return "";
    std::vector<std::int64_t> least = coordinates(truth, wrong[0]), most = least;
    for (const std::size_t element : wrong) {
        const std::vector<std::int64_t> at = coordinates(truth, element);
        for (std::size_t d = 0; d < at.size(); ++d) {
            least[d] = std::min(least[d], at[d]);
            most[d] = std::max(most[d], at[d]);
        }
    }
    std::size_t best = 0;
    double smallest = 1;
    for (std::size_t d = 0; d < least.size(); ++d) {
        const double part = static_cast<double>(most[d] - least[d] + 1) / static_cast<double>(truth.shape[d]);
        if (part < smallest) smallest = part, best = d;
    }
    const bool at_end = most[best] == truth.shape[best] - 1;
    return smallest > 0.5 || !(open || at_end) ? "" : part_of_dimension(truth, best, least[best] == 0, at_end);
}

std::string text_of(double value, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

// "; o[3,17] is 0.25, not 0.31"
std::string example(const Truth& truth, std::size_t element, double got) {
    std::string index;
    for (const std::int64_t i : coordinates(truth, element)) index += (index.empty() ? "[" : ",") + std::to_string(i);
    int digits = 6;
    while (digits < 17 && text_of(got, digits) == text_of(truth.values[element], digits)) ++digits;
    return "; " + truth.name + (index.empty() ? "" : index + "]") + " is " + text_of(got, digits) + ", not " +
           text_of(truth.values[element], digits);
}

// Whether the n elements at `got` hold the poison anywhere: of all calls, so most blocks are asked this way alone.
bool any_untouched(const char* got, const char* untouched, std::size_t n, std::size_t width) {
    std::uint64_t same = 0;
    const auto count = [&](auto zero) {
        for (std::size_t i = 0; i < n; ++i) {
            auto a = zero, b = zero;
            std::memcpy(&a, got + i * width, sizeof a);
            std::memcpy(&b, untouched + i * width, sizeof b);
            same += a == b;
        }
    };
    if (width == 4) count(std::uint32_t());
    else if (width == 8) count(std::uint64_t());
    else if (width == 2) count(std::uint16_t());
    else count(std::uint8_t());
    return same != 0;
}

Elements find_untouched(const Truth& truth, const std::string& got, const std::string& untouched) {
    Elements left;
    if (untouched.empty()) return left;
    const std::size_t width = dtype_bytes(truth.dtype), all = truth.values.size();
    for (std::size_t begin = 0; begin < all; begin += HONE_NEAR) {
        const std::size_t end = std::min<std::size_t>(begin + HONE_NEAR, all);
        if (!any_untouched(got.data() + begin * width, untouched.data() + begin * width, end - begin, width)) continue;
        for (std::size_t i = begin; i < end; ++i) {
            if (std::memcmp(got.data() + i * width, untouched.data() + i * width, width) != 0) continue;
            // a whole number may happen to be the poison's value
            if (is_float(truth.dtype) || widened_at(truth.dtype, got.data() + i * width) != truth.values[i])
                left.push_back(i);
        }
    }
    return left;
}

struct Errors {
    Elements not_finite, not_nan, not_infinite, wrong;
    Elements& at(int fault) {
        return fault == HONE_NOT_FINITE     ? not_finite
               : fault == HONE_NOT_NAN      ? not_nan
               : fault == HONE_NOT_INFINITE ? not_infinite
                                            : wrong;
    }
    std::size_t compared = 0;                     // elements with a finite truth
    double squares = 0, relative = 0, worst = 0;  // sums of squared errors and of squared d; the largest d
};

void add_elements(Errors& errors, const Truth& truth, const double* got, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const hone_look look = truth.look_at(i, got[i]);
        errors.compared += static_cast<std::size_t>(look.compared);
        if (look.fault != HONE_FINE) errors.at(look.fault).push_back(i);
        errors.squares += look.error * look.error;
        errors.relative += look.d * look.d;
        errors.worst = std::max(errors.worst, look.d);
    }
}

// The same of one neighbourhood without branches, so that the compiler makes vectors of it: every timed call is
// compared whole. false: some element is no number, or wrong, and must be looked at alone.
bool add_neighbourhood(Errors& errors, const Truth& truth, const double* got, std::size_t begin, std::size_t n) {
    const double *const y = truth.values.data() + begin, size = truth.sizes[begin / HONE_NEAR], least = truth.least;
    double squares[4] = {}, relative[4] = {}, worst[4] = {};
    double finite = 0;  // 0 times a number; NaN of anything else
    for (std::size_t i = 0; i < n; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const double error = std::fabs(got[begin + i + lane] - y[i + lane]), beyond = std::max(error - least, 0.0);
            const double d = beyond / (std::fabs(y[i + lane]) + size + HONE_NO_SIZE);
            finite += 0 * error;
            squares[lane] += error * error;
            relative[lane] += d * d;
            worst[lane] = std::max(worst[lane], d);
        }
    const double most = std::max(std::max(worst[0], worst[1]), std::max(worst[2], worst[3]));
    if (finite != 0 || !(most <= truth.element_allowed)) return false;
    errors.compared += n;
    errors.squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    errors.relative += (relative[0] + relative[1]) + (relative[2] + relative[3]);
    errors.worst = std::max(errors.worst, most);
    return true;
}

Errors measure_errors(const Truth& truth, const std::vector<double>& got) {
    Errors errors;
    for (std::size_t begin = 0; begin < got.size(); begin += HONE_NEAR) {
        const std::size_t end = std::min<std::size_t>(begin + HONE_NEAR, got.size());
        const bool whole = end - begin == HONE_NEAR && !truth.sizes.empty();
        if (!whole || !add_neighbourhood(errors, truth, got.data(), begin, HONE_NEAR))
            add_elements(errors, truth, got.data(), begin, end);
    }
    return errors;
}

class Report {
public:
    Report(const Truth& truth, const std::vector<double>& got, const std::string& where, bool open)
        : truth_(truth), got_(got), where_(where), open_(open) {}

    std::optional<Mismatch> of(const Errors& e) const {
        const std::size_t all = truth_.values.size();
        if (!e.not_finite.empty())
            return some("not finite", "is NaN or infinite in ", e.not_finite, e.compared, " of its elements");
        if (!e.not_nan.empty())
            return some("nan mask", "is not NaN in ", e.not_nan, all, " of its elements, which must be");
        if (!e.not_infinite.empty())
            return some("inf mask", "is not the infinity that it must be in ", e.not_infinite, all, " of its elements");
        if (!e.wrong.empty()) {
            const std::string size =
                is_float(truth_.dtype) ? ": the largest error is " + bucket(e.worst, open_) + " of its size" : "";
            return some("wrong elements", "is wrong in ", e.wrong, e.compared, " of its elements", size);
        }
        return e.compared && is_float(truth_.dtype) ? on_average(e) : std::nullopt;
    }

    // What stands there is no answer: no example.
    Mismatch unwritten(const Elements& left) const {
        const std::size_t all = truth_.values.size();
        return whole("unwritten", "is not written in " + share(left.size(), all, open_) + " of its elements" +
                                      cluster(truth_, left, open_));
    }

private:
    Mismatch some(const char* property, const char* how, const Elements& elements, std::size_t of, const char* rest,
                  const std::string& size = "") const {
        const std::string values = open_ ? example(truth_, elements[0], got_[elements[0]]) : "";
        return whole(property,
                     how + share(elements.size(), of, open_) + rest + cluster(truth_, elements, open_) + size + values);
    }

    Mismatch whole(const char* property, const std::string& how) const {
        return {property, "output \"" + truth_.name + "\" " + how + " (" + where_ + ")"};
    }

    std::optional<Mismatch> on_average(const Errors& e) const {
        const auto n = static_cast<double>(e.compared);
        const double relative = std::sqrt(e.relative / n);
        if (relative > truth_.mean_allowed)
            return whole("imprecise", "is not precise enough" +
                                          (open_ ? ": its error is " + bucket(relative, open_) + " of its size" : ""));
        if (std::sqrt(e.squares / n) > truth_.centred_allowed)
            return whole("does not vary", "does not follow its inputs: it explains less than 99 % of the variance");
        return std::nullopt;
    }

    const Truth& truth_;
    const std::vector<double>& got_;
    const std::string& where_;
    bool open_;
};

}  // namespace

std::optional<Mismatch> compare(const Truth& truth, const std::string& got, const std::string& untouched,
                                const std::string& where, bool open) {
    const Elements left = find_untouched(truth, got, untouched);
    if (!left.empty()) return Report(truth, {}, where, open).unwritten(left);
    const std::vector<double> numbers = widened(truth.dtype, got.data(), truth.values.size());
    return Report(truth, numbers, where, open).of(measure_errors(truth, numbers));
}

}  // namespace hone
