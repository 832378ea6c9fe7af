#include "stepping/contact_law.hpp"

namespace scree::stepping {

Role contact_role(const assembly::Contact& contact, const model::SurfaceMaterial& material, double B_N, double h, bool penalty_solver) {
  const double gap = contact.point.gap;
  if (penalty_solver || material.model == model::SurfaceModel::spring_dashpot)
    return gap < 0.0 || contact.cohesive ? Role::penalty : Role::idle;
  if (gap <= 0.0 || contact.cohesive) return Role::implicit;
  if (material.restitution > 0.0) return gap + 0.5 * h * std::min(0.0, B_N) <= 0.0 ? Role::implicit : Role::idle;
  return Role::implicit;
}

double normal_bias(const assembly::Contact& contact, const model::SurfaceMaterial& material, double h, double recovery, double allowed) {
  const double gap = contact.point.gap;
  if (material.restitution > 0.0 && contact.U_old.x() < 0.0) return material.restitution * contact.U_old.x();
  if (contact.cohesive) return 0.0;
  if (gap > 0.0) return material.restitution > 0.0 ? 0.0 : gap / h;
  return recovery * std::min(0.0, gap + allowed) / h;
}

}  // namespace scree::stepping
