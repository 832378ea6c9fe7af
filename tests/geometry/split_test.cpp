#include "geometry/transform.hpp"
#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

void expect_conserved(const Shape& whole, const std::pair<Shape, Shape>& parts, double tolerance) {
  const MassProperties sum = combine(mass_properties(parts.first, 1.0), mass_properties(parts.second, 1.0));
  expect_same(sum, mass_properties(whole, 1.0), whole.size(), tolerance);
}

void expect_on_its_side(const Shape& shape, const Vec3& point, const Vec3& normal, double sign) {
  for (const Piece& piece : shape.pieces) {
    for (const Vec3& v : std::get<Polyhedron>(piece.form).vertices) EXPECT_GE(sign * normal.dot(v - point), -1e-9 * shape.size());
  }
}

}  // namespace

TEST(Split, CutsACubeInHalf) {
  const auto [below, above] = split(make_box(Vec3::Zero(), Vec3::Ones(), 4, 5), {0, 0, 0.25}, {0, 0, 2}, 9);
  ASSERT_EQ(below.pieces.size(), 1u);
  ASSERT_EQ(above.pieces.size(), 1u);
  EXPECT_NEAR(below.pieces[0].volume(), 0.25, 1e-15);
  EXPECT_NEAR(above.pieces[0].volume(), 0.75, 1e-15);
  EXPECT_EQ(below.pieces[0].volume_id, 4);
  EXPECT_EQ(polyhedron(below).face_surface, (std::vector<int>{5, 5, 5, 5, 5, 9}));
  EXPECT_EQ(polyhedron(below).face_normal.back(), Vec3(0, 0, 1));
  EXPECT_EQ(polyhedron(above).face_normal.back(), Vec3(0, 0, -1));
  EXPECT_EQ(polyhedron(above).vertices.size(), 8u);
}

TEST(Split, ConservesMomentsForAnyPlane) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Shape shape = make_hull(random_points(30, seed), 0, 0);
    const auto r = random_points(2, seed + 1000);
    const auto parts = split(shape, 0.5 * r[0], r[1], 1);
    expect_conserved(shape, parts, 1e-13);
    expect_on_its_side(parts.first, 0.5 * r[0], r[1].normalized(), -1.0);
    expect_on_its_side(parts.second, 0.5 * r[0], r[1].normalized(), 1.0);
    // Each half is convex and closed again.
    for (const Shape* half : {&parts.first, &parts.second}) {
      for (const Piece& piece : half->pieces) {
        EXPECT_EQ(refusal([&] { check_convex(std::get<Polyhedron>(piece.form), half->size(), "HALF"); }), "");
      }
    }
  }
}

TEST(Split, ThroughVerticesEdgesAndFaces) {
  const Shape cube = make_box(Vec3::Zero(), Vec3::Ones(), 0, 0);
  // Through four vertices along a diagonal: two wedges.
  const auto diagonal = split(cube, Vec3::Zero(), {1, -1, 0}, 1);
  EXPECT_EQ(polyhedron(diagonal.first).faces(), 5);
  EXPECT_EQ(polyhedron(diagonal.first).vertices.size(), 6u);
  expect_conserved(cube, diagonal, 1e-15);
  // Through three vertices: a corner tetrahedron.
  const auto corner = split(cube, {1, 0, 0}, {1, 1, 1}, 1);
  EXPECT_EQ(polyhedron(corner.first).faces(), 4);
  EXPECT_NEAR(corner.first.pieces[0].volume(), 1.0 / 6.0, 1e-15);
  expect_conserved(cube, corner, 1e-15);
  // Along a face, and touching an edge: nothing is cut.
  const auto flush = split(cube, Vec3::Ones(), {0, 0, 1}, 1);
  EXPECT_TRUE(flush.second.empty());
  EXPECT_EQ(flush.first.pieces.size(), 1u);
  const auto touching = split(cube, Vec3::Zero(), {1, 1, 0}, 1);
  EXPECT_TRUE(touching.first.empty());
  // A plane a hair inside the face is taken as the face.
  EXPECT_TRUE(split(cube, {0, 0, 1.0 - 1e-12}, {0, 0, 1}, 1).second.empty());
}

TEST(Split, WorksAtEverySize) {
  for (double size : {1e-6, 1e6}) {
    Shape shape = make_hull(random_points(30, 3), 0, 0);
    scale(shape, Vec3::Constant(size));
    const auto parts = split(shape, 0.1 * size * Vec3::Ones(), {1, 2, 3}, 1);
    EXPECT_EQ(parts.first.pieces.size(), 1u);
    EXPECT_EQ(parts.second.pieces.size(), 1u);
    expect_conserved(shape, parts, 1e-13);
  }
}

TEST(Split, SendsRoundPiecesToTheSideOfTheirCentre) {
  const std::array<Shape, 2> parts{make_sphere({0, 0, 0.1}, 1, 0, 0), make_ellipsoid({0, 0, -0.1}, {1, 2, 3}, 0, 0)};
  const auto [below, above] = split(join(parts), Vec3::Zero(), Vec3::UnitZ(), 0);
  EXPECT_TRUE(std::holds_alternative<Ellipsoid>(below.pieces.at(0).form));
  EXPECT_TRUE(std::holds_alternative<Sphere>(above.pieces.at(0).form));
}

TEST(Split, KeepsNeighboursOfMeshPieces) {
  // 4 x 1 x 1 cells cut at x = 0.5 (between cells 1 and 2) and at z = 0.5 (through all).
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  const Shape bar = make_shape(make_hex(std::span<const Vec3, 8>(corners.data(), 8), 4, 1, 1, 0, surfaces));
  const auto between = split(bar, {0.5, 0, 0}, Vec3::UnitX(), 9);
  ASSERT_EQ(between.second.pieces.size(), 2u);
  EXPECT_EQ(polyhedron(between.second, 0).face_neighbour, (std::vector<int>{-1, -1, 1, -1, -1, -1}));
  EXPECT_EQ(polyhedron(between.second, 0).face_surface[4], 9);
  EXPECT_EQ(between.second.adjacent[1], std::vector<int>{0});
  EXPECT_TRUE(between.first.meshes.empty());
  EXPECT_EQ(between.first.piece_mesh, (std::vector<int>{-1, -1}));

  const auto through = split(bar, {0, 0, 0.5}, Vec3::UnitZ(), 9);
  ASSERT_EQ(through.first.pieces.size(), 4u);
  EXPECT_EQ(polyhedron(through.first, 1).face_neighbour, (std::vector<int>{-1, -1, 2, -1, 0, -1}));
  EXPECT_EQ(polyhedron(through.first, 1).face_surface.back(), 9);
  expect_conserved(bar, through, 1e-14);
}

TEST(Split, GivesTheTwoSidesTheirOwnSurface) {
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  const Shape bar = make_shape(make_hex(std::span<const Vec3, 8>(corners.data(), 8), 4, 1, 1, 0, surfaces));
  const auto between = split(bar, {0.5, 0, 0}, Vec3::UnitX(), std::array{8, 9});  // along faces of elements
  EXPECT_EQ(polyhedron(between.first, 1).face_surface[2], 8);
  EXPECT_EQ(polyhedron(between.second, 0).face_surface[4], 9);
  const auto through = split(bar, {0, 0, 0.5}, Vec3::UnitZ(), std::array{8, 9});
  EXPECT_EQ(polyhedron(through.first, 0).face_surface.back(), 8);
  EXPECT_EQ(polyhedron(through.second, 0).face_surface.back(), 9);
}

TEST(Split, ConservesWarpedElements) {
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{};
  Mesh mesh = make_hex(std::span<const Vec3, 8>(corners.data(), 8), 3, 3, 3, 0, surfaces);
  const auto jitter = random_points(64, 4);
  for (int n = 0; n < 64; ++n) mesh.nodes[n] += 0.07 * jitter[n];
  const Shape shape = make_shape(mesh);
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Vec3 normal = seed < 3 ? Vec3(Vec3::Unit(seed)) : random_points(1, seed)[0];
    expect_conserved(shape, split(shape, Vec3(0.34, 0.34, 0.34), normal, 1), 1e-13);
  }
}

TEST(Split, RefusesAZeroNormal) {
  const Shape cube = make_box(Vec3::Zero(), Vec3::Ones(), 0, 0);
  EXPECT_EQ(refusal([&] { (void)split(cube, Vec3::Zero(), Vec3::Zero(), 0); }), "SPLIT: normal is (0, 0, 0): its length must not be zero");
  EXPECT_EQ(refusal([&] { (void)split(cube, {0, 0, std::nan("")}, Vec3::UnitX(), 0); }),
            "SPLIT: point is (0, 0, nan): its components must be finite numbers");
  EXPECT_TRUE(split(Shape{}, Vec3::Zero(), Vec3::UnitX(), 0).first.empty());
}

}  // namespace scree::geometry::testing
