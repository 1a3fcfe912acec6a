#include "parts/budget.hpp"
#include <gtest/gtest.h>

namespace hone {
namespace {

// Sums of doubles leave a rest when all of them are taken away again: 0.371 + 0.371 + 0.378 does.
TEST(Budget, HoldsNothingOnceAllIsSettled) {
    const double some[] = {0.371, 0.375, 0.378, 0.382, 0.385};
    for (const double a : some)
        for (const double b : some)
            for (const double c : some) {
                Budget budget;
                budget.cap(2);
                for (const double usd : {a, b, c}) ASSERT_EQ(budget.reserve(usd), Budget::Reserved::yes);
                EXPECT_EQ(budget.reserve(1), Budget::Reserved::not_now);
                for (const double usd : {a, b, c}) budget.settle(usd, 0, false);
                EXPECT_EQ(budget.reserve(5), Budget::Reserved::never) << a << " " << b << " " << c;
            }
}

}  // namespace
}  // namespace hone
