/// Contact memory: what a contact is given back in the next step.
#include "assembly/contact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/rotation.hpp"

namespace scree::assembly {
namespace {

std::vector<Contact> random_contacts(std::mt19937& random) {
  std::normal_distribution<> normal;
  std::vector<Contact> contacts;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b)
      for (std::uint64_t feature = random() % 4; feature > 0; --feature) {
        Contact c;
        c.point.body_a = a;
        c.point.body_b = b;
        c.point.feature = feature;
        c.point.normal = Vec3{normal(random), normal(random), normal(random)}.normalized();
        c.R = Vec3{normal(random), normal(random), normal(random)};
        c.cohesive = random() % 2;
        contacts.push_back(c);
      }
  return contacts;
}

TEST(ContactMemory, SpatialImpulsesComeBackInNewFramesByBodiesAndFeature) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<Contact> before = random_contacts(random);
    std::vector<Contact> after = random_contacts(random);
    for (Contact& c : after) c.R.setZero();
    ContactMemory memory;
    memory.store(before);
    ASSERT_EQ(memory.entries.size(), before.size());
    memory.recall(after, 0.5);
    for (std::size_t k = 0; k < after.size(); ++k) {
      const Contact& c = after[k];
      const auto same = std::find_if(before.begin(), before.end(), [&](const Contact& old) {
        return old.point.body_a == c.point.body_a && old.point.body_b == c.point.body_b && old.point.feature == c.point.feature;
      });
      EXPECT_EQ(c.seen, same != before.end());
      const Vec3 expected = same == before.end() ? Vec3(Vec3::Zero()) : Vec3(0.5 * (c.frame() * (same->frame().transpose() * same->R)));
      EXPECT_LT((c.R - expected).norm(), 1e-14);
      if (same != before.end()) {
        EXPECT_EQ(c.cohesive, same->cohesive);
      }
    }
  }
}

TEST(ContactMemory, TrendIsWhatImpulsesChangedBy) {
  std::mt19937 random(6);
  ContactMemory memory;
  const std::vector<Contact> first = random_contacts(random);
  memory.store(first);
  for (const auto& entry : memory.entries) EXPECT_TRUE(entry.trend.isZero(0.0));   // all are new
  std::vector<Contact> second = first;
  memory.recall(second, 1.0);
  for (Contact& c : second) c.R += Vec3(1.0, 2.0, 3.0);
  memory.store(second);
  std::vector<Contact> third = first;
  for (Contact& c : third) c.point.normal = Vec3(c.point.normal.reverse());
  memory.recall(third, 0.5);
  for (std::size_t k = 0; k < third.size(); ++k) {
    EXPECT_TRUE(third[k].R == third[k].R_last);
    const Vec3 change = 0.5 * (third[k].frame() * (first[k].frame().transpose() * Vec3(1.0, 2.0, 3.0)));
    EXPECT_LT((third[k].trend - change).norm(), 1e-14);
  }
}

TEST(ContactMemory, ForgetsABody) {
  std::mt19937 random(5);
  ContactMemory memory;
  memory.store(random_contacts(random));
  memory.forget(2);
  EXPECT_FALSE(memory.entries.empty());
  for (const auto& entry : memory.entries) EXPECT_TRUE(entry.body_a != 2 && entry.body_b != 2);
}

}  // namespace
}  // namespace scree::assembly
