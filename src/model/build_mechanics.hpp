/// From a body's description to its mechanics.
#pragma once

#include "model/model.hpp"

namespace scree::model {

/// Mechanics of a pseudo-rigid or finite element body. Laws come from the model's bulk materials (`material` < 0: the default one).
/// InputError when a material does not exist, a mesh is missing or unsound, or the formulation is unknown.
[[nodiscard]] std::shared_ptr<const Mechanics> build_mechanics(const Model& model, BodyKind kind, const std::shared_ptr<const geometry::Shape>& shape,
                                                               const geometry::MassProperties& mass, int material, const Deformation& deformation);

}  // namespace scree::model
