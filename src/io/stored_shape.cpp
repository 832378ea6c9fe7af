#include "io/stored_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace scree::io {
namespace {

void add_point(std::vector<double>& reals, const Vec3& x) { reals.insert(reals.end(), x.data(), x.data() + 3); }

void add_face(std::vector<int>& integers, std::span<const int> points, int surface) {
  integers.push_back(static_cast<int>(points.size()));
  integers.insert(integers.end(), points.begin(), points.end());
  integers.push_back(surface);
}

StoredPiece store(const geometry::Sphere& sphere, const Vec3& center) {
  StoredPiece piece{PieceKind::sphere, 0, 0, {}, {}};
  add_point(piece.reals, sphere.center - center);
  piece.reals.push_back(sphere.radius);
  return piece;
}

StoredPiece store(const geometry::Ellipsoid& ellipsoid, const Vec3& center) {
  StoredPiece piece{PieceKind::ellipsoid, 0, 0, {}, {}};
  add_point(piece.reals, ellipsoid.center - center);
  add_point(piece.reals, ellipsoid.radii);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) piece.reals.push_back(ellipsoid.axes(i, j));
  return piece;
}

StoredPiece store(const geometry::Polyhedron& polyhedron, const Vec3& center) {
  StoredPiece piece{PieceKind::polyhedron, 0, 0, {}, {}};
  for (const Vec3& vertex : polyhedron.vertices) add_point(piece.reals, vertex - center);
  piece.integers.push_back(polyhedron.faces());
  for (int f = 0; f < polyhedron.faces(); ++f)
    add_face(piece.integers, std::span(polyhedron.face_vertices).subspan(static_cast<std::size_t>(polyhedron.face_start[f]), static_cast<std::size_t>(polyhedron.face_size(f))),
             polyhedron.face_surface[f]);
  return piece;
}

// Elements, then the faces of the mesh's pieces that have nothing behind them.
StoredPiece store_mesh(const geometry::Shape& shape, int m, const Vec3& center) {
  const geometry::Mesh& mesh = shape.meshes[m];
  StoredPiece piece{PieceKind::mesh, mesh.element_volume.empty() ? 0 : mesh.element_volume[0], mesh.surface_id, {}, {}};
  for (const Vec3& node : mesh.nodes) add_point(piece.reals, node - center);
  const auto nodes_of = [&](int e) {
    const auto first = static_cast<std::size_t>(mesh.element_start[e]);
    return std::span(mesh.element_nodes).subspan(first, static_cast<std::size_t>(mesh.element_start[static_cast<std::size_t>(e) + 1]) - first);
  };
  piece.integers.push_back(mesh.elements());
  for (int e = 0; e < mesh.elements(); ++e) add_face(piece.integers, nodes_of(e), mesh.element_volume[e]);

  const std::size_t count_at = piece.integers.size();
  piece.integers.push_back(0);
  std::vector<int> face;
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    if (shape.piece_mesh[p] != m) continue;
    const auto& polyhedron = std::get<geometry::Polyhedron>(shape.pieces[p].form);
    const auto nodes = nodes_of(shape.piece_element[p]);
    for (int f = 0; f < polyhedron.faces(); ++f) {
      if (polyhedron.face_neighbour[f] >= 0) continue;
      face.clear();
      for (int k = 0; k < polyhedron.face_size(f); ++k) face.push_back(nodes[polyhedron.face_vertex(f, k)]);
      add_face(piece.integers, face, polyhedron.face_surface[f]);
      ++piece.integers[count_at];
    }
  }
  return piece;
}

// Walk "count, then count x [n, n indices, id]"; false when it runs over the end.
template <class Visit>
bool walk(const std::vector<int>& integers, std::size_t& at, Visit&& visit) {
  if (at >= integers.size() || integers[at] < 0) return false;
  const int count = integers[at++];
  for (int k = 0; k < count; ++k) {
    if (at >= integers.size() || integers[at] < 1) return false;
    const auto n = static_cast<std::size_t>(integers[at++]);
    if (n >= integers.size() - at) return false;
    if (!visit(std::span(integers).subspan(at, n), integers[at + n])) return false;
    at += n + 1;
  }
  return true;
}

}  // namespace

int StoredShape::points() const {
  int sum = 0;
  for (const StoredPiece& piece : pieces) sum += piece.points();
  return sum;
}

StoredShape store(const geometry::Shape& shape, const Vec3& center) {
  StoredShape stored;
  std::vector<char> done(shape.meshes.size(), 0);
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const int m = p < shape.piece_mesh.size() ? shape.piece_mesh[p] : -1;
    if (m < 0) {
      stored.pieces.push_back(std::visit([&](const auto& form) { return store(form, center); }, shape.pieces[p].form));
      stored.pieces.back().volume = shape.pieces[p].volume_id;
      stored.pieces.back().surface = shape.pieces[p].surface_id;
    } else if (!done[m]) {
      done[m] = 1;
      stored.pieces.push_back(store_mesh(shape, m, center));
    }
  }
  return stored;
}

std::string shape_key(const StoredShape& shape) {
  double size = 0.0;
  for (const StoredPiece& piece : shape.pieces)
    for (const double x : piece.reals) size = std::max(size, std::abs(x));
  std::string key;
  const auto add = [&](std::int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  // Sizes themselves to 1e-9 too: the exponent and the leading 30 bits.
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);
  add(exponent);
  add(std::llround(mantissa * 0x1p30));
  for (const StoredPiece& piece : shape.pieces) {
    add(static_cast<int>(piece.kind));
    add(piece.volume);
    add(piece.surface);
    add(static_cast<std::int64_t>(piece.reals.size()));
    for (const double x : piece.reals) add(size > 0.0 ? std::llround(x / size * 0x1p30) : 0);
    add(static_cast<std::int64_t>(piece.integers.size()));
    for (const int i : piece.integers) add(i);
  }
  return key;
}

std::vector<StoredFace> boundary_faces(const StoredPiece& piece) {
  std::vector<StoredFace> faces;
  if (piece.points() == 0) return faces;
  std::size_t at = 0;
  if (piece.kind == PieceKind::mesh) walk(piece.integers, at, [](auto, int) { return true; });
  walk(piece.integers, at, [&](std::span<const int> points, int surface) {
    faces.push_back({{points.begin(), points.end()}, surface});
    return true;
  });
  return faces;
}

std::vector<std::vector<int>> elements(const StoredPiece& piece) {
  std::vector<std::vector<int>> all;
  std::size_t at = 0;
  if (piece.kind == PieceKind::mesh)
    walk(piece.integers, at, [&](std::span<const int> nodes, int) {
      all.emplace_back(nodes.begin(), nodes.end());
      return true;
    });
  return all;
}

std::string defect(const StoredPiece& piece) {
  for (const double x : piece.reals)
    if (!std::isfinite(x)) return "a coordinate is not finite";
  const auto positive = [&](std::size_t first, std::size_t last) {
    return std::all_of(piece.reals.begin() + static_cast<std::ptrdiff_t>(first), piece.reals.begin() + static_cast<std::ptrdiff_t>(last), [](double x) { return x > 0.0; });
  };
  switch (piece.kind) {
    case PieceKind::sphere: return piece.reals.size() != 4 || !piece.integers.empty() || !positive(3, 4) ? "not a sphere" : "";
    case PieceKind::ellipsoid: return piece.reals.size() != 15 || !piece.integers.empty() || !positive(3, 6) ? "not an ellipsoid" : "";
    default: break;
  }
  if (piece.kind > PieceKind::mesh) return "unknown kind of piece";
  if (piece.reals.size() % 3 != 0 || piece.reals.empty()) return "points are not three numbers each";
  const int limit = piece.points();
  const auto inside = [&](std::span<const int> points, int) {
    return points.size() >= 3 && std::all_of(points.begin(), points.end(), [&](int i) { return i >= 0 && i < limit; });
  };
  std::size_t at = 0;
  bool sound = true;
  if (piece.kind == PieceKind::mesh)
    sound = walk(piece.integers, at, [&](std::span<const int> nodes, int id) {
      return inside(nodes, id) && (nodes.size() == 4 || nodes.size() == 5 || nodes.size() == 6 || nodes.size() == 8);
    });
  sound = sound && walk(piece.integers, at, inside) && at == piece.integers.size();
  return sound ? "" : "faces or elements run over their ends";
}

UnitSphere unit_sphere(int rings) {
  UnitSphere sphere;
  const int around = 2 * rings;
  sphere.points.emplace_back(0.0, 0.0, 1.0);
  for (int r = 1; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double theta = kPi * r / rings, phi = 2.0 * kPi * k / around;
      sphere.points.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta));
    }
  sphere.points.emplace_back(0.0, 0.0, -1.0);
  const auto at = [&](int r, int k) { return r == 0 ? 0 : r == rings ? static_cast<int>(sphere.points.size()) - 1 : 1 + (r - 1) * around + k % around; };
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      if (r > 0) sphere.triangles.push_back({at(r, k), at(r + 1, k), at(r, k + 1)});
      if (r < rings - 1) sphere.triangles.push_back({at(r, k + 1), at(r + 1, k), at(r + 1, k + 1)});
    }
  return sphere;
}

}  // namespace scree::io
