#include "geometry/mesh_faces.hpp"
#include "geometry/transform.hpp"
#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

constexpr std::array<int, 6> kSurfaces{1, 2, 3, 4, 5, 6};

std::span<const Vec3, 8> eight(const std::vector<Vec3>& corners) { return std::span<const Vec3, 8>(corners.data(), 8); }

}  // namespace

TEST(Hex, PutsEachSurfaceOnItsSide) {
  const auto corners = cube_vertices();
  const Shape shape = make_shape(make_hex(eight(corners), 3, 2, 2, 8, kSurfaces));
  ASSERT_EQ(shape.pieces.size(), 12u);
  const std::array<Vec3, 6> outward{Vec3(0, 0, -1), Vec3(0, -1, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0, 0, 1)};
  std::array<double, 6> area{};
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const Polyhedron& element = polyhedron(shape, static_cast<int>(p));
    for (int f = 0; f < 6; ++f) {
      if (element.face_neighbour[f] >= 0) continue;
      EXPECT_LT((element.face_normal[f] - outward[element.face_surface[f] - 1]).norm(), 1e-14);
      area[element.face_surface[f] - 1] += fit_plane(element.vertices, face(element, f)).area;
    }
  }
  for (double a : area) EXPECT_NEAR(a, 1.0, 1e-14);
}

TEST(Hex, GradesByRatiosOnly) {
  const auto corners = cube_vertices(2.0);
  const std::vector<double> sizes{0.5, 19.0, 0.5};
  const Mesh mesh = make_hex(eight(corners), 1, 3, 1, 0, kSurfaces, {}, sizes, {});
  ASSERT_EQ(mesh.nodes.size(), 16u);
  EXPECT_DOUBLE_EQ(mesh.nodes[2].y(), 0.05);
  EXPECT_DOUBLE_EQ(mesh.nodes[4].y(), 1.95);
  EXPECT_EQ(mesh.nodes[6].y(), 2.0);
}

TEST(Hex, FollowsStretchedCorners) {
  // Frustum with a 2 x 2 bottom and a 1 x 1 top of height 3: volume h/3 (A + B + sqrt(A B)) = 7.
  const std::vector<Vec3> corners{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0.5, 0.5, 3}, {1.5, 0.5, 3}, {1.5, 1.5, 3}, {0.5, 1.5, 3}};
  const Shape shape = make_shape(make_hex(eight(corners), 4, 3, 5, 0, kSurfaces));
  EXPECT_NEAR(mass_properties(shape, 1.0).volume, 7.0, 1e-13);
}

TEST(Hex, RefusalsNameTheFault) {
  const auto corners = cube_vertices();
  const auto hex_refusal = [](const std::vector<Vec3>& c, int i, int j, int k, const std::vector<double>& dx = {}) {
    return refusal([&] { (void)make_hex(eight(c), i, j, k, 0, kSurfaces, dx); });
  };
  EXPECT_EQ(hex_refusal(corners, 1, 0, 1), "HEX: j is 0: at least 1 is needed");
  EXPECT_EQ(hex_refusal(corners, -1, 1, 1), "HEX: i is -1: at least 1 is needed");
  EXPECT_EQ(hex_refusal(corners, 1, 1, 2000000000), "HEX: k is 2000000000: at most 20000000 cells make a mesh");
  EXPECT_EQ(hex_refusal(corners, 10000, 10000, 10000), "HEX: 10000 x 10000 x 10000 cells asked for: at most 20000000 make a mesh");
  EXPECT_EQ(hex_refusal(corners, 2, 1, 1, {1, 2, 3}), "HEX: dx has 3 entries for 2 cells: give one relative size a cell");
  EXPECT_EQ(hex_refusal(corners, 2, 1, 1, {1, 0}), "HEX: dx[1] is 0: cell sizes must be positive");
  EXPECT_EQ(hex_refusal(corners, 2, 1, 1, {1, std::nan("")}), "HEX: dx[1] is nan: cell sizes must be positive");
  std::vector<Vec3> upside_down(corners.begin() + 4, corners.end());
  upside_down.insert(upside_down.end(), corners.begin(), corners.begin() + 4);
  EXPECT_EQ(hex_refusal(upside_down, 2, 2, 2),
            "HEX: element 0 (hexahedron, nodes 0 1 2 3 4 5 6 7) is inside out, its volume is -1 m^3: number the bottom nodes "
            "counter-clockwise seen from the top");
}

TEST(RoughHex, HoldsTheShapeAlongItsAxes) {
  Shape shape = make_box({0, 0, 0}, {1, 2, 4}, 3, 9);
  rotate(shape, Vec3::Zero(), {1, 2, 3}, 0.3);
  const Mesh mesh = make_rough_hex(shape, 2, 2, 2);
  const Shape rough = make_shape(mesh);
  // 1 % on each side of every extent.
  EXPECT_NEAR(mass_properties(rough, 1.0).volume, 8.0 * 1.02 * 1.02 * 1.02, 1e-12);
  EXPECT_LT((mass_properties(rough, 1.0).center - mass_properties(shape, 1.0).center).norm(), 1e-14);
  for (const Vec3& v : polyhedron(shape).vertices) {
    int holds = 0;
    for (const Piece& piece : rough.pieces) holds += piece.contains(v);
    EXPECT_GE(holds, 1);
  }
  EXPECT_EQ(mesh.element_volume[0], 3);
  EXPECT_EQ(mesh.surface_id, 9);
  // Local x is the axis nearest to the coordinate x: the short side of the box.
  EXPECT_NEAR((mesh.nodes[2] - mesh.nodes[0]).norm(), 1.02, 1e-13);
  EXPECT_NEAR((mesh.nodes[6] - mesh.nodes[0]).norm(), 2.04, 1e-13);
}

TEST(RoughHex, HoldsSpheresEllipsoidsAndUnions) {
  const std::array<Shape, 3> parts{make_sphere({0, 0, 0}, 1, 0, 0), make_ellipsoid({3, 1, 0}, {1, 0.5, 0.3}, 0, 0, random_rotation(1)),
                                   make_hull(random_points(30, 2), 0, 0)};
  const Shape shape = join(parts);
  const Shape rough = make_shape(make_rough_hex(shape, 1, 1, 1));
  for (const Vec3& s : random_points(5000, 3)) {
    const Box box = shape.bounds();
    const Vec3 x = box.center() + 0.5 * box.extent().cwiseProduct(s);
    const bool inside = std::any_of(shape.pieces.begin(), shape.pieces.end(), [&](const Piece& p) { return p.contains(x); });
    ASSERT_TRUE(!inside || rough.pieces[0].contains(x));
  }
  EXPECT_EQ(refusal([] { (void)make_rough_hex(Shape{}, 1, 1, 1); }), "ROUGH_HEX: the shape is empty");
  EXPECT_EQ(refusal([&] { (void)make_rough_hex(shape, 1, 1, 0); }), "ROUGH_HEX: k is 0: at least 1 is needed");
}

TEST(PrincipalAxes, DiagonaliseAndStayNearTheCoordinates) {
  EXPECT_EQ(principal_axes(Mat3::Identity()), Mat3::Identity());
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Mat3 rotation = random_rotation(seed);
    for (const Vec3& moments : {Vec3(1, 2, 3), Vec3(2, 2, 5), Vec3(1, 4, 4), Vec3(3, 1, 2)}) {
      const Mat3 euler = rotation * moments.asDiagonal() * rotation.transpose();
      const Mat3 axes = principal_axes(euler);
      EXPECT_NEAR(axes.determinant(), 1.0, 1e-13);
      Mat3 diagonal = axes.transpose() * euler * axes;
      diagonal.diagonal().setZero();
      EXPECT_LT(diagonal.norm(), 1e-8);  // pairs equal to 1e-9 may be mixed
      EXPECT_GT(axes(0, 0), 0.0);
    }
  }
  // A rotation below 45 degrees about z keeps its own columns.
  const Mat3 small = exp_rotation({0, 0, 0.6});
  EXPECT_LT((principal_axes(small * Vec3(3, 1, 2).asDiagonal() * small.transpose()) - small).norm(), 1e-14);
}

TEST(Pipe, HasTheVolumeOfItsPolygonRing) {
  const Mesh mesh = make_pipe({0, 0, 0}, {0, 0.5, 0}, 1.0, 0.05, 1, 32, 1, 7, std::array<int, 4>{1, 2, 3, 4});
  EXPECT_EQ(mesh.elements(), 32);
  EXPECT_EQ(mesh.nodes.size(), 128u);
  const Shape shape = make_shape(mesh);
  const MassProperties mass = mass_properties(shape, 1.0);
  EXPECT_NEAR(mass.volume, 0.5 * 32 * 0.5 * std::sin(2 * kPi / 32) * (1.05 * 1.05 - 1.0), 1e-14);
  EXPECT_LT((mass.center - Vec3(0, 0.25, 0)).norm(), 1e-14);
  for (const Piece& piece : shape.pieces) {
    const Polyhedron& cell = std::get<Polyhedron>(piece.form);
    for (int f = 0; f < cell.faces(); ++f) {
      const FacePlane plane = fit_plane(cell.vertices, face(cell, f));
      EXPECT_LT(plane.spread, 1e-15);  // flat sides
      if (cell.face_neighbour[f] >= 0) continue;
      const Vec3 radial = Vec3(plane.center.x(), 0, plane.center.z()).normalized();
      const std::array<Vec3, 4> outward{Vec3(-radial), radial, -Vec3::UnitY(), Vec3::UnitY()};
      EXPECT_LT((plane.normal - outward[cell.face_surface[f] - 1]).norm(), 1e-12);
    }
  }
}

TEST(Pipe, CountsCellsInEveryDirection) {
  const Mesh mesh = make_pipe({1, 2, 3}, {1, 1, 1}, 0.5, 0.25, 4, 5, 3, 0, std::array<int, 4>{1, 2, 3, 4});
  EXPECT_EQ(mesh.elements(), 60);
  EXPECT_EQ(mesh.nodes.size(), 5u * 4u * 5u);
  EXPECT_EQ(mesh.faces.size(), 2u * (4 * 5 + 5 * 3));
  // Every node within the wall, and within the length.
  const Vec3 axis = Vec3(1, 1, 1).normalized();
  for (const Vec3& node : mesh.nodes) {
    const Vec3 x = node - Vec3(1, 2, 3);
    const double along = x.dot(axis), radius = (x - along * axis).norm();
    EXPECT_TRUE(radius > 0.5 - 1e-14 && radius < 0.75 + 1e-14);
    EXPECT_TRUE(along > -1e-14 && along < std::sqrt(3.0) + 1e-14);
  }
}

TEST(Pipe, RefusalsNameTheFault) {
  const auto pipe_refusal = [](const Vec3& direction, double radius, double thickness, int ndir, int nrad, int nthi) {
    return refusal([&] { (void)make_pipe(Vec3::Zero(), direction, radius, thickness, ndir, nrad, nthi, 0, std::array<int, 4>{}); });
  };
  EXPECT_EQ(pipe_refusal(Vec3::Zero(), 1, 1, 1, 8, 1), "PIPE: length of direction is 0: it must be positive");
  EXPECT_EQ(pipe_refusal(Vec3::UnitX(), 0, 1, 1, 8, 1), "PIPE: inner radius is 0: it must be positive");
  EXPECT_EQ(pipe_refusal(Vec3::UnitX(), 1, -1, 1, 8, 1), "PIPE: thickness is -1: it must be positive");
  EXPECT_EQ(pipe_refusal(Vec3::UnitX(), 1, 1, 1, 2, 1), "PIPE: nrad is 2: at least 3 is needed");
  EXPECT_EQ(pipe_refusal(Vec3::UnitX(), 1, 1, 0, 8, 1), "PIPE: ndir is 0: at least 1 is needed");
}

}  // namespace scree::geometry::testing
