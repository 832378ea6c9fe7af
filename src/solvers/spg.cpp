#include "solvers/spg.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr double kSigmaMin = 0.1, kSigmaMax = 0.5;  // safeguards of the step's contraction

void check(const SpgOptions& options) {
  if (options.memory < 1) throw_input("SPG: memory = {} must be at least 1", options.memory);
  if (!(options.decrease >= 0.0 && options.decrease < 1.0)) throw_input("SPG: decrease = {} is outside [0, 1)", options.decrease);
  if (!(options.alpha_min > 0.0 && options.alpha_min < options.alpha_max))
    throw_input("SPG: alpha_min = {} and alpha_max = {} must be positive and ordered", options.alpha_min, options.alpha_max);
}

/// The last objective values. Only differences matter, so the objective starts at zero and is carried
/// by increments, exact to rounding also near the solution where values themselves cancel.
class Climb {
 public:
  explicit Climb(int memory) : values_(memory, 0.0) {}
  [[nodiscard]] double allowance() const { return *std::max_element(values_.begin(), values_.begin() + count_) - value_; }
  void add(double increment) {
    value_ += increment;
    values_[next_] = value_;
    next_ = (next_ + 1) % static_cast<int>(values_.size());
    count_ = std::min(count_ + 1, static_cast<std::ptrdiff_t>(values_.size()));
  }
  void clear() {
    value_ = values_[0] = 0.0;
    count_ = 1;
    next_ = 1 % static_cast<int>(values_.size());
  }

 private:
  std::vector<double> values_;
  double value_ = 0.0;
  std::ptrdiff_t count_ = 1;
  int next_ = 0;
};

/// Step length in (0, 1]: the objective along d is  t slope + t^2 curvature / 2.
double line_search(double slope, double curvature, double allowance, double decrease) {
  double t = 1.0;
  for (int k = 0; k < 30; ++k) {
    if (t * slope + 0.5 * t * t * curvature <= allowance + decrease * t * slope) break;
    const double minimiser = curvature > 0.0 ? -slope / curvature : 0.5 * t;
    t = std::clamp(minimiser, kSigmaMin * t, kSigmaMax * t);
  }
  return t;
}

}  // namespace

SolveReport solve_spg(const ContactProblem& problem, const SpgOptions& options, std::span<double> R) {
  check(options);
  FirstOrderProblem scaled(problem, options.formulation, R, options.preconditioner);
  ScaledWatch watch(scaled, options, R);
  const Eigen::Index n = scaled.size();
  VecX x(n), g(n), F(n), d(n), y(n), next(n), g_next(n);
  int fallbacks = 0;
  const char* advice = "SPG slows down on stiff packings: try AUTO or GAUSS_SEIDEL";
  if (watch.certified(x, g)) return watch.report(0, advice);

  Climb climb(options.memory);
  double alpha = 1.0;
  for (int iteration = 1;; ++iteration) {
    scaled.modified(g, F);
    parallel_for(scaled.blocks(), [&](std::ptrdiff_t a) {
      d.segment<3>(3 * a) = scaled.project(a, x.segment<3>(3 * a) - alpha * F.segment<3>(3 * a)) - x.segment<3>(3 * a);
    });
    // One product gives the objective along the whole segment.
    next = x;
    add_scaled(1.0, d, next);
    scaled.gradient(next, g_next);
    y = g_next;
    add_scaled(-1.0, g, y);
    const double dd = dot(d, d), dy = dot(d, y), yy = dot(y, y), slope = dot(d, F);
    const double t = line_search(slope, dy, climb.allowance(), options.decrease);
    if (t == 1.0) {
      x.swap(next);
      g.swap(g_next);
    } else {
      add_scaled(t, d, x);
      add_scaled(t, y, g);
    }
    climb.add(t * slope + 0.5 * t * t * dy);
    // Barzilai and Borwein's two steps in turn.
    const double spectral = iteration % 2 == 0 ? dd / dy : dy / yy;
    alpha = dy > 0.0 && std::isfinite(spectral) ? std::clamp(spectral, options.alpha_min, options.alpha_max) : options.alpha_max;
    if (watch.finished(x, g, iteration)) break;
    if (!std::isfinite(watch.value())) {
      ++fallbacks;
      watch.best_iterate(x);
      scaled.gradient(x, g);
      climb.clear();
      alpha = 1.0;
    }
  }
  return watch.report(fallbacks, advice);
}

SolverInfo spg_info() {
  return {"SPG",
          "Preconditioned spectral projected gradient with fallback (P-SPG-FB): Barzilai-Borwein steps with a non-monotone "
          "line search, directly on cones. One product an iteration.",
          {std::begin(kEveryFormulation), std::end(kEveryFormulation)},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
           {"preconditioner", std::string("diagonal"), "'diagonal' (averaged over each block, as in the paper) or 'none'"},
           {"memory", 10, "objective values the line search may climb back to, at least 1"},
           {"decrease", 1e-4, "sufficient decrease, from 0 to below 1"},
           {"alpha_min", 1e-9, "least spectral step, scaled unknowns"},
           {"alpha_max", 1e9, "greatest spectral step, scaled unknowns"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("SPG"), values);
            SpgOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kEveryFormulation);
            options.preconditioner = scaling_from("SPG", read.text("preconditioner"));
            options.memory = read.integer("memory");
            options.decrease = read.real("decrease");
            options.alpha_min = read.real("alpha_min");
            options.alpha_max = read.real("alpha_max");
            return solve_spg(problem, options, R);
          }};
}

}  // namespace scree::solvers
