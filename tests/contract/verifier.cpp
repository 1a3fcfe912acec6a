// The contract of a verifier: memory, data made on the device, checks, candidates that can be built and such that
// cannot. Where there is no device, what needs one is left out, and said so.
#include <cmath>
#include <cstring>
#include <numeric>
#include "contract.hpp"
#include "domain/candidate.hpp"
#include "domain/judgement.hpp"
#include "hone/inputs.h"
#include "parts/timed_kinds.hpp"

namespace hone::contract {

namespace {

class Checker {
public:
    explicit Checker(Contract& contract) : contract_(contract), f_(contract.functions<hone_verifier>()) {}

    void check() {
        check_takes(contract_);
        check_brief();
        if (HONE_OFFERS(&f_, facts)) check_facts(contract_, f_.facts);
        hone_device device{};
        device.size = sizeof device;
        const hone_rc rc = contract_.call("device", [&] { return f_.device(self(), &device); });
        contract_.expect(rc == HONE_OK || rc == HONE_FAILED, "device: is there, or FAILED");
        if (rc != HONE_OK) return need_device();
        contract_.expect(device.kind && *device.kind, "device: names its kind");
        if (device.kind && !timed_kinds().contains(device.kind)) tell_untimed(device.kind);
        check_memory();
        if (const auto* data = contract_.extension<hone_device_data>(HONE_EXT_DEVICE_DATA)) check_data(*data);
        check_checks(contract_);
        if (const auto* probe = contract_.extension<hone_probe>(HONE_EXT_PROBE)) check_probe(*probe);
        check_bad_candidate();
        if (brief_.contains("empty")) check_empty_candidate();
        else need_empty();
    }

private:
    void need_device() {
        std::printf("device: %s; what needs one was not asked\n", error());
        for (const char* one : {"reserve", "release", "write", "read", "checks", "open", "close", "launch", "wait"})
            contract_.not_asked(one);
    }
    void need_empty() {
        std::printf(
            "launch, wait: not asked, because brief tells no program that does nothing (\"empty\"); the judge takes no "
            "time off for the way to a program then\n");
        for (const char* one : {"launch", "wait"}) contract_.not_asked(one);
    }
    static void tell_untimed(const std::string& kind) {
        std::string list;
        for (const std::string& known : timed_kinds()) list += (list.empty() ? "" : ", ") + known;
        std::printf("device: no timer here times a device of kind \"%s\"; kinds: %s\n", kind.c_str(), list.c_str());
    }
    void* self() const { return contract_.self(); }
    const char* error() const { return contract_.error().c_str(); }
    void succeeds(const char* function, const std::function<hone_rc()>& body) {
        const hone_rc rc = contract_.call(function, body);
        contract_.expect(rc == HONE_OK, std::string(function) + ": " + error());
    }

    void check_brief() {
        Collect out;
        const Lent task(sample_task(), "hone.Task");
        const hone_rc rc = contract_.call("brief", [&] { return f_.brief(self(), task.doc(), out.out()); });
        contract_.expect(rc == HONE_OK, std::string("brief: needs neither device nor bench (") + error() + ")");
        brief_ = out.json();
        check_readable(contract_, brief_, "verifier.brief", "brief");
        for (const char* key : {"text", "fences", "tier"})
            contract_.expect(brief_.value(key, Json()).is_string() && !brief_[key].get<std::string>().empty(),
                             std::string("brief: tells ") + key);
    }

    std::uint64_t reserve(std::uint64_t bytes, int writable) {
        std::uint64_t at = 0;
        succeeds("reserve", [&] { return f_.reserve(self(), bytes, writable, &at); });
        contract_.expect(at != 0 && at % 64 == 0, "reserve: gives memory at a multiple of 64");
        return at;
    }
    void release(std::uint64_t at) {
        succeeds("release", [&] { return f_.release(self(), at); });
    }
    template <class T> void write(std::uint64_t at, const std::vector<T>& values) {
        succeeds("write", [&] { return f_.write(self(), at, values.data(), values.size() * sizeof(T)); });
    }
    template <class T> std::vector<T> read(std::uint64_t at, std::size_t n) {
        std::vector<T> values(n);
        succeeds("read", [&] { return f_.read(self(), at, values.data(), n * sizeof(T)); });
        return values;
    }

    void check_memory() {
        std::vector<unsigned char> bytes(4099);
        std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
        for (const int writable : {0, 1, 2}) {
            const std::uint64_t at = reserve(bytes.size(), writable), other = reserve(64, writable);
            contract_.expect(other >= at + bytes.size() || other + 64 <= at, "reserve: pieces do not overlap");
            write(at, bytes);
            write(other, std::vector<unsigned char>(64, 0xee));
            contract_.expect(read<unsigned char>(at, bytes.size()) == bytes, "read: gives what was written");
            release(other);
            release(at);
        }
        check_large_memory();
    }

    // What is done in pieces loses the last one, or what is beyond the first.
    void check_large_memory() {
        std::vector<unsigned char> bytes((4 << 20) + 4100);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(1 + i % 251);
        const std::uint64_t from = reserve(bytes.size(), 0), to = reserve(bytes.size(), 0);
        const std::string size = " (" + std::to_string(bytes.size()) + " bytes)";
        write(from, bytes);
        contract_.expect(read<unsigned char>(from, bytes.size()) == bytes, "read: gives what was written" + size);
        write(to, std::vector<unsigned char>(bytes.size()));
        succeeds("copy", [&] { return f_.checks->copy(self(), to, from, bytes.size()); });
        contract_.expect(read<unsigned char>(to, bytes.size()) == bytes, "copy: copies every byte" + size);
        release(to);
        release(from);
    }

    void check_data(const hone_device_data& data) {
        constexpr std::int64_t n = 1003;
        const std::uint64_t at = reserve(4096, 0);
        const hone_tensor tensor{at, HONE_F32, 1, &n};
        const std::int32_t laws[] = {HONE_LAW_NORMAL, HONE_LAW_UNIFORM, HONE_LAW_INTEGER,
                                     int{HONE_LAW_NORMAL} | HONE_LAW_OUTLIERS};
        for (const std::int32_t law : laws) {
            succeeds("fill", [&] { return data.fill(self(), &tensor, 77, 3, law, 2, 0.5f); });
            const std::vector<float> got = read<float>(at, n);
            for (std::int64_t i = 0; i < n; ++i) {
                const float wanted = hone_input(77, 3, static_cast<std::uint64_t>(i), n, {law, 2, 0.5f}, 0);
                if (std::memcmp(&wanted, &got[static_cast<std::size_t>(i)], sizeof wanted) == 0) continue;
                contract_.expect(false, "fill: makes the values of hone_input, bit for bit (law " +
                                            std::to_string(law) + ", element " + std::to_string(i) + ")");
                break;
            }
        }
        const std::vector<float> got = read<float>(at, n);
        const std::int64_t index[] = {0, 500, 1002, 3};
        double values[4] = {};
        succeeds("gather", [&] { return data.gather(self(), &tensor, index, 4, values); });
        for (int i = 0; i < 4; ++i)
            contract_.expect(values[i] == static_cast<double>(got[static_cast<std::size_t>(index[i])]),
                             "gather: reads the elements that were asked for");
        succeeds("set", [&] { return data.set(self(), at, 4096, 0x7fc0dead); });
        contract_.expect(read<std::uint32_t>(at, 1024) == std::vector<std::uint32_t>(1024, 0x7fc0dead),
                         "set: repeats the word");
        release(at);
    }

    void check_probe(const hone_probe& probe) {
        Collect found;
        succeeds("probe", [&] { return probe.probe(self(), nullptr, nullptr, found.out()); });
    }

    void* open(const std::string& code, Json& facts) {
        const Lent task(sample_task(), "hone.Task");
        const std::string fences = brief_.value("fences", "");
        const Lent candidate(to_json(make_candidate("sum", fences.substr(0, fences.find(' ')), code)),
                             "hone.Candidate");
        void* subject = nullptr;
        Collect out;
        succeeds("open", [&] { return f_.open(self(), task.doc(), candidate.doc(), &subject, out.out()); });
        facts = out.json();
        check_readable(contract_, facts, "verifier.open", "open");
        return subject;
    }

    void check_bad_candidate() {
        Json facts;
        void* subject = open("this is no program )", facts);
        contract_.expect(!subject, "open: a bad candidate gives no subject");
        for (const char* key : {"verdict", "reason"})
            contract_.expect(facts.contains(key), std::string("open: a bad candidate gets its ") + key);
        try {
            const Verdict verdict = parse_verdict(facts.value("verdict", "COMPILE_ERROR"));
            contract_.expect(verdict != Verdict::PASSED, "open: a bad candidate's verdict is not PASSED");
        } catch (const Error& e) {
            contract_.expect(false, std::string("open: ") + e.what());
        }
        if (subject) f_.close(subject);
    }

    void check_empty_candidate() {
        Json facts;
        const std::vector<float> poison(48, 12345.f);
        const std::uint64_t a = reserve(4096, 0), b = reserve(4096, 0), o = reserve(4096, 1);
        void* subject = open(brief_["empty"].get<std::string>(), facts);
        contract_.expect(subject, "open: builds the brief's empty program (" + facts.dump() + ")");
        if (subject) {
            write(o, poison);
            check_calls(subject, a, b, o);
            contract_.expect(read<float>(o, 48) == poison, "launch: an empty program changes no output");
            f_.close(subject);
        }
        for (const std::uint64_t at : {a, b, o}) release(at);
    }

    void check_calls(void* subject, std::uint64_t a, std::uint64_t b, std::uint64_t o) {
        const std::int64_t shape[] = {6, 8};
        const hone_tensor in[] = {{a, HONE_F32, 2, shape}, {b, HONE_F32, 2, shape}}, out[] = {{o, HONE_F32, 2, shape}};
        const hone_call call{sizeof call, in, out, 2, 1, 0, 0, shape, 2, nullptr};
        const auto* timing = contract_.extension<hone_timing>(HONE_EXT_TIMING);
        if (timing && HONE_OFFERS(timing, prepare))
            succeeds("prepare", [&] { return timing->prepare(subject, &call); });
        run("launch", subject, [&] { return f_.launch(subject, &call); });
        if (timing && HONE_OFFERS(timing, suspend)) {
            succeeds("suspend", [&] { return timing->suspend(subject, 1); });
            succeeds("suspend", [&] { return timing->suspend(subject, 0); });
            run("launch", subject, [&] { return f_.launch(subject, &call); });
        }
        if (timing && HONE_OFFERS(timing, null_call))
            run("null_call", subject, [&] { return timing->null_call(subject); });
        if (const auto* rules = contract_.extension<hone_rules>(HONE_EXT_RULES)) {
            Collect verdict;
            succeeds("check", [&] { return rules->check(subject, &call, verdict.out()); });
            contract_.expect(!verdict.json().contains("verdict"), "check: an empty program breaks no rule");
        }
        double seconds = 0;
        if (timing && HONE_OFFERS(timing, recorded))
            succeeds("recorded", [&] { return timing->recorded(subject, &seconds); });
    }

    void run(const char* function, void* subject, const std::function<hone_rc()>& body) {
        succeeds(function, body);
        double inside = NAN;
        Collect end;
        succeeds("wait", [&] { return f_.wait(subject, 10, &inside, end.out()); });
        contract_.expect(std::isnan(inside) || (inside >= 0 && inside < 10), "wait: inside is NaN or seconds");
    }

    Contract& contract_;
    const hone_verifier& f_;
    Json brief_;
};

}  // namespace

void check_verifier(Contract& contract) { Checker(contract).check(); }

}  // namespace hone::contract
