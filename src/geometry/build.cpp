#include "geometry/build.hpp"

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/checks.hpp"
#include "geometry/element.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

Shape make_single(Piece piece) {
  Shape shape;
  shape.pieces.push_back(std::move(piece));
  shape.adjacent.emplace_back();
  shape.piece_mesh.push_back(-1);
  shape.piece_element.push_back(-1);
  return shape;
}

Shape make_sphere(const Vec3& center, double radius, int volume_id, int surface_id) {
  check_finite("SPHERE", "center", center);
  check_length("SPHERE", "radius", radius);
  return make_single({Sphere{center, radius}, volume_id, surface_id});
}

Shape make_ellipsoid(const Vec3& center, const Vec3& radii, int volume_id, int surface_id, const Mat3& axes) {
  check_finite("ELLIP", "center", center);
  check_length("ELLIP", "radius x", radii.x());
  check_length("ELLIP", "radius y", radii.y());
  check_length("ELLIP", "radius z", radii.z());
  const double skewness = (axes.transpose() * axes - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(skewness <= 1e-6) || axes.determinant() < 0.0) {
    throw_input("ELLIP: axes must be the orthonormal, right-handed columns of a rotation (they are off by {:g})", skewness);
  }
  return make_single({Ellipsoid{center, radii, orthonormalised(axes)}, volume_id, surface_id});
}

Shape make_box(const Vec3& low, const Vec3& high, int volume_id, int surface_id) {
  check_finite("BOX", "low", low);
  check_finite("BOX", "high", high);
  for (int axis = 0; axis < 3; ++axis) check_length("BOX", std::string("extent along ") + "xyz"[axis], high[axis] - low[axis]);
  Polyhedron box;
  for (int v = 0; v < 8; ++v) {
    const bool right = v % 4 == 1 || v % 4 == 2, back = v % 4 >= 2, top = v >= 4;
    box.vertices.emplace_back(right ? high.x() : low.x(), back ? high.y() : low.y(), top ? high.z() : low.z());
  }
  for (const auto& f : element_faces(8)) add_face(box, f.nodes(), surface_id);
  complete(box);
  return make_single({std::move(box), volume_id, surface_id});
}

Shape join(std::span<const Shape> shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    const int first_piece = static_cast<int>(result.pieces.size());
    const int first_mesh = static_cast<int>(result.meshes.size());
    for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
      Piece piece = shape.pieces[p];
      if (auto* polyhedron = std::get_if<Polyhedron>(&piece.form)) {
        for (int& neighbour : polyhedron->face_neighbour) neighbour += neighbour >= 0 ? first_piece : 0;
      }
      result.pieces.push_back(std::move(piece));
      result.adjacent.push_back(p < shape.adjacent.size() ? shape.adjacent[p] : std::vector<int>{});
      for (int& neighbour : result.adjacent.back()) neighbour += first_piece;
      const int mesh = p < shape.piece_mesh.size() ? shape.piece_mesh[p] : -1;
      result.piece_mesh.push_back(mesh >= 0 ? mesh + first_mesh : -1);
      result.piece_element.push_back(p < shape.piece_element.size() ? shape.piece_element[p] : -1);
    }
    result.meshes.insert(result.meshes.end(), shape.meshes.begin(), shape.meshes.end());
  }
  return result;
}

}  // namespace scree::geometry
