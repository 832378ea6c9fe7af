#include "core/abandon.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "core/throwing_loop.hpp"

namespace scree {
namespace {

using std::chrono::milliseconds;

TEST(Abandon, WorkIsDoneAndItsErrorsPass) {
  int done = 0;
  run_abandonable([&] { done = 1; });
  EXPECT_EQ(done, 1);
  EXPECT_THROW(run_abandonable([] { throw std::out_of_range("x"); }), std::out_of_range);
  EXPECT_EQ(abandoned_work(), 0);
}

TEST(Abandon, AHeldRequestIsSeenAfterItsGrace) {
  EXPECT_FALSE(hold_stop(true));
  request_stop();
  EXPECT_FALSE(stop_requested());
  while (!stop_requested()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(hold_stop(true));  // a hold of its own has a grace of its own
  EXPECT_FALSE(stop_requested());
  EXPECT_TRUE(hold_stop(false));
  EXPECT_TRUE(stop_requested());
  clear_stop();
}

TEST(Abandon, ARequestLeavesTheWorkAlone) {
  const auto open = std::make_shared<std::atomic<bool>>(false);
  std::thread asks([] {
    std::this_thread::sleep_for(milliseconds(50));
    request_stop();
  });
  EXPECT_THROW(run_abandonable([open] {
    while (!*open) std::this_thread::sleep_for(milliseconds(1));
  }), Interrupted);
  asks.join();
  EXPECT_EQ(abandoned_work(), 1);
  EXPECT_THROW(run_abandonable([] {}), Interrupted);  // while the request stands
  clear_stop();
  *open = true;
  while (abandoned_work() > 0) std::this_thread::sleep_for(milliseconds(1));
}

TEST(ThrowingLoop, TheFirstErrorIsThrownForAnyThreads) {
  for (const int count : {1, 2, 4}) {
    set_threads(count);
    int thrown = -1;
    try {
      throwing_for(100, [](std::ptrdiff_t i) {
        if (i % 10 == 7) throw static_cast<int>(i);
      });
    } catch (int i) {
      thrown = i;
    }
    EXPECT_EQ(thrown, 7) << count << " threads";
  }
  set_threads(1);
}

}  // namespace
}  // namespace scree
