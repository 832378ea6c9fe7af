#include "solvers/admm.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/shifted_factor.hpp"

namespace scree::solvers {

namespace {

constexpr double kLeastSigma = 1e-7, kMostSigma = 1e4;

void check(const AdmmOptions& options) {
  if (!(options.sigma >= kLeastSigma && options.sigma <= kMostSigma))
    throw_input("ADMM: sigma = {} is outside [{}, {}]", options.sigma, kLeastSigma, kMostSigma);
  if (!(options.relaxation > 0.0 && options.relaxation < 2.0))
    throw_input("ADMM: relaxation = {} is outside (0, 2)", options.relaxation);
  if (options.rebalance < 1) throw_input("ADMM: rebalance = {} must be at least 1", options.rebalance);
  if (!(options.imbalance > 1.0)) throw_input("ADMM: imbalance = {} must be above 1", options.imbalance);
}

class Admm {
 public:
  Admm(FirstOrderProblem& problem, ScaledWatch& watch, const AdmmOptions& options)
      : problem_(problem), watch_(watch), options_(options), sigma_(options.sigma) {
    for (VecX* v : {&x_, &z_, &z_old_, &y_, &g_, &rhs_}) v->setZero(problem.size());
  }

  int run();

 private:
  void iterate();
  bool factor();
  void balance(int iteration);

  FirstOrderProblem& problem_;
  ScaledWatch& watch_;
  const AdmmOptions& options_;
  std::unique_ptr<ShiftedFactor> shifted_;
  VecX x_, z_, z_old_, y_, g_, rhs_;
  double sigma_, primal_ = 0.0, dual_ = 0.0;
  int last_change_ = 0, changes_ = 0;
};

void Admm::iterate() {
  const bool coulomb = problem_.formulation() == Formulation::coulomb;
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    Vec3 rhs = sigma_ * z_.segment<3>(3 * a) - y_.segment<3>(3 * a) - problem_.free_gradient().segment<3>(3 * a);
    // The dual is minus the modified velocity: s comes from its tangents.
    if (coulomb) rhs.x() -= friction_shift(y_.segment<3>(3 * a), problem_.kind(a), problem_.mu(a));
    rhs_.segment<3>(3 * a) = rhs;
  });
  shifted_->solve(numbers(rhs_), numbers(x_));
  z_old_.swap(z_);
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    const Vec3 relaxed = options_.relaxation * x_.segment<3>(3 * a) + (1.0 - options_.relaxation) * z_old_.segment<3>(3 * a);
    const Vec3 trial = relaxed + y_.segment<3>(3 * a) / sigma_;
    const Vec3 z = problem_.project(a, trial);
    z_.segment<3>(3 * a) = z;
    y_.segment<3>(3 * a) = sigma_ * (trial - z);
  });
  primal_ = std::sqrt(total_sum(x_.size(), [&](std::ptrdiff_t k) { return (x_[k] - z_[k]) * (x_[k] - z_[k]); }));
  dual_ = sigma_ * std::sqrt(total_sum(z_.size(), [&](std::ptrdiff_t k) { return (z_[k] - z_old_[k]) * (z_[k] - z_old_[k]); }));
}

/// Factor at the current penalty; one that is too small for the arithmetic is raised.
bool Admm::factor() {
  while (!shifted_->factor(sigma_)) {
    sigma_ *= 10.0;
    if (!(sigma_ <= kMostSigma)) return false;
  }
  return true;
}

void Admm::balance(int iteration) {
  if (iteration - last_change_ < options_.rebalance * (1 + changes_)) return;
  const double ratio = primal_ / std::max(dual_, 1e-300);
  if (ratio < options_.imbalance && ratio > 1.0 / options_.imbalance) return;
  const double changed = std::clamp(sigma_ * std::clamp(std::sqrt(ratio), 0.1, 10.0), kLeastSigma, kMostSigma);
  last_change_ = iteration;
  if (changed == sigma_) return;
  sigma_ = changed;
  ++changes_;
  (void)factor();
}

int Admm::run() {
  if (watch_.certified(z_, g_)) return 0;
  shifted_ = problem_.problem().W->make_shifted_factor(problem_.scale());
  if (!factor()) return 1;
  // The dual of the start: minus the modified velocity there.
  problem_.modified(g_, y_);
  y_ = -y_;
  int fallbacks = 0;
  for (int iteration = 1;; ++iteration) {
    iterate();
    problem_.gradient(z_, g_);
    if (watch_.finished(z_, g_, iteration)) break;
    if (!std::isfinite(watch_.value())) {
      // Ill-conditioned factors: from the best iterate with a larger penalty.
      ++fallbacks;
      sigma_ = std::min(kMostSigma, 10.0 * sigma_);
      if (!factor()) break;
      watch_.best_iterate(z_);
      problem_.gradient(z_, g_);
      problem_.modified(g_, y_);
      y_ = -y_;
      continue;
    }
    balance(iteration);
  }
  return fallbacks;
}

}  // namespace

SolveReport solve_admm(const ContactProblem& problem, const AdmmOptions& options, std::span<double> R) {
  check(options);
  FirstOrderProblem scaled(problem, options.formulation, R);
  ScaledWatch watch(scaled, options, R);
  const int fallbacks = Admm(scaled, watch, options).run();
  return watch.report(fallbacks, "another first penalty sigma may help; for high accuracy take AUTO or SEMISMOOTH_NEWTON");
}

SolverInfo admm_info() {
  return {"ADMM",
          "Alternating directions with over-relaxation and adaptive penalty; s = mu |U_T| is taken from the dual at every "
          "iteration. One linear solve an iteration, in body space where bodies are known. Robust on ill-conditioned problems.",
          {std::begin(kEveryFormulation), std::end(kEveryFormulation)},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
           {"sigma", 0.1, "first penalty in units of 1 / rho_a, from 1e-7 to 1e4"},
           {"relaxation", 1.6, "over-relaxation, between 0 and 2"},
           {"rebalance", 25, "iterations between changes of the penalty, growing with every change"},
           {"imbalance", 5.0, "ratio of primal and dual residuals that changes the penalty, above 1"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("ADMM"), values);
            AdmmOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kEveryFormulation);
            options.sigma = read.real("sigma");
            options.relaxation = read.real("relaxation");
            options.rebalance = read.integer("rebalance");
            options.imbalance = read.real("imbalance");
            return solve_admm(problem, options, R);
          }};
}

}  // namespace scree::solvers
