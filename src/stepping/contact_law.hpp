/// Which contacts act in a step, and the normal velocity each one asks for (theory sec. 3.3).
#pragma once

#include "assembly/contact.hpp"
#include "model/material.hpp"

namespace scree::stepping {

/// How a contact enters the step.
enum class Role {
  idle,      ///< cannot act within this step
  implicit,  ///< Signorini-Coulomb, solved
  penalty    ///< spring-dashpot, evaluated
};

/// Role of a contact whose free normal velocity is B_N.
///
/// Without restitution a contact ahead (gap > 0) acts through its gap, so that bodies meet and do not
/// overlap. With restitution it acts once the gap would close within the step.
[[nodiscard]] Role contact_role(const assembly::Contact& contact, const model::SurfaceMaterial& material, double B_N, double h,
                                bool penalty_solver);

/// What is added to B_N so that the law reads  U_N + bias >= 0  (eq. 3.4): restitution, the gap ahead, or the
/// share `recovery` of an overlap beyond the `allowed` one (m).
[[nodiscard]] double normal_bias(const assembly::Contact& contact, const model::SurfaceMaterial& material, double h, double recovery,
                                 double allowed);

}  // namespace scree::stepping
