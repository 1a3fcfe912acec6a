// judge/call/call_setup.hpp: prepares a call and looks at what it left behind: poison, red zones, inputs. The same for
// every device and every side.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "judge/call/arena.hpp"
#include "judge/call/input_set.hpp"
#include "judge/call/reveal.hpp"
#include "judge/call/settings.hpp"

namespace hone {

// Of a failure: {shape: "timed" | "hidden", hidden: which one, from 1, variant: word}.
Json place_of(const SetName&);
// The ending with its failure's property (judge/correctness/compare.hpp) and place.
CandidateFailure failed_at(CandidateFailure, const SetName&, const char* property);
// The same of a call that the program ended. Where the program has seen secret inputs (not `open`), its choice of a
// signal, a system call or a launch could tell of them: then each verdict has one text, and a fault of memory another.
CandidateFailure call_failed(CandidateFailure, const SetName&, bool open, const char* property = "call failed");

class CallSetup {
public:
    CallSetup(Arena& arena, const Settings& settings) : arena_(arena), memory_(arena.memory()), settings_(settings) {}

    // Places the tensors, writes the inputs and what outputs start as, poisons other outputs and scratch, draws the red
    // zones. Only with constants: what follows from data comes later, by exchange_inputs.
    void prepare(Layout&, const InputSet&, std::uint64_t offset, std::uint64_t salt, Inputs which = Inputs::all);

    // Other inputs for a call that is prepared.
    void exchange_inputs(Layout&, const InputSet&, Inputs which);

    // Places the tensors and writes the constant inputs; all other memory that a program can reach holds no data. Waits
    // until that is so.
    void prepare_constants(Layout&, const InputSet&, std::uint64_t offset, std::uint64_t salt);

    // From here on a failure tells everything, and its call's tensors are written; nullopt: no more.
    void reveal_as(std::optional<Revealing> revealing) { revealing_ = std::move(revealing); }
    bool reveals() const { return revealing_.has_value(); }
    // Adds to a failure what is revealed of its call; nothing where nothing is to be.
    void reveal(CandidateFailure&, const Layout&, const InputSet&) const;

    // After the call. What a candidate must not have touched: bytes around its outputs, and its inputs.
    std::optional<CandidateFailure> untouched(const Layout&, const InputSet&) const;
    // That, and every output against the truth; an ending's `failure` is complete but for the judging's key. open: the
    // program has seen nothing that is secret, so that the reason may quote what it wrote.
    std::optional<CandidateFailure> inspect(const Layout&, const InputSet&, const std::string& where, bool open) const;

    Samples sample(const Layout&, const Positions&) const;
    void keep_outputs(const Layout&);  // all bytes, for bit-identity; where the last call left them
    bool kept(const Layout&) const;    // the outputs are still, or again, what they were
    // Of a call that nobody has made since it was prepared and its outputs kept: `input "a"`, if that is no longer what
    // it was; "": all is.
    std::string changed(const Layout&, const InputSet&) const;

private:
    std::optional<CandidateFailure> tampering(const InputSet::Found&, const Layout&) const;
    CandidateFailure wrong_output(std::size_t output, const hone_errors&, const Layout&, const InputSet&,
                                  const std::string& where, bool open) const;
    void blank_gaps(const Layout&);
    void poison_output(const hone_tensor&, const TensorSpec&);
    void start_output(const Layout&, std::size_t output);
    Arena& arena_;
    Memory& memory_;
    const Settings& settings_;
    std::uint64_t salt_ = 0;
    bool poisoned_ = false;
    std::optional<Revealing> revealing_;
};

}  // namespace hone
