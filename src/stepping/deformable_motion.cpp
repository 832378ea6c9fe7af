#include "stepping/deformable_motion.hpp"

#include <algorithm>
#include <utility>

#include "core/abandon.hpp"
#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/throwing_loop.hpp"

namespace scree::stepping {

namespace {

using model::Bodies;
using model::Deformable;
using model::Motion;
using model::Scheme;
using Array = Eigen::Map<VecX>;
using ConstArray = Eigen::Map<const VecX>;

constexpr double kExplicitShare = 0.9;  ///< of the critical step, kept free for stiffening
constexpr int kMostIterations = 60;     ///< of the implicit schemes
constexpr int kMostHalvings = 5;        ///< of a Newton step
constexpr int kMostRenewals = 3;        ///< of the matrix within a step
constexpr double kLinearEnough = 1e-6;  ///< last change of the velocities of DEF_LIM, relative to their size in the norm of energy

Array array(std::span<double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
ConstArray array(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
Eigen::Map<Vec3> vector(std::span<double> x, std::size_t i) { return Eigen::Map<Vec3>(x.data() + 3 * i); }
Eigen::Map<const Vec3> vector(std::span<const double> x, std::size_t i) { return Eigen::Map<const Vec3>(x.data() + 3 * i); }

double damping_of(const Bodies& bodies, const Deformable& body) { return bodies.damping[bodies.index(body.body)]; }

/// a and b of A = a M + b K.
std::pair<double, double> coefficients(const Bodies& bodies, const Deformable& body, const StepForm& form) {
  const double h = form.h;
  if (form.quasi_static) return {1.0, h * h};
  const double a = 1.0 + 0.5 * h * damping_of(bodies, body);
  if (scheme_of(bodies, body) == Scheme::def_exp) return {a, 0.0};
  return {a, 0.25 * h * h + 0.5 * h * body.stiffness_damping};
}

/// Axial vector and inertia of a motion about the mass centre, from arms y, their momenta M y and rates u.
struct Spin {
  Vec3 momentum = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();

  Spin(std::span<const double> y, std::span<const double> My, std::span<const double> u) {
    Mat3 euler = Mat3::Zero();
    for (std::size_t i = 0; 3 * i < y.size(); ++i) {
      euler += vector(y, i) * vector(My, i).transpose();
      momentum += vector(My, i).cross(vector(u, i));
    }
    inertia = euler.trace() * Mat3::Identity() - 0.5 * (euler + euler.transpose());
  }
};

Mat3 turned(const Vec3& angle) {
  const double size = angle.norm();
  return size == 0.0 ? Mat3::Identity() : Eigen::AngleAxisd(size, angle / size).toRotationMatrix();
}

/// Half of the rotation that a step makes of the angular velocity w: tan(angle/2) = h |w| / 2, since nodes move along chords (theory eq. 6.10).
Mat3 half_turn(const Vec3& w, double h) {
  const double speed = w.norm();
  return speed == 0.0 ? Mat3::Identity() : turned(std::atan(0.5 * h * speed) / speed * w);
}

void turn(const Mat3& R, std::span<double> x) {
  for (std::size_t i = 0; 3 * i < x.size(); ++i) vector(x, i) = R * vector(x, i).eval();
}

/// The step of a body that keeps its shape: mean angular velocity w with
///
///   y_mean x M (w x y_mean - u) = y_mean x impulse / 2,    y_mean = P y,   P = (I - h/2 [w])^-1            (theory eq. 6.11)
///
/// so that rotation by P (I + h/2 [w]) keeps energy and angular momentum, whatever h. `euler` is sum y (M y)^T, `moment` sum y (M u + impulse / 2)^T.
class RigidStep {
 public:
  RigidStep(const Mat3& euler, const Mat3& moment, double h) : euler_(euler), moment_(moment), h_(h) {}

  /// Newton's method from w; the last w when it does not converge.
  Vec3 solve(Vec3 w) const {
    constexpr int kMost = 50;
    constexpr double kExact = 1e-14;
    Vec3 defect = this->defect(w);
    for (int iteration = 0; iteration < kMost && defect.norm() > kExact * moment_.norm(); ++iteration) {
      const Vec3 change = solve_linear(slope(w, defect), defect);
      if (!is_finite(change)) break;
      double share = 1.0;
      Vec3 next = w, left = defect;
      for (; share > 1e-3; share *= 0.5) {
        next = w - share * change;
        left = this->defect(next);
        if (left.norm() < (1.0 - 0.25 * share) * defect.norm()) break;
      }
      if (!(left.norm() < defect.norm())) break;
      w = next;
      defect = left;
    }
    return w;
  }

 private:
  [[nodiscard]] Vec3 defect(const Vec3& w) const {
    const Mat3 P = (Mat3::Identity() - 0.5 * h_ * skew(w)).inverse(), e = P * euler_ * P.transpose();
    return e.trace() * w - e * w - axial(P * moment_);
  }
  [[nodiscard]] Mat3 slope(const Vec3& w, const Vec3& defect) const {
    const double step = 1e-7 * (w.norm() + 1e-7 / h_);
    Mat3 slope;
    for (int k = 0; k < 3; ++k) slope.col(k) = (this->defect(w + step * Vec3::Unit(k)) - defect) / step;
    return slope;
  }

  Mat3 euler_, moment_;
  double h_;
};

/// The equation of one body's step (theory eq. 6.8) in the mean velocity w = (u + u')/2, and its solution. Owns scratch memory.
class StepEquation {
 public:
  StepEquation(const Bodies& bodies, const Motion& motion, const Deformable& body, const BodyLoads& loads, std::span<const double> start, std::span<const double> push,
               const StepForm& form)
      : mechanics_(*body.mechanics), loads_(body.part(loads.nodal)), q_(start), u_(body.part(motion.u)), push_(push), h_(form.h),
        damping_(damping_of(bodies, body)), viscosity_(body.stiffness_damping / form.h) {
    for (auto* list : {&w_, &next_, &r_, &trial_, &change_, &middle_, &scratch_, &product_, &rigid_}) list->resize(q_.size());
    mechanics_.mass_times(u_, false, product_);
    kinetic_ = 0.5 * array(u_).dot(array(std::span<const double>(product_)));
  }

  /// Begin with a rotation and translation of the body as a whole. Returns the start configuration turned to the middle of the step.
  std::span<const double> begin_rigid() {
    mechanics_.arms(q_, next_);
    mechanics_.mass_times(next_, false, product_);
    Mat3 euler = Mat3::Zero(), moment = Mat3::Zero();
    for (std::size_t i = 0; 3 * i < q_.size(); ++i) {
      const auto y = vector(std::span<const double>(next_), i), My = vector(std::span<const double>(product_), i);
      euler += y * My.transpose();
      moment += My * vector(u_, i).transpose() + 0.5 * y * impulse(i).transpose();
    }
    const Mat3 inertia = euler.trace() * Mat3::Identity() - euler;
    frame_ = half_turn(RigidStep(euler, moment, h_).solve(solve_positive(inertia, axial(moment))), h_);
    const Mat3 whole = frame_ * frame_ - Mat3::Identity(), half = frame_ - Mat3::Identity();
    mechanics_.arms(u_, scratch_);
    for (std::size_t i = 0; 3 * i < q_.size(); ++i) {
      vector(std::span(w_), i) = vector(u_, i) - vector(std::span<const double>(scratch_), i) + whole * vector(std::span<const double>(next_), i) / h_;
      vector(std::span(scratch_), i) = vector(q_, i) + half * vector(std::span<const double>(next_), i);
    }
    rigid_ = w_;
    return scratch_;
  }
  /// The mean of both configurations, each turned to the middle of the step, which becomes the frame of the inertia.
  std::span<const double> refresh() {
    array(std::span(middle_)) = array(q_) + 0.5 * h_ * array(std::span<const double>(w_));
    frame_ = half_turn(angular_velocity(middle_, w_), h_);
    array(std::span(next_)) = array(q_) + h_ * array(std::span<const double>(w_));
    mechanics_.arms(q_, product_);
    mechanics_.arms(next_, scratch_);
    for (std::size_t i = 0; 3 * i < q_.size(); ++i)
      vector(std::span(next_), i) = vector(q_, i) - vector(std::span<const double>(product_), i) +
                                    0.5 * (frame_ * vector(std::span<const double>(product_), i) + frame_.transpose() * vector(std::span<const double>(scratch_), i));
    return next_;
  }
  /// Give up: move as a rigid body, which keeps energy and momentum.
  void keep_shape() { w_ = rigid_; }
  /// Begin with velocities at the end of the step, in the frame of an inertia made without impulses.
  void begin_with(std::span<const double> u) {
    const auto push = std::exchange(push_, {});
    begin_rigid();
    push_ = push;
    array(std::span(w_)) = 0.5 * (array(u_) + array(u));
    stay(w_);
  }

  /// Newton's method with the matrix of `inertia`; steps are halved while the next one would not be shorter. True when the last one is below `enough`
  /// in the norm of energy, or of the size of rounding.
  bool solve(const model::Inertia& inertia, double enough) {
    double size = step_from(w_, inertia, change_);
    for (int iteration = 0; iteration < kMostIterations && std::isfinite(size); ++iteration) {
      throw_if_stopped();
      if (converged(size, enough)) {
        advance(1.0, w_);
        return true;
      }
      double share = 1.0, next = 0.0;
      for (int halving = 0;; ++halving, share *= 0.5) {
        advance(share, next_);
        next = step_from(next_, inertia, trial_);
        if (next <= (1.0 - 0.25 * share) * size || halving == kMostHalvings || near_rounding(size)) break;
      }
      // Near rounding a step that gains little is the last.
      if (near_rounding(size) && !(next < 0.5 * size)) return true;
      if (!(next < size)) return false;
      w_.swap(next_);
      change_.swap(trial_);
      size = next;
    }
    return false;
  }

  /// One step of it.
  void improve(const model::Inertia& inertia) {
    step_from(w_, inertia, change_);
    advance(1.0, next_);
    w_.swap(next_);
  }

  /// u' = 2 w - u; of a body that nothing touches, with a rotation added that leaves the angular momentum to its loads, to rounding.
  void finish(std::span<double> u) {
    if (!push_.empty()) {
      // Impulses of contact act where it was found, a little off the equation's own mean of both configurations: what that does to the angular
      // momentum vanishes with the step, and taking it out would spoil the energy's balance.
      array(u) = 2.0 * array(std::span<const double>(w_)) - array(u_);
      return;
    }
    const double a = 1.0 + 0.5 * h_ * damping_;
    array(std::span(next_)) = array(q_) + 0.5 * h_ * array(u_);
    mechanics_.arms(next_, scratch_);
    mechanics_.mass_times(scratch_, false, product_);
    array(std::span(r_)) = 2.0 * a * array(std::span<const double>(w_)) - 2.0 * array(u_);
    Spin spin(scratch_, product_, r_);
    for (std::size_t i = 0; 3 * i < q_.size(); ++i) spin.momentum -= vector(std::span<const double>(scratch_), i).cross(impulse(i));
    const Vec3 correction = solve_positive(spin.inertia, spin.momentum) / a;
    for (std::size_t i = 0; 3 * i < q_.size(); ++i)
      vector(u, i) = 2.0 * vector(std::span<const double>(w_), i) - vector(u_, i) - correction.cross(vector(std::span<const double>(scratch_), i));
  }

 private:
  static constexpr double kRounding = 1e-8;  ///< relative size in the norm of energy below which an iteration that stops has met rounding

  [[nodiscard]] Vec3 impulse(std::size_t i) const { return push_.empty() ? (h_ * vector(loads_, i)).eval() : (h_ * vector(loads_, i) + vector(push_, i)).eval(); }

  /// Angular velocity of rates u, of the momentum about the mass centre of q.
  Vec3 angular_velocity(std::span<const double> q, std::span<const double> u) {
    mechanics_.arms(q, scratch_);
    mechanics_.mass_times(scratch_, false, product_);
    const Spin spin(scratch_, product_, u);
    return solve_positive(spin.inertia, spin.momentum);
  }

  /// to = w + share change / 2, with the rotation in that change made as a rotation of the end configuration: along a straight line it would stretch the body.
  void advance(double share, std::vector<double>& to) {
    const double part = 0.5 * share * h_;
    array(std::span(middle_)) = array(q_) + h_ * array(std::span<const double>(w_));
    const Vec3 w = part * angular_velocity(middle_, change_);
    // Rotation less identity, without the difference of near equals: sin(t)/t [w] + (1 - cos t)/t^2 [w]^2.
    const double angle = w.norm(), half = 0.5 * angle, ratio = angle > 0.0 ? std::sin(half) / half : 1.0, sine = angle > 0.0 ? std::sin(angle) / angle : 1.0;
    const Mat3 turning_part = sine * skew(w) + 0.5 * ratio * ratio * skew(w) * skew(w);
    mechanics_.arms(middle_, scratch_);
    mechanics_.arms(change_, product_);
    for (std::size_t i = 0; 3 * i < q_.size(); ++i) {
      const Vec3 y = vector(std::span<const double>(scratch_), i), change = part * vector(std::span<const double>(change_), i),
                 turning = part * vector(std::span<const double>(product_), i);
      const Vec3 rest = turning - w.cross(y);
      const Vec3 moved = change - turning + rest + turning_part * (y + rest);
      vector(std::span(to), i) = vector(std::span<const double>(w_), i) + moved / h_;
    }
    stay(to);
  }
  /// A mean velocity leads to where the body can be.
  void stay(std::vector<double>& w) {
    if (!mechanics_.reduced()) return;
    array(std::span(middle_)) = array(q_) + h_ * array(std::span<const double>(w));
    mechanics_.project(middle_);
    array(std::span(w)) = (array(std::span<const double>(middle_)) - array(q_)) / h_;
  }

  /// change = A^-1 r, r the defect of the equation at w. Returns its norm, sqrt(J).
  double step_from(std::span<const double> w, const model::Inertia& inertia, std::span<double> change) {
    array(std::span(scratch_)) = array(q_) + h_ * array(w);
    mechanics_.step_force(q_, scratch_, viscosity_, r_);
    array(std::span(r_)) = h_ * (array(loads_) - array(std::span<const double>(r_)));
    if (!push_.empty()) array(std::span(r_)) += array(push_);
    array(std::span(scratch_)) = (2.0 + h_ * damping_) * array(w) - 2.0 * array(u_);
    mechanics_.mass_times(scratch_, false, product_);
    array(std::span(r_)) -= array(std::span<const double>(product_));
    scale_ = kinetic_ + 0.25 * array(std::span<const double>(product_)).dot(array(std::span<const double>(scratch_)));
    array(std::span(middle_)) = array(q_) + h_ * array(w);
    if (const std::optional<double> square = inertia.step_change(q_, middle_, r_, change)) return std::sqrt(std::max(0.0, *square));
    // The force acts on the mean of both configurations, strains change at the end: the matrix, formed in its own frame, is turned to each.
    array(std::span(middle_)) = array(q_) + 0.5 * h_ * array(w);
    const Mat3 half = half_turn(angular_velocity(middle_, w), h_);
    turn(frame_ * half.transpose(), r_);
    std::ranges::copy(r_, change.begin());
    inertia.solve(change);
    const double square = array(std::span<const double>(r_)).dot(array(std::span<const double>(change)));
    turn(half * half * frame_.transpose(), change);
    return std::sqrt(std::max(0.0, square));
  }

  [[nodiscard]] bool converged(double size, double enough) const { return size * size <= enough * enough * scale_; }
  /// Places carry rounding of their own size, and velocities that over h.
  [[nodiscard]] bool near_rounding(double size) const {
    return converged(size, kRounding) || mechanics_.fastest(change_) <= 1e-13 * array(q_).cwiseAbs().maxCoeff() / h_;
  }

  const model::Mechanics& mechanics_;
  std::span<const double> loads_, q_, u_, push_;
  double h_, damping_, viscosity_, kinetic_ = 0.0, scale_ = 0.0;
  Mat3 frame_ = Mat3::Identity();
  struct Buffers {
    std::vector<double> w, next, r, change, trial, middle, scratch, product, rigid;
  };
  /// Kept from step to step: a thread solves one equation at a time.
  static Buffers& buffers() {
    thread_local Buffers kept;
    return kept;
  }
  std::vector<double>&w_ = buffers().w, &next_ = buffers().next, &r_ = buffers().r, &change_ = buffers().change, &trial_ = buffers().trial,
                     &middle_ = buffers().middle, &scratch_ = buffers().scratch, &product_ = buffers().product, &rigid_ = buffers().rigid;
};

template <class Work>
void for_bodies(const Bodies& bodies, Work&& work) {
  throwing_for(static_cast<std::ptrdiff_t>(bodies.deformables.size()), [&](std::ptrdiff_t d) { work(static_cast<std::size_t>(d)); });
}

void renew_means(const Bodies& bodies, Motion& motion) {
  for_bodies(bodies, [&](std::size_t d) { model::renew_mean(bodies, motion, bodies.deformables[d]); });
}

/// Largest stable step of the explicit scheme with viscous damping (theory eq. 5.16), s.
double critical_step(const Deformable& body) {
  const double omega = 2.0 / body.mechanics->critical_step(), share = body.stiffness_damping * omega;
  return (std::sqrt(share * share + 4.0) - share) / omega;
}

/// Rates of the explicit scheme: forces at the present configuration.
void linear_velocities(const Bodies& bodies, const Motion& motion, const Deformable& body, const BodyLoads& loads, const model::Inertia& inertia, const StepForm& form,
                       std::span<double> u) {
  thread_local std::vector<double> impulse, scratch;
  impulse.resize(u.size());
  scratch.resize(u.size());
  const auto q = body.part(motion.q);
  body.mechanics->internal_force(q, impulse);
  array(std::span(impulse)) = form.h * (array(body.part(loads.nodal)) - array(std::span<const double>(impulse)));
  const double c = damping_of(bodies, body);
  if (c > 0.0) {
    body.mechanics->mass_times(u, true, scratch);
    array(std::span(impulse)) -= form.h * c * array(std::span<const double>(scratch));
  }
  if (body.stiffness_damping > 0.0) {
    body.mechanics->viscous_force(q, u, scratch);
    array(std::span(impulse)) -= form.h * body.stiffness_damping * array(std::span<const double>(scratch));
  }
  inertia.solve(impulse);
  array(u) += array(std::span<const double>(impulse));
}

/// Errors of the solution leave the places where a reduced body can be: go back there, with the same angular momentum.
void keep_place(const model::Mechanics& mechanics, std::span<double> q, std::span<double> u) {
  if (!mechanics.reduced()) return;
  std::vector<double> before(q.begin(), q.end()), arms(q.size()), product(q.size());
  mechanics.project(q);
  const auto spin = [&](std::span<const double> at) {
    mechanics.arms(at, arms);
    mechanics.mass_times(arms, false, product);
    return Spin(arms, product, u);
  };
  const Vec3 momentum = spin(before).momentum;
  const Spin now = spin(q);
  const Vec3 correction = solve_positive(now.inertia, momentum - now.momentum);
  for (std::size_t i = 0; 3 * i < q.size(); ++i) vector(u, i) += correction.cross(vector(std::span<const double>(arms), i));
}

}  // namespace

Scheme scheme_of(const Bodies& bodies, const Deformable& body) {
  const Scheme asked = bodies.scheme[bodies.index(body.body)];
  return asked == Scheme::def_exp && body.mechanics->reduced() ? Scheme::def_lim : asked;
}

void Factors::renew(const Deformable& body, std::size_t d) {
  if (owners[d] == body.mechanics) return;
  inertias[d] = body.mechanics->make_inertia();
  owners[d] = body.mechanics;
}

void update_inertias(const Bodies& bodies, const Motion& motion, const StepForm& form, Factors& factors) {
  assembly::Inertias& inertias = factors.inertias;
  inertias.resize(bodies.deformables.size());
  factors.owners.resize(bodies.deformables.size());
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    throw_if_stopped();
    factors.renew(body, d);
    const auto [a, b] = coefficients(bodies, body, form);
    inertias[d]->update(body.part(motion.q), a, b, scheme_of(bodies, body) == Scheme::def_exp, motion.held[d]);
  });
}

void first_deformable_half_step(const Bodies& bodies, Motion& motion, const StepForm& form) {
  if (bodies.deformables.empty() || form.quasi_static) return;
  array(std::span(motion.q)) += form.first_part() * array(std::span<const double>(motion.u));
  renew_means(bodies, motion);
}

void free_deformable_velocities(const Bodies& bodies, const Motion& motion, const BodyLoads& loads, std::span<const double> start, const StepForm& form,
                                Factors& factors, assembly::Velocities& free) {
  assembly::Inertias& inertias = factors.inertias;
  free.nodal = motion.u;
  inertias.resize(bodies.deformables.size());
  factors.owners.resize(bodies.deformables.size());
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    throw_if_stopped();
    factors.renew(body, d);
    const auto [a, b] = coefficients(bodies, body, form);
    const auto u = body.part(free.nodal);
    const Scheme scheme = scheme_of(bodies, body);
    if (form.quasi_static) return;
    if (scheme == Scheme::def_exp) {
      inertias[d]->update(body.part(motion.q), a, b, true, motion.held[d]);
      linear_velocities(bodies, motion, body, loads, *inertias[d], form, u);
      return;
    }
    StepEquation equation(bodies, motion, body, loads, body.part(start), {}, form);
    inertias[d]->update(equation.begin_rigid(), a, b, false, motion.held[d]);
    const double enough = scheme == Scheme::def_lim ? kLinearEnough : 0.0;
    bool solved = equation.solve(*inertias[d], enough);
    for (int renewal = 0; !solved && renewal < kMostRenewals; ++renewal) {
      inertias[d]->update(equation.refresh(), a, b, false, motion.held[d]);
      solved = equation.solve(*inertias[d], enough);
    }
    if (!solved) equation.keep_shape();
    equation.finish(u);
  });
}

void factorise_static(const Bodies& bodies, const Motion& motion, std::span<const double> q, const StepForm& form, const Supports& supports, assembly::Inertias& inertias) {
  for (std::size_t d = 0; d < bodies.deformables.size(); ++d) {
    const Deformable& body = bodies.deformables[d];
    const auto [a, b] = coefficients(bodies, body, form);
    inertias[d]->update_supported(body.part(q), a, b, scheme_of(bodies, body) == Scheme::def_exp, motion.held[d], supports[d]);
  }
}

void static_velocities(const Bodies& bodies, std::span<const double> q, const BodyLoads& loads, const StepForm& form, const assembly::Inertias& inertias,
                       std::span<const double> u, std::span<double> free) {
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    thread_local std::vector<double> place, force, momentum;
    const auto rates = body.part(u);
    for (auto* list : {&place, &force, &momentum}) list->resize(rates.size());
    array(std::span(place)) = array(body.part(q)) + form.h * array(rates);
    body.mechanics->internal_force(place, force);
    body.mechanics->mass_times(rates, scheme_of(bodies, body) == Scheme::def_exp, momentum);
    array(std::span(force)) = form.h * (array(body.part(loads.nodal)) - array(std::span<const double>(force))) - array(std::span<const double>(momentum));
    inertias[d]->solve(force);
    array(body.part(free)) = array(rates) + array(std::span<const double>(force));
  });
}

bool solve_implicit_body(const Bodies& bodies, const Motion& motion, const Deformable& body, const BodyLoads& loads, const model::Inertia& inertia,
                         std::span<const double> start, std::span<const double> push, const StepForm& form, std::span<double> u) {
  StepEquation equation(bodies, motion, body, loads, start, push, form);
  equation.begin_with(u);
  const bool solved = equation.solve(inertia, scheme_of(bodies, body) == Scheme::def_lim ? kLinearEnough : 0.0);
  if (!solved) {
    equation.begin_with(u);
    equation.improve(inertia);
  }
  equation.finish(u);
  return solved;
}

double viscous_work(const Bodies& bodies, const Motion& motion, const Deformable& body, double h, std::span<const double> q0, std::span<const double> u,
                    std::span<const double> u1) {
  std::vector<double> force(u.size()), end(u.size());
  const VecX moved = 0.5 * h * (array(u) + array(u1));
  if (scheme_of(bodies, body) == Scheme::def_exp) {
    body.mechanics->viscous_force(body.part(motion.q), u, force);
    return -body.stiffness_damping * moved.dot(array(std::span<const double>(force)));
  }
  array(std::span(end)) = array(q0) + moved;
  body.mechanics->step_force(q0, end, body.stiffness_damping / h, force);
  return body.mechanics->internal_energy(end) - body.mechanics->internal_energy(q0) - moved.dot(array(std::span<const double>(force)));
}

void second_deformable_half_step(const Bodies& bodies, Motion& motion, const assembly::Velocities& end, const StepForm& form) {
  if (bodies.deformables.empty()) return;
  motion.u = end.nodal;
  array(std::span(motion.q)) += form.second_part() * array(std::span<const double>(motion.u));
  for_bodies(bodies, [&](std::size_t d) {
    const Deformable& body = bodies.deformables[d];
    keep_place(*body.mechanics, body.part(motion.q), body.part(motion.u));
  });
  renew_means(bodies, motion);
}

double explicit_limit(const Bodies& bodies) {
  double limit = kInfinity;
  for (const Deformable& body : bodies.deformables)
    if (scheme_of(bodies, body) == Scheme::def_exp) limit = std::min(limit, kExplicitShare * critical_step(body));
  return limit;
}

}  // namespace scree::stepping
