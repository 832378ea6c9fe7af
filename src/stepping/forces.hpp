/// Evaluation of loads.
#pragma once

#include "model/model.hpp"
#include "stepping/rigid_motion.hpp"

namespace scree::stepping {

/// Sum all loads on all bodies at time t in the current configuration, with the spatial `velocities` there without these loads. Users' functions see the velocity extrapolated by h/2, from
/// where it is known to there, so that forces depending on velocity are second order.
void evaluate_loads(const model::Model& model, const model::Motion& motion, const assembly::Velocities& velocities, double t, double h, BodyLoads& loads);

}  // namespace scree::stepping
