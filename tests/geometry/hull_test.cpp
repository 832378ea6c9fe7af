#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

/// Convex, closed, of Euler characteristic two, and holding every point to `slack` of its size.
void expect_hull(const Shape& shape, const std::vector<Vec3>& points, double slack) {
  const Polyhedron& hull = polyhedron(shape);
  const double size = shape.size();
  EXPECT_EQ(static_cast<int>(hull.vertices.size()) - static_cast<int>(hull.edges.size()) + hull.faces(), 2);
  for (int f = 0; f < hull.faces(); ++f) {
    for (const Vec3& p : points) ASSERT_LE(hull.face_normal[f].dot(p) - hull.face_offset[f], slack * size);
  }
  for (const auto& [f, g] : hull.edge_faces) {
    // Neighbouring faces turn away from each other, by more than merging would forgive.
    const Vec3 middle = fit_plane(hull.vertices, face(hull, g)).center;
    EXPECT_LT(hull.face_normal[f].dot(middle) - hull.face_offset[f], -1e-9 * size);
  }
}

}  // namespace

TEST(Hull, OfRandomPointsHoldsThemAll) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<Vec3> points = random_points(5 + 10 * static_cast<int>(seed), seed);
    // Rounding of heights only: a few 1e-16 of the extent.
    expect_hull(make_hull(points, 0, 0), points, 1e-14);
  }
}

TEST(Hull, OfPointsOnASphereKeepsEveryPoint) {
  std::vector<Vec3> points = random_points(300, 8);
  for (Vec3& p : points) p.normalize();
  const Shape shape = make_hull(points, 0, 0);
  EXPECT_EQ(polyhedron(shape).vertices, points);
  EXPECT_EQ(polyhedron(shape).faces(), 2 * 300 - 4);
}

TEST(Hull, MergesCoplanarFacetsOfALattice) {
  // Rotated 4 x 4 x 4 lattice with rounding-size and larger noise: still a cube of six squares.
  for (double noise : {0.0, 1e-15, 1e-13, 1e-11}) {
    const Mat3 rotation = random_rotation(2);
    const std::vector<Vec3> jitter = random_points(64, 5);
    std::vector<Vec3> points;
    for (int p = 0; p < 64; ++p) points.push_back(rotation * Vec3(p % 4, p / 4 % 4, p / 16) + noise * jitter[p]);
    const Shape shape = make_hull(points, 0, 9);
    const Polyhedron& hull = polyhedron(shape);
    EXPECT_EQ(hull.faces(), 6);
    EXPECT_EQ(hull.vertices.size(), 8u);
    EXPECT_EQ(hull.face_surface, std::vector<int>(6, 9));
    for (int f = 0; f < hull.faces(); ++f) EXPECT_EQ(hull.face_size(f), 4);
    // Input order is kept.
    EXPECT_EQ(hull.vertices.front(), points.front());
    EXPECT_EQ(hull.vertices.back(), points.back());
    EXPECT_NEAR(shape.pieces[0].volume(), 27.0, 1e-9);
  }
}

TEST(Hull, OfADiscHasPolygonalCaps) {
  std::vector<Vec3> points;
  for (double y : {-0.052, -0.002}) {
    for (int k = 0; k < 31; ++k) points.emplace_back(1.05 * std::cos(2 * kPi * k / 31), y, 1.05 * std::sin(2 * kPi * k / 31));
  }
  const Shape shape = make_hull(points, 0, 0);
  const Polyhedron& disc = polyhedron(shape);
  EXPECT_EQ(disc.faces(), 33);
  EXPECT_EQ(disc.vertices, points);
  EXPECT_NEAR(shape.pieces[0].volume(), 0.05 * 31 * 0.5 * 1.05 * 1.05 * std::sin(2 * kPi / 31), 1e-14);
}

TEST(Hull, DropsDuplicatesAndInteriorPoints) {
  std::vector<Vec3> points = cube_vertices();
  for (int copy = 0; copy < 3; ++copy) {
    for (const Vec3& v : cube_vertices()) points.push_back(v + Vec3::Constant(1e-12 * copy));
  }
  for (const Vec3& p : random_points(100, 4)) points.push_back(Vec3::Constant(0.5) + 0.4 * p);
  const Shape shape = make_hull(points, 0, 0);
  EXPECT_EQ(polyhedron(shape).vertices, cube_vertices());
  EXPECT_EQ(polyhedron(shape).faces(), 6);
}

TEST(Hull, DependsOnThePointsAlone) {
  // The same numbers twice, and a power-of-two scale, give the same vertices and faces.
  const std::vector<Vec3> points = random_points(200, 21);
  const Shape a = make_hull(points, 0, 0), b = make_hull(points, 0, 0);
  std::vector<Vec3> larger = points;
  for (Vec3& p : larger) p *= 1024.0;
  const Shape c = make_hull(larger, 0, 0);
  EXPECT_EQ(polyhedron(a).face_vertices, polyhedron(b).face_vertices);
  EXPECT_EQ(polyhedron(a).face_vertices, polyhedron(c).face_vertices);
  // A permutation gives the same body.
  std::vector<Vec3> shuffled = points;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  EXPECT_NEAR(make_hull(shuffled, 0, 0).pieces[0].volume(), a.pieces[0].volume(), 1e-14);
}

TEST(Hull, BehavesAlikeAtEverySize) {
  const std::vector<Vec3> points = random_points(60, 6);
  const Shape reference = make_hull(points, 0, 0);
  for (double factor : {1e-6, 1e6}) {
    std::vector<Vec3> scaled = points;
    for (Vec3& p : scaled) p *= factor;
    const Shape shape = make_hull(scaled, 0, 0);
    EXPECT_EQ(polyhedron(shape).face_vertices, polyhedron(reference).face_vertices);
    const double cube = factor * factor * factor;
    EXPECT_NEAR(shape.pieces[0].volume() / cube, reference.pieces[0].volume(), 1e-13);
    for (Vec3& p : scaled) p.z() = factor;
    EXPECT_NE(refusal([&] { (void)make_hull(scaled, 0, 0); }).find("HULL: all 60 points lie in a plane"), std::string::npos);
  }
}

TEST(Hull, SurvivesHardInput) {
  // Plates and needles down to 1e-7 of their length, with near-duplicates; every hull must hold its points to 1e-6.
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double thin = std::pow(10.0, -7.0 * trial / 300.0);
    std::vector<Vec3> points;
    for (const Vec3& p : random_points(25, trial)) {
      points.push_back(Vec3(p.x(), trial % 2 ? p.y() : thin * p.y(), thin * p.z()));
      if (uniform(generator) > 0.0) points.push_back(points.back() + 1e-9 * thin * Vec3::Ones());
    }
    const Mat3 rotation = random_rotation(trial);
    for (Vec3& p : points) p = rotation * p;
    const Shape shape = make_hull(points, 0, 0);
    const Polyhedron& hull = polyhedron(shape);
    for (int f = 0; f < hull.faces(); ++f) {
      for (const Vec3& p : points) ASSERT_LE(hull.face_normal[f].dot(p) - hull.face_offset[f], 1e-6 * shape.size()) << trial;
    }
    EXPECT_GT(shape.pieces[0].volume(), 0.0);
  }
}

TEST(Hull, RefusesWhatEnclosesNoVolume) {
  const auto hull_refusal = [](const std::vector<Vec3>& points) { return refusal([&] { (void)make_hull(points, 0, 0); }); };
  EXPECT_EQ(hull_refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "HULL: 3 points given: at least 4 are needed");
  EXPECT_EQ(hull_refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 1e-12}}), "HULL: only 3 of the 4 points differ: at least 4 are needed");
  EXPECT_EQ(hull_refusal({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}),
            "HULL: all 4 points lie on a line from (0, 0, 0) to (3, 3, 3): they enclose no volume");
  EXPECT_EQ(hull_refusal({{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}}).substr(0, 44), "HULL: all 5 points lie in a plane with norma");
  EXPECT_EQ(hull_refusal(std::vector<Vec3>(5, Vec3(1, 2, 3))), "HULL: all 5 points coincide at (1, 2, 3): they enclose no volume");
  EXPECT_EQ(hull_refusal({{0, 0, 0}, {1, 0, 0}, {0, kInfinity, 0}, {0, 0, 1}}), "HULL: point 2 is (0, inf, 0): coordinates must be finite numbers");
}

TEST(Hull, PrintsNothing) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  (void)make_hull(random_points(50, 1), 0, 0);
  (void)refusal([] { (void)make_hull(std::vector<Vec3>(9, Vec3::Ones()), 0, 0); });
  // Thin enough to trouble the merging.
  (void)refusal([] {
    std::vector<Vec3> points = random_points(40, 2);
    for (Vec3& p : points) p.z() *= 3e-9;
    (void)make_hull(points, 0, 0);
  });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace scree::geometry::testing
