#include "stepping/contact_law.hpp"

namespace scree::stepping {

bool bounces(const assembly::Contact& contact, const model::SurfaceMaterial& material, double calm) {
  return material.restitution > 0.0 && contact.U_old.x() < -calm;
}

Role contact_role(const assembly::Contact& contact, const model::SurfaceMaterial& material, double B_N, double h, bool penalty_solver, bool bounce,
                  double allowed) {
  const double gap = contact.point.gap, closing = std::min(0.0, B_N);
  if (penalty_solver || material.model == model::SurfaceModel::spring_dashpot)
    return gap < 0.0 || contact.cohesive ? Role::penalty : Role::idle;
  if (gap <= 0.0 || contact.cohesive || !bounce) return Role::implicit;
  return gap + 0.5 * h * closing <= 0.0 || gap + h * closing < -allowed ? Role::implicit : Role::idle;
}

double gap_bias(const assembly::Contact& contact, double h, const Recovery& recovery) {
  const double gap = contact.point.gap;
  if (contact.cohesive) return 0.0;
  if (gap > 0.0) return gap / h;
  return std::max(recovery.share * std::min(0.0, gap + recovery.allowed) / h, -recovery.most);
}

double place_bias(const assembly::Contact& contact, double h, double B_N, const Recovery& recovery) {
  const double gap = contact.point.gap;
  const double most = gap < -recovery.allowed ? recovery.most : std::min(recovery.most, std::max(0.0, -B_N));
  return gap > 0.0 ? gap / h : std::max(recovery.share * gap / h, -most);
}

double turned_speed(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double farthest) {
  if (contact.R_last.x() <= 0.0 || std::max(contact.travel_a.norm(), contact.travel_b.norm()) > farthest) return 0.0;
  return std::min(0.0, 0.5 * contact.point.normal.dot(omega_b.cross(contact.travel_b) - omega_a.cross(contact.travel_a)));
}

double turning_bias(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double h, double closing, double allowed) {
  const double gap = contact.point.gap;
  if (gap >= 0.0 || contact.R_last.x() <= 0.0) return 0.0;
  const double turned = 0.5 * contact.point.normal.dot(omega_b.cross(contact.travel_b) - omega_a.cross(contact.travel_a));
  return std::min(0.0, std::max({gap < -allowed ? -kInfinity : turned, closing, gap / h}));
}

double restitution_bias(const assembly::Contact& contact, const model::SurfaceMaterial& material) { return material.restitution * contact.U_old.x(); }

Vec3 tangential_bias(const assembly::Contact& contact, const Vec3& omega_a, const Vec3& omega_b, double farthest) {
  if (std::max(contact.travel_a.norm(), contact.travel_b.norm()) > farthest) return Vec3::Zero();
  Vec3 bias = contact.frame() * (0.5 * (omega_b.cross(contact.travel_b) - omega_a.cross(contact.travel_a)));
  bias.x() = 0.0;
  return bias;
}

}  // namespace scree::stepping
