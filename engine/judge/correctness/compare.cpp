#include "judge/correctness/compare.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
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

std::vector<std::int64_t> coordinates(const FetchedTruth& truth, std::size_t element) {
    std::vector<std::int64_t> index(truth.spec.shape.size());
    auto rest = static_cast<std::int64_t>(element);
    for (std::size_t d = index.size(); d-- > 0; rest /= truth.spec.shape[d]) index[d] = rest % truth.spec.shape[d];
    return index;
}

std::string part_of_dimension(const FetchedTruth& truth, std::size_t d, bool start, bool end) {
    static constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
    const bool line = truth.spec.shape.size() == 1;
    const std::string of =
        line ? "the output" : std::string("the ") + ordinals[std::min<std::size_t>(d, 5)] + " dimension";
    std::string text = ", all ";
    text += end ? "near the end of " : start ? "near the start of " : "in one part of ";
    return text += of;
}

// Where wrong elements lie together, as a skipped tile or tail leaves them: "", or ", all near the end of the second
// dimension". Of secret inputs that end alone is told.
std::string cluster(const FetchedTruth& truth, const Elements& wrong, bool open) {
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
        const double part = static_cast<double>(most[d] - least[d] + 1) / static_cast<double>(truth.spec.shape[d]);
        if (part < smallest) smallest = part, best = d;
    }
    const bool at_end = most[best] == truth.spec.shape[best] - 1;
    return smallest > 0.5 || !(open || at_end) ? "" : part_of_dimension(truth, best, least[best] == 0, at_end);
}

std::string text_of(double value, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

// "; o[3,17] is 0.25, not 0.31"
std::string example(const FetchedTruth& truth, std::size_t element, double got) {
    std::string index;
    for (const std::int64_t i : coordinates(truth, element)) index += (index.empty() ? "[" : ",") + std::to_string(i);
    int digits = 6;
    while (digits < 17 && text_of(got, digits) == text_of(truth.values[element], digits)) ++digits;
    return "; " + truth.spec.name + (index.empty() ? "" : index + "]") + " is " + text_of(got, digits) + ", not " +
           text_of(truth.values[element], digits);
}

// The elements of a fault, and those that nobody wrote.
struct Places {
    Elements unwritten, faulty[HONE_FAULTS];
};

Places find_places(const FetchedTruth& truth, const std::vector<double>& numbers, const std::string& got,
                   std::optional<std::uint32_t> poison) {
    Places places;
    const std::string untouched = poison ? repeated(*poison, got.size()) : "";
    const std::size_t width = dtype_bytes(truth.spec.dtype);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const int fault = truth.look_at(i, numbers[i]).fault;
        if (fault != HONE_FINE) places.faulty[fault].push_back(i);
        if (poison && (!truth.bounds.each.exact || fault != HONE_FINE) &&
            got.compare(i * width, width, untouched, i * width, width) == 0)
            places.unwritten.push_back(i);
    }
    return places;
}

class Report {
public:
    Report(const FetchedTruth& truth, const std::vector<double>& got, const Places& places, const std::string& where,
           bool open)
        : truth_(truth), got_(got), places_(places), where_(where), open_(open) {}

    Mismatch of(const hone_errors& e) const {
        // a wrong byte is the poison's in one of 256 elements
        const bool by_chance = truth_.bounds.each.exact && 2 * e.unwritten < e.faults[HONE_WRONG];
        if (e.unwritten && !by_chance)  // what stands there is no answer: no example
            return whole("unwritten", "is not written in " + share(e.unwritten, all(), open_) + " of its elements" +
                                          cluster(truth_, places_.unwritten, open_));
        if (e.faults[HONE_NOT_FINITE])
            return some("not finite", "is NaN or infinite in ", e, HONE_NOT_FINITE, e.compared, " of its elements");
        if (e.faults[HONE_NOT_NAN])
            return some("nan mask", "is not NaN in ", e, HONE_NOT_NAN, all(), " of its elements, which must be");
        if (e.faults[HONE_NOT_INFINITE])
            return some("inf mask", "is not the infinity that it must be in ", e, HONE_NOT_INFINITE, all(),
                        " of its elements");
        if (!e.faults[HONE_WRONG]) return on_average(e);
        const std::string size =
            truth_.bounds.each.exact ? "" : ": the largest error is " + bucket(e.worst, open_) + " of its size";
        return some("wrong elements", "is wrong in ", e, HONE_WRONG, e.compared, " of its elements", size);
    }

private:
    std::size_t all() const { return truth_.values.size(); }

    Mismatch some(const char* property, const char* how, const hone_errors& e, int fault, std::size_t of,
                  const char* rest, const std::string& size = "") const {
        const Elements& at = places_.faulty[fault];
        const std::string values = open_ && !at.empty() ? example(truth_, at[0], got_[at[0]]) : "";
        return whole(property,
                     how + share(e.faults[fault], of, open_) + rest + cluster(truth_, at, open_) + size + values);
    }

    Mismatch whole(const char* property, const std::string& how) const {
        return {property, "output \"" + truth_.spec.name + "\" " + how + " (" + where_ + ")"};
    }

    Mismatch on_average(const hone_errors& e) const {
        const double relative = std::sqrt(e.relative / static_cast<double>(e.compared));
        if (relative > truth_.bounds.mean)
            return whole("imprecise", "is not precise enough" +
                                          (open_ ? ": its error is " + bucket(relative, open_) + " of its size" : ""));
        return whole("does not vary", "does not follow its inputs: it explains less than 99 % of the variance");
    }

    const FetchedTruth& truth_;
    const std::vector<double>& got_;
    const Places& places_;
    const std::string& where_;
    bool open_;
};

}  // namespace

Mismatch mismatch_of(const FetchedTruth& truth, const hone_errors& errors, const std::string& got,
                     std::optional<std::uint32_t> poison, const std::string& where, bool open) {
    const std::vector<double> numbers = widened(truth.spec.dtype, got.data(), truth.values.size());
    return Report(truth, numbers, find_places(truth, numbers, got, poison), where, open).of(errors);
}

}  // namespace hone
