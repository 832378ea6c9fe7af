#include "solvers/outer_iteration.hpp"

#include "core/error.hpp"
#include "solvers/anderson.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

constexpr double kRunaway = 3.0;       // a defect this much above the best one restarts from there
constexpr double kLeastDamping = 0.05;
constexpr double kTikhonov = 1e-10;   // of the mixing, relative

/// Anderson's method on the damped map  z <- z + damping (G(z) - z). When the defect |G(z) - z| runs away the history is dropped and
/// the best point is left again with half the damping.
class Steps {
 public:
  Steps(Eigen::Index n, int memory) : mapped_(n), best_z_(n), best_G_(n) {
    const std::vector<double> weight(n, 1.0);
    mixing_.reset(weight, memory, kTikhonov);
  }

  [[nodiscard]] int restarts() const { return restarts_; }

  /// z becomes the next point after G = G(z), known up to `noise`.
  void advance(VecX& z, const VecX& G, double noise) {
    mapped_ = G - z;
    const double defect = std::max(mapped_.norm(), noise);
    if (!(defect <= kRunaway * best_)) {
      ++restarts_;
      damping_ = std::max(kLeastDamping, 0.5 * damping_);
      mixing_.clear();
      best_ *= 1.5;  // a best that was luck does not stay for ever
      z = best_z_ + damping_ * (best_G_ - best_z_);
      return;
    }
    if (defect < best_) {
      best_ = defect;
      best_z_ = z;
      best_G_ = G;
    }
    mapped_ = z + damping_ * mapped_;
    mixing_.next(numbers(z), numbers(mapped_), numbers(z));
  }

 private:
  Anderson mixing_;
  VecX mapped_, best_z_, best_G_;
  double best_ = kInfinity, damping_ = 1.0;
  int restarts_ = 0;
};

/// One fixed point: the law's parameter z (scaled, one a contact) and what the inner solve makes of it.
class FixedPoint {
 public:
  FixedPoint(const ContactProblem& problem, OuterLaw law)
      : problem_(problem), law_(law), rho_(block_scaling(*problem.W)), inner_(problem), U_(problem.B.size()) {
    // Inner yardsticks keep the weights of the problem itself.
    inner_.weight = residual_weights(problem);
  }

  /// The parameter at R, scaled; also the stop rule's yardstick there.
  double parameter(std::span<const double> R, Yardstick yardstick, VecX& z) {
    relative_velocity(problem_, R, U_);
    for (std::size_t a = 0; a < rho_.size(); ++a) {
      double value = 0.0;
      if (frictional(problem_.kind[a]))
        value = law_ == OuterLaw::convex ? friction_shift(Eigen::Map<const Vec3>(U_.data() + 3 * a), problem_.kind[a], problem_.mu[a]) * std::sqrt(rho_[a])
                                         : std::max(0.0, R[3 * a]) / std::sqrt(rho_[a]);
      z[static_cast<Eigen::Index>(a)] = value;
    }
    return measure(yardstick, problem_, R, U_);
  }

  /// The inner problem of parameter z, and the guess R adapted to it.
  const ContactProblem& impose(VecX& z, std::span<double> R) {
    for (std::size_t a = 0; a < rho_.size(); ++a) {
      if (!frictional(problem_.kind[a])) continue;
      double& value = z[static_cast<Eigen::Index>(a)];
      value = std::max(0.0, value);
      if (law_ == OuterLaw::convex)
        inner_.B[3 * a] = problem_.B[3 * a] + value / std::sqrt(rho_[a]);
      else
        R[3 * a] = value * std::sqrt(rho_[a]);
    }
    return inner_;
  }

 private:
  const ContactProblem& problem_;
  OuterLaw law_;
  std::vector<double> rho_;
  ContactProblem inner_;
  std::vector<double> U_;
};

void check(const OuterOptions& options) {
  if (options.memory < 0) throw_input("fixed point: memory = {} must not be negative", options.memory);
  if (!(options.inner_factor > 0.0 && options.inner_factor < 1.0))
    throw_input("fixed point: inner_factor = {} is outside (0, 1)", options.inner_factor);
  if (options.inner_iterations < 1) throw_input("fixed point: inner_iterations = {} must be at least 1", options.inner_iterations);
}

/// What is left of the budget for one inner solve.
StopRule inner_rule(const OuterOptions& options, double value, const Watch& watch) {
  StopRule rule = watch.rest(options.inner_iterations);
  rule.tolerance = std::max(0.3 * options.tolerance, options.inner_factor * std::min(value, 1.0));
  if (options.yardstick != Yardstick::residual && options.yardstick != Yardstick::ccp)
    rule.tolerance = std::min(rule.tolerance, options.inner_factor);
  rule.yardstick = Yardstick::residual;
  rule.history = false;
  return rule;
}

}  // namespace

SolveReport solve_outer(const ContactProblem& problem, const OuterOptions& options, const InnerSolve& inner, std::span<double> R) {
  check(options);
  Watch watch(problem, options, R);
  FixedPoint fixed_point(problem, options.law);
  Steps steps(problem.blocks(), options.memory);
  VecX z(problem.blocks()), G(problem.blocks());
  std::vector<double> trial(R.begin(), R.end());
  watch.note(fixed_point.parameter(trial, options.yardstick, z), trial);
  watch.count_products(1);
  double factor = 1.0;
  const double scale = residual_scale(problem);
  while (!watch.ended()) {
    const ContactProblem& shifted = fixed_point.impose(z, trial);
    const StopRule rule = inner_rule(options, factor * watch.value(), watch);
    SolveReport part = inner(shifted, rule, trial);
    // An inner solve that had nothing to do was asked for too little.
    factor = part.iterations == 0 ? 0.1 * factor : 1.0;
    part.iterations = std::max(1, part.iterations);
    watch.add(part);
    watch.count_products(1);
    watch.note(fixed_point.parameter(trial, options.yardstick, G), trial);
    steps.advance(z, G, rule.tolerance * scale);
  }
  watch.count_fallback(steps.restarts());
  return watch.report("fixed points on friction contract for small mu only: try AUTO, APGD or GAUSS_SEIDEL on the exact law");
}

namespace {

/// The inner solver by name, restricted to those that know the law.
InnerSolve inner_solver(const std::string& name, Formulation law) {
  const SolverInfo& info = find_solver(name);
  if (std::find(info.formulations.begin(), info.formulations.end(), law) == info.formulations.end())
    throw_input("fixed point: the inner solver {} does not solve the {} law", name, to_string(law));
  return [name, law](const ContactProblem& problem, const StopRule& stop, std::span<double> R) {
    return solve(name, problem, stop, {{"formulation", to_string(law)}}, R);
  };
}

SolverInfo describe(const std::string& name, const std::string& text, OuterLaw law, const std::string& inner) {
  return {name,
          text,
          {Formulation::coulomb},
          {{"inner", inner, "solver of the inner law, by name"},
           {"memory", 5, "differences the acceleration combines; 0 for the plain fixed point"},
           {"inner_factor", 0.1, "inner tolerance relative to the outer value, between 0 and 1"},
           {"inner_iterations", 500, "most iterations of one inner solve"}},
          [name, law](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver(name), values);
            OuterOptions options;
            static_cast<StopRule&>(options) = stop;
            options.law = law;
            options.memory = read.integer("memory");
            options.inner_factor = read.real("inner_factor");
            options.inner_iterations = read.integer("inner_iterations");
            const Formulation inner_law = law == OuterLaw::convex ? Formulation::convex : Formulation::tresca;
            return solve_outer(problem, options, inner_solver(read.text("inner"), inner_law), R);
          }};
}

}  // namespace

SolverInfo convex_fixed_point_info() {
  return describe("CONVEX_FIXED_POINT",
                  "Exact Coulomb friction from any solver of the convex relaxation: accelerated fixed point on s = mu |U_T|, "
                  "which shifts B_N.",
                  OuterLaw::convex, "APGD");
}

SolverInfo tresca_fixed_point_info() {
  return describe("TRESCA_FIXED_POINT",
                  "Exact Coulomb friction from any solver of Tresca's law: accelerated fixed point on the thresholds mu R_N.",
                  OuterLaw::tresca, "APGD");
}

}  // namespace scree::solvers
