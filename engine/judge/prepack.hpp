// judge/prepack.hpp: a call's memory made ready for a program. Where the program prepacks (hone_verifier.prepack), that comes in between, with
// nothing in reach but this call's constants: what it may do beforehand is what it could do once for weights that stay, and no more. Every
// call has constants of its own and prepacks them again, so that nothing kept from another call is of use.
#pragma once
#include <cstdint>
#include <optional>
#include "judge/problem.hpp"
#include "judge/rig.hpp"

namespace hone {

struct Readiness {
    std::uint64_t offset, salt;  // of the tensors; of the poison
    double limit;                // seconds that prepacking may take
};

// seconds: what prepacking took by the bench's clock, the way there and back included; 0: the program does not. An ending says where it was.
std::optional<Ending> make_ready(Rig&, Layout&, Subject&, const InputSet&, const Readiness&, double* seconds = nullptr);

}  // namespace hone
