#include "assembly/local_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/rotation.hpp"
#include "core/threads.hpp"

namespace scree::assembly {

void BodyScaling::update(const model::Bodies& bodies, const model::Motion& motion, std::span<const double> kick, const Inertias& inertias) {
  slot.resize(bodies.size());
  body.clear();
  for (int i = 0; i < bodies.size(); ++i) {
    slot[i] = bodies.moves(i) ? static_cast<int>(body.size()) : -1;
    if (bodies.moves(i)) body.push_back(i);
  }
  linear.assign(body.size(), Vec3::Zero());
  angular.resize(body.size());
  parallel_for(static_cast<std::ptrdiff_t>(bodies.rigid.size()), [&](std::ptrdiff_t r) {
    const std::size_t i = bodies.rigid[r];
    const std::size_t k = slot[i];
    const double factor = 1.0 + 0.5 * bodies.damping[i] * kick[i];
    linear[k] = 1.0 / std::sqrt(factor * bodies.mass[i]) * bodies.free_along(i);  // theory eq. 2.32; held rotations have infinite moments
    const Vec3 scale = (factor * bodies.principal_moments[i]).cwiseSqrt().cwiseInverse();
    angular[k] = motion.rotation[i] * bodies.principal_axes[i] * scale.asDiagonal();
  });
  dofs.clear();
  if (inertias.empty()) return;
  dofs.assign(body.size(), 6);
  for (std::size_t d = 0; d < inertias.size(); ++d) dofs[slot[bodies.index(bodies.deformables[d].body)]] = inertias[d]->scaled_dofs();
}

void BodyScaling::reset(solvers::BodyForm& form) const {
  if (dofs.empty()) form.reset_rigid(slots());
  else form.reset(dofs);
}

void write_rows(std::span<double> rows, const Mat3& frame, const Vec3& arm, const Vec3& linear, const Mat3& angular, double sign) {
  Eigen::Map<Eigen::Matrix<double, 3, 6, Eigen::RowMajor>> H(rows.data());
  H.leftCols<3>() = frame * (sign * linear).asDiagonal();
  for (int k = 0; k < 3; ++k) {
    const Vec3 moment = arm.cross(frame.row(k).transpose());
    H.block<1, 3>(k, 3) = sign * (moment.transpose() * angular);
  }
}

void add_block(const Assembler& with, const Side& a, const Side& b, const Mat3& frame, solvers::BodyForm& form,
               std::vector<DeformableBlock>& deformable) {
  const auto slot_of = [&](const Side& side) { return side.body < 0 ? -1 : with.scaling.slot[side.body]; };
  const int slot_a = slot_of(a), slot_b = slot_of(b);
  const bool same = a.body == b.body;
  const auto spans = form.add_block(same ? -1 : slot_a, slot_b);
  const auto write = [&](std::span<double> rows, const Side& side, int slot, double sign) {
    if (slot < 0) return;
    if (side.grip >= 0) {
      const std::size_t d = with.bodies.deformable[side.body];
      with.inertias[d]->add_rows(frame, with.grips[side.grip], sign, rows);
      return;
    }
    const std::size_t s = slot;
    write_rows(rows, frame, side.point - with.motion.position[side.body], with.scaling.linear[s], with.scaling.angular[s], sign);
  };
  write(same ? spans[1] : spans[0], a, slot_a, -1.0);
  write(spans[1], b, slot_b, 1.0);
  if (a.grip >= 0 || b.grip >= 0) deformable.push_back({form.added() - 1, a, b, frame});
}

void finish_blocks(const Assembler& with, solvers::BodyForm& form) {
  if (with.bodies.deformables.empty()) {
    form.finish();
    return;
  }
  form.finish([&](int slot, std::span<double> rows, int count) {
    const int deformable = with.bodies.deformable[with.scaling.body[slot]];
    if (deformable >= 0) with.inertias[deformable]->scale_rows(rows, count);
  });
}

void deformable_impulses(const Assembler& with, std::span<const DeformableBlock> blocks, std::span<const double> R, std::vector<double>& push) {
  push.assign(with.motion.u.size(), 0.0);
  for (const DeformableBlock& block : blocks) {
    const Vec3 impulse = block.frame.transpose() * Eigen::Map<const Vec3>(R.data() + 3 * block.block);
    for (const Side* side : {&block.a, &block.b}) {
      if (side->grip < 0) continue;
      const double sign = side == &block.a ? -1.0 : 1.0;
      double* to = push.data() + with.bodies.deformable_of(side->body).first;
      for (const model::Weight& w : with.grips[side->grip]) Eigen::Map<Vec3>(to + 3 * w.node) += sign * w.value * impulse;
    }
  }
}

void apply_impulses(const Assembler& with, const solvers::BodyForm& form, std::span<const DeformableBlock> blocks, std::span<const double> R,
                    std::vector<double>& scratch, std::vector<double>& push, Velocities& velocities) {
  const BodyScaling& scaling = with.scaling;
  scratch.resize(form.dofs());
  form.scatter(R, scratch);
  parallel_for(scaling.slots(), [&](std::ptrdiff_t s) {
    const std::size_t k = s;
    const std::size_t i = scaling.body[k];
    if (with.bodies.deformable[i] >= 0) return;
    const Eigen::Map<const Vec6> change(scratch.data() + form.dof_start(static_cast<int>(s)));
    velocities.linear[i] += scaling.linear[k].cwiseProduct(change.head<3>());
    velocities.angular[i] += scaling.angular[k] * change.tail<3>();
  });
  if (blocks.empty()) return;
  deformable_impulses(with, blocks, R, push);
  const auto& deformables = with.bodies.deformables;
  scratch = push;
  parallel_for(static_cast<std::ptrdiff_t>(deformables.size()), [&](std::ptrdiff_t d) {
    const model::Deformable& body = deformables[d];
    const auto change = body.part(scratch);
    if (std::all_of(change.begin(), change.end(), [](double x) { return x == 0.0; })) return;
    with.inertias[d]->solve(change);
    const auto u = body.part(velocities.nodal);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] += change[k];
  }, 1);
}

namespace {

constexpr double kTilt = 30.0;      ///< times the drift of balls, in radii, by which axes of hinges may be tilted: balls of a hinge are nearer than a radius
constexpr double kMostTilt = 1e-3;  ///< however far they have drifted: joints that have come apart must be held above all
constexpr double kExact = 1e-9;     ///< rows nearer than this to a combination of others are redundant to rounding
constexpr double kMostWork = 4e6;   ///< rows squared times unknowns that are looked at
constexpr double kSameLine = 1e-7;  ///< radii by which points of a body may be beside a line along which they are held: what that tilt says is lost in the rounding of places

using model::Constraint;
using model::ConstraintKind;

/// Distance a one-sided constraint leaves free, m. Its frame points to the allowed side.
double slack(const Constraint& c, const Reaction& r) {
  const double length = c.kind == ConstraintKind::at_least || c.kind == ConstraintKind::above ? c.length : -c.length;
  return r.frame.row(0).dot(r.place[1] - r.place[0]) - length;
}

/// Velocity (in the frame) the constraint asks for wherever its points are. One-sided ones may use up what is left of their way.
Vec3 wanted_rate(const Constraint& c, const Reaction& r, const StepTimes& times) {
  switch (c.kind) {
    case ConstraintKind::velocity: return {c.value.value(times.end), 0.0, 0.0};
    case ConstraintKind::displacement: return {(c.value.value(times.reach) - c.value.value(times.reach - times.h)) / times.h, 0.0, 0.0};
    case ConstraintKind::acceleration: return {c.start_speed + c.value.integral(times.end), 0.0, 0.0};
    case ConstraintKind::at_least:
    case ConstraintKind::above:
    case ConstraintKind::at_most:
    case ConstraintKind::below: return {-std::max(0.0, slack(c, r)) / times.h, 0.0, 0.0};
    default: return Vec3::Zero();
  }
}

/// Velocity (in the frame) the constraint asks for at the end of the step, drift correction included.
Vec3 wanted_velocity(const Constraint& c, const Reaction& r, const StepTimes& times) {
  const double h = times.h;
  if (!times.places) return wanted_rate(c, r, times);
  const Vec3 moved = r.place[0] - c.start;
  switch (c.kind) {
    case ConstraintKind::fixed_point: return r.frame * (-moved / h);
    case ConstraintKind::fixed_direction: return {-c.direction.dot(moved) / h, 0.0, 0.0};
    case ConstraintKind::velocity: return {c.value.value(times.end), 0.0, 0.0};
    case ConstraintKind::displacement: return {(c.value.value(times.reach) - c.direction.dot(moved)) / h, 0.0, 0.0};
    case ConstraintKind::acceleration: return {c.start_speed + c.value.integral(times.end), 0.0, 0.0};
    case ConstraintKind::link: {
      const Vec3 span = r.place[1] - r.place[0];
      if (c.length == 0.0) return r.frame * (-span / h);
      return {(c.length - span.norm()) / h, 0.0, 0.0};
    }
    case ConstraintKind::ahead: return {(c.length - r.frame.row(0).dot(r.place[1] - r.place[0])) / h, 0.0, 0.0};
    case ConstraintKind::at_least:
    case ConstraintKind::above:
    case ConstraintKind::at_most:
    case ConstraintKind::below: return {-slack(c, r) / h, 0.0, 0.0};
  }
  return Vec3::Zero();
}

/// The direction of a constraint now.
Vec3 direction_of(const Constraint& c, const model::Bodies& bodies, const model::Motion& motion) {
  return c.carrier < 0 ? c.direction : motion.rotation[bodies.index(c.body[c.carrier])] * c.direction;
}

Mat3 constraint_frame(const Constraint& c, const Reaction& r, const Vec3& direction) {
  if (c.kind == ConstraintKind::fixed_point || (c.kind == ConstraintKind::link && c.length == 0.0)) return Mat3::Identity();
  const Vec3 span = r.place[1] - r.place[0];
  if (c.kind == ConstraintKind::link) return frame_from_normal(span.normalized());
  // Points that coincide may part along any direction.
  if (c.kind == ConstraintKind::at_least) return frame_from_normal(span.isZero(0.0) ? direction : span.normalized().eval());
  if (c.kind == ConstraintKind::at_most) return frame_from_normal(span.isZero(0.0) ? direction : (-span).normalized().eval());
  if (c.kind == ConstraintKind::below) return frame_from_normal(-direction);
  return frame_from_normal(direction);
}

/// A ball acts at one place on both bodies, whatever its drift: joints that are redundant are so exactly, and their impulses make no angular momentum.
void meet(std::array<Side, 2>& points) {
  if (points[0].body < 0 || points[1].body < 0) return;
  const bool first = points[0].grip < 0, second = points[1].grip < 0;
  const Vec3 middle = 0.5 * (points[0].point + points[1].point);
  if (first) points[0].point = second ? middle : points[1].point;
  if (second) points[1].point = first ? middle : points[0].point;
}

/// One row of an equality in velocities and spins times radii of the bodies: masses do not enter.
struct JointRow {
  std::size_t constraint = 0;
  int axis = 0;             ///< row of the constraint's frame
  bool ball = false;
  std::vector<double> values;
};

bool holds_point(const Constraint& c) { return c.kind == ConstraintKind::fixed_point || (c.kind == ConstraintKind::link && c.length == 0.0); }

/// Places of rigid bodies among the columns of rows; -1: none.
std::vector<int> joint_columns(const model::Bodies& bodies, std::span<const std::array<Side, 2>> sides, int& columns) {
  std::vector<int> column(bodies.id.size(), -1);
  columns = 0;
  for (const auto& pair : sides)
    for (const Side& side : pair)
      if (side.body >= 0 && bodies.moves(side.body) && side.grip < 0 && column[side.body] < 0) column[side.body] = 6 * columns++;
  columns *= 6;
  return column;
}

std::vector<JointRow> joint_rows(const model::Model& model, const model::Motion& motion, std::span<const std::array<Side, 2>> sides, std::span<const Reaction> reactions) {
  int columns = 0;
  const std::vector<int> column = joint_columns(model.bodies, sides, columns);
  std::vector<JointRow> rows;
  for (std::size_t n = 0; n < sides.size(); ++n) {
    const Constraint& c = model.constraints[n];
    const auto deforms = [&](const Side& side) { return side.grip >= 0; };
    if (model::one_sided(c.kind) || std::ranges::any_of(sides[n], deforms)) continue;
    for (int axis = 0; axis < (holds_point(c) ? 3 : 1); ++axis) {
      JointRow row{n, axis, holds_point(c), std::vector<double>(static_cast<std::size_t>(columns), 0.0)};
      const Vec3 along = reactions[n].frame.row(axis).transpose();
      for (int k = 0; k < 2; ++k) {
        const Side& side = sides[n][k];
        if (side.body < 0 || column[side.body] < 0) continue;
        const double sign = k == 0 ? -1.0 : 1.0;
        const Vec3 turn = (side.point - motion.position[side.body]).cross(along) / model.bodies.radius[side.body];
        for (int i = 0; i < 3; ++i) {
          row.values[column[side.body] + i] += sign * along[i];
          row.values[column[side.body] + 3 + i] += sign * turn[i];
        }
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// How far balls have drifted, in radii.
double joint_drift(const model::Model& model, std::span<const std::array<Side, 2>> sides, std::span<const Reaction> reactions) {
  double drift = 0.0;
  for (std::size_t n = 0; n < sides.size(); ++n) {
    const Constraint& c = model.constraints[n];
    if (!holds_point(c)) continue;
    const Vec3 away = c.kind == ConstraintKind::fixed_point ? Vec3(reactions[n].place[0] - c.start) : Vec3(reactions[n].place[1] - reactions[n].place[0]);
    for (const Side& side : sides[n])
      if (side.body >= 0 && model.bodies.moves(side.body)) drift = std::max(drift, away.norm() / model.bodies.radius[side.body]);
  }
  return drift;
}

double squares(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

void subtract_along(std::span<const double> unit, std::span<double> x) {
  double along = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) along += unit[i] * x[i];
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= along * unit[i];
}

/// Take rows one after the other into a basis, those of no ball first, then the one farthest from all before; what is left then is as far from
/// the basis as each row is, relative to its length.
void orthogonalise(std::vector<JointRow>& rows, double least) {
  for (JointRow& row : rows) {
    const double length = std::sqrt(squares(row.values));
    if (length > 0.0)
      for (double& value : row.values) value /= length;
  }
  std::vector<std::size_t> open(rows.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    const auto rank = [&](std::size_t k) { return std::pair(rows[k].ball ? 0 : 1, squares(rows[k].values)); };
    const auto first = std::ranges::max_element(open, [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    const std::size_t chosen = *first;
    const double length = std::sqrt(squares(rows[chosen].values));
    if (rows[chosen].ball && length <= least) return;
    open.erase(first);
    if (length <= kExact) continue;
    std::vector<double> unit = rows[chosen].values;
    for (double& value : unit) value /= length;
    for (const std::size_t k : open) subtract_along(unit, rows[k].values);
    rows[chosen].values.assign(1, 1.0);
  }
}

/// Drift tilts the axes of hinges. In a loop whose joints are redundant only because axes are parallel, rows then differ from others by that tilt alone, and would stop a motion that is
/// free. Such rows of balls are left out: what they say, others say as well as it is known.
void leave_out_tilted(const model::Model& model, const model::Motion& motion, std::span<const std::array<Side, 2>> sides, std::vector<Reaction>& reactions) {
  const double least = std::min(kMostTilt, kTilt * joint_drift(model, sides, reactions));
  if (!(least > kExact)) return;
  std::vector<JointRow> rows = joint_rows(model, motion, sides, reactions);
  if (rows.empty() || static_cast<double>(rows.size()) * static_cast<double>(rows.size()) * static_cast<double>(rows.front().values.size()) > kMostWork) return;
  orthogonalise(rows, least);
  for (const JointRow& row : rows) {
    const double left = std::sqrt(squares(row.values));
    if (row.ball && left > kExact && left <= least) reactions[row.constraint].frame.row(row.axis).setZero();
  }
}

/// Points of a rigid body that are held along one line say the same, but for a tilt of the line that is known to the square root of rounding alone: they act on the line of the first, and are
/// redundant exactly (theory sec. 2.6).
void align(const model::Model& model, std::span<const Reaction> reactions, std::vector<std::array<Side, 2>>& sides) {
  std::vector<std::vector<std::size_t>> held(model.bodies.id.size());
  for (std::size_t n = 0; n < sides.size(); ++n) {
    const Constraint& c = model.constraints[n];
    Side& side = sides[n][1];
    if (model::joins_points(c.kind) || model::one_sided(c.kind) || holds_point(c) || side.body < 0 || side.grip >= 0) continue;
    const Vec3 along = reactions[n].frame.row(0).transpose();
    for (const std::size_t k : held[side.body]) {
      if (reactions[k].frame.row(0).transpose().cross(along).norm() > kExact) continue;
      const Vec3 apart = side.point - sides[k][1].point, up = along.dot(apart) * along;
      if ((apart - up).norm() > kSameLine * model.bodies.radius[side.body]) continue;
      side.point = sides[k][1].point + up;
      break;
    }
    held[side.body].push_back(n);
  }
}

}  // namespace

void locate_constraints(const model::Model& model, const model::Motion& motion, Grips& grips, std::vector<std::array<Side, 2>>& sides,
                        std::vector<Reaction>& reactions) {
  const model::Bodies& bodies = model.bodies;
  sides.clear();
  reactions.resize(model.constraints.size());
  for (std::size_t n = 0; n < model.constraints.size(); ++n) {
    const Constraint& c = model.constraints[n];
    Reaction& reaction = reactions[n];
    std::array<Side, 2> points;
    for (std::size_t k = 0; k < 2; ++k) {
      points[k].body = c.body[k] < 0 ? -1 : bodies.index(c.body[k]);
      reaction.place[k] = points[k].body < 0 ? c.point[k] : model::point(bodies, motion, points[k].body, c.point[k]);
      points[k].point = reaction.place[k];
      if (points[k].body >= 0) points[k].grip = grips.at_reference(bodies, points[k].body, c.point[k]);
    }
    reaction.frame = constraint_frame(c, reaction, direction_of(c, bodies, motion));
    // A rigid body that carries the direction is held at the other's point: the rate of  d . (x1 - x0)  with d turning.
    if (c.carrier >= 0) {
      Side& carrier = points[c.carrier];
      if (carrier.grip < 0) carrier.point = points[1 - c.carrier].point;
    }
    if (c.kind == ConstraintKind::link && c.length == 0.0) meet(points);
    // Some act between two points; every other constraint holds body[0] against the ground.
    if (!model::joins_points(c.kind)) points = {Side{-1, -1, reaction.place[0]}, points[0]};
    sides.push_back(points);
  }
  align(model, reactions, sides);
  leave_out_tilted(model, motion, sides, reactions);
}

void add_constraints(const model::Model& model, const Assembler& with, std::span<const std::array<Side, 2>> sides,
                     std::span<const Reaction> reactions, solvers::BodyForm& form, std::vector<DeformableBlock>& deformable,
                     solvers::ContactProblem& problem) {
  for (std::size_t k = 0; k < model.constraints.size(); ++k) {
    const Constraint& c = model.constraints[k];
    const auto& [a, b] = sides[k];
    add_block(with, a, b, reactions[k].frame, form, deformable);
    const bool full = c.kind == ConstraintKind::fixed_point || (c.kind == ConstraintKind::link && c.length == 0.0);
    const bool limit = model::one_sided(c.kind);
    problem.kind.push_back(full ? solvers::BlockKind::bilateral : limit ? solvers::BlockKind::contact : solvers::BlockKind::direction);
    problem.mu.push_back(0.0);
  }
}

Vec3 constraint_velocity(const Constraint& constraint, const Reaction& reaction, const Assembler& with, const std::array<Side, 2>& sides,
                         const Velocities& free, const StepTimes& times) {
  const Vec3 U = relative_velocity(with.bodies, with.motion, free, with.grips, sides[0], sides[1], reaction.frame);
  return U - wanted_velocity(constraint, reaction, times);
}

Vec3 constraint_drift(const Constraint& constraint, const Reaction& reaction, const StepTimes& times) {
  return wanted_rate(constraint, reaction, times) - wanted_velocity(constraint, reaction, times);
}

}  // namespace scree::assembly
