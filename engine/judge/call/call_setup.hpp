// judge/call/call_setup.hpp: prepares a call and looks at what it left behind: poison, red zones, inputs. The same for
// every device and every side.
#pragma once
#include <optional>
#include <string>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/call/prepared_task.hpp"
#include "judge/call/settings.hpp"

namespace hone {

using Positions = std::vector<std::vector<std::int64_t>>;  // one list an output
using Samples = std::vector<std::vector<double>>;

// Of a failure: {shape: "timed" | "hidden", hidden: which one, from 1, variant: word}.
Json place_of(const InputSet&);
// The ending with its failure's property (judge/correctness/compare.hpp) and place.
CandidateFailure failed_at(CandidateFailure, const InputSet&, const char* property);
// The same of a call that the program ended. Where the program has seen secret inputs (not `open`), its choice of a
// signal, a system call or a launch could tell of them: then each verdict has one text, and a fault of memory another.
CandidateFailure call_failed(CandidateFailure, const InputSet&, bool open, const char* property = "call failed");

class CallSetup {
public:
    CallSetup(Arena& arena, const Settings& settings)
        : arena_(arena), verifier_(arena.verifier()), settings_(settings) {}

    // Places the tensors, writes the inputs, poisons outputs and scratch, draws the red zones.
    void prepare(Layout&, const InputSet&, std::uint64_t offset, std::uint64_t salt);

    // Places the tensors and writes the constant inputs; all other memory that a program can reach holds no data. Waits
    // until that is so.
    void prepare_constants(Layout&, const InputSet&, std::uint64_t offset, std::uint64_t salt);

    // After the call. What a candidate must not have touched: bytes around its outputs, and its inputs.
    std::optional<CandidateFailure> untouched(const Layout&, const InputSet&) const;
    std::optional<CandidateFailure> red_zones(const Layout&) const;  // the former alone, read from the host
    // That, and every output against the truth; an ending's `failure` is complete but for the judging's key. open: the
    // program has seen nothing that is secret, so that the reason may quote what it wrote.
    std::optional<CandidateFailure> inspect(const Layout&, const InputSet&, const std::string& where, bool open) const;

    Samples sample(const Layout&, const Positions&) const;
    void keep_outputs(const Layout&, const InputSet&);  // all bytes, for bit-identity; where the last call left them
    bool kept(const Layout&, const InputSet&) const;    // the outputs are still, or again, what they were

private:
    std::optional<CandidateFailure> changed_inputs(const Layout&, const InputSet&) const;
    std::optional<CandidateFailure> wrong_outputs(const Layout&, const InputSet&, const std::string& where,
                                                  bool open) const;
    std::optional<CandidateFailure> wrong_output(std::size_t output, const Truth&, const Layout&,
                                                 const std::string& where, bool open) const;
    std::optional<CandidateFailure> tampering(const DeviceSet::Found&, const Layout&) const;
    std::optional<CandidateFailure> look_on_device(const Layout&, const InputSet&, const std::string& where,
                                                   bool open) const;
    std::string read_outputs(const Layout&) const;
    bool holds(std::uint64_t at, const std::string& bytes) const;
    void blank_gaps(const Layout&);
    void poison_output(const hone_tensor&, const TensorSpec&);
    Arena& arena_;
    Verifier& verifier_;
    const Settings& settings_;
    std::uint64_t salt_ = 0;
    bool poisoned_ = false;
    std::string kept_;
};

}  // namespace hone
