/// Measures of accuracy, computed outside every solver and the same for all (theory sec. 3.4).
#pragma once

#include <span>
#include <string>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

enum class Yardstick { residual, merit, siconos, ccp, scaled_merit };

[[nodiscard]] std::string to_string(Yardstick yardstick);
/// InputError for an unknown name.
[[nodiscard]] Yardstick yardstick_from(const std::string& name);

/// Value of a yardstick at R with U = W R + B given. Dimensionless; 0 is exact.
///  residual: sqrt( sum weight_a |e_a|^2 ),  e_a = R_a - law(R_a - rho_a U_a) (law.hpp), rho_a = 3 / tr W_aa, weights of the problem.
///  ccp:      the same with e_a = R_a - proj(R_a - rho_a U_a) of contacts (convex relaxation).
///  siconos:  | R - proj(R - Uhat) | / max(|B|, |R|, |U|), rho = 1, Uhat = U + mu |U_T| n.
///  merit:    theory eq. 3.10, as the quasi-Newton report has it: rho = 1 kg, so that errors of bodies of grams are hardly seen.
///  scaled_merit: the same with rho_a = 3 / tr W_aa; what `meritval` of scripts bounds. In a time step (weights) it is not below 1e-2 residual^2, so
///            that small bodies count beside heavy ones. The reference of both leaves out what separates there.
[[nodiscard]] double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R,
                             std::span<const double> U);

/// The same, forming U = W R + B.
[[nodiscard]] double measure(Yardstick yardstick, const ContactProblem& problem, std::span<const double> R);

/// True for `merit` and `scaled_merit`, errors in energy relative to merit_reference().
[[nodiscard]] constexpr bool in_energy(Yardstick yardstick) noexcept { return yardstick == Yardstick::merit || yardstick == Yardstick::scaled_merit; }

/// What they divide by: the free energy sum <W_aa^-1 B_a, B_a>.
[[nodiscard]] double merit_reference(const ContactProblem& problem);

/// U = W R + B.
void relative_velocity(const ContactProblem& problem, std::span<const double> R, std::span<double> U);

}  // namespace scree::solvers
