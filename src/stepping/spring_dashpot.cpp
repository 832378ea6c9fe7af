#include "stepping/spring_dashpot.hpp"

#include "core/dense.hpp"

namespace scree::stepping {

namespace {

/// Root of  f = s max(0, x - b f)^p - c f + r,  the force of a spring that is not linear (eq. 3.14 with p > 1). The difference of both sides is
/// concave and grows in f, so that Newton's method cannot fail.
double curved_spring_force(double s, double p, double x, double b, double c, double r) {
  double f = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double overlap = std::max(0.0, x - b * f);
    const double slope = 1.0 + c + s * p * b * std::pow(overlap, p - 1.0);
    const double step = (s * std::pow(overlap, p) - c * f + r - f) / slope;
    f += step;
    if (std::abs(step) <= 1e-14 * std::abs(f)) break;
  }
  return f;
}

}  // namespace

Vec3 spring_dashpot_impulse(const SpringDashpot& law, const Mat3& W, const Vec3& B, const Vec3& U_old, double gap, double h,
                            const Vec2& R_T_old, bool& cohesive) {
  // Normal force with the new normal velocity estimated through the diagonal block (eq. 3.14).
  const double B_N = B.x() + W.block<1, 2>(0, 1).dot(R_T_old.transpose());
  // Critical damping of the mass 1 / W_NN on its spring, as stiff as it is now.
  const double s = law.spring, p = law.power, stiffness = p == 1.0 ? s : s * p * std::pow(std::max(0.0, -gap), p - 1.0);
  const double d = law.dashpot < 0.0 ? 2.0 * std::sqrt(stiffness / W(0, 0)) : law.dashpot;
  const double reach = -(gap + 0.25 * h * (B_N - U_old.x())), drag = -0.5 * d * (B_N + U_old.x());
  const double force = p == 1.0 ? (s * reach + drag) / (1.0 + (0.25 * s * h + 0.5 * d) * h * W(0, 0))
                                : curved_spring_force(s, p, reach, 0.25 * h * h * W(0, 0), 0.5 * d * h * W(0, 0), drag);
  if (!cohesive && force < 0.0) return Vec3::Zero();
  double R_N = h * force;
  if (cohesive && force < -law.cohesion) {
    cohesive = false;
    R_N = -h * law.cohesion;
  }
  // Tangential impulse that would stop the slip (eq. 3.15), cut to Coulomb's cone.
  const Mat2 W_TT = W.block<2, 2>(1, 1);
  Vec2 R_T = -solve_positive(W_TT, B.tail<2>() + W.block<2, 1>(1, 0) * R_N);
  const double limit = law.mu * std::abs(R_N), size = R_T.norm();
  if (size > limit) {
    R_T *= limit / size;
    cohesive = false;
  }
  return {R_N, R_T.x(), R_T.y()};
}

}  // namespace scree::stepping
