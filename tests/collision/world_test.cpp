#include "collision/world.hpp"

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/threads.hpp"
#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;

void put(World& world, int body, const Vec3& position, const Mat3& F = Mat3::Identity(), double reach = 0.0) {
  world.place(body, F, Vec3::Zero(), position, reach);
}

std::string hash_of(const std::vector<ContactPoint>& contacts) {
  StateHash hash;
  for (const auto& c : contacts) {
    for (const int i : {c.body_a, c.body_b, c.surface_a, c.surface_b}) hash.add(static_cast<std::uint64_t>(i));
    hash.add(c.feature);
    for (int i = 0; i < 3; ++i) hash.add(c.point[i]), hash.add(c.normal[i]);
    hash.add(c.gap);
    hash.add(c.area);
  }
  return hash.text();
}

Shape joined(const std::vector<Polyhedron>& parts) {
  Shape shape;
  for (const auto& part : parts) {
    shape.pieces.push_back(shape_of(part).pieces[0]);
    shape.adjacent.emplace_back();
  }
  return shape;
}

/// A row of boxes of width 1 along x, top at z = 0, with their side faces marked interior and pieces adjacent.
Shape mesh_floor(int count) {
  Shape shape;
  for (int i = 0; i < count; ++i) {
    Polyhedron p = box({0.5, 5, 0.5}, {i - 0.5 * count + 0.5, 0, -0.5});
    if (i > 0) p.face_neighbour[5] = i - 1;
    if (i + 1 < count) p.face_neighbour[3] = i + 1;
    shape.pieces.push_back(shape_of(p).pieces[0]);
    std::vector<int> adjacent;
    if (i > 0) adjacent.push_back(i - 1);
    if (i + 1 < count) adjacent.push_back(i + 1);
    shape.adjacent.push_back(adjacent);
  }
  return shape;
}

/// A random heap of everything.
void fill_zoo(World& world, unsigned seed, int count) {
  Random random(seed);
  world.add_body(0, shape_of(box({10, 10, 1}, {0, 0, -1})), false);
  for (int i = 1; i <= count; ++i) {
    const int kind = random.integer(4);
    world.add_body(i, kind == 0   ? sphere(0.3)
                      : kind == 1 ? ellipsoid({0.4, 0.2, 0.3})
                      : kind == 2 ? shape_of(box({0.3, 0.2, 0.3}))
                                  : shape_of(octahedron({0.4, 0.4, 0.4})),
                   true);
    const Mat3 turn = random.rotation();
    put(world, i, Vec3(2, 2, 1).cwiseProduct(random.vector(-1, 1)) + Vec3(0, 0, 1.1), turn);
  }
}

TEST(world, sorted_by_bodies_pieces_and_features) {
  World world;
  fill_zoo(world, 1, 200);
  const auto contacts = detect(world, 0.01);
  ASSERT_GT(contacts.size(), 300u);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto& c = contacts[i];
    EXPECT_LT(c.body_a, c.body_b);
    EXPECT_NEAR(c.normal.norm(), 1.0, 1e-12);
    EXPECT_LE(c.gap, 0.01);
    EXPECT_GT(c.area, 0.0);
    if (i == 0) continue;
    const auto key = [](const ContactPoint& p) {
      return std::tuple{p.body_a, p.body_b, p.piece_a, p.piece_b, p.feature};
    };
    EXPECT_LT(key(contacts[i - 1]), key(c));
  }
}

TEST(world, same_bits_for_any_thread_count) {
  std::set<std::string> hashes;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    World world;
    fill_zoo(world, 2, 600);
    hashes.insert(hash_of(detect(world, 0.01)));
  }
  set_threads(1);
  EXPECT_EQ(hashes.size(), 1u);
}

TEST(world, answer_does_not_depend_on_history_or_order_of_adding) {
  World fresh;
  fill_zoo(fresh, 3, 150);
  const std::string expected = hash_of(detect(fresh, 0.01));

  // Added in another order, after other bodies came and went, and after wandering.
  World other;
  Random random(9);
  other.add_body(1000, sphere(5.0), true);
  detect(other);
  std::vector<int> ids;
  for (int i = 0; i <= 150; ++i) ids.push_back(i);
  for (int i = 150; i > 0; --i) std::swap(ids[i], ids[random.integer(i + 1)]);
  Random zoo(3);
  std::vector<Shape> shapes;
  std::vector<std::pair<Vec3, Mat3>> places;
  shapes.push_back(shape_of(box({10, 10, 1}, {0, 0, -1})));
  places.push_back({Vec3::Zero(), Mat3::Identity()});
  for (int i = 1; i <= 150; ++i) {
    const int kind = zoo.integer(4);
    shapes.push_back(kind == 0   ? sphere(0.3)
                     : kind == 1 ? ellipsoid({0.4, 0.2, 0.3})
                     : kind == 2 ? shape_of(box({0.3, 0.2, 0.3}))
                                 : shape_of(octahedron({0.4, 0.4, 0.4})));
    const Mat3 turn = zoo.rotation();
    places.push_back({Vec3(2, 2, 1).cwiseProduct(zoo.vector(-1, 1)) + Vec3(0, 0, 1.1), turn});
  }
  for (const int id : ids) other.add_body(id, shapes[id], id != 0);
  for (int step = 0; step < 5; ++step) {
    for (const int id : ids) put(other, id, places[id].first + random.vector(-0.2, 0.2), places[id].second);
    detect(other, 0.01);
  }
  other.remove_body(1000);
  for (const int id : ids) put(other, id, places[id].first, places[id].second);
  EXPECT_EQ(hash_of(detect(other, 0.01)), expected);
  EXPECT_EQ(other.pieces(), 151);
}

TEST(world, features_survive_other_bodies_coming_and_going) {
  World world;
  world.add_body(5, shape_of(box({1, 1, 1})), false);
  world.add_body(9, shape_of(box({0.5, 0.5, 0.5})), true);
  put(world, 9, {0, 0, 1.5});
  const auto before = detect(world);
  ASSERT_EQ(before.size(), 4u);
  world.add_body(2, sphere(0.1), true);
  put(world, 2, {0, 0, 5});
  const auto after = detect(world);
  ASSERT_EQ(after.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(before[i].feature, after[i].feature);
  world.remove_body(2);
  world.remove_body(5);
  EXPECT_TRUE(detect(world).empty());
}

TEST(world, reach_and_margin_widen_the_search) {
  World world;
  world.add_body(0, sphere(1.0), true);
  world.add_body(1, sphere(1.0), true);
  put(world, 1, {2.5, 0, 0});
  EXPECT_TRUE(detect(world, 0.49).empty());
  EXPECT_EQ(detect(world, 0.51).size(), 1u);
  put(world, 0, Vec3::Zero(), Mat3::Identity(), 0.3);
  EXPECT_TRUE(detect(world, 0.1).empty());
  put(world, 1, {2.5, 0, 0}, Mat3::Identity(), 0.15);
  EXPECT_EQ(detect(world, 0.1).size(), 1u);
  EXPECT_TRUE(detect(world, 0.0).empty());
}

TEST(world, exclusions) {
  World world;
  world.add_body(0, joined({box({1, 1, 1}, {-1, 0, 0}, 7), box({1, 1, 1}, {1, 0, 0}, 8)}), false);
  world.add_body(1, shape_of(geometry::Sphere{Vec3::Zero(), 0.5}, 3), true);
  put(world, 1, {0, 0, 1.4});
  ASSERT_FALSE(detect(world).empty());
  world.exclude_surfaces(3, 7);
  for (const auto& c : detect(world)) EXPECT_EQ(c.surface_a, 8);
  ASSERT_FALSE(detect(world).empty());
  world.exclude_pieces(1, Vec3::Zero(), 0, Vec3(1, 0, 0));
  EXPECT_TRUE(detect(world).empty());
  EXPECT_THROW(world.exclude_pieces(1, Vec3::Zero(), 0, Vec3(9, 0, 0)), InputError);

  World pair;
  pair.add_body(0, sphere(1), true);
  pair.add_body(1, sphere(1), true);
  EXPECT_EQ(detect(pair).size(), 1u);
  pair.exclude_bodies(1, 0);
  EXPECT_TRUE(detect(pair).empty());
  // A new body of the same id starts without exclusions.
  pair.remove_body(1);
  pair.add_body(1, sphere(1), true);
  EXPECT_EQ(detect(pair).size(), 1u);
}

TEST(world, fixed_bodies_do_not_touch_each_other) {
  World world;
  world.add_body(0, sphere(1), false);
  world.add_body(1, sphere(1), false);
  world.add_body(2, sphere(1), true);
  EXPECT_EQ(detect(world).size(), 2u);
}

TEST(world, selfcontact_between_pieces_that_are_not_adjacent) {
  Shape chain;
  for (int i = 0; i < 3; ++i) {
    chain.pieces.push_back(sphere(0.6, {1.0 * i, 0, 0}).pieces[0]);
    chain.adjacent.push_back(i == 0 ? std::vector<int>{1} : i == 1 ? std::vector<int>{0, 2} : std::vector<int>{1});
  }
  World world;
  world.add_body(4, chain, true);
  EXPECT_TRUE(detect(world, 1.0).empty());
  world.set_selfcontact(4, true);
  const auto contacts = detect(world, 1.0);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].body_a, 4);
  EXPECT_EQ(contacts[0].body_b, 4);
  EXPECT_EQ(world.local_piece(contacts[0].piece_a), 0);
  EXPECT_EQ(world.local_piece(contacts[0].piece_b), 2);
  EXPECT_NEAR(contacts[0].gap, 0.8, 1e-14);
}

TEST(world, stretched_sphere_is_an_ellipsoid) {
  World world;
  world.add_body(0, shape_of(box({5, 5, 1}, {0, 0, -1})), false);
  world.add_body(1, sphere(1.0), true);
  Mat3 F = exp_rotation(Vec3(0.3, 0.2, 0.5)) * Vec3(1.2, 0.9, 0.7).asDiagonal();
  put(world, 1, {0, 0, 1.0}, F);
  const double bottom = 1.0 - F.row(2).norm();
  const auto contacts = detect(world, 0.5);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, bottom, 1e-13);
  EXPECT_NEAR(world.bounds(1).low.z(), bottom, 1e-13);
}

TEST(world, placing_by_points) {
  World world;
  world.add_body(0, sphere(1.0, {0, 0, -1}), false);
  world.add_body(1, shape_of(box({1, 1, 1})), true);
  ASSERT_EQ(world.points(1), 8);
  std::vector<Vec3> points = box({2, 2, 0.5}, {0, 0, 0.52}).vertices;
  world.place_points(1, points, 0.0);
  const auto contacts = detect(world, 0.1);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.02, 1e-14);
  EXPECT_NEAR(world.bounds(1).high.x(), 2.0, 1e-15);
  points.pop_back();
  EXPECT_THROW(world.place_points(1, points, 0.0), InputError);
}

// A sphere rolls over the joints of a floor, slightly sunk in: the normal stays vertical, and there is
// always exactly one point.
TEST(seams, sphere_rolls_over_joints) {
  std::vector<Polyhedron> tiles;
  for (int i = 0; i < 6; ++i) tiles.push_back(box({0.5, 5, 0.5}, {i - 2.5, 0, -0.5}));
  for (const int kind : {0, 1, 2}) {
    World world;
    if (kind == 0) world.add_body(0, mesh_floor(6), false);
    if (kind == 1) world.add_body(0, joined(tiles), false);
    for (int i = 0; kind == 2 && i < 6; ++i) world.add_body(10 + i, shape_of(tiles[i]), false);
    world.add_body(1, sphere(0.3), true);
    for (const double depth : {0.0, 1e-9, 1e-4, 0.01}) {
      for (int step = 0; step <= 1000; ++step) {
        put(world, 1, {-2.5 + 0.005 * step, 0.1, 0.3 - depth});
        const auto contacts = detect(world, 1e-3);
        ASSERT_GE(contacts.size(), 1u);
        if (kind < 2) {
          ASSERT_EQ(contacts.size(), 1u) << kind << " " << depth << " " << step;
        }
        for (const auto& c : contacts) {
          ASSERT_NEAR(std::abs(c.normal.z()), 1.0, 1e-12) << kind << " " << depth << " " << step;
          ASSERT_NEAR(c.gap, -depth, 1e-12);
        }
      }
    }
  }
}

TEST(seams, box_slides_over_joints) {
  std::vector<Polyhedron> tiles;
  for (int i = 0; i < 6; ++i) tiles.push_back(box({0.5, 5, 0.5}, {i - 2.5, 0, -0.5}));
  for (const int kind : {0, 1, 2}) {
    World world;
    if (kind == 0) world.add_body(0, mesh_floor(6), false);
    if (kind == 1) world.add_body(0, joined(tiles), false);
    for (int i = 0; kind == 2 && i < 6; ++i) world.add_body(10 + i, shape_of(tiles[i]), false);
    world.add_body(1, shape_of(box({0.2, 0.2, 0.2})), true);
    for (const double depth : {0.0, 1e-9, 1e-4, 0.01}) {
      for (int step = 0; step <= 2000; ++step) {
        put(world, 1, {-2.5 + 0.0025 * step, 0.1, 0.2 - depth});
        const auto contacts = detect(world, 1e-3);
        ASSERT_GE(contacts.size(), 4u);
        Box extent;
        for (const auto& c : contacts) {
          ASSERT_NEAR(std::abs(c.normal.z()), 1.0, 1e-12) << kind << " " << depth << " " << step;
          ASSERT_NEAR(c.gap, -depth, 1e-12);
          extent.add(c.point);
        }
        // Together the points carry the whole face, but for a strip below a hundredth of the area (sparsified)
        // or narrower than the depth (where the way out is sideways).
        ASSERT_NEAR(extent.extent().x(), 0.4, std::max(4e-3, depth) + 1e-9) << kind << " " << depth << " " << step;
        ASSERT_NEAR(extent.extent().y(), 0.4, 1e-6);
      }
    }
  }
}

// Anything at any angle, sunk in a little anywhere over a floor of pieces: only the top of the floor exists.
TEST(seams, floor_of_pieces_pushes_up_only) {
  Random random(12);
  std::vector<Polyhedron> tiles;
  for (int i = 0; i < 6; ++i) tiles.push_back(box({0.5, 5, 0.5}, {i - 2.5, 0, -0.5}));
  int tilted = 0, total = 0;
  for (const bool mesh : {true, false}) {
    World world;
    world.add_body(0, mesh ? mesh_floor(6) : joined(tiles), false);
    const Shape shapes[] = {sphere(0.3), ellipsoid({0.3, 0.2, 0.05}), shape_of(box({0.3, 0.2, 0.1})),
                            shape_of(octahedron({0.3, 0.3, 0.2})), shape_of(prism(7, 0.2, 0.2))};
    for (int trial = 0; trial < 4000; ++trial) {
      const Shape& shape = shapes[trial % 5];
      world.add_body(1, shape, true);
      const Mat3 turn = random.rotation();
      const Placed placed{&shape.pieces[0], turn, Vec3::Zero()};
      const double depth = std::pow(10.0, random.uniform(-8, -2.5));
      const Vec3 x(random.uniform(-2, 2), 0, placed.extent(-Vec3::UnitZ()) - depth);
      put(world, 1, x, turn);
      const auto contacts = detect(world, 0.0);
      world.remove_body(1);
      ASSERT_FALSE(contacts.empty());
      double deepest = 0.0;
      for (const auto& c : contacts) {
        ++total;
        if (c.normal.z() < 0.9999) ++tilted;
        deepest = std::min(deepest, c.gap);
      }
      EXPECT_NEAR(deepest, -depth, 0.03 * depth + 1e-6) << trial;
    }
  }
  EXPECT_EQ(tilted, 0) << "of " << total;
}

TEST(seams, box_in_a_corner_keeps_floor_and_wall) {
  World world;
  world.add_body(0, joined({box({2, 2, 0.5}, {0, 0, -0.5}), box({0.5, 2, 2}, {-2.5, 0, 1})}), false);
  world.add_body(1, shape_of(box({0.5, 0.5, 0.5})), true);
  for (const double angle : {0.0, 1e-4, -1e-4}) {
    put(world, 1, {-1.5 - 1e-5, 0, 0.5 - 1e-5}, exp_rotation(Vec3(0, angle, 0)));
    bool up = false, side = false;
    for (const auto& c : detect(world, 1e-4)) {
      up = up || c.normal.z() > 0.99;
      side = side || c.normal.x() > 0.99;
    }
    EXPECT_TRUE(up && side) << angle;
  }
}

// A floor and a wall that stands on it, leans against its side, or goes through it; as one body or two. Something with
// an edge in the corner is pushed into both by depths of any order: floor and wall both hold. (The sharp one may
// meet the rim of a piece with a side of its own, which leans by 27 degrees.)
TEST(seams, corner_keeps_floor_and_wall_at_any_depth) {
  const Polyhedron floor = box({1, 1, 0.25}, {0, 0, -0.25}), short_floor = box({0.5, 1, 0.25}, {-0.5, 0, -0.25});
  const Polyhedron standing = box({0.5, 1, 0.5}, {0.5, 0, 0.5}), deep = box({0.5, 1, 0.75}, {0.5, 0, 0.25});
  const std::pair<Polyhedron, Polyhedron> corners[] = {{floor, standing}, {short_floor, deep}, {floor, deep}};
  std::vector<Vec3> cloud;
  for (const double y : {-0.1, 0.1})
    for (const auto& [x, z] : {std::pair{0.0, 0.0}, std::pair{0.0, 0.1}, std::pair{-0.1, 0.05}}) cloud.push_back({x, y, z});
  const Shape blunt = geometry::make_hull(cloud, 0, 0);
  for (Vec3& x : cloud)
    if (x.z() == 0.1) x.x() = -0.05;
  const Shape sharp = geometry::make_hull(cloud, 0, 0);
  Random random(31);
  for (int trial = 0; trial < 3000; ++trial) {
    const auto& [lower, upright] = corners[trial % 3];
    World world;
    if (trial % 2) {
      world.add_body(0, joined({lower, upright}), false);
    } else {
      world.add_body(0, shape_of(lower), false);
      world.add_body(1, shape_of(upright), false);
    }
    world.add_body(2, trial % 4 < 2 ? blunt : sharp, true);
    const double in = std::pow(10.0, random.uniform(-14, -2.5)), down = std::pow(10.0, random.uniform(-14, -2.5));
    const double beside = random.uniform(-0.5, 0.5);
    put(world, 2, {in, beside, -down}, exp_rotation(Vec3(0, 0, random.integer(2) * 1e-3)));
    bool up = false, side = false;
    for (const auto& c : detect(world, 1e-2)) {
      up = up || c.normal.z() > 0.89;
      side = side || c.normal.x() < -0.89;
    }
    EXPECT_TRUE(up && side) << trial << " in " << in << " down " << down;
  }
}

TEST(sparsify, slivers_beside_large_areas_go) {
  // A box over two adjacent pieces, 99.5 % on one of them.
  World world;
  world.add_body(0, mesh_floor(2), false);
  world.add_body(1, shape_of(box({0.2, 0.2, 0.2})), true);
  put(world, 1, {0.199, 0, 0.2});
  const auto all = detect(world, 1e-3, 0.0);
  const auto thinned = detect(world, 1e-3, 0.01);
  EXPECT_EQ(all.size(), 8u);
  ASSERT_EQ(thinned.size(), 4u);
  for (const auto& c : thinned) EXPECT_GT(c.point.x(), -1e-9);
}

TEST(sparsify, pieces_that_are_not_adjacent_are_left_alone) {
  World world;
  Shape floor = mesh_floor(2);
  floor.adjacent = {{}, {}};
  world.add_body(0, floor, false);
  world.add_body(1, shape_of(box({0.2, 0.2, 0.2})), true);
  put(world, 1, {0.199, 0, 0.2});
  const auto contacts = detect(world, 1e-3, 0.01);
  // Two of the points lie on the joint and coincide with the neighbour's.
  EXPECT_EQ(contacts.size(), 6u);
}

TEST(world, refuses_nonsense) {
  World world;
  EXPECT_THROW(world.add_body(-1, sphere(1), true), InputError);
  EXPECT_THROW(world.add_body(1, sphere(-1), true), InputError);
  EXPECT_EQ(world.pieces(), 0);
  world.add_body(1, sphere(1), true);
  EXPECT_THROW(world.add_body(1, sphere(1), true), InputError);
  EXPECT_THROW(world.place(2, Mat3::Identity(), Vec3::Zero(), Vec3::Zero(), 0), InputError);
  EXPECT_THROW(world.place(1, Mat3::Identity(), Vec3::Zero(), Vec3::Constant(kInfinity), 0), InputError);
  EXPECT_THROW(world.remove_body(7), InputError);
  std::vector<ContactPoint> contacts;
  Settings bad;
  bad.margin = -1;
  EXPECT_THROW(world.detect(bad, contacts), InputError);
  bad = {};
  bad.manifold_points = 0;
  EXPECT_THROW(world.detect(bad, contacts), InputError);
}

}  // namespace
}  // namespace scree::collision
