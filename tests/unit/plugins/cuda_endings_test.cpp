// Whose fault it is when a kernel ends badly on a GPU.
#include <gtest/gtest.h>
#include "verifier_cuda/runner/endings.hpp"
#include "verifier_cuda/runner/runner_page.hpp"

namespace hone::cuda {
namespace {

void expect(const std::vector<unsigned>& xids, unsigned xid, bool hardware) {
    const Cause cause = cause_of(xids);
    EXPECT_EQ(cause.xid, xid);
    EXPECT_EQ(cause.hardware, hardware);
}

TEST(CudaEndings, TheCauseIsTheLastThatIsNotOfCleaningUp) {
    expect({}, 0, false);
    expect({31}, 31, false);
    expect({13, 31, 45}, 31, false);  // an older one may be another bench's
    expect({45, 154}, 0, false);
}

TEST(CudaEndings, TheHardwareIsToBlameWhateverFollows) {
    expect({94, 45, 154}, 94, true);
    expect({31, 79, 31}, 79, true);
}

TEST(CudaEndings, ALaunchThatIsRefusedEndsNoContext) {
    EXPECT_TRUE(ends_context(700));
    for (const int refused : {0, 1, 701, 720, 912}) EXPECT_FALSE(ends_context(refused)) << refused;
    EXPECT_STREQ(explain(701).first, "LAUNCH_ERROR");
    EXPECT_STREQ(explain(719).first, "RUNTIME_ERROR");
    EXPECT_STREQ(explain(library_failed).first, "RUNTIME_ERROR");
    EXPECT_STREQ(explain(library_without_memory).first, "OUT_OF_MEMORY");
    EXPECT_FALSE(ends_context(library_failed) || blames_the_device(library_failed));
    EXPECT_TRUE(blames_the_device(214));
    EXPECT_FALSE(blames_the_device(700));
}

}  // namespace
}  // namespace hone::cuda
