#include "solvers/law.hpp"

#include <vector>

#include "core/dense.hpp"
#include "core/error.hpp"

namespace scree::solvers {

namespace {

constexpr int kBuiltIn = 3, kMostKinds = 256;

std::vector<std::unique_ptr<const Law>>& registered() {
  static std::vector<std::unique_ptr<const Law>> laws;
  return laws;
}

/// Alart and Curnier's map of a contact under pressure.
void pressed_contact(const Vec3& y, double mu, Mat3& derivative) noexcept {
  const double radius = mu * y.x(), length = std::sqrt(y.y() * y.y() + y.z() * y.z());
  derivative(0, 0) = 1.0;
  if (length <= radius) {
    derivative(1, 1) = derivative(2, 2) = 1.0;
    return;
  }
  // Slip along s: the radius grows with y_N, the direction turns with y_T.
  const Vec2 s(y.y() / length, y.z() / length);
  derivative.block<2, 1>(1, 0) = mu * s;
  derivative.block<2, 2>(1, 1) = (radius / length) * (Mat2::Identity() - s * s.transpose());
}

}  // namespace

Vec3 Law::solve(const Mat3& W, double rho, const Vec3& q, double parameter) const noexcept {
  constexpr int kMostSteps = 100;
  constexpr double kExact = 1e-15;   ///< of the impulses that q could cause
  const auto moved = [&](const Vec3& R) -> Vec3 { return R - rho * (W * R + q); };
  Vec3 R = project(-rho * q, parameter);
  for (int step = 0; step < kMostSteps; ++step) {
    const LawPoint at = point(moved(R), parameter);
    const Vec3 error = R - at.value;
    if (error.norm() <= kExact * (R.norm() + rho * q.norm())) break;
    // Newton where it gains, else the fixed point itself, half way: that contracts for monotone laws.
    const Mat3 slope = Mat3::Identity() - at.derivative * (Mat3::Identity() - rho * W);
    const Vec3 next = project(R - solve_linear(slope, error), parameter);
    const bool gains = is_finite(next) && (next - point(moved(next), parameter).value).norm() < error.norm();
    R = gains ? next : Vec3(R - 0.5 * error);
  }
  return is_finite(R) ? R : Vec3::Zero();
}

BlockKind register_law(std::unique_ptr<const Law> law) {
  auto& laws = registered();
  for (const auto& other : laws)
    if (other->name() == law->name()) throw_input("law '{}' is registered already", law->name());
  if (kBuiltIn + laws.size() >= kMostKinds) throw_input("law '{}': no more than {} laws can be registered", law->name(), kMostKinds - kBuiltIn);
  laws.push_back(std::move(law));
  return static_cast<BlockKind>(kBuiltIn + laws.size() - 1);
}

const Law& registered_law(BlockKind kind) noexcept { return *registered()[static_cast<std::size_t>(kind) - kBuiltIn]; }

bool known(BlockKind kind) noexcept { return static_cast<std::size_t>(kind) < kBuiltIn + registered().size(); }

std::string to_string(BlockKind kind) {
  switch (kind) {
    case BlockKind::contact: return "contact";
    case BlockKind::bilateral: return "bilateral";
    case BlockKind::direction: return "direction";
  }
  return known(kind) ? registered_law(kind).name() : "unknown";
}

LawPoint law_point(const Vec3& y, BlockKind kind, double mu) noexcept {
  if (!built_in(kind)) return registered_law(kind).point(y, mu);
  LawPoint point{law_value(y, kind, mu), Mat3::Zero(), false};
  if (kind == BlockKind::bilateral) point.derivative.setIdentity();
  else if (kind == BlockKind::direction) point.derivative(0, 0) = 1.0;
  else if (y.x() <= 0.0) point.open = true;
  else pressed_contact(y, mu, point.derivative);
  return point;
}

LawPoint projection_point(const Vec3& y, BlockKind kind, double mu) noexcept {
  if (!frictional(kind)) return law_point(y, kind, mu);
  LawPoint point{project_on_cone(y, mu), Mat3::Zero(), false};
  const double length = std::hypot(y.y(), y.z());
  if (length <= mu * y.x() && y.x() >= 0.0) {
    if (mu > 0.0) point.derivative.setIdentity();
    else point.derivative(0, 0) = 1.0;
  } else if (mu * length <= -y.x()) {
    point.open = true;
  } else {
    // On the face of the cone: along its generator, and around the axis.
    const Vec3 t = length > 0.0 ? Vec3(0.0, y.y() / length, y.z() / length) : Vec3::Zero();
    const Vec3 generator = Vec3::UnitX() + mu * t;
    point.derivative = generator * generator.transpose() / (1.0 + mu * mu);
    if (mu > 0.0 && length > 0.0) {
      const Vec3 around(0.0, -t.z(), t.y());
      point.derivative += (mu * point.value.x() / length) * around * around.transpose();
    }
  }
  return point;
}

}  // namespace scree::solvers
