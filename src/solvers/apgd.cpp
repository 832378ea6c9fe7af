#include "solvers/apgd.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr double kGrowth = 10.0;   // restart from the best iterate when the yardstick exceeds it by this
constexpr double kLeastCap = 0.3;

void check(const ApgdOptions& options) {
  if (!(options.cap >= 0.0 && options.cap <= 1.0)) throw_input("APGD: cap = {} is outside [0, 1]", options.cap);
  if (!(options.shrink > 0.0 && options.shrink <= 1.0)) throw_input("APGD: shrink = {} is outside (0, 1]", options.shrink);
}

/// The iteration's vectors: x, its predecessor, the extrapolated y, and their gradients.
struct Lookahead {
  VecX x, x_old, y, trial, gx, gx_old, gy, g_trial, F;
  double theta = 1.0;

  explicit Lookahead(Eigen::Index n)
      : x(n), x_old(n), y(n), trial(n), gx(n), gx_old(n), gy(n), g_trial(n), F(n) {}

  void restart() {
    theta = 1.0;
    y = x;
    gy = gx;
  }
  /// y = x + beta (x - x_old), and its gradient by linearity.
  void extrapolate(double cap) {
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    const double beta = std::min(cap, (theta - 1.0) / next);
    theta = next;
    parallel_for(x.size() / 3, [&](std::ptrdiff_t a) {
      y.segment<3>(3 * a) = x.segment<3>(3 * a) + beta * (x.segment<3>(3 * a) - x_old.segment<3>(3 * a));
      gy.segment<3>(3 * a) = gx.segment<3>(3 * a) + beta * (gx.segment<3>(3 * a) - gx_old.segment<3>(3 * a));
    });
  }
};

/// Products of the step d = trial - y: d.W d, d.d, and d.(trial - x), negative when momentum points uphill.
struct StepSums {
  double curvature = 0.0, length = 0.0, along = 0.0;
  StepSums& operator+=(const StepSums& other) {
    curvature += other.curvature;
    length += other.length;
    along += other.along;
    return *this;
  }
};

/// trial = proj(y - F / L) with L doubled until it bounds the curvature along the step. True when momentum points uphill.
bool step(FirstOrderProblem& scaled, Lookahead& m, double& L) {
  StepSums sums;
  scaled.modified(m.gy, m.F);
  for (int attempt = 0; attempt < 40; ++attempt) {
    parallel_for(scaled.blocks(), [&](std::ptrdiff_t a) {
      m.trial.segment<3>(3 * a) = scaled.project(a, m.y.segment<3>(3 * a) - m.F.segment<3>(3 * a) / L);
    });
    scaled.gradient(m.trial, m.g_trial);
    sums = total_sum<StepSums>(scaled.blocks(), [&](std::ptrdiff_t a) {
      const Vec3 d = m.trial.segment<3>(3 * a) - m.y.segment<3>(3 * a);
      return StepSums{d.dot(m.g_trial.segment<3>(3 * a) - m.gy.segment<3>(3 * a)), d.squaredNorm(),
                      d.dot(m.trial.segment<3>(3 * a) - m.x.segment<3>(3 * a))};
    });
    if (!(sums.curvature > L * sums.length)) break;
    L = std::max(2.0 * L, sums.curvature / sums.length);
  }
  return sums.along < 0.0;
}

}  // namespace

SolveReport solve_apgd(const ContactProblem& problem, const ApgdOptions& options, std::span<double> R) {
  check(options);
  FirstOrderProblem scaled(problem, options.formulation, R);
  ScaledWatch watch(scaled, options, R);
  Lookahead m(scaled.size());
  int fallbacks = 0;
  const char* advice = "APGD cycles on some sheared packings: try AUTO or ADMM, or a lower cap";
  if (watch.certified(m.x, m.gx)) return watch.report(0, advice);

  double L = 1.0, cap = options.cap;
  m.restart();
  for (int iteration = 1;; ++iteration) {
    const bool uphill = step(scaled, m, L);
    m.x_old.swap(m.x);
    m.gx_old.swap(m.gx);
    m.x.swap(m.trial);
    m.gx.swap(m.g_trial);
    L *= options.shrink;
    if (watch.finished(m.x, m.gx, iteration)) break;
    if (!(watch.value() <= kGrowth * watch.best_value())) {
      // The non-monotone law lets momentum run away: begin again at the best iterate, with less of it.
      cap = std::max(kLeastCap, 1.0 - 1.5 * (1.0 - std::min(cap, 0.99)));
      ++fallbacks;
      watch.best_iterate(m.x);
      scaled.gradient(m.x, m.gx);
      m.restart();
    } else if (uphill) {
      m.restart();
    } else {
      m.extrapolate(cap);
    }
  }
  return watch.report(fallbacks, advice);
}

SolverInfo apgd_info() {
  return {"APGD",
          "Accelerated projected gradient (Nesterov) with adaptive restart and step; s = mu |U_T| is updated inside, so that "
          "the exact law is solved without an outer loop. Fast to moderate accuracy, one product an iteration.",
          {std::begin(kEveryFormulation), std::end(kEveryFormulation)},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
           {"cap", 1.0, "largest momentum factor, from 0 to 1; it falls by itself when iterates grow"},
           {"shrink", 0.99, "factor of the curvature bound after every step, above 0 and up to 1"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("APGD"), values);
            ApgdOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kEveryFormulation);
            options.cap = read.real("cap");
            options.shrink = read.real("shrink");
            return solve_apgd(problem, options, R);
          }};
}

}  // namespace scree::solvers
