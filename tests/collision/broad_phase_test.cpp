#include "collision/broad_phase.hpp"

#include <map>
#include <set>

#include "core/threads.hpp"
#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;
using Pairs = std::set<std::pair<int, int>>;

/// A sphere, or an axis-aligned cube of that half width.
struct Ball3 {
  Vec3 center;
  double radius, reach;
  bool moving, cube;
};

/// Distance that decides: spheres meet by their distance, boxes by their largest offset along an axis.
bool near(const Vec3& between, double sum, bool spheres) {
  return (spheres ? between.norm() : between.cwiseAbs().maxCoeff()) <= sum;
}

/// All pairs of bodies that come within the margin and their reach of each other: O(n^2).
Pairs brute_force(const std::map<int, Ball3>& balls, double margin) {
  Pairs pairs;
  for (auto i = balls.begin(); i != balls.end(); ++i) {
    for (auto j = std::next(i); j != balls.end(); ++j) {
      if (!i->second.moving && !j->second.moving) continue;
      const auto& [p, q] = std::pair{i->second, j->second};
      const double sum = p.radius + q.radius + p.reach + q.reach + margin;
      if (near(p.center - q.center, sum, !p.cube && !q.cube)) pairs.insert({i->first, j->first});
    }
  }
  return pairs;
}

/// Pairs of the broad phase, thinned to those that are near; checks order and uniqueness.
Pairs found(const PieceStore& store, BroadPhase& broad, double margin) {
  Pairs pairs;
  const auto& list = broad.update(store, PairRules(), margin);
  for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LT(list[i - 1], list[i]);
  for (const PiecePair& pair : list) {
    const BodyEntry &a = store.body(store.slot_of(pair.a)), &b = store.body(store.slot_of(pair.b));
    const bool spheres = store.kind(pair.a) == Kind::sphere && store.kind(pair.b) == Kind::sphere;
    const double sum = 0.5 * (store.box(pair.a).extent().x() + store.box(pair.b).extent().x()) + margin + a.reach + b.reach;
    if (near(store.box(pair.a).center() - store.box(pair.b).center(), sum, spheres)) pairs.insert({a.id, b.id});
  }
  return pairs;
}

std::map<int, Ball3> random_balls(Random& random, int count, double ratio) {
  std::map<int, Ball3> balls;
  for (int i = 0; i < count; ++i) {
    const double radius = 0.001 * std::pow(ratio, std::pow(random.uniform(0, 1), 3));
    balls[3 * i] = {random.vector(-1, 1) * std::cbrt(count) * 0.0025, radius, random.uniform(0, 0.1) * radius, random.uniform(0, 1) < 0.9, random.uniform(0, 1) < 0.5};
  }
  return balls;
}

void fill(PieceStore& store, const std::map<int, Ball3>& balls) {
  for (const auto& [id, ball] : balls) {
    const int slot = store.add(id, ball.cube ? shape_of(box(Vec3::Constant(ball.radius))) : sphere(ball.radius), ball.moving);
    store.body(slot).reach = ball.reach;
    store.place(slot, Mat3::Identity(), Vec3::Zero(), ball.center);
  }
}

TEST(broad_phase, agrees_with_brute_force_for_any_ratio_of_sizes) {
  Random random(1);
  for (const double ratio : {1.0, 1.3, 10.0, 1000.0, 1e5}) {
    const auto balls = random_balls(random, 600, ratio);
    PieceStore store;
    fill(store, balls);
    BroadPhase broad;
    const Pairs expected = brute_force(balls, 0.0005);
    EXPECT_GT(expected.size(), 20u) << ratio;
    EXPECT_EQ(found(store, broad, 0.0005), expected) << ratio;
  }
}

TEST(broad_phase, follows_moving_bodies) {
  Random random(2);
  auto balls = random_balls(random, 500, 1000.0);
  PieceStore store;
  fill(store, balls);
  BroadPhase broad;
  for (int step = 0; step < 60; ++step) {
    // Most creep, a few jump, and sometimes all move; the margin changes as well.
    const double margin = step % 7 == 0 ? 0.002 : 0.0005;
    for (int slot = 0; slot < store.bodies(); ++slot) {
      Ball3& ball = balls[store.body(slot).id];
      const bool jump = random.uniform(0, 1) < (step % 20 == 19 ? 1.0 : 0.02);
      ball.center += (jump ? 1.0 : 0.01) * ball.radius * random.vector(-1, 1);
      if (jump) ball.reach = random.uniform(0, 0.2) * ball.radius;
      store.body(slot).reach = ball.reach;
      store.place(slot, Mat3::Identity(), Vec3::Zero(), ball.center);
    }
    ASSERT_EQ(found(store, broad, margin), brute_force(balls, margin)) << step;
  }
}

TEST(broad_phase, a_sphere_that_is_stretched_is_looked_up_again) {
  // Diagonal neighbours: too far apart as spheres, within reach as ellipsoids along the diagonal.
  PieceStore store;
  const Vec3 d = Vec3::Ones().normalized();
  for (int i = 0; i < 2; ++i) store.place(store.add(i, sphere(1.0), true), Mat3::Identity(), Vec3::Zero(), 2.4 * i * d);
  BroadPhase broad;
  EXPECT_TRUE(broad.update(store, PairRules(), 0.0).empty());
  const Mat3 stretch = 0.6 * (Mat3::Identity() - d * d.transpose()) + 1.3 * d * d.transpose();
  for (int i = 0; i < 2; ++i) store.place(i, stretch, Vec3::Zero(), 2.4 * i * d);
  EXPECT_EQ(broad.update(store, PairRules(), 0.0).size(), 1u);
}

TEST(broad_phase, scattered_far_apart) {
  // Cells beyond the range of a key are folded into the last one: slower, never wrong.
  Random random(3);
  std::map<int, Ball3> balls;
  for (int i = 0; i < 300; ++i) {
    const Vec3 cluster = 1e9 * random.vector(-1, 1);
    for (int k = 0; k < 2; ++k)
      balls[2 * i + k] = {cluster + random.vector(-1, 1), 0.6, 0.0, true, k == 0};
  }
  PieceStore store;
  fill(store, balls);
  BroadPhase broad;
  EXPECT_EQ(found(store, broad, 0.0), brute_force(balls, 0.0));
}

TEST(broad_phase, one_floor_under_many) {
  Random random(4);
  auto balls = random_balls(random, 400, 2.0);
  balls[1] = {Vec3(0, 0, -5.1), 5.0, 0.0, false, true};
  PieceStore store;
  fill(store, balls);
  store.sort();
  BroadPhase broad;
  EXPECT_EQ(found(store, broad, 0.001), brute_force(balls, 0.001));
}

TEST(broad_phase, same_pairs_for_any_thread_count) {
  Random random(5);
  const auto balls = random_balls(random, 20000, 5.0);
  std::vector<std::vector<PiecePair>> lists;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    PieceStore store;
    fill(store, balls);
    BroadPhase broad;
    lists.push_back(broad.update(store, PairRules(), 0.0));
  }
  set_threads(1);
  EXPECT_GT(lists[0].size(), 1000u);
  EXPECT_EQ(lists[0], lists[1]);
  EXPECT_EQ(lists[0], lists[2]);
}

TEST(broad_phase, empty_world) {
  PieceStore store;
  BroadPhase broad;
  EXPECT_TRUE(broad.update(store, PairRules(), 0.0).empty());
}

}  // namespace
}  // namespace scree::collision
