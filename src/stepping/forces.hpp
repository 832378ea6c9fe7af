/// Evaluation of loads at mid-step.
#pragma once

#include "model/model.hpp"
#include "stepping/rigid_motion.hpp"

namespace scree::stepping {

/// Sum all loads on all bodies at time t + h/2 in the current (mid-step) configuration. Users' functions
/// see the velocity extrapolated to mid-step, so that forces depending on velocity are second order.
void evaluate_loads(const model::Model& model, double t, double h, BodyLoads& loads);

}  // namespace scree::stepping
