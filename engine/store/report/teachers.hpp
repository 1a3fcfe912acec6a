// store/report/teachers.hpp: what each of several policies brought that wrote in the same stage.
#pragma once
#include <string>
#include "store/journal.hpp"

namespace hone {

// [{stage, teacher, policy, trials, passed, success?, lost?, usd, tokens_in, tokens_out, median?}]: a row for each
// policy of a stage in which several wrote, in order of first appearance. teacher: the model that was asked, where the
// policy tells it, else the policy's name. trials: answers that were judged; lost: those that nobody could judge;
// median: of the speed-ups of those that passed, as plain ratios.
Json teachers(const Journal&, const Json& policies);
// "" where there is no row; else at most so wide, with what its columns mean.
std::string teacher_table(const Json& teachers, std::size_t width);

}  // namespace hone
