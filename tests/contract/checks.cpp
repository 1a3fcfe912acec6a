// The contract of hone_checks, and of data made in the same memory: what they find, against loops that ask
// hone/checks.h for one element after the other, in every dtype.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include "base/random.hpp"
#include "contract.hpp"
#include "judge/correctness/numbers.hpp"
#include "judge/correctness/truth.hpp"

namespace hone::contract {
namespace {

constexpr std::int64_t n = 1000, row = 40;  // neither is a multiple of a neighbourhood
constexpr std::uint64_t part = 16384, data_key = 0x5eed;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

bool nearly(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-12 * (std::fabs(a) + std::fabs(b));
}
bool nearly(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return nearly(x, y); });
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

// The memory of a verifier, in parts: an answer, its truth, the local scale, what is found.
class Probe {
public:
    Probe(Contract& contract, int dtype)
        : contract_(contract),
          f_(contract.functions<hone_verifier>()),
          data_(contract.extension<hone_device_data>(HONE_EXT_DEVICE_DATA)),
          dtype_(dtype) {
        check(f_.reserve(contract.self(), 4 * part, 2, &at_), "reserve");
    }
    ~Probe() { f_.release(contract_.self(), at_); }
    Probe(const Probe&) = delete;

    void run() {
        fills_and_reads();
        if (is_float(dtype_)) measures();
        compares();
        counts();
    }

private:
    void check(hone_rc rc, const char* what) { expect(rc == HONE_OK, std::string(what) + ": " + contract_.error()); }
    void expect(bool met, const std::string& what) {
        contract_.expect(met, "memory, dtype " + std::to_string(dtype_) + ": " + what);
    }
    std::uint64_t at(int place) const { return at_ + static_cast<std::uint64_t>(place) * part; }
    hone_tensor tensor(int place, int dtype) const { return {at(place), dtype, 1, &n}; }
    void write(int place, const std::vector<double>& values, int dtype) {
        std::string bytes(values.size() * dtype_bytes(dtype), '\0');
        narrow(dtype, std::span<const double>(values), bytes.data());
        check(f_.write(contract_.self(), at(place), bytes.data(), bytes.size()), "write");
    }
    std::vector<double> read(int place, int dtype, std::size_t count = n) {
        std::string bytes(count * dtype_bytes(dtype), '\0');
        check(f_.read(contract_.self(), at(place), bytes.data(), bytes.size()), "read");
        return widened(dtype, bytes.data(), count);
    }
    template <class T> T found() {
        T result;
        check(f_.read(contract_.self(), at(3), &result, sizeof result), "read");
        return result;
    }

    void fills_and_reads() {
        const hone_tensor answer = tensor(0, dtype_);
        const hone_law law = is_float(dtype_) ? hone_law{int{HONE_LAW_NORMAL} | HONE_LAW_OUTLIERS, 40, 3}
                                              : hone_law{HONE_LAW_INDEX, dtype_ == HONE_BOOL ? 2.0f : 100.0f, 0};
        std::vector<double> values;
        for (std::uint64_t i = 0; i < n; ++i)
            values.push_back(dtype_ == HONE_F64 ? hone_input_f64(data_key, 2, i, n, law)
                                                : hone_input(data_key, 2, i, n, law, dtype_ == HONE_F16));
        std::string bytes(n * dtype_bytes(dtype_), '\0');
        narrow(dtype_, std::span<const double>(values), bytes.data());
        const std::vector<double> expected = widened(dtype_, bytes.data(), n);
        if (data_) {
            check(data_->fill(contract_.self(), &answer, data_key, 2, law.kind, law.scale, law.shift), "fill");
            expect(read(0, dtype_) == expected, "fill makes the inputs of hone/inputs.h");
        }
        check(f_.write(contract_.self(), at(0), bytes.data(), bytes.size()), "write");
        check(f_.checks->widen(contract_.self(), &answer, at(1)), "widen");
        expect(read(1, HONE_F64) == expected, "widen gives every element's value");
        if (!data_) return;
        const std::int64_t places[] = {0, n - 1, 63, 64};
        double gathered[4] = {};
        check(data_->gather(contract_.self(), &answer, places, 4, gathered), "gather");
        for (int i = 0; i < 4; ++i)
            expect(gathered[i] == expected[static_cast<std::size_t>(places[i])], "gather reads single elements");
    }

    // A truth with all that there is, and an answer to it.
    void make_pair() {
        Random random(7);
        truth_.clear(), answer_.clear();
        for (std::int64_t i = 0; i < n; ++i) {
            const double y = i % 7 ? 20 * random.uniform() - 10 : 0;
            truth_.push_back(is_float(dtype_) ? y : std::floor(std::fabs(y)));
            answer_.push_back(is_float(dtype_) ? truth_.back() * (1 + 0.01 * random.uniform()) : truth_.back());
        }
        const double odd[][2] = {{nan, nan},   {nan, 1}, {1, nan}, {infinity, infinity}, {infinity, -infinity},
                                 {2, infinity}};
        for (std::size_t i = 0; i < 6 && is_float(dtype_); ++i) truth_[70 + i] = odd[i][0], answer_[70 + i] = odd[i][1];
        write(1, truth_, HONE_F64);
        write(0, answer_, dtype_);
        answer_ = read(0, dtype_);  // rounded
    }

    void measures() {
        make_pair();
        const hone_tensor answer = tensor(0, dtype_);
        check(f_.checks->moments(contract_.self(), &answer, at(1), at(3)), "moments");
        const auto moments = found<hone_moments>();
        hone_moments expected{};
        for (std::size_t i = 0; i < n; ++i)
            if (std::isfinite(truth_[i]) && std::isfinite(answer_[i]))
                ++expected.compared, expected.sum += truth_[i], expected.squares += truth_[i] * truth_[i];
        expect(moments.compared == expected.compared && std::fabs(moments.sum - expected.sum) < 1e-9 &&
                   nearly(moments.squares, expected.squares),
               "moments are of elements that are finite in both");
        truth_ = read(1, HONE_F64);
        for (const std::size_t i : {71, 72, 74, 75})
            expect(hone_is_silent(truth_[i]), "moments silences what only one has");
        for (const std::size_t i : {70, 73}) expect(!hone_is_silent(truth_[i]), "moments keeps what both have");
        constexpr double usual = 1, roundoff = 0.3;
        check(f_.checks->local_scale(contract_.self(), at(1), n, row, usual, roundoff, at(2)), "local_scale");
        scale_ = read(2, HONE_F64, (n + HONE_NEAR - 1) / HONE_NEAR);
        expect(nearly(scale_, expected_scale(usual, roundoff)), "local_scale follows its rule");
    }

    std::vector<double> expected_scale(double usual, double roundoff) const {
        std::vector<double> scale;
        for (std::size_t begin = 0; begin < n; begin += HONE_NEAR) {
            std::vector<double> near;
            for (std::size_t i = begin; i < std::min<std::size_t>(n, begin + HONE_NEAR); ++i)
                if (std::isfinite(truth_[i])) near.push_back(std::fabs(truth_[i]));
            scale.push_back(std::max(usual, median(near)));
        }
        for (std::size_t first = 0; first < n; first += row) {
            double squares = 0, finite = 0;
            for (std::size_t i = first; i < first + row; ++i)
                if (std::isfinite(truth_[i])) squares += truth_[i] * truth_[i], finite += 1;
            for (std::size_t i = first; i < first + row; ++i)
                scale[i / HONE_NEAR] = std::max(scale[i / HONE_NEAR], roundoff * std::sqrt(squares / finite));
        }
        return scale;
    }

    // Some elements are wrong and some were never written; behind measures().
    void compares() {
        if (!is_float(dtype_)) make_pair(), scale_.assign((n + HONE_NEAR - 1) / HONE_NEAR, 0);
        const std::uint32_t word = poison_word(dtype_, 0x1234567);
        std::string bytes(n * dtype_bytes(dtype_), '\0');
        narrow(dtype_, std::span<const double>(answer_), bytes.data());
        const std::string poison = repeated(word, bytes.size());
        for (const std::size_t i : {5, 64, 700, 999})
            bytes.replace(i * dtype_bytes(dtype_), dtype_bytes(dtype_), poison, i * dtype_bytes(dtype_),
                          dtype_bytes(dtype_));
        check(f_.write(contract_.self(), at(0), bytes.data(), bytes.size()), "write");
        const std::vector<double> got = widened(dtype_, bytes.data(), n);
        const hone_comparison with{at(1), at(2), {0.004, 1e-3, !is_float(dtype_)}, word, 1};
        hone_errors expected{};
        for (std::size_t i = 0; i < n; ++i) {
            const hone_look look = hone_look_at(truth_[i], got[i], scale_[i / HONE_NEAR], with.allowed);
            expected.compared += static_cast<std::uint64_t>(look.compared);
            if (look.fault) ++expected.faults[look.fault];
            expected.squares += look.error * look.error, expected.relative += look.d * look.d;
            expected.worst = std::max(expected.worst, look.d);
            expected.unwritten += bytes.compare(i * dtype_bytes(dtype_), dtype_bytes(dtype_), poison,
                                                i * dtype_bytes(dtype_), dtype_bytes(dtype_)) == 0 &&
                                  (is_float(dtype_) || got[i] != truth_[i]);
        }
        const hone_tensor answer = tensor(0, dtype_);
        check(f_.checks->compare(contract_.self(), &answer, &with, at(3)), "compare");
        const auto errors = found<hone_errors>();
        expect(errors.compared == expected.compared && errors.unwritten == expected.unwritten &&
                   std::equal(errors.faults, errors.faults + HONE_FAULTS, expected.faults),
               "compare counts elements, faults and what was not written");
        expect(nearly(errors.squares, expected.squares) && nearly(errors.relative, expected.relative) &&
                   nearly(errors.worst, expected.worst),
               "compare sums the errors");
    }

    void counts() {
        const std::uint64_t zero[2] = {};
        check(f_.write(contract_.self(), at(3), zero, sizeof zero), "write");
        const std::string words = repeated(0x01020304, 4096);
        for (const int place : {0, 1})
            check(f_.write(contract_.self(), at(place), words.data(), words.size()), "write");
        check(f_.checks->copy(contract_.self(), at(2), at(0), words.size()), "copy");
        for (const std::uint64_t changed : {3u, 17u, 4001u})
            check(f_.write(contract_.self(), at(2) + changed, "\x7f", 1), "write");
        check(f_.checks->differ(contract_.self(), at(2), at(1), 4001, at(3)), "differ");
        check(f_.checks->strays(contract_.self(), at(2), words.size(), 0x01020304, at(3) + 8), "strays");
        std::uint64_t both[2];
        check(f_.read(contract_.self(), at(3), both, sizeof both), "read");
        expect(both[0] == 2, "differ counts bytes up to the last one");
        expect(both[1] == 3, "strays counts other words");
    }

    Contract& contract_;
    const hone_verifier& f_;
    const hone_device_data* data_;
    int dtype_;
    std::uint64_t at_ = 0;
    std::vector<double> truth_, answer_, scale_;
};

}  // namespace

void check_checks(Contract& contract) {
    for (int dtype = HONE_F64; dtype <= HONE_BOOL; ++dtype) Probe(contract, dtype).run();
}

}  // namespace hone::contract
