#include <algorithm>

#include "collision/manifold.hpp"
#include "shapes.hpp"

namespace scree::collision {
namespace {

using namespace testing;

/// Is there a point within 1e-8 of x?
bool has_point(const std::vector<ContactPoint>& contacts, const Vec3& x) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const auto& c) { return (c.point - x).norm() < 1e-8; });
}

double spanned_area(const std::vector<ContactPoint>& contacts) {
  // Points of a horizontal manifold, sorted round their mean.
  Vec3 mean = Vec3::Zero();
  for (const auto& c : contacts) mean += c.point / contacts.size();
  auto sorted = contacts;
  std::sort(sorted.begin(), sorted.end(), [&](const auto& p, const auto& q) {
    return std::atan2(p.point.y() - mean.y(), p.point.x() - mean.x()) <
           std::atan2(q.point.y() - mean.y(), q.point.x() - mean.x());
  });
  double area = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    area += 0.5 * sorted[i].point.cross(sorted[(i + 1) % sorted.size()].point).z();
  return area;
}

Duo stacked(const Polyhedron& lower, const Polyhedron& upper, double height) {
  Duo duo{shape_of(lower), shape_of(upper)};
  duo.xb = {0, 0, height};
  return duo;
}

class Offsets : public ::testing::TestWithParam<double> {};

TEST_P(Offsets, equal_boxes_touch_in_four_corners) {
  const double gap = GetParam();
  const auto contacts = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0 + gap).detect(0.1);
  ASSERT_EQ(contacts.size(), 4u);
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) EXPECT_TRUE(has_point(contacts, {x, y, 1.0 + 0.5 * gap}));
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, gap, 1e-14);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-14);
    EXPECT_NEAR(c.area, 1.0, 1e-12);
  }
}

TEST_P(Offsets, overhanging_box_touches_in_the_corners_of_the_overlap) {
  const double gap = GetParam();
  Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0 + gap);
  duo.xb += Vec3(1.5, -0.5, 0);
  const auto contacts = duo.detect(0.1);
  ASSERT_EQ(contacts.size(), 4u);
  for (const double x : {0.5, 1.0})
    for (const double y : {-1.0, 0.5}) EXPECT_TRUE(has_point(contacts, {x, y, 1.0 + 0.5 * gap}));
  double area = 0.0;
  for (const auto& c : contacts) area += c.area;
  EXPECT_NEAR(area, 0.5 * 1.5, 1e-9);
}

TEST_P(Offsets, small_box_on_a_large_one) {
  const double gap = GetParam();
  Duo duo = stacked(box({50, 50, 1}), box({0.1, 0.2, 0.3}), 1.3 + gap);
  duo.xb += Vec3(7, 3, 0);
  const auto contacts = duo.detect(0.1);
  ASSERT_EQ(contacts.size(), 4u);
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.2, 0.2}) EXPECT_TRUE(has_point(contacts, {7 + x, 3 + y, 1.0 + 0.5 * gap}));
}

TEST_P(Offsets, crossed_plates_touch_where_their_edges_cross) {
  const double gap = GetParam();
  Duo duo = stacked(box({2, 0.2, 0.05}), box({0.2, 2, 0.05}), 0.1 + gap);
  duo.Fb = exp_rotation(Vec3(0, 0, 0.1));
  const auto contacts = duo.detect(0.1);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, gap, 1e-12);
    EXPECT_NEAR(std::abs(c.point.y()), 0.2, 1e-9);
  }
}

TEST_P(Offsets, octagon_is_reduced_to_four_points_that_span_it) {
  const double gap = GetParam();
  Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0 + gap);
  duo.Fb = exp_rotation(Vec3(0, 0, kPi / 4));
  Settings all;
  all.manifold_points = 16;
  const auto eight = duo.detect(0.1, all);
  ASSERT_EQ(eight.size(), 8u);
  const double octagon = 8.0 * (std::sqrt(2.0) - 1.0);
  EXPECT_NEAR(spanned_area(eight), octagon, 1e-9);
  const auto four = duo.detect(0.1);
  ASSERT_EQ(four.size(), 4u);
  // The largest quadrangle in a regular octagon is the square on every other corner: 1 / sqrt(2) of it.
  EXPECT_GT(spanned_area(four), 0.99 * octagon / std::sqrt(2.0));
  double area = 0.0;
  for (const auto& c : four) area += c.area;
  EXPECT_NEAR(area, octagon, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(gaps, Offsets, ::testing::Values(0.05, 1e-6, 1e-12, 0.0, -1e-12, -1e-6, -0.05));

TEST(polyhedron_pairs, slightly_tilted_box_keeps_four_points) {
  for (const double angle : {1e-9, 1e-6, 1e-3, 0.01}) {
    Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0);
    duo.Fb = exp_rotation(Vec3(angle, 0.3 * angle, 0.2));
    const auto contacts = duo.detect(0.05);
    EXPECT_EQ(contacts.size(), 4u) << angle;
    for (const auto& c : contacts) EXPECT_LT(std::abs(c.gap), 2.5 * angle + 1e-9) << angle;
  }
}

TEST(polyhedron_pairs, box_on_its_edge_and_on_its_vertex) {
  // An edge on a face: the two ends of the edge.
  Duo duo = stacked(box({5, 5, 1}), box({1, 1, 1}), 1.0 + std::sqrt(2.0) + 0.001);
  duo.Fb = exp_rotation(Vec3(kPi / 4, 0, 0));
  auto contacts = duo.detect(0.01);
  ASSERT_EQ(contacts.size(), 2u);
  for (const double x : {-1.0, 1.0}) EXPECT_TRUE(has_point(contacts, {x, 0, 1.0005}));

  // A vertex on a face.
  const Vec3 diagonal = Vec3::Ones().normalized();
  duo.Fb = Eigen::AngleAxisd(std::acos(-diagonal.z()), diagonal.cross(-Vec3::UnitZ()).normalized()).toRotationMatrix();
  duo.xb.z() = 1.0 + std::sqrt(3.0) - 0.001;
  contacts = duo.detect(0.01);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.001, 1e-12);
  EXPECT_TRUE(has_point(contacts, {0, 0, 0.9995}));
  EXPECT_LT((contacts[0].normal - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(polyhedron_pairs, crossed_edges) {
  // Two boxes on edge, the edges at right angles.
  for (const double gap : {0.002, -0.002}) {
    Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0 * std::sqrt(2.0) + gap);
    duo.Fa = exp_rotation(Vec3(kPi / 4, 0, 0));
    duo.Fb = exp_rotation(Vec3(0, kPi / 4, 0));
    const auto contacts = duo.detect(0.01);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-12);
    EXPECT_TRUE(has_point(contacts, {0, 0, std::sqrt(2.0) + 0.5 * gap}));
    EXPECT_LT((contacts[0].normal - Vec3::UnitZ()).norm(), 1e-9);
  }
}

TEST(polyhedron_pairs, parallel_edges_touch_along_a_line) {
  // Ridge over ridge, shifted along the ridge by a half.
  Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0 * std::sqrt(2.0) + 0.003);
  duo.Fa = duo.Fb = exp_rotation(Vec3(kPi / 4, 0, 0));
  duo.xb.x() = 0.5;
  const auto contacts = duo.detect(0.01);
  ASSERT_EQ(contacts.size(), 2u);
  for (const double x : {-0.5, 1.0}) EXPECT_TRUE(has_point(contacts, {x, 0, std::sqrt(2.0) + 0.0015}));
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.003, 1e-12);
    EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-9);
  }
}

// The ridge of a roof across a plate, tilted so that the deepest axis is that of two edges: the plate is touched at both ends of the ridge's way
// over it, each with its own gap, and not at one that changes sides when the tilt does.
TEST(polyhedron_pairs, edge_over_a_nearly_parallel_face_touches_at_both_ends) {
  Random random(17);
  int crossed = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const double tilt = random.uniform(-0.15, 0.15), yaw = random.uniform(0.5, 1.07), depth = random.uniform(0.001, 0.02);
    const Polyhedron roof = polyhedron({{-2, 0, 0}, {-2, -0.5, 0.5}, {-2, 0.5, 0.5}, {2, 0, 0}, {2, -0.5, 0.5}, {2, 0.5, 0.5}},
                                       {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {0, 2, 5, 3}, {1, 4, 5, 2}});
    Duo duo{shape_of(box({0.5, 0.4, 0.1})), shape_of(roof)};
    duo.Fb = exp_rotation(Vec3(0, 0, yaw)) * exp_rotation(Vec3(0, tilt, 0));
    const Vec3 ridge = duo.Fb * Vec3::UnitX();
    // Where the ridge crosses the sides of the plate, seen from above.
    const double reach = std::min(0.5 / std::abs(ridge.x()), 0.4 / std::abs(ridge.y()));
    duo.xb = {0, 0, 0.1 - depth + reach * std::abs(ridge.z())};
    const auto contacts = duo.detect(2.0 * reach * std::abs(ridge.z()) + 1e-3);
    ASSERT_GE(contacts.size(), 2u) << trial;
    double low = kInfinity, high = -kInfinity;
    for (const auto& c : contacts) {
      const double along = ridge.dot(c.point - duo.xb);
      low = std::min(low, along), high = std::max(high, along);
    }
    crossed += contacts[0].normal.z() < 1.0 - 1e-9;
    EXPECT_GT(high - low, 1.9 * reach) << trial << " tilt " << tilt << " depth " << depth;
  }
  EXPECT_GT(crossed, 200);
}

TEST(polyhedron_pairs, corner_to_corner) {
  Duo duo{shape_of(box({1, 1, 1})), shape_of(box({1, 1, 1}))};
  const Vec3 d = Vec3(1, 2, 3).normalized();
  duo.xb = Vec3(2, 2, 2) + 0.01 * d;
  auto contacts = duo.detect(0.02);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0.01, 1e-12);
  EXPECT_LT((contacts[0].normal - d).norm(), 1e-9);
  EXPECT_TRUE(has_point(contacts, Vec3(1, 1, 1) + 0.005 * d));

  // Exactly touching in one point: a gap of zero and a normal that leads apart.
  duo.xb = Vec3(2, 2, 2);
  contacts = duo.detect(0.02);
  ASSERT_GE(contacts.size(), 1u);
  EXPECT_NEAR(least_gap(contacts), 0.0, 1e-12);
  EXPECT_GT(contacts[0].normal.dot(d), 0.0);
}

TEST(polyhedron_pairs, edge_beside_edge) {
  // Boxes diagonal to each other: parallel edges face each other across a gap.
  Duo duo{shape_of(box({1, 1, 1})), shape_of(box({1, 1, 1}))};
  duo.xb = {2.003, 2.004, 0.5};
  const auto contacts = duo.detect(0.01);
  ASSERT_EQ(contacts.size(), 2u);
  for (const auto& c : contacts) {
    EXPECT_NEAR(c.gap, 0.005, 1e-12);
    EXPECT_LT((c.normal - Vec3(0.6, 0.8, 0)).norm(), 1e-9);
  }
  EXPECT_TRUE(has_point(contacts, {1.0015, 1.002, 1.0}));
  EXPECT_TRUE(has_point(contacts, {1.0015, 1.002, -0.5}));
}

TEST(polyhedron_pairs, thin_plate_pushes_along_its_thickness) {
  // A plate 1:1000; the box has sunk through half of it, and through all of it.
  for (const double depth : {1e-6, 5e-4, 1e-3, 3e-3}) {
    Duo duo = stacked(box({1, 1, 5e-4}), box({0.2, 0.2, 0.2}), 0.2 + 5e-4 - depth);
    duo.xb += Vec3(0.3, 0.7, 0);
    const auto contacts = duo.detect(0.0);
    ASSERT_EQ(contacts.size(), 4u) << depth;
    for (const auto& c : contacts) {
      EXPECT_NEAR(c.gap, -depth, 1e-12);
      EXPECT_LT((c.normal - Vec3::UnitZ()).norm(), 1e-12);
    }
  }
  // Two plates on each other.
  const auto contacts = stacked(box({1, 1, 5e-4}), box({1, 1, 5e-4}), 0.9e-3).detect(0.0);
  ASSERT_EQ(contacts.size(), 4u);
  EXPECT_NEAR(contacts[0].gap, -1e-4, 1e-12);
  EXPECT_GT(contacts[0].normal.z(), 0.999);
}

TEST(polyhedron_pairs, coincident_centres) {
  const auto contacts = stacked(box({1, 2, 3}), box({1, 2, 3}), 0.0).detect(0.0);
  ASSERT_FALSE(contacts.empty());
  // Least way out: along x, by the full width.
  EXPECT_NEAR(std::abs(contacts[0].normal.x()), 1.0, 1e-12);
  EXPECT_NEAR(least_gap(contacts), -2.0, 1e-12);
}

TEST(polyhedron_pairs, sliding_box_moves_its_points_continuously) {
  // Across the top of another box and over its rim, turning slowly.
  Duo duo = stacked(box({1, 1, 1}), box({0.3, 0.3, 0.3}), 1.3 - 1e-6);
  std::vector<ContactPoint> before;
  int kept = 0, total = 0;
  for (int step = 0; step <= 2000; ++step) {
    duo.xb.x() = -0.4 + 0.0005 * step;
    duo.Fb = exp_rotation(Vec3(0, 0, 0.3));
    const auto now = duo.detect(0.001);
    ASSERT_GE(now.size(), 3u) << step;
    for (const auto& c : now) {
      EXPECT_NEAR(c.gap, -1e-6, 1e-12);
      ++total;
      for (const auto& old : before) {
        if (old.feature != c.feature) continue;
        ++kept;
        EXPECT_LT((old.point - c.point).norm(), 0.0035) << step;
      }
    }
    before = now;
  }
  EXPECT_GT(kept, total - 40);
}

TEST(polyhedron_pairs, features_do_not_flicker_under_tiny_motion) {
  Random random(3);
  Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 2.0);
  duo.Fb = exp_rotation(Vec3(0, 0, kPi / 4));
  std::vector<std::uint64_t> features;
  for (int step = 0; step < 200; ++step) {
    Duo shaken = duo;
    shaken.xb += 1e-8 * random.vector(-1, 1);
    shaken.Fb = exp_rotation(1e-8 * random.vector(-1, 1)) * duo.Fb;
    std::vector<std::uint64_t> now;
    for (const auto& c : shaken.detect(0.001)) now.push_back(c.feature);
    if (step > 0) {
      ASSERT_EQ(now, features) << step;
    }
    features = now;
  }
}

TEST(polyhedron_pairs, one_point_per_overlap) {
  Settings one;
  one.one_point_per_overlap = true;
  Duo duo = stacked(box({1, 1, 1}), box({1, 1, 1}), 1.98);
  duo.xb += Vec3(1.0, 0.5, 0);
  const auto contacts = duo.detect(0.0, one);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.02, 1e-12);
  EXPECT_NEAR(contacts[0].area, 1.0 * 1.5, 1e-9);
  EXPECT_TRUE(has_point(contacts, {0.5, 0.25, 0.99}));
}

TEST(polyhedron_pairs, triangulated_box_is_a_box) {
  const Polyhedron quads = box({1, 1, 1});
  std::vector<std::vector<int>> triangles;
  for (int f = 0; f < 6; ++f) {
    triangles.push_back({quads.face_vertex(f, 0), quads.face_vertex(f, 1), quads.face_vertex(f, 2)});
    triangles.push_back({quads.face_vertex(f, 0), quads.face_vertex(f, 2), quads.face_vertex(f, 3)});
  }
  const Polyhedron split = polyhedron(quads.vertices, triangles);
  Duo whole = stacked(quads, box({0.5, 0.5, 0.5}), 1.5), cut = stacked(split, box({0.5, 0.5, 0.5}), 1.5);
  whole.xb += Vec3(0.7, 0.2, 0);
  cut.xb = whole.xb;
  const auto expected = whole.detect(0.01), contacts = cut.detect(0.01);
  ASSERT_EQ(contacts.size(), 4u);
  for (const auto& c : expected) EXPECT_TRUE(has_point(contacts, c.point));
}

TEST(choose_corners, keeps_the_deepest_and_the_extent) {
  std::vector<PolygonCorner> polygon;
  for (int i = 0; i < 12; ++i) {
    PolygonCorner corner;
    corner.x = {std::cos(2 * kPi * i / 12), std::sin(2 * kPi * i / 12), 0};
    corner.gap = i == 5 ? -0.01 : 0.0;
    corner.feature = 100 + i;
    polygon.push_back(corner);
  }
  int chosen[kMaxManifold];
  ASSERT_EQ(choose_corners(polygon, 4, 1e-4, chosen), 4);
  EXPECT_NE(std::find(chosen, chosen + 4, 5), chosen + 4);
  EXPECT_NE(std::find(chosen, chosen + 4, 11), chosen + 4);  // opposite the deepest
  EXPECT_EQ(choose_corners(polygon, 16, 1e-4, chosen), 12);
}

}  // namespace
}  // namespace scree::collision
