/// One mesh written in every format the mesh reader knows, for its tests and as a start for fuzzing.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "geometry/build.hpp"
#include "geometry/element.hpp"

namespace scree::io::testing {

/// A box of one hexahedron, two wedges, a pyramid and two tetrahedra, two volume ids, one named face.
inline geometry::Mesh sample() {
  const std::vector<Vec3> nodes{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}, {0.5, 0.5, 2}};
  return geometry::make_mesh(nodes, std::vector<int>{8, 0, 1, 2, 3, 4, 5, 6, 7, 1, 6, 1, 8, 2, 5, 10, 6, 2, 6, 8, 9, 2, 10, 11, 6, 2, 5, 4, 5, 6, 7, 12, 1},
                             std::vector<int>{0, 4, 0, 3, 2, 1, 7, 3, 4, 5, 12, 9});
}

struct Cell {
  std::vector<int> nodes;  // from 0
  int id;
  bool face;
};
inline std::vector<Cell> cells_of(const geometry::Mesh& mesh) {
  std::vector<Cell> cells;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) cells.push_back({mesh.faces[f], mesh.face_surface[f], true});
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto nodes = geometry::element(mesh, e);
    cells.push_back({{nodes.begin(), nodes.end()}, mesh.element_volume[e], false});
  }
  return cells;
}

template <class Value>
void put(std::string& out, Value value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline int gmsh_type(const Cell& c) {
  if (c.face) return c.nodes.size() == 3 ? 2 : 3;
  return c.nodes.size() == 4 ? 4 : c.nodes.size() == 8 ? 5 : c.nodes.size() == 6 ? 6 : 7;
}

inline std::string gmsh2(const geometry::Mesh& mesh, bool binary) {
  std::string out = fmt::format("$MeshFormat\n2.2 {} 8\n", binary ? 1 : 0);
  if (binary) put<std::int32_t>(out, 1), out += "\n";
  out += fmt::format("$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n{}\n", mesh.nodes.size());
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
    const Vec3& x = mesh.nodes[n];
    if (binary) put<std::int32_t>(out, static_cast<int>(n) + 1), put(out, x.x()), put(out, x.y()), put(out, x.z());
    else out += fmt::format("{} {} {} {}\n", n + 1, x.x(), x.y(), x.z());
  }
  const auto cells = cells_of(mesh);
  out += fmt::format("{}$EndNodes\n$Elements\n{}\n", binary ? "\n" : "", cells.size());
  int number = 0;
  for (const Cell& c : cells) {
    if (binary) {
      put<std::int32_t>(out, gmsh_type(c)), put<std::int32_t>(out, 1), put<std::int32_t>(out, 2);
      put<std::int32_t>(out, ++number), put<std::int32_t>(out, c.id), put<std::int32_t>(out, 1);
      for (int n : c.nodes) put<std::int32_t>(out, n + 1);
    } else {
      out += fmt::format("{} {} 2 {} 1", ++number, gmsh_type(c), c.id);
      for (int n : c.nodes) out += fmt::format(" {}", n + 1);
      out += "\n";
    }
  }
  return out + (binary ? "\n" : "") + "$EndElements\n";
}

inline std::string gmsh4(const geometry::Mesh& mesh, bool binary) {
  const auto cells = cells_of(mesh);
  std::string out = fmt::format("$MeshFormat\n4.1 {} 8\n", binary ? 1 : 0);
  if (binary) put<std::int32_t>(out, 1), out += "\n";
  out += "$EndMeshFormat\n$Entities\n";
  const auto whole = [&](std::int32_t v) { binary ? put(out, v) : void(out += fmt::format("{} ", v)); };
  const auto tag = [&](std::uint64_t v) { binary ? put(out, v) : void(out += fmt::format("{} ", v)); };
  const auto real = [&](double v) { binary ? put(out, v) : void(out += fmt::format("{} ", v)); };
  const auto end = [&] { if (!binary) out += "\n"; };
  // An entity for every id: its tag is 100 + id, its physical group the id.
  tag(0), tag(0), tag(2), tag(2), end();
  for (int dimension : {2, 3}) {
    for (int id : dimension == 2 ? std::vector<int>{7, 9} : std::vector<int>{1, 2}) {
      whole(100 + id);
      for (int i = 0; i < 6; ++i) real(0.5);
      tag(1), whole(id), tag(0), end();
    }
  }
  out += std::string(binary ? "\n" : "") + "$EndEntities\n$Nodes\n";
  tag(1), tag(mesh.nodes.size()), tag(1), tag(mesh.nodes.size()), end();
  whole(3), whole(101), whole(0), tag(mesh.nodes.size()), end();
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) tag(n + 1), end();
  for (const Vec3& x : mesh.nodes) real(x.x()), real(x.y()), real(x.z()), end();
  out += std::string(binary ? "\n" : "") + "$EndNodes\n$Elements\n";
  tag(cells.size()), tag(cells.size()), tag(1), tag(cells.size()), end();
  std::uint64_t number = 0;
  for (const Cell& c : cells) {
    whole(c.face ? 2 : 3), whole(100 + c.id), whole(gmsh_type(c)), tag(1), end();
    tag(++number);
    for (int n : c.nodes) tag(static_cast<std::uint64_t>(n) + 1);
    end();
  }
  return out + (binary ? "\n" : "") + "$EndElements\n";
}

inline std::string base64(const std::string& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t v = 0;
    for (std::size_t i = 0; i < 3; ++i) v = v << 8 | (k + i < bytes.size() ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (int i = 0; i < 4; ++i) out += k + static_cast<std::size_t>(i) > bytes.size() ? '=' : digits[v >> (18 - 6 * i) & 63];
  }
  return out;
}

enum class Pack { text, inline64, appended, zlib };

inline std::string vtu(const geometry::Mesh& mesh, Pack pack) {
  std::string appended;
  const auto array = [&](const char* type, const char* name, int components, const std::string& bytes, const std::string& words) {
    const std::string open = fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", type, name, components);
    if (pack == Pack::text) return open + " format=\"ascii\">\n" + words + "\n</DataArray>\n";
    std::string head;
    if (pack == Pack::zlib) {
      std::string packed(compressBound(bytes.size()), '\0');
      uLongf size = packed.size();
      compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
      packed.resize(size);
      put<std::uint32_t>(head, 1), put<std::uint32_t>(head, static_cast<std::uint32_t>(bytes.size())), put<std::uint32_t>(head, 0), put<std::uint32_t>(head, static_cast<std::uint32_t>(size));
      return open + " format=\"binary\">" + base64(head) + base64(packed) + "</DataArray>\n";
    }
    put<std::uint32_t>(head, static_cast<std::uint32_t>(bytes.size()));
    if (pack == Pack::inline64) return open + " format=\"binary\">\n  " + base64(head + bytes) + "\n</DataArray>\n";
    const std::size_t offset = appended.size();
    appended += head + bytes;
    return open + fmt::format(" format=\"appended\" offset=\"{}\"/>\n", offset);
  };
  std::string points, connectivity, offsets, types, ids, w[5];
  for (const Vec3& x : mesh.nodes) {
    for (int i = 0; i < 3; ++i) put(points, x[i]), w[0] += fmt::format("{} ", x[i]);
  }
  const auto cells = cells_of(mesh);
  std::int64_t at = 0;
  for (const Cell& c : cells) {
    for (int n : c.nodes) put<std::int64_t>(connectivity, n), w[1] += fmt::format("{} ", n);
    at += static_cast<std::int64_t>(c.nodes.size());
    const int type = c.face ? (c.nodes.size() == 3 ? 5 : 9) : c.nodes.size() == 4 ? 10 : c.nodes.size() == 5 ? 14 : c.nodes.size() == 6 ? 13 : 12;
    put(offsets, at), w[2] += fmt::format("{} ", at);
    put<std::uint8_t>(types, static_cast<std::uint8_t>(type)), w[3] += fmt::format("{} ", type);
    put<std::int32_t>(ids, c.id), w[4] += fmt::format("{} ", c.id);
  }
  std::string out = fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\"{}>\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                                pack == Pack::zlib ? " compressor=\"vtkZLibDataCompressor\"" : "", mesh.nodes.size(), cells.size());
  out += "<Points>\n" + array("Float64", "xyz", 3, points, w[0]) + "</Points>\n<Cells>\n" + array("Int64", "connectivity", 1, connectivity, w[1]) + array("Int64", "offsets", 1, offsets, w[2]) +
         array("UInt8", "types", 1, types, w[3]) + "</Cells>\n<CellData>\n" + array("Int32", "volume", 1, ids, w[4]) + "</CellData>\n</Piece>\n</UnstructuredGrid>\n";
  if (pack == Pack::appended) out += "<AppendedData encoding=\"raw\">\n_" + appended + "\n</AppendedData>\n";
  return out + "</VTKFile>\n";
}

inline std::string abaqus(const geometry::Mesh& mesh) {
  std::string out = "*Heading\n** a comment\n*NODE, NSET=all\n";
  for (std::size_t n = 0; n < mesh.nodes.size(); ++n) out += fmt::format("{}, {}, {}, {}\n", 10 * n + 1, mesh.nodes[n].x(), mesh.nodes[n].y(), mesh.nodes[n].z());
  for (int id : {1, 2}) {
    for (int e = 0; e < mesh.elements(); ++e) {
      if (mesh.element_volume[e] != id) continue;
      const auto nodes = geometry::element(mesh, e);
      out += fmt::format("*ELEMENT, TYPE=C3D{}{}, ELSET=part{}\n{}", nodes.size(), nodes.size() == 8 ? "R" : "", id, e + 1);
      int k = 0;
      for (int n : nodes) out += fmt::format(",{}{}", ++k == 5 ? "\n " : " ", 10 * n + 1);
      out += "\n";
    }
  }
  // The bottom of the hexahedron and one side of the pyramid.
  return out + "*ELSET, ELSET=first, GENERATE\n1, 1, 1\n*SURFACE, NAME=bottom, TYPE=ELEMENT\nfirst, S1\n*SURFACE, NAME=slope\n4, S2\n*STEP\n1., 2.\n";
}

struct Sample {
  const char* name;
  std::string bytes;
};
inline std::vector<Sample> samples() {
  const geometry::Mesh mesh = sample();
  return {{"text2.msh", gmsh2(mesh, false)}, {"binary2.msh", gmsh2(mesh, true)}, {"text4.msh", gmsh4(mesh, false)}, {"binary4.msh", gmsh4(mesh, true)},
          {"text.vtu", vtu(mesh, Pack::text)}, {"base64.vtu", vtu(mesh, Pack::inline64)}, {"raw.vtu", vtu(mesh, Pack::appended)}, {"zlib.vtu", vtu(mesh, Pack::zlib)},
          {"abaqus.inp", abaqus(mesh)}};
}

}  // namespace scree::io::testing
