/// Gaps of random pairs against an oracle that tries everything. SCREE_PAIRS sets how many pairs are tried (a million
/// takes some minutes).
#include <cstdlib>

#include "collision/narrow_phase.hpp"
#include "geometry/build.hpp"
#include "oracle.hpp"

namespace scree::collision {
namespace {

using namespace testing;

int pair_count(int usual) {
  const char* text = std::getenv("SCREE_PAIRS");
  return text ? std::atoi(text) : usual;
}

/// Hull of a random cloud: round, boxy or flat, of 4 to 60 vertices.
Polyhedron random_hull(Random& random) {
  for (;;) {
    const int count = random.integer(3) > 0 ? 4 + random.integer(12) : 4 + random.integer(57);
    const int kind = random.integer(3);
    Vec3 stretch = Vec3::Ones();
    if (random.integer(3) == 0) stretch = Vec3(1.0, std::pow(10.0, random.uniform(-4, 0)), std::pow(10.0, random.uniform(-4, 0)));
    std::vector<Vec3> cloud;
    for (int i = 0; i < count; ++i) {
      const Vec3 x = kind == 0 ? random.direction() : random.vector(-1, 1);
      cloud.push_back(stretch.cwiseProduct(x));
    }
    const Shape shape = geometry::make_hull(cloud, 0, 0);
    return std::get<Polyhedron>(shape.pieces[0].form);
  }
}

Polyhedron random_block(Random& random) {
  const Vec3 half = random.vector(0.1, 1.0);
  switch (random.integer(3)) {
    case 0: return box(half);
    case 1: return octahedron(half);
    default: return prism(3 + random.integer(10), half.x(), half.y());
  }
}

std::vector<Polyhedron> make_pool(Random& random, int count) {
  std::vector<Polyhedron> pool;
  for (int i = 0; i < count; ++i) pool.push_back(i % 4 == 3 ? random_block(random) : random_hull(random));
  return pool;
}

/// Two polyhedra in place.
struct Couple {
  const Polyhedron *a, *b;
  Mat3 Fa, Fb;
  Vec3 xa, xb;

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
  const double scale = std::pow(10.0, random.uniform(-6, 6)), other = scale * std::pow(10.0, random.uniform(-1, 1));
  const int turn = random.integer(4);
  c.Fa = random.rotation();
  c.Fb = turn < 2 ? random.rotation() : c.Fa;
  if (turn == 3) c.Fb = exp_rotation(std::pow(10.0, random.uniform(-13, -1)) * random.direction()) * c.Fa;
  c.Fa *= scale;
  c.Fb *= other;
  c.xa = std::min(scale, other) * std::pow(10.0, random.uniform(-2, 2)) * random.direction();
  c.xb = c.xa + (scale + other) * random.uniform(0, 1.2) * random.direction();
  if (random.integer(4) == 0) return c;
  const ExactGap thrown(c.solid_a(), c.solid_b());
  const double wanted = random.integer(5) == 0 ? 0.0 : (random.integer(2) ? 1 : -1) * std::pow(10.0, random.uniform(-15, -0.5));
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

/// Count and describe what is off by more than 1e-9 of the size.
class Judge {
 public:
  void check(int trial, double size, double exact, double reported, double along) {
    const double tolerance = 1e-9 * size;
    if (std::abs(reported - exact) <= tolerance && std::abs(along - exact) <= tolerance) return;
    if (++bad_ <= 10)
      ADD_FAILURE() << "pair " << trial << ": exact gap " << exact / size << ", reported " << reported / size << ", along its normal "
                    << along / size << " of the size";
  }
  /// Detect with a limit beyond the gap, and check depth and normal. Returns the options used.
  NarrowOptions check(int trial, const Couple& c, const Solid& a, const Solid& b, const ExactGap& exact, NarrowScratch& scratch, Manifold& manifold) {
    const double size = std::min(a.size(), b.size());
    NarrowOptions options;
    options.limit = std::max(0.0, 1.1 * exact.gap) + size;
    options.manifold_points = kMaxManifold;
    const bool touching = detect_couple(c, options, scratch, manifold);
    const double along = -b.extent(-manifold.normal) - a.extent(manifold.normal);
    check(trial, size, exact.gap, touching ? deepest_of(manifold) : kInfinity, along);
    return options;
  }
  ~Judge() { EXPECT_EQ(bad_, 0) << "pairs in all"; }

 private:
  int bad_ = 0;
};

TEST(exact_gap, polyhedra) {
  Random random(41);
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  std::vector<Polyhedron> pool;
  const int count = pair_count(12000);
  for (int trial = 0; trial < count; ++trial) {
    if (trial % 10000 == 0) pool = make_pool(random, 300);
    const Couple c = random_couple(pool, random);
    const Solid a = c.solid_a(), b = c.solid_b();
    const ExactGap exact(a, b);
    const double size = std::min(a.size(), b.size());
    NarrowOptions options = judge.check(trial, c, a, b, exact, scratch, manifold);

    // A limit on either side of the gap decides whether there is contact at all.
    options.limit = exact.gap + 1e-6 * size;
    if (options.limit > 0.0) {
      EXPECT_TRUE(detect_couple(c, options, scratch, manifold)) << trial;
    }
    options.limit = exact.gap - 1e-6 * size;
    if (options.limit > 0.0) {
      EXPECT_FALSE(detect_couple(c, options, scratch, manifold)) << trial;
    }
  }
}

/// Hull of so many points on an ellipsoid.
Polyhedron large_hull(Random& random, int count) {
  const Vec3 stretch(1.0, random.uniform(0.3, 1.0), random.uniform(0.3, 1.0));
  std::vector<Vec3> cloud;
  for (int i = 0; i < count; ++i) cloud.push_back(stretch.cwiseProduct(random.direction()));
  return std::get<Polyhedron>(geometry::make_hull(cloud, 0, 0).pieces[0].form);
}

TEST(exact_gap, large_hulls_from_apart_to_concentric) {
  Random random(43);
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  const int count = pair_count(30);
  for (int trial = 0; trial < count; ++trial) {
    const Polyhedron p = large_hull(random, 60 + random.integer(120)), q = large_hull(random, 20 + random.integer(160));
    const Couple c{&p, &q, random.rotation(), random.rotation(), Vec3::Zero(), random.uniform(0.0, 2.2) * random.direction()};
    const Solid a = c.solid_a(), b = c.solid_b();
    judge.check(trial, c, a, b, ExactGap(a, b), scratch, manifold);
  }
}

// From wherever a climb along the edges starts, it ends as high as any vertex lies, up to rounding of the heights.
TEST(support_from, is_as_high_as_any_vertex) {
  Random random(44);
  for (int trial = 0; trial < 20; ++trial) {
    const Polyhedron p = trial % 2 ? large_hull(random, 30 + random.integer(200)) : prism(13 + random.integer(40), 1.0, 0.2);
    PieceStore store;
    store.add(0, shape_of(p), true);
    store.place(0, random.rotation(), Vec3::Zero(), random.vector(-1, 1));
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

// A sphere is a point with a radius.
TEST(exact_gap, sphere_and_polyhedron) {
  Random random(47);
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  std::vector<Polyhedron> pool;
  const int count = pair_count(6000);
  for (int trial = 0; trial < count; ++trial) {
    if (trial % 10000 == 0) pool = make_pool(random, 300);
    const Polyhedron& form = pool[random.integer(300)];
    const double scale = std::pow(10.0, random.uniform(-6, 6)), radius = scale * std::pow(10.0, random.uniform(-1, 1));
    const Mat3 F = scale * random.rotation();
    const Vec3 x = scale * random.vector(-1, 1), center = x + scale * random.uniform(0, 2) * random.direction();
    const Solid b(form, F, x), point(center);
    const double exact = ExactGap(point, b).gap - radius, size = std::min(b.size(), 2 * radius);
    PieceStore store;
    store.add(0, sphere(radius), true);
    store.add(1, shape_of(form), true);
    store.place(0, Mat3::Identity(), Vec3::Zero(), center);
    store.place(1, F, Vec3::Zero(), x);
    NarrowOptions options;
    options.limit = std::max(0.0, 1.1 * exact) + size;
    const bool touching = touch(store, 0, 1, options, scratch, manifold);
    const double along = -b.extent(-manifold.normal) - manifold.normal.dot(center) - radius;
    judge.check(trial, size, exact, touching ? deepest_of(manifold) : kInfinity, along);
  }
}

/// Ellipsoids against each other and against polyhedra (not deep in these): the gap is what the normal parts them by, and
/// none of many directions parts them farther.
class Smooth : public ::testing::TestWithParam<bool> {};

TEST_P(Smooth, pairs) {
  Random random(53);
  const std::vector<Polyhedron> pool = make_pool(random, 100);
  const auto radii = [&] { return Vec3(std::pow(10.0, random.uniform(-1, 0)), std::pow(10.0, random.uniform(-1, 0)), 1.0); };
  const int count = std::min(pair_count(400), 100000);
  int judged = 0;
  for (int trial = 0; trial < count; ++trial) {
    const Vec3 radii_a = radii();
    Duo duo{ellipsoid(radii_a), GetParam() ? shape_of(pool[random.integer(100)]) : ellipsoid(radii())};
    duo.Fa = random.rotation();
    duo.Fb = random.rotation();
    duo.xb = random.uniform(0, 2) * random.direction();
    const double sampled = sampled_gap(duo.placed_a(), duo.placed_b());
    if (GetParam() && sampled < -0.1 * radii_a.minCoeff()) continue;
    const auto contacts = duo.detect(std::max(0.0, 1.1 * sampled) + 0.1);
    ASSERT_FALSE(contacts.empty()) << trial;
    EXPECT_NEAR(contacts[0].gap, separation(duo.placed_a(), duo.placed_b(), contacts[0].normal), 1e-9) << trial;
    EXPECT_GE(contacts[0].gap, sampled - 1e-9) << trial;
    ++judged;
  }
  EXPECT_GT(judged, count / 4);
}

INSTANTIATE_TEST_SUITE_P(exact_gap, Smooth, ::testing::Bool());

// Boxes whose faces are nearly parallel and nearly flat, as those of deforming bodies are: normals and gaps are right to
// what the faces are bent by.
TEST(exact_gap, bent_boxes_nearly_parallel) {
  Random random(59);
  NarrowScratch scratch;
  Manifold manifold;
  const Polyhedron form = box({0.5, 0.5, 0.5});
  for (int trial = 0; trial < 20000; ++trial) {
    const double noise = std::pow(10.0, random.uniform(-16, -3)), turn = std::pow(10.0, random.uniform(-16, -3));
    Polyhedron forms[2] = {form, form};
    const Mat3 F = exp_rotation(turn * random.direction());
    // Side by side, corner to corner or on each other, in steps of half a box.
    Vec3 shift(0.5 * (random.integer(5) - 2), 0.5 * (random.integer(5) - 2), 1.0);
    if (random.integer(2)) shift += std::pow(10.0, random.uniform(-12, -2)) * random.direction();
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
    EXPECT_NEAR(along, exact.gap, tolerance) << trial << " noise " << noise << " turn " << turn;
    EXPECT_NEAR(deepest_of(manifold), exact.gap, tolerance) << trial << " noise " << noise << " turn " << turn;
  }
}

}  // namespace
}  // namespace scree::collision
