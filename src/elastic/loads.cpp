#include "elastic/loads.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"

namespace scree::elastic {

namespace {

/// Derivatives of a face's map along its two natural coordinates.
struct Tangents {
  Vec3 r = Vec3::Zero(), s = Vec3::Zero();
  [[nodiscard]] Vec3 area() const { return r.cross(s); }
};

template <class PlaceOf>
Tangents tangents(const BoundaryFace& face, const Vec2& at, PlaceOf&& place) {
  std::array<Vec2, kMostFaceNodes> dN;
  face_gradients(face.kind, at, dN.data());
  Tangents t;
  for (int a = 0; a < node_count(face.kind); ++a) {
    const Vec3 x = place(face.node[a]);
    t.r += dN[a].x() * x;
    t.s += dN[a].y() * x;
  }
  return t;
}

/// The load's components in the face frame (T1, T2, N) of the reference face.
Vec3 components_in(const SurfaceLoad& load, const Mat3& frame) {
  switch (load.direction) {
    case LoadDirection::vector: return frame.transpose() * load.vector;
    case LoadDirection::tangent1: return Vec3::UnitX();
    case LoadDirection::tangent2: return Vec3::UnitY();
    default: return Vec3::UnitZ();
  }
}

/// The reference frame carried along: its first tangent follows the material line, the normal stays normal.
Mat3 carried(const Mat3& frame, const Tangents& reference, const Tangents& current) {
  // Components of the first tangent along the natural directions of the reference face.
  Eigen::Matrix<double, 3, 2> basis;
  basis << reference.r, reference.s;
  const Vec2 c = (basis.transpose() * basis).inverse() * basis.transpose() * frame.col(0);
  const Vec3 n = current.area().normalized(), t = (c.x() * current.r + c.y() * current.s).normalized();
  Mat3 result;
  result << t, n.cross(t), n;
  return result;
}

}  // namespace

Mat3 face_frame(const Vec3& n) {
  Vec3 down = -Vec3::UnitZ() + n.z() * n;
  // A horizontal face has no descent; 1e-6 keeps its direction out of rounding.
  const Vec3 t = down.norm() > 1e-6 ? Vec3(down.normalized()) : Vec3((Vec3::UnitX() - n.x() * n).normalized());
  Mat3 frame;
  frame << t, n.cross(t), n;
  return frame;
}

bool has_surface(const FiniteMesh& mesh, int surface) {
  return std::any_of(mesh.boundary.begin(), mesh.boundary.end(), [&](const BoundaryFace& f) { return f.surface == surface; });
}

void add_surface_load(const FiniteMesh& mesh, std::span<const double> q, const SurfaceLoad& load, std::span<double> f) {
  if (!has_surface(mesh, load.surface)) throw_input("surface load: no boundary face of the mesh has the surface id {}", load.surface);
  std::array<double, kMostFaceNodes> N;
  for (const BoundaryFace& face : mesh.boundary) {
    if (face.surface != load.surface) continue;
    for (const FacePoint& p : face_rule(face.kind)) {
      const Tangents reference = tangents(face, p.at, [&](int n) -> Vec3 { return mesh.nodes[n]; });
      const Mat3 frame = face_frame(reference.area().normalized());
      const Vec3 parts = components_in(load, frame);
      Vec3 force;
      if (load.kind == LoadKind::spatial) {
        force = load.value * reference.area().norm() * (frame * parts);
      } else {
        const Tangents current = tangents(face, p.at, [&](int n) -> Vec3 { return Vec3::Map(q.data() + 3 * n); });
        force = load.value * current.area().norm() * (carried(frame, reference, current) * parts);
      }
      face_values(face.kind, p.at, N.data());
      for (int a = 0; a < node_count(face.kind); ++a) Vec3::Map(f.data() + 3 * face.node[a]) += p.weight * N[a] * force;
    }
  }
}

}  // namespace scree::elastic
