#include "core/thread_choice.hpp"

#include <gtest/gtest.h>

namespace scree {
namespace {

/// Time of so many rounds that cost `one` and `many` seconds.
double total(ThreadChoice& choice, int rounds, double one, double many) {
  double sum = 0.0;
  for (int k = 0; k < rounds; ++k) {
    const double seconds = choice.many() ? many : one;
    sum += seconds;
    choice.took(seconds);
  }
  return sum;
}

TEST(thread_choice, many_where_cores_are_free) {
  ThreadChoice choice;
  EXPECT_LT(total(choice, 50, 1.0, 0.6), 1.07 * 50 * 0.6);
  EXPECT_LT(total(choice, 5000, 1.0, 0.6), 1.01 * 5000 * 0.6);
}

// Ten times slower, as threads are that spin for a core another program holds.
TEST(thread_choice, one_where_the_other_core_is_busy) {
  ThreadChoice choice;
  EXPECT_LT(total(choice, 50, 1.0, 10.0), 50 + 3 * 9.0);
  EXPECT_LT(total(choice, 5000, 1.0, 10.0), 1.03 * 5000);
}

TEST(thread_choice, follows_a_load_that_comes_and_goes) {
  ThreadChoice choice;
  total(choice, 500, 1.0, 0.6);
  EXPECT_LT(total(choice, 2000, 1.0, 5.0), 1.5 * 2000);
  total(choice, 3000, 1.0, 0.6);
  EXPECT_LT(total(choice, 2000, 1.0, 0.6), 1.02 * 2000 * 0.6);
}

}  // namespace
}  // namespace scree
