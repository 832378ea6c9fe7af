/// Contact of bodies made by the geometry library: hulls and meshes.
#include "geometry/build.hpp"

#include "oracle.hpp"

namespace scree::collision {
namespace {

using namespace testing;

Shape hex_block(const Vec3& low, const Vec3& high, int i, int j, int k) {
  std::vector<Vec3> corners;
  for (const double z : {low.z(), high.z()})
    for (const auto& [x, y] : {std::pair{low.x(), low.y()}, std::pair{high.x(), low.y()}, std::pair{high.x(), high.y()},
                               std::pair{low.x(), high.y()}})
      corners.push_back({x, y, z});
  const int surfaces[6] = {1, 2, 3, 4, 5, 6};
  return geometry::make_shape(geometry::make_hex(std::span<const Vec3, 8>(corners.data(), 8), i, j, k, 0,
                                                 std::span<const int, 6>(surfaces, 6)));
}

TEST(mesh, block_on_block_touches_on_the_facing_surfaces_only) {
  World world;
  world.add_body(0, hex_block({-1, -1, -1}, {1, 1, 0}, 4, 4, 3), false);
  world.add_body(1, hex_block({-0.55, -0.45, 0}, {0.45, 0.55, 1}, 3, 3, 2), true);
  for (const double depth : {-1e-4, 0.0, 1e-6, 1e-3}) {
    world.place(1, Mat3::Identity(), Vec3::Zero(), {0, 0, -depth}, 0.0);
    const auto contacts = detect(world, 1e-3);
    ASSERT_GE(contacts.size(), 4u);
    double area = 0.0;
    Box extent;
    for (const auto& c : contacts) {
      EXPECT_GT(c.normal.z(), 1 - 1e-9);
      EXPECT_NEAR(c.gap, -depth, 1e-12);
      EXPECT_EQ(c.surface_a, 6);
      EXPECT_EQ(c.surface_b, 1);
      area += c.area;
      extent.add(c.point);
    }
    EXPECT_NEAR(area, 1.0, 1e-9);  // coincident points hand on their share
    EXPECT_NEAR(extent.extent().x(), 1.0, 1e-9);
    EXPECT_NEAR(extent.extent().y(), 1.0, 1e-9);
  }
}

TEST(mesh, no_two_points_coincide) {
  World world;
  world.add_body(0, hex_block({-1, -1, -1}, {1, 1, 0}, 4, 4, 2), false);
  world.add_body(1, hex_block({-0.5, -0.5, 0}, {0.5, 0.5, 1}, 2, 2, 2), true);
  const auto contacts = detect(world, 1e-3);
  EXPECT_EQ(contacts.size(), 9u);  // 2 x 2 elements on 2 x 2 elements share nine nodes
  for (std::size_t i = 0; i < contacts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT((contacts[i].point - contacts[j].point).norm(), 1e-3);
}

TEST(mesh, sphere_rolls_over_a_meshed_plate) {
  World world;
  world.add_body(0, hex_block({-1, -1, -0.2}, {1, 1, 0}, 5, 7, 2), false);
  world.add_body(1, sphere(0.1), true);
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const double depth = std::pow(10.0, random.uniform(-9, -2));
    Vec3 x = random.vector(-0.9, 0.9);
    if (trial % 3 == 0) x.x() = -1 + 0.4 * random.integer(5);  // right over a joint
    if (trial % 6 == 0) x.y() = -1 + 2.0 / 7.0 * (1 + random.integer(5));
    world.place(1, Mat3::Identity(), Vec3::Zero(), {x.x(), x.y(), 0.1 - depth}, 0.0);
    const auto contacts = detect(world, 0.0);
    ASSERT_EQ(contacts.size(), 1u) << trial;
    EXPECT_NEAR(contacts[0].gap, -depth, 1e-12);
    EXPECT_NEAR(contacts[0].normal.z(), 1.0, 1e-12);
  }
}

TEST(mesh, hull_rests_on_its_lowest_points) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Vec3> cloud;
    for (int i = 0; i < 30; ++i) cloud.push_back(random.direction());
    const Shape rock = geometry::make_hull(cloud, 0, 0);
    World world;
    world.add_body(0, shape_of(box({3, 3, 1}, {0, 0, -1})), false);
    world.add_body(1, rock, true);
    const Placed placed{&rock.pieces[0], random.rotation(), Vec3::Zero()};
    const double depth = std::pow(10.0, random.uniform(-8, -3));
    world.place(1, placed.F, Vec3::Zero(), {0.2, 0.1, placed.extent(-Vec3::UnitZ()) - depth}, 0.0);
    const auto contacts = detect(world, 0.0);
    ASSERT_GE(contacts.size(), 1u);
    EXPECT_NEAR(least_gap(contacts), -depth, 1e-9);
    EXPECT_GT(contacts[0].normal.z(), 1.0 - 1e-9);
  }
}

// A block of elements is the convex block it fills: apart, the least gap of its elements is the distance of the block, and
// a little sunk in it is its depth.
TEST(mesh, gap_of_a_meshed_block_is_that_of_the_block) {
  Random random(8);
  const Polyhedron whole = box({1, 1, 1});
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Vec3> cloud;
    for (int i = 0; i < 12; ++i) cloud.push_back(random.direction());
    const Shape rock = geometry::make_hull(cloud, 0, 0);
    const Polyhedron& form = std::get<Polyhedron>(rock.pieces[0].form);
    const Mat3 turn = random.rotation();
    Vec3 x = 3.0 * random.direction();
    const Solid block(whole, Mat3::Identity(), Vec3::Zero());
    const ExactGap thrown(block, {form, turn, x});
    x += ((trial % 2 ? 1.0 : -1.0) * std::pow(10.0, random.uniform(-9, trial % 2 ? -1.0 : -3.0)) - thrown.gap) * thrown.normal;
    const double exact = ExactGap(block, {form, turn, x}).gap;
    World world;
    const int i = 1 + random.integer(3), j = 1 + random.integer(3), k = 1 + random.integer(3);
    world.add_body(0, hex_block({-1, -1, -1}, {1, 1, 1}, i, j, k), false);
    world.add_body(1, rock, true);
    world.place(1, turn, Vec3::Zero(), x, 0.0);
    EXPECT_NEAR(least_gap(detect(world, std::max(0.0, 1.1 * exact), 0.0)), exact, 2e-9) << trial;
  }
}

TEST(mesh, hull_pairs_have_the_largest_separation) {
  Random random(6);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec3> p, q;
    for (int i = 0; i < 25; ++i) p.push_back(random.direction()), q.push_back(random.vector(-1, 1));
    Duo duo{geometry::make_hull(p, 0, 0), geometry::make_hull(q, 0, 0)};
    duo.Fb = random.rotation();
    Vec3 n = Vec3::UnitZ();
    duo.xb = 3.0 * random.direction();
    for (int i = 0; i < 5; ++i) duo.xb -= (sampled_gap(duo.placed_a(), duo.placed_b(), &n, false) + (trial % 2 ? 0.02 : -0.02)) * n;
    const double exact = sampled_gap(duo.placed_a(), duo.placed_b());
    const auto contacts = duo.detect(0.1);
    ASSERT_FALSE(contacts.empty());
    const double along = separation(duo.placed_a(), duo.placed_b(), contacts[0].normal);
    EXPECT_GT(along, exact - 1e-9) << trial;
  }
}

}  // namespace
}  // namespace scree::collision
