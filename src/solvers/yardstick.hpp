/// Measures of accuracy, computed outside every solver and the same for all (theory sec. 3.4).
#pragma once

#include <span>
#include <string>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

enum class Yardstick { residual, merit, siconos, ccp };

[[nodiscard]] std::string to_string(Yardstick yardstick);
/// InputError for an unknown name.
[[nodiscard]] Yardstick yardstick_from(const std::string& name);

/// Value of a yardstick at R with U = W R + B given. Dimensionless; 0 is exact.
///  residual: sqrt( sum |e_a|^2 / rho_a ) / scale,  e_a = R_a - proj(R_a - rho_a Uhat_a),
///            Uhat = U + mu |U_T| n, rho_a = 3 / tr W_aa, scale^2 = sum rho_a |B_a|^2.
///  ccp:      the same with U in place of Uhat (convex relaxation).
///  siconos:  | R - proj(R - Uhat) | / max(|B|, |R|, |U|), rho = 1.
///  merit:    theory eq. 3.10; the reference of a problem with a scale (a time step) leaves out what separates.
[[nodiscard]] double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R,
                             std::span<const double> U);

/// The same, forming U = W R + B.
[[nodiscard]] double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R);

/// What `merit` divides by: the free energy sum <W_aa^-1 B_a, B_a>.
[[nodiscard]] double merit_reference(const ContactProblem& problem);

/// U = W R + B.
void relative_velocity(const ContactProblem& problem, std::span<const double> R, std::span<double> U);

}  // namespace scree::solvers
