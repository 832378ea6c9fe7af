#include "helpers.hpp"

namespace scree::geometry::testing {

TEST(Sphere, KeepsItsInput) {
  const Shape shape = make_sphere({1, 2, 3}, 0.5, 7, 8);
  ASSERT_EQ(shape.pieces.size(), 1u);
  EXPECT_EQ(shape.pieces[0].volume_id, 7);
  EXPECT_EQ(shape.pieces[0].surface_id, 8);
  EXPECT_EQ(std::get<Sphere>(shape.pieces[0].form).radius, 0.5);
  EXPECT_EQ(shape.adjacent.size(), 1u);
  EXPECT_EQ(shape.piece_mesh, std::vector<int>{-1});
  EXPECT_EQ(shape.piece_element, std::vector<int>{-1});
}

TEST(Sphere, RefusesBadRadiusAndCenter) {
  EXPECT_EQ(refusal([] { (void)make_sphere(Vec3::Zero(), 0.0, 0, 0); }), "SPHERE: radius is 0: it must be positive");
  EXPECT_EQ(refusal([] { (void)make_sphere(Vec3::Zero(), -2.5, 0, 0); }), "SPHERE: radius is -2.5: it must be positive");
  EXPECT_EQ(refusal([] { (void)make_sphere(Vec3::Zero(), std::nan(""), 0, 0); }), "SPHERE: radius is nan: it must be positive");
  EXPECT_EQ(refusal([] { (void)make_sphere(Vec3::Zero(), kInfinity, 0, 0); }),
            "SPHERE: radius is inf m, outside [1e-30, 1e+30] m: check the units");
  EXPECT_EQ(refusal([] { (void)make_sphere({0, std::nan(""), 0}, 1.0, 0, 0); }),
            "SPHERE: center is (0, nan, 0): its components must be finite numbers");
}

TEST(Ellipsoid, RefusesBadRadiiAndAxes) {
  EXPECT_EQ(refusal([] { (void)make_ellipsoid(Vec3::Zero(), {1, -1, 1}, 0, 0); }), "ELLIP: radius y is -1: it must be positive");
  const Mat3 sheared = (Mat3() << 1, 0.5, 0, 0, 1, 0, 0, 0, 1).finished();
  EXPECT_EQ(refusal([&] { (void)make_ellipsoid(Vec3::Zero(), Vec3::Ones(), 0, 0, sheared); }),
            "ELLIP: axes must be the orthonormal, right-handed columns of a rotation (they are off by 0.5)");
  const Mat3 mirrored = Vec3(1, 1, -1).asDiagonal();
  EXPECT_NE(refusal([&] { (void)make_ellipsoid(Vec3::Zero(), Vec3::Ones(), 0, 0, mirrored); }), "");
}

TEST(Box, HasSixOutwardFaces) {
  const Shape shape = make_box({-1, -2, -3}, {1, 2, 3}, 4, 5);
  const Polyhedron& box = polyhedron(shape);
  ASSERT_EQ(box.faces(), 6);
  EXPECT_EQ(box.edges.size(), 12u);
  // Axis-aligned planes come out without rounding.
  EXPECT_EQ(box.face_normal[0], Vec3(0, 0, -1));
  EXPECT_EQ(box.face_normal[2], Vec3(1, 0, 0));
  EXPECT_EQ(box.face_offset[5], 3.0);
  EXPECT_EQ(box.face_offset[1], 2.0);
  EXPECT_EQ(refusal([] { (void)make_box({0, 0, 0}, {1, 0, 1}, 0, 0); }), "BOX: extent along y is 0: it must be positive");
}

TEST(Join, ShiftsPieceAndMeshNumbers) {
  std::vector<Vec3> corners = cube_vertices();
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  const Shape mesh = make_shape(make_hex(std::span<const Vec3, 8>(corners.data(), 8), 2, 1, 1, 3, surfaces));
  const std::array<Shape, 4> parts{make_sphere(Vec3::Zero(), 1, 1, 1), mesh, make_sphere(Vec3::Zero(), 2, 2, 2), mesh};
  const Shape all = join(parts);
  ASSERT_EQ(all.pieces.size(), 6u);
  EXPECT_EQ(all.meshes.size(), 2u);
  EXPECT_EQ(all.piece_mesh, (std::vector<int>{-1, 0, 0, -1, 1, 1}));
  EXPECT_EQ(all.piece_element, (std::vector<int>{-1, 0, 1, -1, 0, 1}));
  EXPECT_EQ(all.adjacent[1], std::vector<int>{2});
  EXPECT_EQ(all.adjacent[4], std::vector<int>{5});
  EXPECT_EQ(polyhedron(all, 4).face_neighbour[2], 5);
  EXPECT_EQ(polyhedron(all, 5).face_neighbour[4], 4);
  EXPECT_EQ(polyhedron(all, 5).face_neighbour[2], -1);
  EXPECT_TRUE(join({}).empty());
}

}  // namespace scree::geometry::testing
