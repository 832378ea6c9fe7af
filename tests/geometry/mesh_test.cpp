#include "geometry/element.hpp"
#include "geometry/mesh_faces.hpp"
#include "helpers.hpp"

namespace scree::geometry::testing {

namespace {

std::string mesh_refusal(const std::vector<Vec3>& nodes, const std::vector<int>& elements, const std::vector<int>& surfaces = {0}) {
  return refusal([&] { (void)make_mesh(nodes, elements, surfaces); });
}

/// Two unit cubes side by side along x: 12 nodes, x fastest.
std::vector<Vec3> two_cube_nodes() {
  std::vector<Vec3> nodes;
  for (int n = 0; n < 12; ++n) nodes.emplace_back(n % 3, n / 3 % 2, n / 6);
  return nodes;
}
const std::vector<int> kTwoCubes{8, 0, 1, 4, 3, 6, 7, 10, 9, 21, 8, 1, 2, 5, 4, 7, 8, 11, 10, 22};

/// A pyramid, a wedge and a tetrahedron glued to a cube.
struct Mixed {
  std::vector<Vec3> nodes = cube_vertices();
  std::vector<int> elements{8, 0, 1, 2, 3, 4, 5, 6, 7, 1};
  Mixed() {
    nodes.emplace_back(0.5, 0.5, 2.0);   // 8: apex over the top
    nodes.emplace_back(2.0, 0.5, 0.0);   // 9, 10: ridge of the wedge at x = 2
    nodes.emplace_back(2.0, 0.5, 1.0);
    nodes.emplace_back(2.0, 0.5, 3.0);   // 11: apex of a tetrahedron on the wedge
    elements.insert(elements.end(), {5, 4, 5, 6, 7, 8, 2});
    elements.insert(elements.end(), {6, 1, 9, 2, 5, 10, 6, 3});
    elements.insert(elements.end(), {4, 5, 10, 6, 11, 4});
  }
};

}  // namespace

TEST(Element, FacesCloseAndCornersAreRightHanded) {
  const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const std::vector<Vec3> triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<std::pair<std::vector<Vec3>, double>> elements{{triangle, 1.0 / 6}, {square, 1.0 / 3}, {triangle, 0.5}, {square, 1.0}};
  elements[0].first.emplace_back(0, 0, 1);
  elements[1].first.emplace_back(0.5, 0.5, 1);
  for (const Vec3& p : triangle) elements[2].first.push_back(p + Vec3::UnitZ());
  for (const Vec3& p : square) elements[3].first.push_back(p + Vec3::UnitZ());
  for (const auto& [nodes, volume] : elements) {
    const int count = static_cast<int>(nodes.size());
    Polyhedron element;
    element.vertices = nodes;
    for (const ElementFace& f : element_faces(count)) add_face(element, f.nodes(), 0);
    complete(element);
    EXPECT_NEAR((Piece{element, 0, 0}.volume()), volume, 1e-15) << element_name(count);
    for (const ElementCorner& c : element_corners(count)) {
      const Vec3& a = nodes[c[0]];
      EXPECT_GT((nodes[c[1]] - a).cross(nodes[c[2]] - a).dot(nodes[c[3]] - a), 0.4) << element_name(count) << " node " << c[0];
    }
  }
}

TEST(Mesh, KeepsElementsAndIds) {
  const Mesh mesh = make_mesh(two_cube_nodes(), kTwoCubes, std::vector<int>{5, 4, 0, 3, 9, 6, 7});
  EXPECT_EQ(mesh.elements(), 2);
  EXPECT_EQ(mesh.element_volume, (std::vector<int>{21, 22}));
  EXPECT_EQ(mesh.element_start, (std::vector<int>{0, 8, 16}));
  EXPECT_EQ(mesh.surface_id, 5);
  ASSERT_EQ(mesh.faces.size(), 1u);
  EXPECT_EQ(mesh.face_surface, std::vector<int>{7});
}

TEST(Mesh, ShapeKnowsNeighboursSurfacesAndAdjacency) {
  const Shape shape = make_shape(make_mesh(two_cube_nodes(), kTwoCubes, std::vector<int>{5, 4, 0, 3, 9, 6, 7}));
  ASSERT_EQ(shape.pieces.size(), 2u);
  EXPECT_EQ(shape.pieces[1].volume_id, 22);
  EXPECT_EQ(polyhedron(shape, 0).face_neighbour, (std::vector<int>{-1, -1, 1, -1, -1, -1}));
  EXPECT_EQ(polyhedron(shape, 1).face_neighbour, (std::vector<int>{-1, -1, -1, -1, 0, -1}));
  EXPECT_EQ(polyhedron(shape, 0).face_surface, (std::vector<int>{5, 5, 5, 5, 7, 5}));
  EXPECT_EQ(shape.adjacent[0], std::vector<int>{1});
  EXPECT_EQ(shape.piece_mesh, (std::vector<int>{0, 0}));
  EXPECT_EQ(shape.piece_element, (std::vector<int>{0, 1}));
}

TEST(Mesh, MixesElementKinds) {
  const Mixed mixed;
  const Shape shape = make_shape(make_mesh(mixed.nodes, mixed.elements, std::vector<int>{0}));
  ASSERT_EQ(shape.pieces.size(), 4u);
  EXPECT_NEAR(shape.pieces[0].volume(), 1.0, 1e-15);
  EXPECT_NEAR(shape.pieces[1].volume(), 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(shape.pieces[2].volume(), 0.5, 1e-15);
  EXPECT_NEAR(shape.pieces[3].volume(), 0.5 * 1.0 * 2.0 / 3.0, 1e-15);
  EXPECT_EQ(polyhedron(shape, 0).face_neighbour, (std::vector<int>{-1, -1, 2, -1, -1, 1}));
  EXPECT_EQ(polyhedron(shape, 3).face_neighbour, (std::vector<int>{2, -1, -1, -1}));
  // The tetrahedron shares an edge only with the cube: adjacent, but no neighbour.
  EXPECT_EQ(shape.adjacent[3], (std::vector<int>{0, 1, 2}));
}

TEST(Mesh, RefusalsNameTheFault) {
  const auto nodes = two_cube_nodes();
  const auto with = [](std::vector<int> list, int at, int value) {
    list[at] = value;
    return list;
  };
  EXPECT_EQ(mesh_refusal({{0, 0, 0}}, {}), "MESH: 1 nodes given: an element has at least 4");
  EXPECT_EQ(mesh_refusal(nodes, {}), "MESH: no element given");
  EXPECT_EQ(mesh_refusal(nodes, {7, 0, 1, 2, 3, 4, 5, 6, 0}),
            "MESH: element 0 has 7 nodes: 4 (tetrahedron), 5 (pyramid), 6 (wedge) or 8 (hexahedron) are allowed");
  EXPECT_EQ(mesh_refusal(nodes, {8, 0, 1, 4, 3}),
            "MESH: the list ends inside element 0: 8 node indices and an identifier are announced, 4 entries are left");
  EXPECT_EQ(mesh_refusal(nodes, {2000000000, 0}),
            "MESH: element 0 starts (entry 0 of the list) with the count 2000000000: it must lie between 1 and 12");
  EXPECT_EQ(mesh_refusal(nodes, with(kTwoCubes, 12, 12)), "MESH: element 1 names node 12: indices run from 0 to 11");
  EXPECT_EQ(mesh_refusal(nodes, with(kTwoCubes, 13, 2)), "MESH: element 1 (1 2 2 4 7 8 11 10) names node 2 twice: each may appear once");
  EXPECT_EQ(mesh_refusal(nodes, {8, 3, 4, 1, 0, 9, 10, 7, 6, 0, 8, 1, 2, 5, 4, 7, 8, 11, 10, 0}),
            "MESH: element 0 (hexahedron, nodes 3 4 1 0 9 10 7 6) is inside out, its volume is -1 m^3: number the bottom nodes "
            "counter-clockwise seen from the top");
  EXPECT_EQ(mesh_refusal(nodes, std::vector<int>(kTwoCubes.begin(), kTwoCubes.begin() + 10)),
            "MESH: node 2 at (2, 0, 0) belongs to no element: remove it");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {}), "MESH: the list of surfaces is empty: give at least the surface id of all faces");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {0, 4, 1, 4, 10, 7, 3}),
            "MESH: surface face 0 (nodes 1 4 10 7) lies between elements 0 and 1, not on the boundary");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {0, 3, 0, 1, 4, 3}), "MESH: surface face 0 (nodes 0 1 4) is not a face of any element");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {0, 2, 0, 1, 3}), "MESH: surface face 0 has 2 nodes: element faces have 3 or 4");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {0, 4, 0, 3, 9, 6, 1, 4, 6, 9, 3, 0, 2}),
            "MESH: surface faces 0 and 1 (nodes 6 9 3 0) are the same face: list it once");
  EXPECT_EQ(mesh_refusal(nodes, kTwoCubes, {0, 4, 0, 3, 9}),
            "MESH: the list ends inside surface face 0: 4 node indices and an identifier are announced, 3 entries are left");
  auto bad = nodes;
  bad[7].z() = std::nan("");
  EXPECT_EQ(mesh_refusal(bad, kTwoCubes), "MESH: node 7 is (1, 0, nan): coordinates must be finite numbers");
}

TEST(Mesh, RefusesFlatFoldedAndOverlappingElements) {
  for (double size : {1e-6, 1.0, 1e6}) {
    std::vector<Vec3> flat{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {size, size, 0}};
    EXPECT_EQ(mesh_refusal(flat, {4, 0, 1, 2, 3, 0}),
              "MESH: element 0 (tetrahedron, nodes 0 1 2 3) has no volume: its nodes lie in a plane or are numbered crosswise");
    auto folded = cube_vertices(size);
    folded[6] = Vec3::Constant(0.2 * size);
    EXPECT_EQ(mesh_refusal(folded, {8, 0, 1, 2, 3, 4, 5, 6, 7, 0}),
              "MESH: element 0 (hexahedron, nodes 0 1 2 3 4 5 6 7) is folded at node 6: check the order of its nodes");
  }
  // Two tetrahedra on the same side of their common face, then three on one face.
  const std::vector<Vec3> nodes{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 2}, {0, 0, -1}};
  const std::vector<Vec3> five(nodes.begin(), nodes.begin() + 5);
  EXPECT_EQ(mesh_refusal(five, {4, 0, 1, 2, 3, 0, 4, 0, 1, 2, 4, 0}),
            "MESH: elements 0 and 1 share the face with nodes 0 2 1 but do not lie on either side of it: they overlap");
  EXPECT_EQ(mesh_refusal(nodes, {4, 0, 1, 2, 3, 0, 4, 0, 1, 2, 4, 0, 4, 0, 2, 1, 5, 0}),
            "MESH: the face with nodes 0 2 1 is shared by 3 elements (0, 1, 2): two may share a face");
}

TEST(Mesh, DamagedListsAreRefusedNotFollowed) {
  // Sound lists with entries overwritten and cut short at random: InputError or a sound mesh, never anything else.
  std::mt19937 generator(1);
  const std::array<int, 8> poison{-1, 0, 3, 8, 12, 1000, 2147483647, -2147483647 - 1};
  int refused = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<int> elements = kTwoCubes, surfaces{5, 4, 0, 3, 9, 6, 7}, faces = cube_faces();
    for (std::vector<int>* list : {&elements, &surfaces, &faces}) {
      (*list)[generator() % list->size()] = poison[generator() % poison.size()];
      if (generator() % 4 == 0) list->resize(generator() % (list->size() + 1));
    }
    refused += !mesh_refusal(two_cube_nodes(), elements, surfaces).empty();
    refused += !refusal([&] { (void)make_convex(cube_vertices(), faces, 0); }).empty();
  }
  EXPECT_GT(refused, 7500);
}

TEST(Mesh, RefusesHandMadeListsThatDoNotFit) {
  Mesh mesh = make_mesh(two_cube_nodes(), kTwoCubes, std::vector<int>{0});
  mesh.element_start.back() = 100;
  EXPECT_EQ(refusal([&] { (void)make_shape(mesh); }), "MESH: element_start, element_nodes, element_volume and face lists do not fit together");
}

TEST(MeshFaces, BoundaryOfABlockIsClosed) {
  // Twice the number of interior faces plus the boundary is all faces; the boundary's area vector vanishes.
  const auto corners = cube_vertices();
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  const Mesh mesh = make_hex(std::span<const Vec3, 8>(corners.data(), 8), 3, 4, 5, 0, surfaces);
  const auto faces = mesh_faces(mesh);
  ASSERT_EQ(faces.size(), 360u);
  int boundary = 0;
  for (const MeshFace& f : faces) boundary += f.neighbour < 0;
  EXPECT_EQ(boundary, 2 * (12 + 15 + 20));
}

}  // namespace scree::geometry::testing
