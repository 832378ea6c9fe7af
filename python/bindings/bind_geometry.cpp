#include "bindings.hpp"

#include <set>

#include "geometry/build.hpp"
#include "geometry/mass.hpp"
#include "geometry/transform.hpp"
#include "io/mesh_reader.hpp"
#include "signals.hpp"

namespace scree::python {

using namespace geometry;

namespace {

using ShapePtr = std::shared_ptr<Shape>;
using Ints = std::vector<int>;
using Reals = std::vector<double>;

ShapePtr share(Shape&& shape) { return std::make_shared<Shape>(std::move(shape)); }

template <std::size_t N>
std::array<int, N> surface_ids(const Ints& ids, const char* what) {
  if (ids.size() != N) throw_input("{}: {} surface ids are expected, {} were given", what, N, ids.size());
  std::array<int, N> result{};
  std::copy(ids.begin(), ids.end(), result.begin());
  return result;
}

/// One convex piece as a dictionary of plain values.
py::dict describe(const Piece& piece) {
  py::dict info;
  info["volume_id"] = piece.volume_id;
  if (const auto* sphere = std::get_if<Sphere>(&piece.form)) {
    info["kind"] = "sphere";
    info["surface_id"] = piece.surface_id;
    info["center"] = sphere->center;
    info["radius"] = sphere->radius;
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) {
    info["kind"] = "ellipsoid";
    info["surface_id"] = piece.surface_id;
    info["center"] = ellipsoid->center;
    info["radii"] = ellipsoid->radii;
    info["axes"] = ellipsoid->axes;
  } else {
    const auto& polyhedron = std::get<Polyhedron>(piece.form);
    info["kind"] = "polyhedron";
    info["vertices"] = vectors(polyhedron.vertices.size(), [&](std::size_t i) { return polyhedron.vertices[i]; });
    py::list faces;
    for (int f = 0; f < polyhedron.faces(); ++f) {
      py::list face;
      for (int k = 0; k < polyhedron.face_size(f); ++k) face.append(polyhedron.face_vertex(f, k));
      faces.append(face);
    }
    info["faces"] = faces;
    info["surface_ids"] = polyhedron.face_surface;
    info["neighbours"] = polyhedron.face_neighbour;
  }
  return info;
}

py::dict describe(const Mesh& mesh) {
  py::dict info;
  info["nodes"] = vectors(mesh.nodes.size(), [&](std::size_t i) { return mesh.nodes[i]; });
  py::list elements;
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto k = static_cast<std::size_t>(e);
    elements.append(Ints(mesh.element_nodes.begin() + mesh.element_start[k], mesh.element_nodes.begin() + mesh.element_start[k + 1]));
  }
  info["elements"] = elements;
  info["volume_ids"] = mesh.element_volume;
  info["surface_id"] = mesh.surface_id;
  info["faces"] = mesh.faces;
  info["surface_ids"] = mesh.face_surface;
  return info;
}

py::dict describe(const MassProperties& mass) {
  py::dict info;
  info["volume"] = mass.volume;
  info["mass"] = mass.mass;
  info["center"] = mass.center;
  info["euler"] = mass.euler;
  info["inertia"] = mass.inertia();
  return info;
}

ShapePtr scaled(const Shape& shape, const Vec3& factors) {
  Shape copy = shape;
  scale(copy, factors);
  return share(std::move(copy));
}

ShapePtr translated(const Shape& shape, const Vec3& vector) {
  Shape copy = shape;
  translate(copy, vector);
  return share(std::move(copy));
}

ShapePtr rotated_shape(const Shape& shape, const Vec3& point, const Vec3& axis, double angle) {
  Shape copy = shape;
  rotate(copy, point, axis, angle);
  return share(std::move(copy));
}

ShapePtr joined(const std::vector<ShapePtr>& shapes) {
  std::vector<Shape> parts;
  for (const ShapePtr& shape : shapes) parts.push_back(*shape);
  return share(join(parts));
}

void bind_builders(py::module_& module) {
  module.def("make_sphere", [](const Vec3& c, double r, int volume, int surface) { return share(make_sphere(c, r, volume, surface)); });
  module.def("make_ellipsoid", [](const Vec3& c, const Vec3& r, int volume, int surface, const Mat3& axes) {
    return share(make_ellipsoid(c, r, volume, surface, axes));
  });
  module.def("make_box", [](const Vec3& low, const Vec3& high, int volume, int surface) { return share(make_box(low, high, volume, surface)); });
  module.def("make_convex", [](const Points& vertices, const Ints& faces, int volume) {
    return share(make_convex(to_points(vertices, "CONVEX vertices"), faces, volume));
  });
  module.def("make_hull", [](const Points& points, int volume, int surface) {
    return stoppable([&] { return share(make_hull(to_points(points, "HULL points"), volume, surface)); });
  });
  module.def("make_mesh", [](const Points& nodes, const Ints& elements, const Ints& surfaces) {
    return stoppable([&] { return share(make_shape(make_mesh(to_points(nodes, "MESH nodes"), elements, surfaces))); });
  });
  module.def("read_mesh", [](const std::string& path) { return stoppable([&] { return share(make_shape(io::read_mesh(path))); }); });
  module.def("make_hex", [](const Points& corners, int i, int j, int k, int volume, const Ints& surfaces, const Reals& dx,
                            const Reals& dy, const Reals& dz) {
    const std::vector<Vec3> nodes = to_points(corners, "HEX corners");
    if (nodes.size() != 8) throw_input("HEX: 8 corners are expected, {} were given", nodes.size());
    const auto ids = surface_ids<6>(surfaces, "HEX");
    return stoppable([&] { return share(make_shape(make_hex(std::span<const Vec3, 8>(nodes.data(), 8), i, j, k, volume, ids, dx, dy, dz))); });
  });
  module.def("make_rough_hex", [](const Shape& shape, int i, int j, int k, const Reals& dx, const Reals& dy, const Reals& dz) {
    return share(make_shape(make_rough_hex(shape, i, j, k, dx, dy, dz)));
  });
  module.def("make_pipe", [](const Vec3& point, const Vec3& direction, double inner, double thickness, int ndir, int nrad, int nthi,
                             int volume, const Ints& surfaces) {
    const auto ids = surface_ids<4>(surfaces, "PIPE");
    return share(make_shape(make_pipe(point, direction, inner, thickness, ndir, nrad, nthi, volume, ids)));
  });
}

}  // namespace

void bind_geometry(py::module_& module) {
  py::class_<Shape, ShapePtr>(module, "Shape")
      .def("piece_count", [](const Shape& s) { return s.pieces.size(); })
      .def("piece", [](const Shape& s, std::size_t i) { return describe(s.pieces.at(i)); })
      .def("meshes", [](const Shape& s) {
        py::list list;
        for (const Mesh& mesh : s.meshes) list.append(describe(mesh));
        return list;
      })
      .def("volume_ids", [](const Shape& s) {
        std::set<int> ids;
        for (const Piece& piece : s.pieces) ids.insert(piece.volume_id);
        return ids;
      })
      .def("bounds", [](const Shape& s) { const Box box = s.bounds(); return py::make_tuple(box.low, box.high); })
      .def("size", &Shape::size)
      .def("contains", [](const Shape& s, const Vec3& p) {
        return std::any_of(s.pieces.begin(), s.pieces.end(), [&](const Piece& piece) { return piece.contains(p); });
      })
      .def("mass_properties", [](const Shape& s, double density) { return describe(mass_properties(s, density)); })
      .def("scaled", &scaled)
      .def("translated", &translated)
      .def("rotated", &rotated_shape)
      .def("split", [](const Shape& s, const Vec3& point, const Vec3& normal, const std::array<int, 2>& surfaces) {
        auto [below, above] = split(s, point, normal, surfaces);
        return py::make_tuple(below.empty() ? nullptr : share(std::move(below)), above.empty() ? nullptr : share(std::move(above)));
      });
  bind_builders(module);
  module.def("join", &joined);
  module.def("rotated_point", [](const Vec3& x, const Vec3& point, const Vec3& axis, double angle) { return rotated(x, point, axis, angle); });
}

}  // namespace scree::python
