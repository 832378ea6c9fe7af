#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

std::string convex_refusal(const std::vector<Vec3>& vertices, const std::vector<int>& faces) {
  return refusal([&] { (void)make_convex(vertices, faces, 0); });
}

/// cube_faces() with face `f` replaced.
std::vector<int> with_face(int f, const std::array<int, 6>& record) {
  std::vector<int> faces = cube_faces();
  std::copy(record.begin(), record.end(), faces.begin() + 6 * f);
  return faces;
}

}  // namespace

TEST(Convex, CubeIsComplete) {
  const Shape shape = make_convex(cube_vertices(), cube_faces(), 3);
  const Polyhedron& cube = polyhedron(shape);
  EXPECT_EQ(shape.pieces[0].volume_id, 3);
  EXPECT_EQ(cube.face_surface, (std::vector<int>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(cube.face_neighbour, std::vector<int>(6, -1));
  ASSERT_EQ(cube.edges.size(), 12u);
  for (std::size_t e = 0; e < 12; ++e) {
    EXPECT_LT(cube.edges[e][0], cube.edges[e][1]);
    // The first face runs from the low to the high vertex, the second one back.
    const auto runs = [&](int f, int a, int b) {
      const auto polygon = face(cube, f);
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        if (polygon[k] == a && polygon[(k + 1) % polygon.size()] == b) return true;
      }
      return false;
    };
    EXPECT_TRUE(runs(cube.edge_faces[e][0], cube.edges[e][0], cube.edges[e][1]));
    EXPECT_TRUE(runs(cube.edge_faces[e][1], cube.edges[e][1], cube.edges[e][0]));
  }
  EXPECT_TRUE(std::is_sorted(cube.edges.begin(), cube.edges.end()));
}

TEST(Convex, AcceptsTriangulatedFacesAndAnySize) {
  // Coplanar triangles are common in scripts; a micrometre and a thousand kilometres are judged alike.
  std::vector<int> faces{3, 0, 3, 2, 10, 3, 0, 2, 1, 10};
  const std::vector<int> rest = cube_faces();
  faces.insert(faces.end(), rest.begin() + 6, rest.end());
  for (double edge : {1e-6, 1.0, 1e6}) {
    const Shape shape = make_convex(cube_vertices(edge), faces, 0);
    EXPECT_EQ(polyhedron(shape).faces(), 7);
    EXPECT_NEAR(shape.pieces[0].volume(), edge * edge * edge, 1e-14 * edge * edge * edge);
  }
}

TEST(Convex, ToleratesTypedDigits) {
  // Coordinates given to seven digits are planar enough, six digits of a warped face are not.
  std::vector<Vec3> vertices = cube_vertices();
  vertices[6].z() += 1e-7;
  EXPECT_EQ(convex_refusal(vertices, cube_faces()), "");
  vertices[6].z() += 1e-4;
  EXPECT_NE(convex_refusal(vertices, cube_faces()).find("is not planar"), std::string::npos);
}

TEST(Convex, RefusalsNameTheFault) {
  const auto cube = cube_vertices();
  const auto faces = cube_faces();
  const auto truncated = [&](std::size_t n) { return std::vector<int>(faces.begin(), faces.begin() + n); };

  EXPECT_EQ(convex_refusal({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, faces), "CONVEX: 3 vertices given: a polyhedron has at least 4");
  EXPECT_EQ(convex_refusal({}, {}), "CONVEX: 0 vertices given: a polyhedron has at least 4");
  EXPECT_EQ(convex_refusal(cube, {}), "CONVEX: 0 faces given: a polyhedron has at least 4");
  EXPECT_EQ(convex_refusal(cube, truncated(6)), "CONVEX: 1 faces given: a polyhedron has at least 4");
  EXPECT_EQ(convex_refusal(cube, truncated(9)),
            "CONVEX: the list ends inside face 1: 4 vertex indices and an identifier are announced, 2 entries are left");
  EXPECT_EQ(convex_refusal(cube, truncated(35)),
            "CONVEX: the list ends inside face 5: 4 vertex indices and an identifier are announced, 4 entries are left");
  EXPECT_EQ(convex_refusal(cube, {-3, 0, 1, 2, 0}),
            "CONVEX: face 0 starts (entry 0 of the list) with the count -3: it must lie between 1 and 8");
  EXPECT_EQ(convex_refusal(cube, {4, 0, 3, 2, 1, 10, 2147483647, 1, 2}),
            "CONVEX: face 1 starts (entry 6 of the list) with the count 2147483647: it must lie between 1 and 8");
  EXPECT_EQ(convex_refusal(cube, {2, 0, 1, 5}), "CONVEX: face 0 has 2 vertices: it needs at least 3");
  EXPECT_EQ(convex_refusal(cube, with_face(2, {4, 1, 2, 8, 5, 12})), "CONVEX: face 2 names vertex 8: indices run from 0 to 7");
  EXPECT_EQ(convex_refusal(cube, with_face(2, {4, 1, 2, -1, 5, 12})), "CONVEX: face 2 names vertex -1: indices run from 0 to 7");
  EXPECT_EQ(convex_refusal(cube, with_face(2, {4, 1, 2, 2, 5, 12})), "CONVEX: face 2 (1 2 2 5) names vertex 2 twice: each may appear once");
  EXPECT_EQ(convex_refusal(cube, with_face(1, {4, 4, 5, 1, 0, 11})),
            "CONVEX: face 1 (vertices 4 5 1 0) is inside out: list its vertices counter-clockwise seen from outside");
  EXPECT_EQ(convex_refusal(cube, truncated(30)), "CONVEX: the surface is open at edge 4-5, which only face 1 has: add the missing face");
  EXPECT_EQ(convex_refusal(cube, with_face(2, {4, 1, 6, 2, 5, 12})).substr(0, 57),
            "CONVEX: face 2 (vertices 1 6 2 5) has no area: its vertic");
}

TEST(Convex, RefusesBadVertices) {
  auto vertices = cube_vertices();
  vertices[5].y() = std::nan("");
  EXPECT_EQ(convex_refusal(vertices, cube_faces()), "CONVEX: vertex 5 is (1, nan, 1): coordinates must be finite numbers");
  vertices[5].y() = 1e200;
  EXPECT_EQ(convex_refusal(vertices, cube_faces()), "CONVEX: a vertex lies 1e+200 m from the origin, more than 1e+30 m: check the units");
  EXPECT_EQ(convex_refusal(std::vector<Vec3>(8, Vec3::Ones()), cube_faces()),
            "CONVEX: all 8 points coincide at (1, 1, 1): they enclose no volume");
  vertices = cube_vertices();
  vertices.emplace_back(0.5, 0.5, 0.5);
  EXPECT_EQ(convex_refusal(vertices, cube_faces()), "CONVEX: vertex 8 at (0.5, 0.5, 0.5) belongs to no face: remove it");
  vertices = cube_vertices(1e-6);
  for (Vec3& v : vertices) v.x() += 1e6;
  EXPECT_NE(convex_refusal(vertices, cube_faces()).find("m large but 1e+06 m from the origin: coordinates cannot resolve it, move it closer"),
            std::string::npos);
  // A face refers to a copy of a vertex.
  vertices = cube_vertices();
  vertices.push_back(vertices[6]);
  EXPECT_EQ(convex_refusal(vertices, with_face(5, {4, 4, 5, 8, 7, 15})), "CONVEX: vertices 6 and 8 coincide at (1, 1, 1): list the point once");
}

TEST(Convex, RefusesWrongGeometryAtEverySize) {
  for (double edge : {1e-6, 1.0, 1e6}) {
    auto vertices = cube_vertices(edge);
    // A corner pulled in makes the top warped.
    vertices[6] *= 0.9;
    EXPECT_NE(convex_refusal(vertices, cube_faces()).find("CONVEX: face 2 (vertices 1 2 6 5) is not planar"), std::string::npos);

    // Tetrahedron of which one face is dented: a fifth vertex inside.
    const std::vector<Vec3> dented{{0, 0, 0}, {edge, 0, 0}, {0, edge, 0}, {0, 0, edge}, {0.25 * edge, 0.25 * edge, 0.2 * edge}};
    const std::vector<int> faces{3, 0, 1, 3, 0, 3, 1, 2, 3, 0, 3, 2, 0, 3, 0, 3, 0, 4, 1, 0, 3, 1, 4, 2, 0, 3, 2, 4, 0, 0};
    EXPECT_NE(convex_refusal(dented, faces).find("CONVEX: not convex: vertex"), std::string::npos);

    // Everything in one plane.
    const std::vector<Vec3> flat{{0, 0, 0}, {edge, 0, 0}, {edge, edge, 0}, {0, edge, 0}};
    EXPECT_EQ(convex_refusal(flat, {3, 0, 1, 2, 0, 3, 0, 2, 3, 0, 3, 0, 3, 1, 0, 3, 1, 3, 2, 0}),
              "CONVEX: all vertices lie in the plane of face 0 (vertices 0 1 2): the shape has no volume");
  }
}

TEST(Convex, RefusesNonConvexFaces) {
  // A prism over an arrow head, and one over a pentagram (all left turns, but twice around).
  const auto prism = [](const std::vector<Vec2>& outline) {
    const int n = static_cast<int>(outline.size());
    std::vector<Vec3> vertices;
    for (double z : {0.0, 1.0}) {
      for (const Vec2& p : outline) vertices.emplace_back(p.x(), p.y(), z);
    }
    std::vector<int> faces{n};
    for (int k = 0; k < n; ++k) faces.push_back(n + k);
    faces.push_back(0);
    faces.push_back(n);
    for (int k = n - 1; k >= 0; --k) faces.push_back(k);
    faces.push_back(0);
    for (int k = 0; k < n; ++k) faces.insert(faces.end(), {4, k, (k + 1) % n, n + (k + 1) % n, n + k, 0});
    return convex_refusal(vertices, faces);
  };
  EXPECT_EQ(prism({{0, 0}, {1, 0}, {1, 1}, {0, 1}}), "");
  EXPECT_NE(prism({{0, 0}, {1, -1}, {0.25, 0}, {1, 1}}).find("CONVEX: face 0 (vertices 4 5 6 7) is not convex at vertex"), std::string::npos);
  std::vector<Vec2> star;
  for (int k = 0; k < 5; ++k) star.emplace_back(std::cos(4.0 * kPi * k / 5), std::sin(4.0 * kPi * k / 5));
  EXPECT_NE(prism(star).find("is not convex at vertex"), std::string::npos);
}

TEST(Convex, RefusesNonManifoldSurface) {
  auto faces = cube_faces();
  faces.insert(faces.end(), {4, 4, 5, 6, 7, 15});
  EXPECT_EQ(convex_refusal(cube_vertices(), faces), "CONVEX: edge 4-5 belongs to 3 faces (5, 6, 1): two must meet in it");
}

TEST(Complete, NamesTheEdgeAtFault) {
  Shape shape = make_convex(cube_vertices(), cube_faces(), 0);
  Polyhedron cube = polyhedron(shape);
  std::swap(cube.face_vertices[1], cube.face_vertices[3]);
  EXPECT_NE(refusal([&] { complete(cube); }).find("POLYHEDRON: faces 0 and 1 run through edge 0-1 in the same direction"), std::string::npos);
}

}  // namespace scree::geometry::testing
