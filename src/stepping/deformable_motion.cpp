#include "stepping/deformable_motion.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/threads.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;
using model::Deformable;
using model::Scheme;
using Array = Eigen::Map<VecX>;
using ConstArray = Eigen::Map<const VecX>;

constexpr double kExplicitShare = 0.9;  ///< of the critical step, kept free for stiffening
constexpr int kMostIterations = 60;     ///< of the implicit scheme

Array array(std::span<double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
ConstArray array(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

Scheme scheme_of(const Bodies& bodies, const Deformable& body) { return bodies.scheme[static_cast<std::size_t>(bodies.index(body.body))]; }

/// a and b of A = a M + b K.
std::pair<double, double> coefficients(const Bodies& bodies, const Deformable& body, const StepForm& form) {
  const double h = form.h;
  if (form.quasi_static) return {1.0, h * h};
  const double a = 1.0 + 0.5 * h * bodies.damping[static_cast<std::size_t>(bodies.index(body.body))];
  if (scheme_of(bodies, body) == Scheme::def_exp) return {a, 0.0};
  return {a, 0.25 * h * h + 0.5 * h * body.stiffness_damping};
}

/// Impulse of external, internal and damping forces at mid-step for velocities u.
void linear_impulse(const Bodies& bodies, const Deformable& body, const BodyLoads& loads, const model::Inertia& inertia, const StepForm& form,
                    std::span<const double> u, std::span<double> out) {
  thread_local std::vector<double> scratch;
  scratch.resize(out.size());
  body.mechanics->internal_force(body.part(bodies.q), out);
  array(out) = form.h * (array(body.part(loads.nodal)) - array(out));
  if (form.quasi_static) return;
  const double c = bodies.damping[static_cast<std::size_t>(bodies.index(body.body))];
  if (c > 0.0) {
    body.mechanics->mass_times(u, scheme_of(bodies, body) == Scheme::def_exp, scratch);
    array(out) -= form.h * c * array(std::span<const double>(scratch));
  }
  if (body.stiffness_damping > 0.0) {
    inertia.stiffness_times(u, scratch);
    array(out) -= form.h * body.stiffness_damping * array(std::span<const double>(scratch));
  }
}

template <class Work>
void for_bodies(const Bodies& bodies, Work&& work) {
  parallel_for(static_cast<std::ptrdiff_t>(bodies.deformables.size()), [&](std::ptrdiff_t d) { work(static_cast<std::size_t>(d)); }, 1);
}

void mirror_all(Bodies& bodies) {
  for_bodies(bodies, [&](std::size_t d) { bodies.mirror(bodies.index(bodies.deformables[d].body)); });
}

}  // namespace

void update_inertias(const Bodies& bodies, const StepForm& form, assembly::Inertias& inertias, std::vector<std::shared_ptr<const model::Mechanics>>& owners) {
  const std::size_t count = bodies.deformables.size();
  inertias.resize(count);
  owners.resize(count);
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    if (owners[d] != body.mechanics) {
      inertias[d] = body.mechanics->make_inertia();
      owners[d] = body.mechanics;
    }
    const auto [a, b] = coefficients(bodies, body, form);
    inertias[d]->update(body.part(bodies.q), a, b, scheme_of(bodies, body) == Scheme::def_exp, body.held);
  });
}

void first_deformable_half_step(Bodies& bodies, const StepForm& form) {
  if (bodies.deformables.empty() || form.quasi_static) return;
  array(std::span(bodies.q)) += form.first_part() * array(std::span<const double>(bodies.u));
  mirror_all(bodies);
}

void free_deformable_velocities(const Bodies& bodies, const BodyLoads& loads, const assembly::Inertias& inertias, std::span<const double> start,
                                const StepForm& form, assembly::Velocities& free) {
  free.nodal = bodies.u;
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    const auto u = body.part(free.nodal);
    if (form.quasi_static) array(u).setZero();
    thread_local std::vector<double> impulse;
    impulse.resize(u.size());
    linear_impulse(bodies, body, loads, *inertias[d], form, u, impulse);
    inertias[d]->solve(impulse);
    array(u) += array(std::span<const double>(impulse));
    if (scheme_of(bodies, body) != Scheme::def_imp || form.quasi_static) return;
    solve_implicit_body(bodies, body, loads, *inertias[d], body.part(start), {}, form, u);
  });
}

void solve_implicit_body(const Bodies& bodies, const Deformable& body, const BodyLoads& loads, const model::Inertia& inertia,
                         std::span<const double> start, std::span<const double> push, const StepForm& form, std::span<double> u) {
  thread_local std::vector<double> end, force, sum, change;
  for (auto* list : {&end, &force, &sum, &change}) list->resize(u.size());
  const double h = form.h, c = bodies.damping[static_cast<std::size_t>(bodies.index(body.body))];
  const auto old = body.part(bodies.u);
  double last = kInfinity;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    // Defect of the equation of motion with the force that does exactly the work of the stored energy.
    array(std::span(end)) = array(start) + 0.5 * h * (array(old) + array(std::span<const double>(u)));
    body.mechanics->consistent_force(start, end, force);
    array(std::span(force)) = h * (array(body.part(loads.nodal)) - array(std::span<const double>(force)));
    if (!push.empty()) array(std::span(force)) += array(push);
    array(std::span(sum)) = array(std::span<const double>(u)) - array(old) + 0.5 * h * c * (array(std::span<const double>(u)) + array(old));
    body.mechanics->mass_times(sum, false, change);
    array(std::span(force)) -= array(std::span<const double>(change));
    if (body.stiffness_damping > 0.0) {
      array(std::span(sum)) = array(std::span<const double>(u)) + array(old);
      inertia.stiffness_times(sum, change);
      array(std::span(force)) -= 0.5 * h * body.stiffness_damping * array(std::span<const double>(change));
    }
    inertia.solve(force);
    array(u) += array(std::span<const double>(force));
    const double size = body.mechanics->fastest(force), speed = std::max(body.mechanics->fastest(u), body.mechanics->fastest(old));
    if (!std::isfinite(size)) break;
    // Places carry rounding of their own size, and velocities that over h.
    const double small = 1e-12 * speed + 1e-14 * array(start).cwiseAbs().maxCoeff() / h;
    if (size <= 1e-15 * speed || (size <= small && size >= 0.5 * last)) return;
    last = size;
  }
  throw_solve("body {}: the implicit scheme DEF_IMP did not converge (last change {:.2e} of the speed); use a smaller step or DEF_LIM", body.body, last);
}

void second_deformable_half_step(Bodies& bodies, const assembly::Velocities& end, const StepForm& form) {
  if (bodies.deformables.empty()) return;
  bodies.u = end.nodal;
  array(std::span(bodies.q)) += form.second_part() * array(std::span<const double>(bodies.u));
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    body.mechanics->project(body.part(bodies.q), body.part(bodies.u));
  });
  mirror_all(bodies);
}

double explicit_limit(const Bodies& bodies) {
  double limit = kInfinity;
  for (const Deformable& body : bodies.deformables)
    if (scheme_of(bodies, body) == Scheme::def_exp) limit = std::min(limit, kExplicitShare * body.mechanics->critical_step());
  return limit;
}

}  // namespace scree::stepping
