#include "stepping/shape_packing.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::stepping {

namespace {

using geometry::Mesh;
using geometry::Polyhedron;
using geometry::Shape;

/// In place of a form's index: a polyhedron with the vertices and faces of its element.
constexpr int kElement = -1;

[[noreturn]] void damaged(const char* what) { throw_file("checkpoint: {} of a shape do not fit together; the file is damaged", what); }

/// Mesh and element of a piece; no mesh where it has none.
std::pair<const Mesh*, int> element_of(const Shape& shape, std::size_t piece) {
  if (piece >= shape.piece_mesh.size() || shape.piece_mesh[piece] < 0) return {nullptr, -1};
  return {&shape.meshes[shape.piece_mesh[piece]], shape.piece_element[piece]};
}

/// To the bit: -0.0 is not 0.0 here.
bool same_bits(const Vec3& a, const Vec3& b) { return std::memcmp(a.data(), b.data(), sizeof(Vec3)) == 0; }

bool is_element(const Polyhedron& form, const Mesh& mesh, int e) {
  const auto nodes = geometry::element(mesh, e);
  if (form.vertices.size() != nodes.size()) return false;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (!same_bits(form.vertices[k], mesh.nodes[nodes[k]])) return false;
  const auto faces = geometry::element_faces(static_cast<int>(nodes.size()));
  if (form.face_surface.size() != faces.size()) return false;
  for (int f = 0; f < form.faces(); ++f)
    if (!std::ranges::equal(geometry::face(form, f), faces[f].nodes())) return false;
  return true;
}

/// Vertices and faces of an element, each face with its surface and the piece behind it.
Polyhedron read_element(Unpacker& f, const Mesh& mesh, int e) {
  const auto nodes = geometry::element(mesh, e);
  Polyhedron form;
  for (int n : nodes) form.vertices.push_back(mesh.nodes[n]);
  for (const geometry::ElementFace& face : geometry::element_faces(static_cast<int>(nodes.size()))) {
    int surface = 0, neighbour = -1;
    f(surface), f(neighbour);
    geometry::add_face(form, face.nodes(), surface, neighbour);
  }
  return form;
}

bool within(const std::vector<int>& numbers, int low, std::size_t size) {
  return std::ranges::all_of(numbers, [&](int k) { return k >= low && k < static_cast<int>(size); });
}

/// Parts of at least `least` entries each, one after the other, make up `size` entries.
bool parts_of(const std::vector<int>& start, int least, std::size_t size) {
  if (start.empty() || start.front() != 0 || start.back() != static_cast<int>(size)) return false;
  for (std::size_t k = 1; k < start.size(); ++k)
    if (start[k] < start[k - 1] || start[k] - start[k - 1] < least) return false;
  return true;
}

void check_mesh(const Mesh& mesh) {
  if (mesh.element_start.size() != mesh.element_volume.size() + 1 || !parts_of(mesh.element_start, 4, mesh.element_nodes.size()) ||
      !within(mesh.element_nodes, 0, mesh.nodes.size()))
    damaged("elements");
  for (int e = 0; e < mesh.elements(); ++e)
    if (!geometry::is_element_size(static_cast<int>(geometry::element(mesh, e).size()))) damaged("elements");
}

void check_pieces(const Shape& shape, std::size_t pieces) {
  const std::size_t known = shape.piece_mesh.size();
  if (known > pieces || shape.piece_element.size() != known || !within(shape.piece_mesh, -1, shape.meshes.size())) damaged("pieces");
  for (std::size_t p = 0; p < known; ++p) {
    const auto [mesh, e] = element_of(shape, p);
    if (mesh && (e < 0 || e >= mesh->elements())) damaged("pieces");
  }
  if (shape.adjacent.size() > pieces) damaged("neighbours");
  for (const auto& list : shape.adjacent)
    if (!within(list, 0, pieces)) damaged("neighbours");
}

/// Planes and edges, which are not stored.
void complete(Polyhedron& form, std::size_t pieces) {
  if (form.face_start.size() != form.face_surface.size() + 1 || form.face_neighbour.size() != form.face_surface.size() ||
      !parts_of(form.face_start, 3, form.face_vertices.size()) || !within(form.face_vertices, 0, form.vertices.size()) || !within(form.face_neighbour, -1, pieces))
    damaged("faces");
  try {
    geometry::complete(form);
  } catch (const InputError&) {
    damaged("faces");
  }
}

void write_form(Packer& f, const Shape& shape, std::size_t p) {
  const auto& form = shape.pieces[p].form;
  const auto* polyhedron = std::get_if<Polyhedron>(&form);
  const auto [mesh, e] = element_of(shape, p);
  if (!polyhedron || !mesh || !is_element(*polyhedron, *mesh, e)) {
    f(static_cast<int>(form.index()));
    std::visit([&](const auto& any) { f(any); }, form);
    return;
  }
  f(kElement);
  for (int k = 0; k < polyhedron->faces(); ++k) f(polyhedron->face_surface[k]), f(polyhedron->face_neighbour[k]);
}

template <class Form>
Form read_as(Unpacker& f) {
  Form form;
  f(form);
  return form;
}

void read_form(Unpacker& f, Shape& shape, std::size_t p) {
  int kind = 0;
  f(kind);
  auto& form = shape.pieces[p].form;
  const auto [mesh, e] = element_of(shape, p);
  if (kind == 0) form = read_as<geometry::Sphere>(f);
  else if (kind == 1) form = read_as<geometry::Ellipsoid>(f);
  else if (kind == 2) form = read_as<Polyhedron>(f);
  else if (kind == kElement && mesh) form = read_element(f, *mesh, e);
  else throw_file("checkpoint: a piece has the unknown form {}; the file is damaged or of another version", kind);
  if (auto* polyhedron = std::get_if<Polyhedron>(&form)) complete(*polyhedron, shape.pieces.size());
}

}  // namespace

void write_shape(Packer& f, const Shape& shape) {
  f(static_cast<std::int64_t>(shape.pieces.size()));
  f(shape.meshes);
  f(shape.adjacent), f(shape.piece_mesh), f(shape.piece_element);
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    f(shape.pieces[p].volume_id), f(shape.pieces[p].surface_id);
    write_form(f, shape, p);
  }
}

Shape read_shape(Unpacker& f) {
  Shape shape;
  const std::size_t pieces = f.count();
  f(shape.meshes);
  f(shape.adjacent), f(shape.piece_mesh), f(shape.piece_element);
  std::ranges::for_each(shape.meshes, check_mesh);
  check_pieces(shape, pieces);
  shape.pieces.resize(pieces);
  for (std::size_t p = 0; p < pieces; ++p) {
    f(shape.pieces[p].volume_id), f(shape.pieces[p].surface_id);
    read_form(f, shape, p);
  }
  return shape;
}

}  // namespace scree::stepping
