#include "assembly/local_dynamics.hpp"

#include "core/rotation.hpp"
#include "core/threads.hpp"

namespace scree::assembly {

void BodyScaling::update(const model::Bodies& bodies, double h) {
  slot.resize(static_cast<std::size_t>(bodies.size()));
  body.clear();
  for (int i = 0; i < bodies.size(); ++i) {
    slot[static_cast<std::size_t>(i)] = bodies.moves(i) ? static_cast<int>(body.size()) : -1;
    if (bodies.moves(i)) body.push_back(i);
  }
  linear.resize(body.size());
  angular.resize(body.size());
  parallel_for(slots(), [&](std::ptrdiff_t s) {
    const auto k = static_cast<std::size_t>(s);
    const auto i = static_cast<std::size_t>(body[k]);
    const double factor = 1.0 + 0.5 * bodies.damping[i] * h;
    linear[k] = 1.0 / std::sqrt(factor * bodies.mass[i]);
    const Vec3 scale = (factor * bodies.principal_moments[i]).cwiseSqrt().cwiseInverse();
    angular[k] = bodies.rotation[i] * bodies.principal_axes[i] * scale.asDiagonal();
  });
}

Vec3 relative_velocity(const model::Bodies& bodies, const Velocities& velocities, int index_a, int index_b,
                       const Vec3& point_a, const Vec3& point_b, const Mat3& frame) {
  Vec3 relative = Vec3::Zero();
  if (index_b >= 0) {
    const auto b = static_cast<std::size_t>(index_b);
    relative += velocities.linear[b] + velocities.angular[b].cross(point_b - bodies.position[b]);
  }
  if (index_a >= 0) {
    const auto a = static_cast<std::size_t>(index_a);
    relative -= velocities.linear[a] + velocities.angular[a].cross(point_a - bodies.position[a]);
  }
  return frame * relative;
}

void write_rows(std::span<double> rows, const Mat3& frame, const Vec3& arm, double linear, const Mat3& angular, double sign) {
  Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> H(rows.data());
  H.leftCols<3>() = sign * linear * frame;
  for (int k = 0; k < 3; ++k) {
    const Vec3 moment = arm.cross(frame.row(k).transpose());
    H.block<1, 3>(k, 3) = sign * (moment.transpose() * angular);
  }
}

void add_block(solvers::BodyForm& form, const BodyScaling& scaling, const model::Bodies& bodies, int index_a, int index_b,
               const Vec3& point_a, const Vec3& point_b, const Mat3& frame) {
  const auto slot_of = [&](int i) { return i < 0 ? -1 : scaling.slot[static_cast<std::size_t>(i)]; };
  const int slot_a = slot_of(index_a), slot_b = slot_of(index_b);
  const auto sides = form.add_block(slot_a, slot_b);
  const auto write = [&](std::span<double> rows, int index, int slot, const Vec3& point, double sign) {
    if (slot < 0) return;
    const auto s = static_cast<std::size_t>(slot);
    write_rows(rows, frame, point - bodies.position[static_cast<std::size_t>(index)], scaling.linear[s], scaling.angular[s], sign);
  };
  write(sides[0], index_a, slot_a, point_a, -1.0);
  write(sides[1], index_b, slot_b, point_b, 1.0);
}

void apply_impulses(const solvers::BodyForm& form, const BodyScaling& scaling, std::span<const double> R,
                    std::vector<double>& scratch, Velocities& velocities) {
  scratch.resize(static_cast<std::size_t>(form.dofs()));
  form.scatter(R, scratch);
  parallel_for(scaling.slots(), [&](std::ptrdiff_t s) {
    const auto k = static_cast<std::size_t>(s);
    const auto i = static_cast<std::size_t>(scaling.body[k]);
    const Eigen::Map<const Vec6> change(scratch.data() + 6 * k);
    velocities.linear[i] += scaling.linear[k] * change.head<3>();
    velocities.angular[i] += scaling.angular[k] * change.tail<3>();
  });
}

namespace {

using model::Constraint;
using model::ConstraintKind;

/// Places of a constraint's points in the current configuration.
void locate(const model::Bodies& bodies, Constraint& c, std::array<int, 2>& index) {
  for (std::size_t side = 0; side < 2; ++side) {
    index[side] = c.body[side] < 0 ? -1 : bodies.index(c.body[side]);
    c.place[side] = index[side] < 0 ? c.point[side] : bodies.point(index[side], c.point[side]);
  }
}

/// Velocity (in the frame) the constraint asks for at the end of the step, drift correction included.
Vec3 wanted_velocity(const Constraint& c, double t, double h) {
  const double t_next = t + h, mid_next = t + 1.5 * h;
  const Vec3 moved = c.place[0] - c.start;
  switch (c.kind) {
    case ConstraintKind::fixed_point: return c.frame * (-moved / h);
    case ConstraintKind::fixed_direction: return {-c.direction.dot(moved) / h, 0.0, 0.0};
    case ConstraintKind::velocity: return {c.value.value(t_next), 0.0, 0.0};
    case ConstraintKind::displacement: return {(c.value.value(mid_next) - c.direction.dot(moved)) / h, 0.0, 0.0};
    case ConstraintKind::acceleration: return {c.start_speed + c.value.integral(t_next), 0.0, 0.0};
    case ConstraintKind::link: {
      const Vec3 span = c.place[1] - c.place[0];
      if (c.length == 0.0) return c.frame * (-span / h);
      return {(c.length - span.norm()) / h, 0.0, 0.0};
    }
    // The frame of a limit points to the allowed side.
    case ConstraintKind::at_least:
    case ConstraintKind::above: return {(c.length - c.frame.row(0).dot(c.place[1] - c.place[0])) / h, 0.0, 0.0};
    case ConstraintKind::at_most:
    case ConstraintKind::below: return {(-c.length - c.frame.row(0).dot(c.place[1] - c.place[0])) / h, 0.0, 0.0};
  }
  return Vec3::Zero();
}

Mat3 constraint_frame(const Constraint& c) {
  if (c.kind == ConstraintKind::fixed_point || (c.kind == ConstraintKind::link && c.length == 0.0)) return Mat3::Identity();
  const Vec3 span = c.place[1] - c.place[0];
  if (c.kind == ConstraintKind::link) return frame_from_normal(span.normalized());
  // Points that coincide may part along any direction.
  if (c.kind == ConstraintKind::at_least) return frame_from_normal(span.isZero(0.0) ? c.direction : span.normalized().eval());
  if (c.kind == ConstraintKind::at_most) return frame_from_normal(span.isZero(0.0) ? c.direction : (-span).normalized().eval());
  if (c.kind == ConstraintKind::below) return frame_from_normal(-c.direction);
  return frame_from_normal(c.direction);
}

}  // namespace

void add_constraints(model::Model& model, const BodyScaling& scaling, const Velocities& free, double t, double h,
                     solvers::BodyForm& form, solvers::ContactProblem& problem) {
  for (Constraint& c : model.constraints) {
    std::array<int, 2> index{};
    locate(model.bodies, c, index);
    c.frame = constraint_frame(c);
    // Some act between two points; every other constraint holds body[0] against the ground.
    const bool pair = model::joins_points(c.kind);
    const int a = pair ? index[0] : -1, b = pair ? index[1] : index[0];
    const Vec3& point_a = c.place[0];
    const Vec3& point_b = pair ? c.place[1] : c.place[0];
    add_block(form, scaling, model.bodies, a, b, point_a, point_b, c.frame);
    const Vec3 B = relative_velocity(model.bodies, free, a, b, point_a, point_b, c.frame) - wanted_velocity(c, t, h);
    const bool full = c.kind == ConstraintKind::fixed_point || (c.kind == ConstraintKind::link && c.length == 0.0);
    const bool limit = model::one_sided(c.kind);
    problem.kind.push_back(full ? solvers::BlockKind::bilateral : limit ? solvers::BlockKind::contact : solvers::BlockKind::direction);
    problem.mu.push_back(0.0);
    problem.B.insert(problem.B.end(), {B.x(), B.y(), B.z()});
  }
}

}  // namespace scree::assembly
