#include "io/mesh_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"
#include "geometry/mass.hpp"
#include "io/mesh_formats.hpp"
#include "mesh_texts.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

using namespace testing;

geometry::Mesh load(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  write_bytes(folder.file(name), {bytes.begin(), bytes.end()}, bytes.size());
  return read_mesh(folder.file(name));
}

TEST(MeshReader, EveryFormatGivesTheSameMesh) {
  const TemporaryFolder folder;
  const geometry::Mesh expected = sample();
  for (const Sample& s : samples()) {
    const geometry::Mesh mesh = load(folder, s.name, s.bytes);
    ASSERT_EQ(mesh.elements(), expected.elements()) << s.name;
    EXPECT_EQ(mesh.nodes.size(), expected.nodes.size()) << s.name;
    EXPECT_EQ(mesh.element_volume, expected.element_volume) << s.name;
    EXPECT_NEAR(geometry::mass_properties(geometry::make_shape(mesh), 1.0).volume, 2.0 + 1.0 / 3, 1e-12) << s.name;
    ASSERT_EQ(mesh.faces.size(), 2u) << s.name;
    // Abaqus surfaces are counted, the others carry numbers.
    EXPECT_EQ(mesh.face_surface, s.name == std::string("abaqus.inp") ? (std::vector<int>{1, 2}) : (std::vector<int>{7, 9})) << s.name;
    EXPECT_EQ(mesh.faces[0].size(), 4u);
    EXPECT_EQ(mesh.faces[1].size(), 3u);
  }
}

TEST(MeshReader, InsideOutElementsAreTurnedAndHigherOrdersReduced) {
  const TemporaryFolder folder;
  // A tetrahedron numbered inside out, and one of second order with its mid nodes.
  const std::string turned = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 5 1 1 3 2 4\n$EndElements\n";
  const geometry::Mesh mesh = load(folder, "a.msh", turned);
  EXPECT_EQ(mesh.element_volume, std::vector<int>{5});
  EXPECT_NEAR(geometry::mass_properties(geometry::make_shape(mesh), 1.0).volume, 1.0 / 6, 1e-14);
  const std::string second = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,.5,0,0\n6,.5,.5,0\n7,0,.5,0\n8,0,0,.5\n9,.5,0,.5\n10,0,.5,.5\n*ELEMENT, TYPE=C3D10\n1,1,2,3,4,5,6,7,8,9,10\n";
  EXPECT_EQ(load(folder, "b.inp", second).nodes.size(), 4u);
}

std::string message_of(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  try {
    (void)load(folder, name, bytes);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MeshReader, MessagesNameTheLineAndTheRemedy) {
  const TemporaryFolder folder;
  const auto expect = [&](const char* name, const std::string& bytes, std::initializer_list<const char*> parts) {
    const std::string message = message_of(folder, name, bytes);
    for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
  };
  expect("a.xyz", "", {".xyz", "Gmsh"});
  expect("a.msh", "hello", {"a.msh:1:", "not a Gmsh mesh"});
  expect("a.msh", "$MeshFormat\n1.0 0 8\n", {"a.msh:2:", "1.0", "msh2"});
  expect("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 x\n", {"a.msh:6:", "'x'", "coordinate"});
  expect("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999\n1 0 0 0\n", {"truncated", "99999999"});
  expect("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", {"no volume element", "mesh the volume"});
  expect("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 92 2 5 1 1 3 2 4\n$EndElements\n", {"type 92", "export"});
  expect("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 4 2 5 1 1 3 2 4\n$EndElements\n", {"names node 1", "does not define"});
  expect("a.inp", "*NODE\n1, 0, 0\n", {"a.inp:3:", "three coordinates"});
  expect("a.inp", "*INSTANCE, NAME=a, PART=b\n0., 0., 1.5\n", {"a.inp:3:", "moved by '1.5'", "move the part"});
  expect("a.inp", "*ELEMENT, TYPE=C3D27\n1, 2\n", {"C3D27", "C3D4"});
  expect("a.vtu", "<VTKFile type=\"PolyData\">", {"PolyData", "UnstructuredGrid"});
  expect("a.vtu", "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=4", {"a.vtu:4:", "truncated"});
  expect("a.vtu", "<Mesh/>", {"no <VTKFile", "not a .vtu file"});
  expect("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n", {"not closed", "repair"});
  EXPECT_THROW((void)read_mesh(folder.file("missing.msh")), FileError);
}

TEST(MeshReader, DamagedFilesAreRefusedOrRead) {
  // Truncated anywhere and with random bytes changed: a sound mesh or FileError, never anything else. Gigabytes asked for would end the test.
  std::mt19937 random(17);
  int refused = 0, read = 0;
  for (const Sample& s : samples()) {
    const auto attempt = [&](const std::string& bytes) {
      try {
        MeshText text(s.name, bytes);
        geometry::check_mesh(read_mesh(text));
        ++read;
      } catch (const FileError& error) {
        EXPECT_NE(std::string(error.what()).find(s.name), std::string::npos) << error.what();
        ++refused;
      }
    };
    for (std::size_t k = 0; k < s.bytes.size(); k += 1 + s.bytes.size() / 150) attempt(s.bytes.substr(0, k));
    for (int trial = 0; trial < 2000; ++trial) {
      std::string bytes = s.bytes;
      const int changes = 1 + static_cast<int>(random() % 4);
      for (int c = 0; c < changes; ++c) bytes[random() % bytes.size()] = static_cast<char>(random() % 3 == 0 ? random() : "0123456789.-e <>\n"[random() % 17]);
      attempt(bytes);
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 100);
}

std::string cube_stl() {
  std::string out = "solid cube\n";
  constexpr int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (const auto& f : geometry::element_faces(8)) {
    for (int k = 2; k < 4; ++k) {
      out += "facet normal 0 0 0\n outer loop\n";
      for (int v : {f.node[0], f.node[k - 1], f.node[k]}) out += fmt::format("  vertex {} {} {}\n", corner[v][0], corner[v][1], corner[v][2]);
      out += " endloop\nendfacet\n";
    }
  }
  return out + "endsolid cube\n";
}

TEST(MeshReader, ClosedStlIsFilled) {
  const TemporaryFolder folder;
  const bool mesher = std::system("command -v tetgen >/dev/null 2>&1 || command -v gmsh >/dev/null 2>&1") == 0;
  if (!mesher) {
    EXPECT_NE(message_of(folder, "cube.stl", cube_stl()).find("install tetgen"), std::string::npos);
    return;
  }
  const geometry::Mesh mesh = load(folder, "cube.stl", cube_stl());
  EXPECT_NEAR(geometry::mass_properties(geometry::make_shape(mesh), 1.0).volume, 1.0, 1e-12);
  // The same surface in binary form.
  const std::string text = cube_stl();
  std::string binary(80, ' ');
  put<std::uint32_t>(binary, 12);
  std::istringstream words(text);
  std::string word;
  int vertices = 0;
  while (words >> word) {
    if (word == "facet") binary.append(12, '\0');
    if (word != "vertex") continue;
    for (int i = 0; i < 3; ++i) words >> word, put(binary, std::stof(word));
    if (++vertices % 3 == 0) binary.append(2, '\0');
  }
  EXPECT_NEAR(geometry::mass_properties(geometry::make_shape(load(folder, "cube_binary.stl", binary)), 1.0).volume, 1.0, 1e-12);
  // Cut short it is refused before any mesher runs.
  EXPECT_THROW((void)load(folder, "cut.stl", binary.substr(0, 300)), FileError);
  EXPECT_THROW((void)load(folder, "cut.stl", text.substr(0, 400)), FileError);
}

}  // namespace
}  // namespace scree::io
