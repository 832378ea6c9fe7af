#include "model/motion.hpp"

#include <algorithm>

#include "core/dense.hpp"

namespace scree::model {

namespace {

/// sum w_k a_k over the weights of a referential point.
Vec3 at_point(const Deformable& body, std::span<const double> values, const Vec3& X) {
  thread_local std::vector<Weight> weights;
  weights.clear();
  body.mechanics->weights(X, weights);
  Vec3 sum = Vec3::Zero();
  for (const Weight& w : weights) sum += w.value * Eigen::Map<const Vec3>(values.data() + 3 * w.node);
  return sum;
}

}  // namespace

void Motion::add(const Bodies& bodies) {
  each_array(*this, [](const char*, auto& values) { values.emplace_back(); });
  rotation.back() = Mat3::Identity();
  position.back() = pivot.back() = bodies.center.back();
  angular.back().setZero();
  velocity.back().setZero();
  const Deformable* added = bodies.find_deformable(bodies.size() - 1);
  if (!added) return;
  q.resize(q.size() + added->size());
  u.resize(q.size(), 0.0);
  held.emplace_back();
  added->mechanics->reference(added->part(q));
  renew_mean(bodies, *this, *added);
}

void Motion::remove(const Bodies& bodies, int i) {
  each_array(*this, [i](const char*, auto& values) { values.erase(values.begin() + i); });
  const Deformable* body = bodies.find_deformable(i);
  if (!body) return;
  const auto begin = static_cast<std::ptrdiff_t>(body->first), end = begin + static_cast<std::ptrdiff_t>(body->size());
  q.erase(q.begin() + begin, q.begin() + end);
  u.erase(u.begin() + begin, u.begin() + end);
  held.erase(held.begin() + bodies.deformable[i]);
}

Vec3 point(const Bodies& bodies, const Motion& motion, int i, const Vec3& X) {
  const std::size_t k = i;
  if (const Deformable* body = bodies.find_deformable(i)) return at_point(*body, body->part(motion.q), X);
  return motion.rotation[k] * (X - bodies.center[k]) + motion.position[k];
}

Vec3 point_velocity(const Bodies& bodies, const Motion& motion, int i, const Vec3& X) {
  const std::size_t k = i;
  if (const Deformable* body = bodies.find_deformable(i)) return at_point(*body, body->part(motion.u), X);
  return motion.velocity[k] + motion.rotation[k] * motion.angular[k].cross(X - bodies.center[k]);
}

double kinetic_energy(const Bodies& bodies, const Motion& motion, int i) {
  const std::size_t k = i;
  if (!bodies.moves(i)) return 0.0;
  if (const Deformable* body = bodies.find_deformable(i)) {
    const auto rates = body->part(motion.u);
    thread_local std::vector<double> momentum;
    momentum.resize(rates.size());
    body->mechanics->mass_times(rates, bodies.scheme[k] == Scheme::def_exp, momentum);
    return 0.5 * Eigen::Map<const VecX>(rates.data(), static_cast<Eigen::Index>(rates.size()))
                     .dot(Eigen::Map<const VecX>(momentum.data(), static_cast<Eigen::Index>(momentum.size())));
  }
  return 0.5 * bodies.mass[k] * motion.velocity[k].squaredNorm() + 0.5 * motion.angular[k].dot(bodies.inertia[k] * motion.angular[k]);
}

double internal_energy(const Bodies& bodies, const Motion& motion, int i) {
  const Deformable* body = bodies.find_deformable(i);
  return body ? body->mechanics->internal_energy(body->part(motion.q)) : 0.0;
}

void renew_mean(const Bodies& bodies, Motion& motion, const Deformable& body) {
  const std::size_t k = bodies.index(body.body);
  const MeanMotion mean = body.mechanics->mean(body.part(motion.q), body.part(motion.u));
  motion.rotation[k] = mean.gradient;
  motion.position[k] = mean.position;
  motion.velocity[k] = mean.velocity;
  motion.angular[k] = solve_linear(mean.gradient, mean.angular);
}

void set_unknowns(const Bodies& bodies, Motion& motion, const Deformable& body, std::span<const double> q, std::span<const double> u) {
  std::ranges::copy(q, body.part(motion.q).begin());
  std::ranges::copy(u, body.part(motion.u).begin());
  renew_mean(bodies, motion, body);
}

void place(const Bodies& bodies, Motion& motion, int i, const Mat3& rotation, const Vec3& position) {
  const Deformable* body = bodies.find_deformable(i);
  if (!body) {
    motion.rotation[i] = rotation;
    motion.position[i] = position;
    return;
  }
  const Vec3 linear = motion.velocity[i], angular = motion.rotation[i] * motion.angular[i];
  body->mechanics->place(rotation, position, body->part(motion.q));
  set_velocity(bodies, motion, i, linear, angular);
}

void set_velocity(const Bodies& bodies, Motion& motion, int i, const Vec3& linear, const Vec3& angular) {
  const Deformable* body = bodies.find_deformable(i);
  if (!body) {
    motion.velocity[i] = linear;
    motion.angular[i] = motion.rotation[i].transpose() * angular;
    motion.lag[i] = 0.0;
    return;
  }
  body->mechanics->rigid_velocity(body->part(motion.q), linear, angular, body->part(motion.u));
  renew_mean(bodies, motion, *body);
}

}  // namespace scree::model
