#include "collision/narrow_phase.hpp"

#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;

Shape random_shape(Random& random, int kind, double aspect) {
  const auto radius = [&] { return std::pow(aspect, random.uniform(-1, 0)); };
  const double x = radius(), y = radius(), z = radius();
  switch (kind) {
    case 0: return sphere(x);
    case 1: return ellipsoid({x, y, z});
    case 2: return shape_of(box({x, y, z}));
    case 3: return shape_of(octahedron({x, y, z}));
    default: return shape_of(prism(3 + random.integer(6), x, z));
  }
}

/// Place b beside a so that their gap is near the wanted one.
void set_gap(Duo& duo, double gap, Random& random) {
  duo.xb = duo.xa + random.within(0.5, 2.0);
  for (int i = 0; i < 6; ++i) {
    Vec3 n;
    const double now = sampled_gap(duo.placed_a(), duo.placed_b(), &n, false);
    duo.xb += (gap - now) * n;
  }
}

class Kinds : public ::testing::TestWithParam<std::pair<int, int>> {};

// The gap is max over n of the separation: the separation along any normal is a lower bound, and no
// sampled direction may do better. Polyhedra keep four corners of a polygon, the deepest to 1e-7 of the size.
TEST_P(Kinds, gap_is_the_largest_separation) {
  Random random(11 + GetParam().first * 7 + GetParam().second);
  for (int trial = 0; trial < 40; ++trial) {
    const double aspect = trial % 2 ? 4.0 : 1.5;
    Duo duo{random_shape(random, GetParam().first, aspect), random_shape(random, GetParam().second, aspect)};
    duo.Fa = random.rotation();
    duo.Fb = random.rotation();
    duo.xa = random.vector(-1, 1);
    const double wanted = trial % 4 == 0 ? 0.05 : trial % 4 == 1 ? -0.01 : trial % 4 == 2 ? 1e-4 : -0.2;
    set_gap(duo, wanted, random);
    const double exact = sampled_gap(duo.placed_a(), duo.placed_b());
    const auto contacts = duo.detect(0.2);
    ASSERT_FALSE(contacts.empty()) << trial;
    const double along = separation(duo.placed_a(), duo.placed_b(), contacts[0].normal);
    const bool flat = GetParam().first >= 2 && GetParam().second >= 2;
    EXPECT_GT(along, exact - 1e-9) << trial;
    EXPECT_NEAR(least_gap(contacts), along, flat ? 1e-6 : 1e-10) << trial;
    EXPECT_NEAR(contacts[0].normal.norm(), 1.0, 1e-14);
  }
}

TEST_P(Kinds, points_lie_in_both_pieces_grown_by_the_gap) {
  Random random(23 + GetParam().first * 7 + GetParam().second);
  for (int trial = 0; trial < 40; ++trial) {
    Duo duo{random_shape(random, GetParam().first, 3.0), random_shape(random, GetParam().second, 3.0)};
    duo.Fa = random.rotation();
    duo.Fb = random.rotation();
    set_gap(duo, trial % 3 == 0 ? -0.05 : trial % 3 == 1 ? 0.02 : 1e-6, random);
    for (const auto& c : duo.detect(0.1)) {
      for (int k = 0; k < 300; ++k) {
        const Vec3 n = random.direction();
        // The point is midway between a point of either piece; corners are snapped by 1e-9 of the size.
        const double grown = 0.5 * std::abs(c.gap) * (1 + 1e-9) + 2e-9;
        ASSERT_LE(n.dot(c.point), duo.placed_a().extent(n) + grown) << trial << " gap " << c.gap;
        ASSERT_LE(n.dot(c.point), duo.placed_b().extent(n) + grown) << trial << " gap " << c.gap;
      }
    }
  }
}

TEST_P(Kinds, swapping_and_moving_the_pair_changes_nothing) {
  Random random(37 + GetParam().first * 7 + GetParam().second);
  for (int trial = 0; trial < 30; ++trial) {
    Duo duo{random_shape(random, GetParam().first, 3.0), random_shape(random, GetParam().second, 3.0)};
    duo.Fa = random.rotation();
    duo.Fb = random.rotation();
    set_gap(duo, trial % 2 ? -0.03 : 0.02, random);
    const auto contacts = duo.detect(0.1);
    ASSERT_FALSE(contacts.empty());

    // Swapped.
    const Duo swapped{duo.b, duo.a, duo.Fb, duo.Fa, duo.xb, duo.xa};
    const auto other = swapped.detect(0.1);
    ASSERT_EQ(other.size(), contacts.size());
    EXPECT_NEAR(least_gap(other), least_gap(contacts), 1e-6);
    EXPECT_GT(-other[0].normal.dot(contacts[0].normal), 0.999);

    // Moved and scaled: the same points, in the same order, with the same features.
    for (const double scale : {1e-6, 1.0, 1e6}) {
      Duo moved = duo;
      const Mat3 turn = random.rotation();
      const Vec3 shift = random.vector(-1, 1);
      moved.Fa = scale * turn * duo.Fa;
      moved.Fb = scale * turn * duo.Fb;
      moved.xa = scale * (turn * duo.xa + shift);
      moved.xb = scale * (turn * duo.xb + shift);
      const auto there = moved.detect(0.1 * scale);
      ASSERT_EQ(there.size(), contacts.size()) << scale;
      for (std::size_t i = 0; i < there.size(); ++i) {
        EXPECT_EQ(there[i].feature, contacts[i].feature);
        EXPECT_NEAR(there[i].gap, scale * contacts[i].gap, 1e-9 * scale);
        EXPECT_LT((there[i].point - scale * (turn * contacts[i].point + shift)).norm(), 1e-7 * scale);
        EXPECT_LT((there[i].normal - turn * contacts[i].normal).norm(), 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, Kinds,
                         ::testing::Values(std::pair{0, 0}, std::pair{0, 1}, std::pair{0, 2}, std::pair{0, 3},
                                           std::pair{0, 4}, std::pair{1, 1}, std::pair{1, 2}, std::pair{1, 3},
                                           std::pair{1, 4}, std::pair{2, 2}, std::pair{2, 3}, std::pair{2, 4},
                                           std::pair{3, 3}, std::pair{3, 4}, std::pair{4, 4}));

}  // namespace
}  // namespace scree::collision
