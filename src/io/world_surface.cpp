#include "io/world_surface.hpp"

namespace scree::io {
namespace {

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Motion of one body in a frame.
struct Motion {
  RowMat3 F;
  Vec3 x, v, omega;
  double mises;

  Motion(const Frame& frame, std::size_t k)
      : F(Eigen::Map<const RowMat3>(frame.rotation.data() + 9 * k)), x(Eigen::Map<const Vec3>(frame.position.data() + 3 * k)),
        v(Eigen::Map<const Vec3>(frame.velocity.data() + 3 * k)), omega(Eigen::Map<const Vec3>(frame.angular.data() + 3 * k)),
        mises(frame.mises.empty() ? 0.0 : frame.mises[k]) {}
};

void add_vector(std::vector<double>& values, const Vec3& x) { values.insert(values.end(), x.data(), x.data() + 3); }

void add_moved(WorldSurface& out, const Motion& motion, const Vec3& X) {
  const Vec3 arm = motion.F * X;
  add_vector(out.points, motion.x + arm);
  add_vector(out.velocity, motion.v + motion.omega.cross(arm));
  out.mises.push_back(motion.mises);
}

void add_polygon(WorldSurface& out, std::span<const int> corners, std::int32_t first, std::int32_t body, int surface) {
  for (const int corner : corners) out.corners.push_back(first + corner);
  out.end.push_back(static_cast<std::int64_t>(out.corners.size()));
  out.body.push_back(body);
  out.surface.push_back(surface);
}

// X = center + axes diag(radii) s over the unit sphere.
void add_ball(WorldSurface& out, const Motion& motion, const StoredPiece& piece, const UnitSphere& ball, std::int32_t body) {
  const double* r = piece.reals.data();
  const Vec3 center(r[0], r[1], r[2]);
  Mat3 map = Mat3::Identity();
  if (piece.kind == PieceKind::sphere) map *= r[3];
  else map = Eigen::Map<const RowMat3>(r + 6) * Vec3(r[3], r[4], r[5]).asDiagonal();
  const auto first = static_cast<std::int32_t>(out.points.size() / 3);
  for (const Vec3& s : ball.points) add_moved(out, motion, center + map * s);
  for (const auto& triangle : ball.triangles) add_polygon(out, triangle, first, body, piece.surface);
}

}  // namespace

WorldSurface world_surface(const ResultsReader& results, const Frame& frame, bool spheres, int rings) {
  const UnitSphere ball = unit_sphere(rings);
  WorldSurface out;
  std::size_t node = 0;  // next deformed point
  for (std::size_t k = 0; k < frame.bodies(); ++k) {
    const BodyRow& body = results.bodies()[frame.body[k]];
    if (body.shape < 0) continue;
    const Motion motion(frame, k);
    const bool deformed = body.kind == StoredKind::finite_element && !frame.node_position.empty();
    for (const StoredPiece& piece : results.shapes()[body.shape].pieces) {
      if (piece.points() == 0) {
        if (spheres || piece.kind == PieceKind::ellipsoid) add_ball(out, motion, piece, ball, frame.body[k]);
        continue;
      }
      const auto first = static_cast<std::int32_t>(out.points.size() / 3);
      for (int p = 0; p < piece.points(); ++p) {
        if (deformed) {
          add_vector(out.points, Eigen::Map<const Vec3>(frame.node_position.data() + 3 * node));
          add_vector(out.velocity, Eigen::Map<const Vec3>(frame.node_velocity.data() + 3 * node));
          out.mises.push_back(frame.node_mises.empty() ? 0.0 : frame.node_mises[node]);
          ++node;
        } else {
          add_moved(out, motion, Eigen::Map<const Vec3>(piece.reals.data() + 3 * p));
        }
      }
      for (const StoredFace& face : boundary_faces(piece)) add_polygon(out, face.points, first, frame.body[k], face.surface);
    }
  }
  return out;
}

std::vector<double> contact_forces(const Frame& frame) {
  std::vector<double> forces;
  for (std::size_t c = 0; c < frame.contacts(); ++c) {
    const double *axes = frame.axes.data() + 9 * c, *force = frame.force.data() + 3 * c;
    for (int i = 0; i < 3; ++i) forces.push_back(axes[i] * force[0] + axes[3 + i] * force[1] + axes[6 + i] * force[2]);
  }
  return forces;
}

}  // namespace scree::io
