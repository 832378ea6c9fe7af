/// Static problems with known answers.
#include <gtest/gtest.h>

#include "elastic/loads.hpp"
#include "elastic/stress.hpp"
#include "statics.hpp"

namespace scree::elastic::testing {
namespace {

constexpr Cells kCells[] = {Cells::hexahedra, Cells::wedges, Cells::pyramids, Cells::tetrahedra, Cells::mixed};

bool on_box(const Vec3& X, const Vec3& low, const Vec3& high) {
  return ((X - low).cwiseAbs().array() < 1e-9).any() || ((X - high).cwiseAbs().array() < 1e-9).any();
}

TEST(Patch, LinearFieldsAreFoundToRounding) {
  Mat3 G;
  G << 1e-3, 2e-3, -1e-3, 0.5e-3, -1e-3, 1.5e-3, 1e-3, 0.7e-3, 2e-3;
  for (Cells cells : kCells) {
    for (int order : {1, 2}) {
      const Vec3 low(0, 0, 0), high(1, 1.2, 0.8);
      const ElasticBody body = make_body(box_mesh(low, high, 3, 3, 3, cells, 0.15), order);
      Statics problem{body};
      for (int i = 0; i < 3; ++i) problem.hold([&](const Vec3& X) { return on_box(X, low, high); }, i, [&](const Vec3& X) { return G.row(i).dot(X); });
      const auto u = problem.solve();
      double worst = 0.0;
      for (int n = 0; n < body.nodes(); ++n) worst = std::max(worst, (Vec3::Map(u.data() + 3 * n) - G * body.mesh().nodes[n]).norm());
      // Displacements are 4e-3: rounding times the condition of the free part, below 1e3.
      EXPECT_LT(worst, 1e-15) << static_cast<int>(cells) << " order " << order;
      // The same stress everywhere.
      const Vec6 expected = linear_stress(body, u, {0, natural_center(body.mesh().kinds[0])});
      for (int e = 0; e < body.mesh().elements(); ++e) {
        EXPECT_LT((linear_stress(body, u, {e, natural_center(body.mesh().kinds[e])}) - expected).norm(), 1e-12 * expected.norm());
      }
    }
  }
}

/// Cantilever of length 4, depth 1, width 0.5 under an end shear, nu = 0: the plane solution is exact in space.
Vec3 cantilever(const Vec3& X) {
  const double L = 4, D = 1, x = X.x(), y = X.y();
  return 1e-4 * Vec3(-y * ((6 * L - 3 * x) * x + 2 * (y * y - D * D / 4)), D * D * x + (3 * L - x) * x * x, 0.0);
}

double cantilever_error(Cells cells, int order, int n) {
  const ElasticBody body = make_body(box_mesh(Vec3(0, -0.5, 0), Vec3(4, 0.5, 0.5), 4 * n, n, std::max(1, n / 2), cells), order, 1.0, 0.0);
  Statics problem{body};
  for (int i = 0; i < 3; ++i) {
    problem.hold([](const Vec3& X) { return X.x() < 1e-9 || X.x() > 4 - 1e-9; }, i, [&](const Vec3& X) { return cantilever(X)[i]; });
  }
  return field_error(body, problem.solve(), cantilever);
}

TEST(Cantilever, ConvergesAtTheOrderOfTheElements) {
  // Displacements converge with the power order + 1 of the mesh size. Measured between the two finest meshes; coarse first-order meshes
  // still lock, so their slope lies a little below 2.
  for (Cells cells : kCells) {
    const double coarse = cantilever_error(cells, 1, 4), fine = cantilever_error(cells, 1, 8);
    EXPECT_GT(std::log2(coarse / fine), 1.75) << static_cast<int>(cells) << ": " << coarse << " " << fine;
    EXPECT_LT(std::log2(coarse / fine), 2.3) << static_cast<int>(cells);
    const double coarse2 = cantilever_error(cells, 2, 2), fine2 = cantilever_error(cells, 2, 4);
    EXPECT_GT(std::log2(coarse2 / fine2), 2.7) << static_cast<int>(cells) << ": " << coarse2 << " " << fine2;
    // Free of locking: with two elements over the depth second order is better than first order with eight.
    EXPECT_LT(coarse2, fine) << static_cast<int>(cells);
  }
}

TEST(Cantilever, SecondOrderBendsExactly) {
  // Pure bending is a quadratic field: one layer of second-order elements, 50 times longer than thick, has it to rounding.
  const auto exact = [](const Vec3& X) { return Vec3(1e-3 * Vec3(-X.x() * X.y(), 0.5 * X.x() * X.x(), 0.0)); };
  for (Cells cells : kCells) {
    const ElasticBody body = make_body(box_mesh(Vec3(0, -0.01, 0), Vec3(1, 0.01, 0.02), 4, 1, 1, cells), 2, 1.0, 0.0);
    Statics problem{body};
    for (int i = 0; i < 3; ++i) {
      problem.hold([](const Vec3& X) { return X.x() < 1e-9 || X.x() > 1 - 1e-9; }, i, [&](const Vec3& X) { return exact(X)[i]; });
    }
    // Thin elements are badly conditioned (1e8): rounding is 1e-8 of the deflection 5e-4.
    EXPECT_LT(field_error(body, problem.solve(), exact), 1e-11) << static_cast<int>(cells);
  }
}

/// Hexahedra over (radius, angle, thickness) given by a map of the unit cube.
geometry::Mesh mapped_mesh(int i, int j, int k, const std::function<Vec3(const Vec3&)>& map) {
  geometry::Mesh mesh = box_mesh(Vec3::Zero(), Vec3::Ones(), i, j, k, Cells::hexahedra);
  for (Vec3& X : mesh.nodes) X = map(X);
  return mesh;
}

/// Planes of symmetry x = 0, y = 0 and the back z = 0 of a quarter.
void hold_quarter(Statics& problem) {
  for (int i = 0; i < 3; ++i) problem.hold([i](const Vec3& X) { return std::abs(X[i]) < 1e-9; }, i);
}

/// Linear stress at a referential point.
Vec6 stress_at(const ElasticBody& body, const std::vector<double>& u, const Vec3& X) {
  return linear_stress(body, u, Locator(body.mesh()).locate(body.mesh(), X));
}

TEST(Statics, ThickCylinder) {
  // Quarter ring under inner pressure in plane stress; Lame's solution. Second order, straight edges.
  const double ri = 0.1, ro = 0.2, E = 2e11, nu = 0.3, p = 6e7;
  const auto run = [&](int n) {
    const ElasticBody body = make_body(mapped_mesh(n, 2 * n, 1, [&](const Vec3& s) {
      const double r = ri + (ro - ri) * s.x(), a = 0.5 * kPi * s.y();
      return Vec3(r * std::cos(a), r * std::sin(a), 0.01 * s.z());
    }), 2, E, nu);
    Statics problem{body};
    hold_quarter(problem);
    add_surface_load(body.mesh(), body.mesh().positions(), {.surface = 5, .value = -p}, problem.load);
    const auto u = problem.solve();
    const Locator locator(body.mesh());
    const Place inner = locator.locate(body.mesh(), Vec3(ri, 0, 0.005));
    const Vec6 s = linear_stress(body, u, inner);
    return std::array{weights(body.mesh(), inner).at(u).x(), s[1], s[0]};
  };
  const double a2 = ri * ri, b2 = ro * ro, exact = p * ri / E * ((a2 + b2) / (b2 - a2) + nu);
  EXPECT_NEAR(exact, 5.9e-5, 1e-7);
  const auto coarse = run(3), fine = run(6);
  // Polygonal edges: the radius is off by (angle)^2/8, 0.2 % at n = 6.
  EXPECT_NEAR(fine[0], exact, 4e-3 * exact);
  EXPECT_LT(std::abs(fine[0] - exact), 0.5 * std::abs(coarse[0] - exact));
  EXPECT_NEAR(fine[1], 100e6, 2e6);
  EXPECT_NEAR(fine[2], -60e6, 3e6);
}

TEST(Statics, PlateWithHole) {
  // Quarter of a plate with a small hole under tension along x: three times the traction at the top of the hole, minus once at its side.
  const double a = 0.01, T = 2.5e6;
  const auto run = [&](int n, double w) {
    const auto map = [&](const Vec3& s) {
      // From the hole outward, graded; along the angle from the x axis to the y axis.
      const double angle = 0.5 * kPi * s.y(), c = std::cos(angle), d = std::sin(angle), edge = w / std::max(c, d);
      const double t = std::pow(s.x(), 2.0), r = a + (edge - a) * t;
      return Vec3(r * c, r * d, 0.001 * s.z());
    };
    const ElasticBody body = make_body(mapped_mesh(3 * n, 4 * n, 1, map), 2, 2e11, 0.3);
    Statics problem{body};
    hold_quarter(problem);
    // Traction on the right edge: the outer faces below 45 degrees.
    FiniteMesh loaded = body.mesh();
    for (BoundaryFace& face : loaded.boundary) {
      bool right = face.surface == 3;
      for (int k = 0; k < 4 && right; ++k) right = loaded.nodes[face.node[k]].x() > w - 1e-9;
      face.surface = right ? 7 : 0;
    }
    add_surface_load(loaded, body.mesh().positions(), {.surface = 7, .value = T}, problem.load);
    const auto u = problem.solve();
    return Eigen::Vector2d(stress_at(body, u, {0, a, 0.0005})[0], stress_at(body, u, {a, 0, 0.0005})[1]);
  };
  // The infinite plate has 3 and -1. The outline of the hole is off by the square of the mesh size, the plate's own edges count with the
  // square of a / w: both slopes are seen, and the two together leave 2 % of the traction.
  const Eigen::Vector2d infinite(3.0 * T, -T), coarse = run(2, 0.1), middle = run(4, 0.1), fine = run(8, 0.1);
  EXPECT_NEAR((coarse - middle).norm() / (middle - fine).norm(), 4.0, 0.5);
  const Eigen::Vector2d wide_middle = run(4, 0.2), wide_fine = run(8, 0.2);
  const Eigen::Vector2d limit = fine + (fine - middle) / 3.0, wide_limit = wide_fine + (wide_fine - wide_middle) / 3.0;
  EXPECT_NEAR((limit - infinite).norm() / (wide_limit - infinite).norm(), 4.0, 0.8);
  EXPECT_NEAR((wide_limit + (wide_limit - limit) / 3.0 - infinite).norm(), 0.0, 0.02 * T);
}

TEST(Statics, ClampedCircularPlate) {
  // Quarter of a thin plate under pressure; deflection p R^4 / 64 D in the middle. First-order elements would lock here.
  const double R = 1, t = 0.01, E = 62.8e9, nu = 0.3, p = 1e3, D = E * t * t * t / (12 * (1 - nu * nu));
  const auto disc = [&](const Vec3& s) {
    // A square mapped smoothly on the quarter disc: rows of constant max(x, y) become arcs towards the rim.
    const double m = std::max(s.x(), s.y()), angle = m > 0 ? (s.x() >= s.y() ? 0.25 * kPi * s.y() / m : 0.5 * kPi - 0.25 * kPi * s.x() / m) : 0.0;
    const Vec3 arc(R * m * std::cos(angle), R * m * std::sin(angle), 0), square(0.75 * R * s.x(), 0.75 * R * s.y(), 0);
    const Vec3 X = (1 - m) * square + m * arc;
    return Vec3(X.x(), X.y(), t * (s.z() - 0.5));
  };
  const auto run = [&](int n) {
    const ElasticBody body = make_body(mapped_mesh(n, n, 1, disc), 2, E, nu);
    Statics problem{body};
    for (int i = 0; i < 3; ++i) problem.hold([&](const Vec3& X) { return std::hypot(X.x(), X.y()) > R * std::cos(kPi / (4 * n)) - 1e-6; }, i);
    problem.hold([](const Vec3& X) { return std::abs(X.x()) < 1e-9; }, 0);
    problem.hold([](const Vec3& X) { return std::abs(X.y()) < 1e-9; }, 1);
    add_surface_load(body.mesh(), body.mesh().positions(), {.surface = 6, .value = -p}, problem.load);
    const auto u = problem.solve();
    const Locator locator(body.mesh());
    return -weights(body.mesh(), locator.locate(body.mesh(), Vec3::Zero())).at(u).z();
  };
  const double coarse = run(8), fine = run(16), exact = p * R * R * R * R / (64 * D);
  EXPECT_NEAR(exact, 2.72e-3, 1e-5);
  // The rim is a polygon; thin distorted elements are still a little stiff (9 % with eight elements a radius).
  EXPECT_NEAR(fine, exact, 0.03 * exact);
  EXPECT_LT(std::abs(fine - exact), 0.4 * std::abs(coarse - exact));
}

TEST(Statics, EllipticMembrane) {
  // NAFEMS LE1: quarter of an elliptic membrane under outward pressure 10 MPa; sigma_yy at D = (2, 0) is 92.7 MPa.
  const auto map = [](const Vec3& s) {
    const double a = 0.5 * kPi * s.y();
    const Vec3 inner(2.0 * std::cos(a), 1.0 * std::sin(a), 0), outer(3.25 * std::cos(a), 2.75 * std::sin(a), 0);
    const Vec3 X = (1 - s.x()) * inner + s.x() * outer;
    return Vec3(X.x(), X.y(), 0.1 * s.z());
  };
  const auto run = [&](int n) {
    const ElasticBody body = make_body(mapped_mesh(n, 4 * n, 1, map), 2, 210e9, 0.3);
    Statics problem{body};
    hold_quarter(problem);
    add_surface_load(body.mesh(), body.mesh().positions(), {.surface = 3, .value = 10e6}, problem.load);
    return stress_at(body, problem.solve(), {2, 0, 0.05})[1];
  };
  const double coarse = run(4), middle = run(8), fine = run(12);
  EXPECT_NEAR(fine, 92.7e6, 0.02 * 92.7e6);
  EXPECT_LT(std::abs(middle - 92.7e6), std::abs(coarse - 92.7e6));
  EXPECT_LT(std::abs(fine - 92.7e6), std::abs(middle - 92.7e6));
}

}  // namespace
}  // namespace scree::elastic::testing
