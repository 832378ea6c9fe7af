/// The spring-dashpot interface law, explicit in the couplings between contacts (theory sec. 3.6).
#pragma once

#include "core/vec.hpp"

namespace scree::stepping {

struct SpringDashpot {
  double spring = 0.0;    ///< N/m
  double dashpot = 0.0;   ///< N s/m; negative: critical damping
  double mu = 0.0;
  double cohesion = 0.0;  ///< tensile force the bond carries, N
  double power = 1.0;     ///< p >= 1 of  spring overlap^p
};

/// Impulse over a step h of one contact from its own diagonal block W, free velocity B, velocity U_old at the start of the
/// step and gap at mid-step (eq. 3.14-3.16). `R_T_old`: tangential impulse of the last step. Clears `cohesive` when the bond
/// breaks.
[[nodiscard]] Vec3 spring_dashpot_impulse(const SpringDashpot& law, const Mat3& W, const Vec3& B, const Vec3& U_old, double gap,
                                          double h, const Vec2& R_T_old, bool& cohesive);

}  // namespace scree::stepping
