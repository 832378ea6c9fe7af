#include "stepping/spring_dashpot.hpp"

namespace scree::stepping {

Vec3 spring_dashpot_impulse(const SpringDashpot& law, const Mat3& W, const Vec3& B, const Vec3& U_old, double gap, double h,
                            const Vec2& R_T_old, bool& cohesive) {
  // Normal force with the new normal velocity estimated through the diagonal block (eq. 3.14).
  const double B_N = B.x() + W.block<1, 2>(0, 1).dot(R_T_old.transpose());
  // Critical damping of the mass 1 / W_NN on its spring.
  const double s = law.spring, d = law.dashpot < 0.0 ? 2.0 * std::sqrt(s / W(0, 0)) : law.dashpot;
  const double force = (-s * (gap + 0.25 * h * (B_N - U_old.x())) - 0.5 * d * (B_N + U_old.x())) /
                       (1.0 + (0.25 * s * h + 0.5 * d) * h * W(0, 0));
  if (!cohesive && force < 0.0) return Vec3::Zero();
  double R_N = h * force;
  if (cohesive && force < -law.cohesion) {
    cohesive = false;
    R_N = -h * law.cohesion;
  }
  // Tangential impulse that would stop the slip (eq. 3.15), cut to Coulomb's cone.
  const Mat2 W_TT = W.block<2, 2>(1, 1);
  Vec2 R_T = -W_TT.ldlt().solve(B.tail<2>() + W.block<2, 1>(1, 0) * R_N);
  const double limit = law.mu * std::abs(R_N), size = R_T.norm();
  if (size > limit) {
    R_T *= limit / size;
    cohesive = false;
  }
  return {R_N, R_T.x(), R_T.y()};
}

}  // namespace scree::stepping
