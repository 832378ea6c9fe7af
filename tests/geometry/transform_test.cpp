#include "geometry/transform.hpp"

#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

/// One of each kind of piece, and a mesh.
Shape zoo() {
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  const std::array<Shape, 4> parts{make_sphere({1, 2, 3}, 0.5, 1, 1), make_ellipsoid({-1, 0, 2}, {0.5, 1, 2}, 2, 2, random_rotation(8)),
                                   make_hull(random_points(20, 5), 3, 3),
                                   make_shape(make_hex(std::span<const Vec3, 8>(corners.data(), 8), 2, 2, 1, 4, surfaces))};
  return join(parts);
}

void expect_planes_match(const Shape& shape, double slack) {
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const auto* body = std::get_if<Polyhedron>(&shape.pieces[p].form);
    if (!body) continue;
    for (int f = 0; f < body->faces(); ++f) {
      for (int v : face(*body, f)) EXPECT_NEAR(body->face_normal[f].dot(body->vertices[v]), body->face_offset[f], slack);
    }
  }
}

/// Mesh nodes and the vertices of their pieces must stay the same points.
void expect_mesh_follows(const Shape& shape) {
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    if (shape.piece_mesh[p] < 0) continue;
    const Mesh& mesh = shape.meshes[shape.piece_mesh[p]];
    const auto& vertices = std::get<Polyhedron>(shape.pieces[p].form).vertices;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      EXPECT_EQ(vertices[v], mesh.nodes[mesh.element_nodes[mesh.element_start[shape.piece_element[p]] + v]]);
    }
  }
}

}  // namespace

TEST(Translate, MovesEverything) {
  Shape shape = zoo();
  const Box before = shape.bounds();
  translate(shape, {1, -2, 3});
  EXPECT_LT((shape.bounds().low - before.low - Vec3(1, -2, 3)).norm(), 1e-14);
  EXPECT_LT((shape.bounds().high - before.high - Vec3(1, -2, 3)).norm(), 1e-14);
  expect_planes_match(shape, 1e-14);
  expect_mesh_follows(shape);
}

TEST(Rotate, TurnsAboutThePoint) {
  EXPECT_LT((rotated({2, 0, 0}, {1, 0, 0}, {0, 0, 5}, kPi / 2) - Vec3(1, 1, 0)).norm(), 1e-15);
  Shape shape = zoo();
  const MassProperties before = mass_properties(shape, 1.0);
  for (int k = 0; k < 7; ++k) rotate(shape, {1, 2, 3}, {1, 1, -1}, 2 * kPi / 7);
  expect_same(mass_properties(shape, 1.0), before, shape.size(), 1e-13);  // a full turn
  expect_planes_match(shape, 1e-13);
  expect_mesh_follows(shape);
}

TEST(Scale, StretchesMomentsByTheFactors) {
  Shape shape = zoo();
  const MassProperties before = mass_properties(shape, 1.0);
  const Vec3 factors(2, 3, 0.5);
  scale(shape, factors);
  // x -> D x: volume by det D, centre by D, Euler tensor by det D . D E D, whatever the pieces are.
  MassProperties expected = before;
  expected.volume *= 3.0;
  expected.mass *= 3.0;
  expected.center = before.center.cwiseProduct(factors);
  expected.euler = 3.0 * factors.asDiagonal() * before.euler * factors.asDiagonal();
  expect_same(mass_properties(shape, 1.0), expected, shape.size(), 1e-13);
  expect_planes_match(shape, 1e-13);
  expect_mesh_follows(shape);
  EXPECT_TRUE(std::holds_alternative<Ellipsoid>(shape.pieces[0].form));
}

TEST(Scale, MapsPointsOfAnEllipsoidIntoTheNewOne) {
  const Mat3 axes = random_rotation(9);
  Shape shape = make_ellipsoid({1, 1, 1}, {1, 2, 3}, 0, 0, axes);
  const Vec3 factors(3, 1, 0.2);
  const Piece before = shape.pieces[0];
  scale(shape, factors);
  const Ellipsoid& after = std::get<Ellipsoid>(shape.pieces[0].form);
  EXPECT_LT((after.axes.transpose() * after.axes - Mat3::Identity()).norm(), 1e-14);
  EXPECT_NEAR(after.axes.determinant(), 1.0, 1e-14);
  for (const Vec3& s : random_points(2000, 10)) {
    const Vec3 x = Vec3(1, 1, 1) + 3.5 * s;
    EXPECT_EQ(before.contains(x), shape.pieces[0].contains(x.cwiseProduct(factors)));
  }
}

TEST(Scale, KeepsSpheresAndAlignedAxes) {
  Shape sphere = make_sphere({1, 2, 3}, 1, 0, 0);
  scale(sphere, Vec3::Constant(2.0));
  EXPECT_EQ(std::get<Sphere>(sphere.pieces[0].form).radius, 2.0);
  Shape aligned = make_ellipsoid({0, 0, 0}, {3, 1, 2}, 0, 0);
  scale(aligned, {1, 5, 2});
  EXPECT_EQ(std::get<Ellipsoid>(aligned.pieces[0].form).radii, Vec3(3, 5, 4));
  EXPECT_EQ(std::get<Ellipsoid>(aligned.pieces[0].form).axes, Mat3::Identity());
}

TEST(Scale, TakesShapesFromMicrometresToThousandKilometres) {
  for (double factor : {1e-6, 1e6}) {
    Shape shape = zoo();
    const double before = mass_properties(shape, 1.0).volume;
    scale(shape, Vec3::Constant(factor));
    EXPECT_NEAR(mass_properties(shape, 1.0).volume / std::pow(factor, 3) / before, 1.0, 1e-13);
    scale(shape, Vec3::Constant(1.0 / factor));
    EXPECT_NEAR(mass_properties(shape, 1.0).volume / before, 1.0, 1e-13);
  }
}

TEST(Scale, MirrorsBodiesRightSideOut) {
  for (const Vec3& factors : {Vec3(-1, 1, 1), Vec3(1, -2, 1), Vec3(-1, -1, -1), Vec3(-1, -1, 1)}) {
    Shape shape = zoo();
    const Shape before = shape;
    const MassProperties mass = mass_properties(shape, 1.0);
    scale(shape, factors);
    MassProperties expected = mass;
    const double size = std::abs(factors.prod());
    expected.volume *= size;
    expected.mass *= size;
    expected.center = mass.center.cwiseProduct(factors);
    expected.euler = size * factors.asDiagonal() * mass.euler * factors.asDiagonal();
    expect_same(mass_properties(shape, 1.0), expected, shape.size(), 1e-13);
    expect_planes_match(shape, 1e-13);
    expect_mesh_follows(shape);
    for (const Mesh& mesh : shape.meshes) EXPECT_EQ(refusal([&] { check_mesh(mesh); }), "");
    // Points stay inside their piece, and faces keep their surface: the normals are the mirrored ones.
    for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
      for (const Vec3& s : random_points(200, static_cast<unsigned>(p))) {
        const Vec3 x = before.pieces[p].bounds().center() + s.cwiseProduct(before.pieces[p].bounds().extent());
        EXPECT_EQ(before.pieces[p].contains(x), shape.pieces[p].contains(x.cwiseProduct(factors)));
      }
      const auto* body = std::get_if<Polyhedron>(&before.pieces[p].form);
      if (!body || before.piece_mesh[p] < 0) continue;
      const auto& turned = std::get<Polyhedron>(shape.pieces[p].form);
      for (int f = 0; f < body->faces(); ++f) {
        const Vec3 normal = body->face_normal[f].cwiseQuotient(factors).normalized();
        int same = 0;
        while (same < turned.faces() && (turned.face_normal[same] - normal).norm() > 1e-9) ++same;
        ASSERT_LT(same, turned.faces());
        EXPECT_EQ(turned.face_surface[same], body->face_surface[f]);
        EXPECT_EQ(turned.face_neighbour[same], body->face_neighbour[f]);
      }
    }
  }
}

TEST(Transform, RefusalsLeaveTheShapeAlone) {
  Shape shape = zoo();
  const Box before = shape.bounds();
  EXPECT_EQ(refusal([&] { scale(shape, {1, 1, 0}); }), "SCALE: factor z is 0: factors must be finite and not zero");
  EXPECT_NE(refusal([&] { scale(shape, {1, 1, kInfinity}); }), "");
  EXPECT_NE(refusal([&] { scale(shape, {1, 1, 1e-40}); }).find("SCALE: smallest extent of the scaled shape is"), std::string::npos);
  EXPECT_EQ(refusal([&] { translate(shape, {0, std::nan(""), 0}); }), "TRANSLATE: vector is (0, nan, 0): its components must be finite numbers");
  EXPECT_NE(refusal([&] { translate(shape, {1e20, 0, 0}); }).find("TRANSLATE: "), std::string::npos);
  EXPECT_EQ(refusal([&] { rotate(shape, Vec3::Zero(), Vec3::Zero(), 1.0); }), "ROTATE: axis is (0, 0, 0): its length must not be zero");
  EXPECT_EQ(refusal([&] { rotate(shape, Vec3::Zero(), Vec3::UnitX(), std::nan("")); }),
            "ROTATE: angle is nan: it must be a finite number of radians");
  EXPECT_EQ(shape.bounds().low, before.low);
  EXPECT_EQ(shape.bounds().high, before.high);
}

}  // namespace scree::geometry::testing
