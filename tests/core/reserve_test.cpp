/// Long lists keep about as much memory as they need.
#include "core/reserve.hpp"

#include <gtest/gtest.h>

namespace scree {
namespace {

TEST(Reserve, ListsThatGrowALittleFromStepToStepDoNotDouble) {
  std::vector<double> reserved, resized;
  for (std::size_t count = 1000; count < 3000; count += 7) {
    reserve_anew(reserved, count);
    EXPECT_TRUE(reserved.empty());
    reserved.assign(count, 1.0);
    resize_anew(resized, count);
    EXPECT_EQ(resized.size(), count);
    for (const auto* list : {&reserved, &resized}) EXPECT_LE(list->capacity(), count + count / 16);
  }
  const std::size_t capacity = reserved.capacity();
  reserve_anew(reserved, 10);
  EXPECT_EQ(reserved.capacity(), capacity);   // what is there is kept for the next step
}

}  // namespace
}  // namespace scree
