/// Mass, centre and Euler tensor of shapes (theory eq. 2.2) against quadrature and closed forms.
#include "geometry/transform.hpp"
#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

/// Trilinear hexahedron integrated with 4 x 4 x 4 Gauss points: the volume is exact.
double trilinear_volume(const std::vector<Vec3>& nodes) {
  constexpr std::array<double, 4> at{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  constexpr std::array<double, 4> weight{0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  const std::array<Vec3, 8> sign{Vec3(-1, -1, -1), {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
  double volume = 0.0;
  for (int p = 0; p < 64; ++p) {
    const Vec3 s(at[p % 4], at[p / 4 % 4], at[p / 16]);
    Mat3 jacobian = Mat3::Zero();
    for (int n = 0; n < 8; ++n) {
      const Vec3 one = Vec3::Ones() + sign[n].cwiseProduct(s);
      const Vec3 gradient(sign[n].x() * one.y() * one.z(), one.x() * sign[n].y() * one.z(), one.x() * one.y() * sign[n].z());
      jacobian += nodes[n] * gradient.transpose() / 8.0;
    }
    volume += weight[p % 4] * weight[p / 4 % 4] * weight[p / 16] * jacobian.determinant();
  }
  return volume;
}

Shape warped_block(int cells, double warp) {
  // A cubic grid whose inner and outer nodes are all displaced at random: every face is warped.
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{};
  Mesh mesh = make_hex(std::span<const Vec3, 8>(corners.data(), 8), cells, cells, cells, 0, surfaces);
  const auto jitter = random_points(static_cast<int>(mesh.nodes.size()), 9);
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) mesh.nodes[n] += warp / cells * jitter[n];
  return make_shape(mesh);
}

}  // namespace

TEST(Mass, BoxClosedForm) {
  const MassProperties m = mass_properties(make_box({1, 2, 3}, {2, 4, 6}, 0, 0), 7.0);
  EXPECT_NEAR(m.volume, 6.0, 1e-14);
  EXPECT_NEAR(m.mass, 42.0, 1e-13);
  EXPECT_LT((m.center - Vec3(1.5, 3, 4.5)).norm(), 1e-14);
  const Mat3 euler = 42.0 / 12.0 * Vec3(1, 4, 9).asDiagonal();
  EXPECT_LT((m.euler - euler).norm(), 1e-12);
  EXPECT_LT((m.inertia() - Mat3(42.0 / 12.0 * Vec3(13, 10, 5).asDiagonal())).norm(), 1e-12);
}

TEST(Mass, TetrahedronClosedForm) {
  // Corner tetrahedron with legs a, b, c: E_ii = V l_i^2 (1/10 - 1/16), E_ij = V l_i l_j (1/20 - 1/16).
  const Vec3 legs(1, 2, 3);
  const std::vector<Vec3> vertices{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  const MassProperties m = mass_properties(make_convex(vertices, std::vector<int>{3, 0, 2, 1, 0, 3, 0, 1, 3, 0, 3, 1, 2, 3, 0, 3, 2, 0, 3, 0}, 0), 1.0);
  EXPECT_NEAR(m.volume, 1.0, 1e-15);
  EXPECT_LT((m.center - 0.25 * legs).norm(), 1e-15);
  Mat3 euler = -1.0 / 80.0 * legs * legs.transpose();
  euler.diagonal() = 3.0 / 80.0 * legs.cwiseAbs2();
  EXPECT_LT((m.euler - euler).norm(), 1e-14);
}

TEST(Mass, SphereAndEllipsoidClosedForm) {
  const MassProperties sphere = mass_properties(make_sphere({1, 2, 3}, 2.0, 0, 0), 3.0);
  EXPECT_NEAR(sphere.volume, 32.0 / 3.0 * kPi, 1e-13);
  EXPECT_LT((sphere.inertia() - Mat3(0.4 * sphere.mass * 4.0 * Mat3::Identity())).norm(), 1e-11);
  const Mat3 axes = random_rotation(6);
  const MassProperties ellipsoid = mass_properties(make_ellipsoid({1, 0, 0}, {1, 2, 3}, 0, 0, axes), 3.0);
  EXPECT_NEAR(ellipsoid.mass, 3.0 * 8.0 * kPi, 1e-12);
  const Mat3 euler = ellipsoid.mass / 5.0 * axes * Vec3(1, 4, 9).asDiagonal() * axes.transpose();
  EXPECT_LT((ellipsoid.euler - euler).norm(), 1e-11);
}

TEST(Mass, HexagonalPrismClosedForm) {
  // Regular hexagon of side s: area 3 sqrt(3)/2 s^2, polar moment 5 sqrt(3)/8 s^4.
  std::vector<Vec3> points;
  for (int k = 0; k < 12; ++k) points.emplace_back(2 * std::cos(kPi / 3 * k), 2 * std::sin(kPi / 3 * k), k < 6 ? -1.5 : 1.5);
  const MassProperties m = mass_properties(make_hull(points, 0, 0), 1.0);
  EXPECT_NEAR(m.volume, 3.0 * 1.5 * std::sqrt(3.0) * 4.0, 1e-13);
  EXPECT_NEAR(m.inertia()(2, 2), 3.0 * 5.0 * std::sqrt(3.0) / 8.0 * 16.0, 1e-12);
  EXPECT_NEAR(m.euler(2, 2), m.volume * 9.0 / 12.0, 1e-12);
}

TEST(Mass, FineHullOfAnEllipsoidApproachesIt) {
  // The hull of n points on the surface misses O(1/n) of the volume; 4000 points come within 0.3 %.
  const Vec3 radii(1, 2, 3);
  std::vector<Vec3> points;
  for (int k = 0; k < 4000; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / 4000.0, angle = k * kPi * (3.0 - std::sqrt(5.0)), r = std::sqrt(1.0 - z * z);
    points.push_back(radii.cwiseProduct(Vec3(r * std::cos(angle), r * std::sin(angle), z)));
  }
  const MassProperties hull = mass_properties(make_hull(points, 0, 0), 1.0);
  const MassProperties exact = mass_properties(make_ellipsoid(Vec3::Zero(), radii, 0, 0), 1.0);
  EXPECT_LT(hull.volume, exact.volume);
  expect_same(hull, exact, 3.0, 3e-3);
}

TEST(Mass, FollowsRotationAndTranslation) {
  const Shape shape = make_hull(random_points(40, 3), 0, 0);
  const MassProperties before = mass_properties(shape, 2.0);
  Shape moved = shape;
  const Vec3 axis(1, -2, 0.5), point(0.3, 0.2, 0.1), shift(10, 20, 30);
  rotate(moved, point, axis, 1.1);
  translate(moved, shift);
  const Mat3 rotation = exp_rotation(1.1 * axis.normalized());
  MassProperties expected = before;
  expected.center = point + rotation * (before.center - point) + shift;
  expected.euler = rotation * before.euler * rotation.transpose();
  // Coordinates near 40 carry rounding of 40 eps, about 1e-14.
  expect_same(mass_properties(moved, 2.0), expected, shape.size(), 1e-13);
}

TEST(Mass, KeepsDigitsFarFromTheOrigin) {
  // At 1e6 the coordinates themselves are rounded to 1e-10: volumes must be good to about that, not to 1e12 eps.
  const Shape shape = make_hull(random_points(40, 3), 0, 0);
  const MassProperties before = mass_properties(shape, 1.0);
  Shape moved = shape;
  translate(moved, {1e6, -1e6, 1e6});
  MassProperties expected = before;
  expected.center += Vec3(1e6, -1e6, 1e6);
  expect_same(mass_properties(moved, 1.0), expected, shape.size(), 1e-9);
}

TEST(Mass, ScalesWithTheRightPowers) {
  const std::vector<Vec3> points = random_points(40, 3);
  const MassProperties one = mass_properties(make_hull(points, 0, 0), 1.0);
  for (double factor : {1e-6, 1e6}) {
    std::vector<Vec3> scaled = points;
    for (Vec3& p : scaled) p *= factor;
    const MassProperties m = mass_properties(make_hull(scaled, 0, 0), 1.0);
    EXPECT_NEAR(m.volume / std::pow(factor, 3), one.volume, 1e-13);
    EXPECT_LT((m.center / factor - one.center).norm(), 1e-13);
    EXPECT_LT((m.euler / std::pow(factor, 5) - one.euler).norm(), 1e-13);
  }
}

TEST(Mass, RefinedBlockEqualsTheBlock) {
  const auto corners = cube_vertices(2.0);
  const std::array<int, 6> surfaces{};
  const std::vector<double> graded{1, 5, 2};
  const Shape mesh = make_shape(make_hex(std::span<const Vec3, 8>(corners.data(), 8), 3, 4, 5, 0, surfaces, graded));
  expect_same(mass_properties(mesh, 3.0), mass_properties(make_box(Vec3::Zero(), Vec3::Constant(2.0), 0, 0), 3.0), 2.0, 1e-13);
}

TEST(Mass, WarpedHexahedronHasItsTrilinearVolume) {
  const Shape shape = warped_block(3, 0.2);
  for (int p = 0; p < static_cast<int>(shape.pieces.size()); ++p) {
    EXPECT_NEAR(shape.pieces[p].volume(), trilinear_volume(polyhedron(shape, p).vertices), 1e-15);
  }
}

TEST(Mass, WarpedNeighboursLeaveNoGap) {
  // The block's volume from its boundary faces alone must equal the sum over elements.
  const Shape shape = warped_block(4, 0.2);
  double boundary = 0.0;
  for (int p = 0; p < static_cast<int>(shape.pieces.size()); ++p) {
    const Polyhedron& element = polyhedron(shape, p);
    for (int f = 0; f < element.faces(); ++f) {
      if (element.face_neighbour[f] >= 0) continue;
      const auto polygon = face(element, f);
      const Vec3 mean = fit_plane(element.vertices, polygon).center;
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        boundary += mean.dot(element.vertices[polygon[k]].cross(element.vertices[polygon[(k + 1) % polygon.size()]])) / 6.0;
      }
    }
  }
  EXPECT_NEAR(mass_properties(shape, 1.0).volume, boundary, 1e-14);
}

TEST(Mass, AgreesWithCountingPoints) {
  // Monte Carlo with 4e5 samples: relative standard error of the moments below 0.5 %; 4 deviations allowed.
  const Shape shape = make_hull(random_points(15, 31), 0, 0);
  const MassProperties m = mass_properties(shape, 1.0);
  const Box box = shape.bounds();
  const double sample = box.extent().prod() / 400000;
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Vec3& s : random_points(400000, 32)) {
    const Vec3 x = box.center() + 0.5 * box.extent().cwiseProduct(s);
    if (!shape.pieces[0].contains(x)) continue;
    volume += sample;
    first += sample * x;
    second += sample * x * x.transpose();
  }
  const Vec3 center = first / volume;
  EXPECT_NEAR(volume / m.volume, 1.0, 0.01);
  EXPECT_LT((center - m.center).norm(), 0.01);
  EXPECT_LT((second - volume * center * center.transpose() - m.euler).norm(), 0.02 * m.euler.norm());
}

TEST(Mass, DensityByVolumeAndCombine) {
  const std::array<Shape, 2> parts{make_box({0, 0, 0}, {1, 1, 1}, 1, 0), make_box({1, 0, 0}, {4, 1, 1}, 2, 0)};
  const Shape both = join(parts);
  const MassProperties m = mass_properties(both, [](int volume) { return volume == 1 ? 3.0 : 1.0; });
  EXPECT_NEAR(m.mass, 6.0, 1e-14);
  EXPECT_NEAR(m.volume, 4.0, 1e-14);
  EXPECT_NEAR(m.center.x(), (3 * 0.5 + 3 * 2.5) / 6.0, 1e-14);
  expect_same(combine(mass_properties(parts[0], 3.0), mass_properties(parts[1], 1.0)), m, 4.0, 1e-14);
  expect_same(combine(MassProperties{}, m), m, 4.0, 1e-16);
  EXPECT_EQ(mass_properties(Shape{}, 1.0).mass, 0.0);
}

TEST(Mass, RefusesBadDensity) {
  const Shape shape = make_sphere(Vec3::Zero(), 1, 0, 0);
  EXPECT_EQ(refusal([&] { (void)mass_properties(shape, 0.0); }), "mass properties: density is 0 kg/m^3: it must be positive and finite");
  EXPECT_NE(refusal([&] { (void)mass_properties(shape, std::nan("")); }), "");
  EXPECT_NE(refusal([&] { (void)mass_properties(shape, kInfinity); }), "");
}

}  // namespace scree::geometry::testing
