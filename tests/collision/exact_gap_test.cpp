/// Gaps of random polyhedra against an oracle that tries everything.
#include <fmt/format.h>

#include "../long_form.hpp"
#include "collision/narrow_phase.hpp"
#include "geometry/build.hpp"
#include "oracle.hpp"
#include "pair_run.hpp"

namespace scree::collision {
namespace {

using namespace testing;

/// Two polyhedra in place.
struct Couple {
  const Polyhedron *a, *b;
  Mat3 Fa, Fb;
  Vec3 xa, xb;
  bool parallel = false;

  [[nodiscard]] Solid solid_a() const { return {*a, Fa, xa}; }
  [[nodiscard]] Solid solid_b() const { return {*b, Fb, xb}; }
};

/// Orientations: any, equal, or equal but for a tiny turn; places: as thrown, or moved along the exact normal to a gap
/// of any order of magnitude on either side of zero; sizes of any order, and distances from the origin up to a hundred
/// times the smaller one (rounding of the coordinates then turns the thinnest faces by less than 1e-9).
Couple random_couple(const std::vector<Polyhedron>& pool, Random& random) {
  Couple c;
  c.a = &pool[random.integer(static_cast<int>(pool.size()))];
  c.b = random.integer(5) == 0 ? c.a : &pool[random.integer(static_cast<int>(pool.size()))];
  const double scale = random.power(-6, 6), other = scale * random.power(-1, 1);
  const int turn = random.integer(4);
  c.Fa = random.rotation();
  c.Fb = turn < 2 ? random.rotation() : c.Fa;
  if (turn == 3) c.Fb = exp_rotation(random.of_any_order(-13, -1)) * c.Fa;
  c.parallel = turn >= 2;
  c.Fa *= scale;
  c.Fb *= other;
  c.xa = std::min(scale, other) * random.of_any_order(-2, 2);
  c.xb = c.xa + (scale + other) * random.within(0, 1.2);
  if (random.integer(4) == 0) return c;
  const ExactGap thrown(c.solid_a(), c.solid_b());
  double wanted = 0.0;
  if (random.integer(5) != 0) {
    wanted = random.integer(2) ? 1 : -1;
    wanted *= random.power(-15, -0.5);
  }
  c.xb += (wanted * std::min(scale, other) - thrown.gap) * thrown.normal;
  return c;
}

bool detect_couple(const Couple& c, const NarrowOptions& options, NarrowScratch& scratch, Manifold& manifold) {
  PieceStore store;
  store.add(0, shape_of(*c.a), true);
  store.add(1, shape_of(*c.b), true);
  store.place(0, c.Fa, Vec3::Zero(), c.xa);
  store.place(1, c.Fb, Vec3::Zero(), c.xb);
  return touch(store, 0, 1, options, scratch, manifold);
}

double deepest_of(const Manifold& manifold) {
  double least = kInfinity;
  for (int k = 0; k < manifold.count; ++k) least = std::min(least, manifold.points[k].gap);
  return least;
}

/// Least width along a face normal, of the size.
double slenderness(const Solid& solid) {
  double least = kInfinity;
  for (const Vec3& n : solid.normals) least = std::min(least, solid.extent(n) + solid.extent(-n));
  return least / solid.size();
}

std::vector<std::string> classes_of(const Couple& c, const Solid& a, const Solid& b, double gap) {
  const std::size_t corners = std::max(a.vertices.size(), b.vertices.size());
  std::vector<std::string> classes{"all", corners <= 8 ? "4-8 vertices" : corners <= 20 ? "9-20 vertices" : "21-60 vertices"};
  classes.push_back(gap > 1e-6 ? "apart" : gap >= -1e-6 ? "touching" : gap >= -1e-2 ? "shallow" : "deep");
  if (c.parallel) classes.push_back("parallel");
  if (std::min(slenderness(a), slenderness(b)) < 1e-2) classes.push_back("sliver");
  return classes;
}

/// Detect with a limit beyond the gap, and check depth and normal. Returns the options used.
NarrowOptions check_couple(Judge& judge, int trial, const Couple& c, const Solid& a, const Solid& b, const ExactGap& exact, NarrowScratch& scratch,
                           Manifold& manifold) {
  const double size = std::min(a.size(), b.size());
  NarrowOptions options;
  options.limit = std::max(0.0, 1.1 * exact.gap) + size;
  options.manifold_points = kMaxManifold;
  const double reported = detect_couple(c, options, scratch, manifold) ? deepest_of(manifold) : kInfinity;
  const double along = -b.extent(-manifold.normal) - a.extent(manifold.normal);
  const double error = std::max(std::abs(reported - exact.gap), std::abs(along - exact.gap)) / size;
  judge.check(trial, error, classes_of(c, a, b, exact.gap / size),
              fmt::format("exact gap {}, reported {}, along its normal {} of the size", exact.gap / size, reported / size, along / size));
  return options;
}

TEST(exact_gap, polyhedra) {
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  run_pairs(41, long_form() ? 12000 : 4000, 300, [&](int trial, Random& random, const std::vector<Polyhedron>& pool) {
    const Couple c = random_couple(pool, random);
    const Solid a = c.solid_a(), b = c.solid_b();
    const ExactGap exact(a, b);
    const double size = std::min(a.size(), b.size());
    NarrowOptions options = check_couple(judge, trial, c, a, b, exact, scratch, manifold);

    // A limit on either side of the gap decides whether there is contact at all.
    options.limit = exact.gap + 1e-6 * size;
    if (options.limit > 0.0) {
      EXPECT_TRUE(detect_couple(c, options, scratch, manifold)) << trial;
    }
    options.limit = exact.gap - 1e-6 * size;
    if (options.limit > 0.0) {
      EXPECT_FALSE(detect_couple(c, options, scratch, manifold)) << trial;
    }
  });
}

// A vertex beside the corner of a sliver's face, 1e-8 of the size above it: the face's plane is nearer than the face.
TEST(exact_gap, vertex_beside_the_corner_of_a_sliver) {
  const auto hull = [](const std::vector<Vec3>& points) { return std::get<Polyhedron>(geometry::make_hull(points, 0, 0).pieces[0].form); };
  const Polyhedron wedge = hull({{0, 0, 0}, {1, 0.05, 0}, {1, -0.05, 0}, {0.9, 0, -1}});
  const Polyhedron spike = hull({{0, 0, 0}, {-1, 0.2, 1}, {-1, -0.2, 1}, {-1.2, 0, 1.3}});
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  for (int k = 0; k < 40; ++k) {
    const Couple c{&wedge, &spike, Mat3::Identity(), Mat3::Identity(), Vec3::Zero(), 1e-9 * Vec3(-0.5 * k, 0, 8)};
    const Solid a = c.solid_a(), b = c.solid_b();
    check_couple(judge, k, c, a, b, ExactGap(a, b), scratch, manifold);
  }
}

/// Hull of so many points on an ellipsoid.
Polyhedron large_hull(Random& random, int count) {
  Vec3 stretch = random.vector(0.3, 1.0);
  stretch[0] = 1.0;
  std::vector<Vec3> cloud;
  for (int i = 0; i < count; ++i) cloud.push_back(stretch.cwiseProduct(random.direction()));
  return std::get<Polyhedron>(geometry::make_hull(cloud, 0, 0).pieces[0].form);
}

TEST(exact_gap, large_hulls_from_apart_to_concentric) {
  Random random(43);
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  const int count = environment_number("SCREE_PAIRS", 30);
  for (int trial = 0; trial < count; ++trial) {
    const Polyhedron p = large_hull(random, 60 + random.integer(120)), q = large_hull(random, 20 + random.integer(160));
    const Couple c{&p, &q, random.rotation(), random.rotation(), Vec3::Zero(), random.within(0.0, 2.2)};
    const Solid a = c.solid_a(), b = c.solid_b();
    check_couple(judge, trial, c, a, b, ExactGap(a, b), scratch, manifold);
  }
}

// From wherever a climb along the edges starts, it ends as high as any vertex lies, up to rounding of the heights.
TEST(support_from, is_as_high_as_any_vertex) {
  Random random(44);
  for (int trial = 0; trial < 20; ++trial) {
    const Polyhedron p = trial % 2 ? large_hull(random, 30 + random.integer(200)) : prism(13 + random.integer(40), 1.0, 0.2);
    PieceStore store;
    store.add(0, shape_of(p), true);
    const Mat3 turn = random.rotation();
    store.place(0, turn, Vec3::Zero(), random.vector(-1, 1));
    const PolyhedronView view = store.polyhedron(0);
    ASSERT_GT(view.vertex_count, PolyhedronView::kFewVertices);
    for (int k = 0; k < 200; ++k) {
      const Vec3 n = k % 4 ? random.direction() : view.normals[random.integer(view.face_count)];
      const int v = view.support_from(n, random.integer(view.vertex_count));
      EXPECT_NEAR(n.dot(view.vertices[v]), view.extent(n), 1e-13 * view.size);
    }
  }
}

// The two hulls overlap by more than a tenth of their size; their faces of least depth do not hold the deepest vertex.
TEST(exact_gap, face_that_does_not_hold_the_deepest_vertex) {
  const std::vector<Vec3> p = {{-.096, .039, -.19}, {.164, -.45, -.653}, {.089, -.409, -.31}, {.055, -.25, -.206}};
  const std::vector<Vec3> q = {{.09, .216, -.444}, {-.474, -.043, -.02}, {.169, -.4, -.197}, {-.123, -.185, .27}};
  const Shape a = geometry::make_hull(p, 0, 0), b = geometry::make_hull(q, 0, 0);
  const Polyhedron &hull_a = std::get<Polyhedron>(a.pieces[0].form), &hull_b = std::get<Polyhedron>(b.pieces[0].form);
  const Couple c{&hull_a, &hull_b, Mat3::Identity(), Mat3::Identity(), Vec3::Zero(), Vec3::Zero()};
  NarrowScratch scratch;
  Manifold manifold;
  ASSERT_TRUE(detect_couple(c, {}, scratch, manifold));
  const ExactGap exact(c.solid_a(), c.solid_b());
  EXPECT_LT(exact.gap, -0.056);
  EXPECT_NEAR(deepest_of(manifold), exact.gap, 1e-12);
}

// Four points stand for a polygon of many corners: the deepest is among them to a ten-millionth of the size.
TEST(exact_gap, four_points_keep_the_depth) {
  Random random(43);
  NarrowScratch scratch;
  Manifold manifold;
  const std::vector<Polyhedron> pool = make_pool(random, 200);
  for (int trial = 0; trial < 3000; ++trial) {
    const Couple c = random_couple(pool, random);
    const Solid a = c.solid_a(), b = c.solid_b();
    const ExactGap exact(a, b);
    const double size = std::min(a.size(), b.size());
    NarrowOptions options;
    options.limit = std::max(0.0, 1.1 * exact.gap) + size;
    ASSERT_TRUE(detect_couple(c, options, scratch, manifold));
    EXPECT_LE(manifold.count, 4);
    EXPECT_NEAR(deepest_of(manifold), exact.gap, 2e-7 * size) << trial;
    for (int k = 0; k < manifold.count; ++k) EXPECT_GE(manifold.points[k].gap, exact.gap - 1e-9 * size) << trial;
  }
}

/// How far x lies outside a solid; negative inside.
double outside(const Solid& solid, const Polyhedron& form, const Vec3& x) {
  double most = -kInfinity;
  for (int f = 0; f < form.faces(); ++f) most = std::max(most, solid.normals[f].dot(x - solid.vertices[form.face_vertex(f, 0)]));
  return most;
}

// A point stands midway between the two surfaces, its gap apart along the normal: each has its own true separation, however the features that meet there are tilted.
TEST(exact_gap, points_lie_on_both_surfaces) {
  Random random(61);
  NarrowScratch scratch;
  Manifold manifold;
  int several = 0;
  const std::vector<Polyhedron> pool = make_pool(random, 300);
  for (int trial = 0; trial < 1500; ++trial) {
    const Couple c = random_couple(pool, random);
    const Solid a = c.solid_a(), b = c.solid_b();
    const double size = std::min(a.size(), b.size());
    NarrowOptions options;
    options.limit = 0.05 * size;
    options.manifold_points = kMaxManifold;
    if (!detect_couple(c, options, scratch, manifold)) continue;
    several += manifold.count > 1;
    for (int k = 0; k < manifold.count; ++k) {
      const Touch& t = manifold.points[k];
      // Corners of slivers are known along the face, not across it: 1e-6 of the size.
      EXPECT_NEAR(outside(a, *c.a, t.point - 0.5 * t.gap * manifold.normal), 0.0, 1e-6 * size) << trial;
      EXPECT_NEAR(outside(b, *c.b, t.point + 0.5 * t.gap * manifold.normal), 0.0, 1e-6 * size) << trial;
    }
  }
  EXPECT_GT(several, 150);
}

// Boxes whose faces are nearly parallel and nearly flat, as those of deforming bodies are: normals and gaps are right to
// what the faces are bent by.
TEST(exact_gap, bent_boxes_nearly_parallel) {
  Random random(59);
  NarrowScratch scratch;
  Manifold manifold;
  const Polyhedron form = box({0.5, 0.5, 0.5});
  for (int trial = 0; trial < 20000; ++trial) {
    const double noise = random.power(-16, -3);
    Polyhedron forms[2] = {form, form};
    const Mat3 F = exp_rotation(random.of_any_order(-16, -3));
    // Side by side, corner to corner or on each other, in steps of half a box.
    Vec3 shift = Vec3::UnitZ();
    for (int i = 0; i < 2; ++i) shift[i] = 0.5 * (random.integer(5) - 2);
    if (random.integer(2)) shift += random.of_any_order(-12, -2);
    for (Vec3& x : forms[0].vertices) x += noise * random.vector(-1, 1);
    for (Vec3& x : forms[1].vertices) x = F * x + noise * random.vector(-1, 1) + shift;
    PieceStore store;
    for (int body = 0; body < 2; ++body) {
      store.add(body, shape_of(form), true);
      store.place_points(body, forms[body].vertices);
    }
    const Solid a(forms[0], Mat3::Identity(), Vec3::Zero()), b(forms[1], Mat3::Identity(), Vec3::Zero());
    const ExactGap exact(a, b);
    NarrowOptions options;
    options.limit = 0.1;
    if (exact.gap > 0.09) continue;
    ASSERT_TRUE(touch(store, 0, 1, options, scratch, manifold)) << trial;
    const double along = -b.extent(-manifold.normal) - a.extent(manifold.normal), tolerance = 20 * noise + 1e-9;
    EXPECT_NEAR(along, exact.gap, tolerance) << trial << " noise " << noise;
    EXPECT_NEAR(deepest_of(manifold), exact.gap, tolerance) << trial << " noise " << noise;
  }
}

}  // namespace
}  // namespace scree::collision
