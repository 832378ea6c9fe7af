#include "solvers/interior_point.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/law.hpp"
#include "solvers/first_order.hpp"
#include "solvers/interior_point_system.hpp"
#include "solvers/jordan_block.hpp"
#include "solvers/newton.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/relaxed_newton.hpp"
#include "solvers/semismooth_newton.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

constexpr double kEquality = 1e-10;  ///< S of bilateral blocks, relative to the diagonal of W
constexpr int kPathPatience = 12;        ///< steps without a gain of 30 % before the path counts as exhausted
constexpr int kNearbyPatience = 4;   ///< the same where steps are dear and Newton steps are not
constexpr double kProximal = 0.1;    ///< weight of staying near the last iterate, at the start of a path by conjugate gradients (theory eq. 4.16)
constexpr double kLag = 0.1;         ///< nu is kept above this share of the lag of s behind mu |U_T|
constexpr double kFarthest = 1.01;    ///< steps longer than this are not looked for: kBoundary of it is a full step
constexpr double kBoundary = 0.995;  ///< share of the way to the boundary a step may go

class InteriorPoint {
 public:
  InteriorPoint(const ContactProblem& problem, const InteriorPointOptions& options)
      : scaled_(problem), options_(options) {
    system_ = options.linear_solver == BarrierSolver::direct ? problem.W->make_direct_barrier(scaled_)
                                                             : problem.W->make_krylov_barrier(scaled_, options.linear_iterations);
    nearby_ = system_->in_body_space();
    const std::size_t n = problem.blocks();
    role_.resize(n);
    for (std::size_t a = 0; a < n; ++a) {
      role_[a] = impulse_set(problem.kind[a], problem.mu[a]);
      cones_ += has_barrier(a);
    }
    for (auto* v : {&r_, &u_, &velocity_, &gap_, &right_, &dr_, &du_, &dr_affine_, &du_affine_}) v->resize(scaled_.size());
    s_.assign(n, 0.0);
    scaling_.resize(n);
    blocks_.resize(n);
  }

  void start(std::span<const double> R);
  /// One predictor-corrector step; false when the system fails or nothing moves any more.
  bool step();
  /// The iterate as impulses, on the cones.
  void impulses(std::span<double> R) const;
  /// Steps are held near the last iterate (theory eq. 4.16).
  [[nodiscard]] bool nearby() const { return nearby_; }
  [[nodiscard]] long products() const { return products_ + system_->products(); }
  [[nodiscard]] long linear_iterations() const { return options_.linear_solver == BarrierSolver::krylov ? system_->products() : 0; }

 private:
  void refresh();
  void scale_blocks();
  void update_shift();
  /// Right-hand side for the centring target; `corrected` adds the second-order term of the predictor.
  void right_side(double target, bool corrected);
  /// du = (W + proximal) dr + gap: velocities keep to W R + B however roughly dr was solved for.
  void velocity_change(std::span<const double> dr, std::span<double> du);
  [[nodiscard]] Vec3 complementarity(std::size_t a, double target, bool corrected) const;
  [[nodiscard]] double step_length(std::span<const double> dr, std::span<const double> du) const;
  /// What the velocities still miss, as a power to compare nu with.
  [[nodiscard]] double lag() const;
  [[nodiscard]] double duality(double t, std::span<const double> dr, std::span<const double> du) const;
  [[nodiscard]] Vec3 to_x(std::size_t a, const Vec3& R) const {
    return role_[a] == ImpulseSet::cone ? Vec3(scaled_.problem().mu[a] * R.x(), R.y(), R.z()) : Vec3(R.x(), 0.0, 0.0);
  }
  [[nodiscard]] Vec3 to_y(std::size_t a, const Vec3& U) const {
    const double mu = scaled_.problem().mu[a];
    return role_[a] == ImpulseSet::cone ? Vec3(U.x(), mu * U.y(), mu * U.z()) : Vec3(U.x(), 0.0, 0.0);
  }
  [[nodiscard]] Vec3 from_y(std::size_t a, const Vec3& y) const {
    const double mu = scaled_.problem().mu[a];
    return role_[a] == ImpulseSet::cone ? Vec3(y.x(), y.y() / mu, y.z() / mu) : Vec3(y.x(), 0.0, 0.0);
  }
  [[nodiscard]] bool has_barrier(std::size_t a) const { return role_[a] == ImpulseSet::cone || role_[a] == ImpulseSet::half_line; }
  static Vec3 part(std::span<const double> v, std::size_t a) { return Eigen::Map<const Vec3>(v.data() + 3 * a); }

  ScaledProblem scaled_;
  const InteriorPointOptions& options_;
  std::unique_ptr<InteriorPointSystem> system_;
  std::vector<ImpulseSet> role_;
  std::vector<double> r_, u_;         ///< impulses and velocities inside the cones, scaled
  std::vector<double> velocity_;      ///< W r + b
  std::vector<double> gap_;           ///< W r + b + s n - u
  std::vector<double> right_, dr_, du_, dr_affine_, du_affine_;
  std::vector<double> s_;             ///< shift mu |U_T| of each contact
  std::vector<NesterovTodd> scaling_;
  std::vector<BarrierBlock> blocks_;
  int cones_ = 0;
  bool nearby_ = false;               ///< steps are held near the last iterate
  double proximal_ = 0.0;             ///< weight of staying near, relative to the diagonal of W
  double first_nu_ = 0.0;             ///< nu of the first iterate
  long products_ = 0;
};

void InteriorPoint::start(std::span<const double> R) {
  scaled_.from_impulses(R, r_);
  scaled_.velocity(r_, velocity_);
  ++products_;
  // The guess moved inside the cones by as much as it is wrong.
  const double n = std::max<double>(1.0, scaled_.blocks());
  const double wrong = std::min(1.0, scaled_.residual(r_, velocity_));
  const double inside = std::max(wrong, 1e-6) * scaled_.reference() / std::sqrt(n);
  const ContactProblem& p = scaled_.problem();
  for (std::size_t a = 0; a < role_.size(); ++a) {
    Vec3 r = part(r_, a), u = part(velocity_, a);
    if (role_[a] == ImpulseSet::cone) {
      const double mu = p.mu[a];
      if (options_.formulation == Formulation::coulomb) s_[a] = mu * std::hypot(u.y(), u.z());
      r = project_on_cone(r, mu) + Vec3((1.0 + 1.0 / mu) * inside, 0.0, 0.0);
      u = project_on_cone(u + Vec3(s_[a], 0.0, 0.0), 1.0 / mu) + Vec3((1.0 + mu) * inside, 0.0, 0.0);
    } else if (role_[a] == ImpulseSet::half_line) {
      r = Vec3(std::max(0.0, r.x()) + inside, 0.0, 0.0);
      u = Vec3(std::max(0.0, u.x()) + inside, 0.0, 0.0);
    } else {
      if (role_[a] == ImpulseSet::line) r = Vec3(r.x(), 0.0, 0.0);
      u.setZero();
    }
    Eigen::Map<Vec3>(r_.data() + 3 * a) = r;
    Eigen::Map<Vec3>(u_.data() + 3 * a) = u;
  }
  refresh();
}

void InteriorPoint::refresh() {
  scaled_.velocity(r_, velocity_);
  ++products_;
  update_shift();
  parallel_for(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    Vec3 gap = part(velocity_, a) - part(u_, a) + Vec3(s_[a], 0.0, 0.0);
    if (role_[a] == ImpulseSet::half_line || role_[a] == ImpulseSet::line) gap.tail<2>().setZero();
    Eigen::Map<Vec3>(gap_.data() + 3 * a) = gap;
  });
}

void InteriorPoint::update_shift() {
  if (options_.formulation != Formulation::coulomb) return;
  parallel_for(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    if (role_[a] != ImpulseSet::cone) return;
    s_[a] = scaled_.problem().mu[a] * std::hypot(velocity_[3 * a + 1], velocity_[3 * a + 2]);
  });
}

void InteriorPoint::scale_blocks() {
  parallel_for(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    BarrierBlock& block = blocks_[a];
    block = BarrierBlock{};
    if (role_[a] == ImpulseSet::cone) {
      // S = T_y^-1 F^2 T_x,  F^2 = eta^2 (2 w w^T - diag(1, -1, -1))
      const double mu = scaled_.problem().mu[a];
      scaling_[a] = NesterovTodd(to_x(a, part(r_, a)), to_y(a, part(u_, a)));
      const Vec3 T(mu, 1.0, 1.0);
      block.a = std::sqrt(2.0 / mu) * scaling_[a].eta * T.cwiseProduct(scaling_[a].w);
      block.d = -scaling_[a].eta * scaling_[a].eta * Vec3(mu, -1.0 / mu, -1.0 / mu);
      const Vec3 inverse = T.cwiseInverse();
      block.inverse = mu * inverse.asDiagonal() * scaling_[a].inverse_square() * inverse.asDiagonal();
      if (proximal_ > 0.0) {
        block.d += Vec3::Constant(proximal_);
        const Mat3 P = block.inverse * (Mat3::Identity() + proximal_ * block.inverse).inverse();
        block.inverse = 0.5 * (P + P.transpose());
      }
    } else if (role_[a] == ImpulseSet::half_line) {
      block.free = 1;
      block.d(0) = u_[3 * a] / r_[3 * a] + proximal_;
      block.inverse(0, 0) = 1.0 / block.d(0);
    } else {
      block.free = role_[a] == ImpulseSet::space ? 3 : 1;
      for (int c = 0; c < block.free; ++c) {
        block.d(c) = kEquality;
        block.inverse(c, c) = 1.0 / kEquality;
      }
    }
  });
}

Vec3 InteriorPoint::complementarity(std::size_t a, double target, bool corrected) const {
  const NesterovTodd& F = scaling_[a];
  const Vec3 lambda = F.apply(to_x(a, part(r_, a)));
  Vec3 goal = Vec3(target, 0.0, 0.0) - jordan_product(lambda, lambda);
  if (corrected) goal -= jordan_product(F.apply(to_x(a, part(dr_affine_, a))), F.apply_inverse(to_y(a, part(du_affine_, a))));
  return F.apply(jordan_quotient(lambda, goal));
}

void InteriorPoint::right_side(double target, bool corrected) {
  parallel_for(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    Vec3 r = -part(gap_, a);
    if (role_[a] == ImpulseSet::cone) {
      r += from_y(a, complementarity(a, target, corrected));
    } else if (role_[a] == ImpulseSet::half_line) {
      double goal = target - r_[3 * a] * u_[3 * a];
      if (corrected) goal -= dr_affine_[3 * a] * du_affine_[3 * a];
      r.x() += goal / r_[3 * a];
    }
    Eigen::Map<Vec3>(right_.data() + 3 * a) = r;
  });
}

void InteriorPoint::velocity_change(std::span<const double> dr, std::span<double> du) {
  scaled_.apply(dr, du);
  ++products_;
  add_scaled(proximal_, dr, du);
  parallel_for(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    Eigen::Map<Vec3> change(du.data() + 3 * a);
    if (!has_barrier(a)) change.setZero();
    else change += part(gap_, a);
    if (role_[a] == ImpulseSet::half_line) change.tail<2>().setZero();
  });
}

double InteriorPoint::step_length(std::span<const double> dr, std::span<const double> du) const {
  double t = kFarthest;
  for (std::size_t a = 0; a < role_.size(); ++a) {
    if (!has_barrier(a)) continue;
    t = std::min(t, step_to_boundary(to_x(a, part(r_, a)), to_x(a, part(dr, a)), t));
    t = std::min(t, step_to_boundary(to_y(a, part(u_, a)), to_y(a, part(du, a)), t));
  }
  return std::min(1.0, kBoundary * t);
}

double InteriorPoint::duality(double t, std::span<const double> dr, std::span<const double> du) const {
  const double sum = parallel_sum(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    if (!has_barrier(a)) return 0.0;
    return to_x(a, part(r_, a) + t * part(dr, a)).dot(to_y(a, part(u_, a) + t * part(du, a)));
  });
  return sum / std::max(1, cones_);
}

double InteriorPoint::lag() const {
  const double sum = parallel_sum(scaled_.blocks(), [&](std::ptrdiff_t k) {
    const std::size_t a = k;
    return has_barrier(a) ? part(gap_, a).norm() * part(r_, a).norm() : 0.0;
  });
  return sum / std::max(1, cones_);
}

bool InteriorPoint::step() {
  const double accuracy = options_.linear_solver == BarrierSolver::direct ? 0.0 : options_.linear_accuracy;
  const double nu = duality(0.0, dr_, du_);
  if (!(first_nu_ > 0.0)) first_nu_ = nu;
  if (nearby_) proximal_ = kProximal * std::sqrt(std::clamp(nu / first_nu_, 0.0, 1.0));
  scale_blocks();
  if (!system_->prepare(blocks_, std::sqrt(std::max(0.0, nu) * cones_))) return false;

  // Predictor: aim at nu = 0 and see how far that goes.
  right_side(0.0, false);
  system_->solve(right_, accuracy, dr_affine_);
  velocity_change(dr_affine_, du_affine_);
  const double reach = step_length(dr_affine_, du_affine_);
  const double after = duality(reach, dr_affine_, du_affine_);
  const double ratio = nu > 0.0 ? std::clamp(after / nu, 0.0, 1.0) : 0.0;

  // Corrector: centre by the cube of what the predictor left, but stay behind the shift s.
  const double target = std::max(std::max(ratio * ratio * ratio, 1e-4) * nu, std::min(nu, kLag * lag()));
  right_side(target, true);
  system_->solve(right_, accuracy, dr_);
  velocity_change(dr_, du_);
  const double t = step_length(dr_, du_);
  if (!std::isfinite(norm(dr_)) || !std::isfinite(norm(du_)) || t < 1e-10) return false;
  add_scaled(t, dr_, r_);
  add_scaled(t, du_, u_);
  refresh();
  return true;
}

void InteriorPoint::impulses(std::span<double> R) const {
  scaled_.to_impulses(r_, R);
  const ContactProblem& p = scaled_.problem();
  parallel_for(p.blocks(), [&](std::ptrdiff_t a) {
    Eigen::Map<Vec3> r(R.data() + 3 * a);
    r = project_on_block(r, p.kind[a], p.mu[a]);
  });
}

/// One solve: the path, handed over to Newton steps where those can finish.
class PathRun {
 public:
  PathRun(const ContactProblem& problem, const InteriorPointOptions& options, Watch& watch)
      : problem_(problem), options_(options), watch_(watch), trial_(problem.B.size()) {}

  void run() {
    InteriorPoint ipm(problem_, options_);
    ipm.start(watch_.best());
    const bool krylov = options_.linear_solver == BarrierSolver::krylov;
    relaxed_ = krylov && options_.formulation != Formulation::coulomb && suits_relaxed_newton(problem_);
    for (const double goal : relaxed_ ? kEarlyHandovers : kHandovers) {
      // Direct factors carry the path to its end; conjugate gradients are dear there.
      if (goal > 0.0 && !(options_.polish && krylov)) continue;
      follow(ipm, std::max(goal, options_.tolerance));
      if (watch_.ended()) break;
      if (options_.polish) finish(krylov);
      if (watch_.ended() || ended_) break;
    }
    SolveReport work;
    work.products = ipm.products();
    work.linear_iterations = ipm.linear_iterations();
    watch_.add(work);
  }

 private:
  /// Steps until the best iterate reaches the goal, or a limit, or no more progress.
  void follow(InteriorPoint& ipm, double goal) {
    watch_.be_patient(kProgress);
    const int patience = ipm.nearby() && options_.polish ? kNearbyPatience : kPathPatience;
    while (watch_.stalled() < patience && watch_.best_value() > goal && !ended_ && !watch_.spent()) {
      if (!ipm.step()) {
        ended_ = true;
        return;
      }
      watch_.count();
      ipm.impulses(trial_);
      watch_.offer(trial_);
    }
    ended_ = ended_ || watch_.best_value() > goal;
  }

  void finish(bool krylov) {
    if (relaxed_) take(solve_relaxed_newton(problem_, watch_.rest(), watch_.best()));
    else if (krylov) finish_by_krylov();
    else finish_by_factors();
  }
  /// Quasi-Newton steps: matrix-free like the path.
  void finish_by_krylov() {
    NewtonOptions newton;
    static_cast<StopRule&>(newton) = watch_.rest(kNewtonSteps);
    newton.formulation = options_.formulation;
    newton.fallback = false;
    take(solve_newton(problem_, newton, watch_.best()));
  }
  /// Proximal Newton steps with the same kind of factors.
  void finish_by_factors() {
    SemismoothNewtonOptions newton;
    static_cast<StopRule&>(newton) = watch_.rest();
    newton.formulation = options_.formulation;
    newton.alpha = 1e-4;
    newton.sweeps = 0;
    take(solve_semismooth_newton(problem_, newton, watch_.best()));
  }
  void take(const SolveReport& part) {
    watch_.add(part);
    watch_.count_fallback();
    watch_.offer(watch_.best());
  }

  /// Residuals at which Newton is given a chance, 0: the end of the path.
  static constexpr double kHandovers[] = {1e-4, 1e-6, 0.0};
  /// The same for the convex relaxation between bodies, whose Newton steps cost less than those of the path.
  static constexpr double kEarlyHandovers[] = {1e-1, 1e-3, 0.0};
  static constexpr int kNewtonSteps = 200;
  static constexpr double kProgress = 0.7;

  const ContactProblem& problem_;
  const InteriorPointOptions& options_;
  Watch& watch_;
  std::vector<double> trial_;
  bool relaxed_ = false; ///< Newton steps are those of the convex relaxation
  bool ended_ = false;   ///< the path goes no further
};

SolverInfo info_of(BarrierSolver linear_solver) {
  const bool direct = linear_solver == BarrierSolver::direct;
  const std::string name = direct ? "IPM_DIRECT" : "IPM";
  SolverInfo info{name,
                  direct ? "Primal-dual interior point with sparse direct factors: Cholesky in the space of bodies, block LU of explicit W."
                         : "Primal-dual interior point, matrix-free: conjugate gradients with block-diagonal preconditioning (GMRES where W "
                           "is not symmetric).",
                  {Formulation::coulomb, Formulation::convex, Formulation::frictionless},
                  {{"formulation", std::string("coulomb"), "law: coulomb, convex or frictionless"},
                   {"polish", true, direct ? "finish with proximal semismooth Newton steps (same factors) when the path is exhausted"
                                           : "finish with Newton steps once the path has come near: proximal ones by conjugate gradients (convex), or those of NEWTON"}},
                  nullptr};
  if (!direct) {
    info.options.push_back({"linmaxiter", 1000, "products of one conjugate gradient solve, at least 1"});
    info.options.push_back({"epsilon", 1e-3, "relative residual of conjugate gradients, in energy, in (0, 1)"});
  }
  info.solve = [name, linear_solver](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
    const OptionReader read(find_solver(name), values);
    InteriorPointOptions options;
    static_cast<StopRule&>(options) = stop;
    options.linear_solver = linear_solver;
    options.formulation = formulation_from(read.text("formulation"), kConeFormulations);
    options.polish = read.flag("polish");
    if (linear_solver == BarrierSolver::krylov) {
      options.linear_iterations = read.integer("linmaxiter");
      options.linear_accuracy = read.real("epsilon");
    }
    return solve_interior_point(problem, options, R);
  };
  return info;
}

void check(const InteriorPointOptions& options) {
  if (options.formulation == Formulation::tresca)
    throw_input("IPM: formulation = 'tresca' is not available; choose coulomb, convex or frictionless");
  if (options.linear_iterations < 1) throw_input("IPM: linmaxiter = {} must be at least 1", options.linear_iterations);
  if (!(options.linear_accuracy > 0.0 && options.linear_accuracy < 1.0))
    throw_input("IPM: epsilon = {} is outside (0, 1)", options.linear_accuracy);
}

}  // namespace

SolveReport solve_interior_point(const ContactProblem& problem, const InteriorPointOptions& options, std::span<double> R) {
  check(options);
  const char* advice = "the interior point did not reach the tolerance: its path ends near 1e-5; set polish, or use AUTO";
  const ContactProblem smooth = options.formulation == Formulation::frictionless ? without_friction(problem) : ContactProblem{};
  const ContactProblem& solved = options.formulation == Formulation::frictionless ? smooth : problem;
  Watch watch(solved, measured_as(options.formulation, options), R);
  watch.offer_guess();
  if (!watch.ended()) PathRun(solved, options, watch).run();
  return watch.report(advice, Status::diverged);
}

SolverInfo interior_point_info() { return info_of(BarrierSolver::krylov); }
SolverInfo interior_point_direct_info() { return info_of(BarrierSolver::direct); }

}  // namespace scree::solvers
