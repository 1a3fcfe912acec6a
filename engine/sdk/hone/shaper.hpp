// hone/shaper.hpp: the base class of a reward shaper. Override what you need and write `override` behind each function:
// a name or a signature that is not one of these is then a compile error.
#pragma once
#include "hone/plugin.hpp"

namespace hone {

class ShaperPart {
public:
    virtual ~ShaperPart() = default;

    // Runs on the script's thread. judgements (documents.md): one of each answer to one prompt, with the answer's code,
    // plan, text, finish and tokens_out; unscorable ones were removed before. reward[i]: what answer i gets; NaN leaves
    // it out. reasons: text keyed by the answer's number ("0"), for the record. Throw Refused to stop the script.
    virtual void shape(const Docs& judgements, double* reward, Out reasons) = 0;
};

}  // namespace hone
