#include "assembly/sides.hpp"

namespace scree::assembly {

int Grips::at_place(const model::Bodies& bodies, const model::Motion& motion, int body, int piece, const Vec3& x) {
  const model::Deformable* deformable = bodies.find_deformable(body);
  if (!deformable) return -1;
  deformable->mechanics->weights_at(deformable->part(motion.q), piece, x, weights_);
  return close();
}

int Grips::at_reference(const model::Bodies& bodies, int body, const Vec3& X) {
  const model::Deformable* deformable = bodies.find_deformable(body);
  if (!deformable) return -1;
  deformable->mechanics->weights(X, weights_);
  return close();
}

int Grips::of(std::span<const model::Weight> weights) {
  if (weights.empty()) return -1;
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  return close();
}

int Grips::close() {
  start_.push_back(weights_.size());
  return static_cast<int>(start_.size()) - 2;
}

double surface_speed(const model::Bodies& bodies, const Velocities& velocities, int body) {
  const std::size_t i = body;
  if (const model::Deformable* deformable = bodies.find_deformable(body)) return deformable->mechanics->fastest(deformable->part(velocities.nodal));
  return velocities.linear[i].norm() + velocities.angular[i].norm() * bodies.radius[i];
}

}  // namespace scree::assembly
