#include "solvers/kucera.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/half_cylinder.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/outer_iteration.hpp"

namespace scree::solvers {

namespace {


void check(const KuceraOptions& options) {
  if (options.formulation == Formulation::convex)
    throw_input("KUCERA solves coulomb, tresca and frictionless contact; for the convex relaxation take SPG or APGD");
  if (!(options.gamma > 0.0)) throw_input("KUCERA: gamma = {} must be positive", options.gamma);
}

/// Longest step along -p that keeps |T - t p| <= radius.
double step_to_circle(const Vec2& T, const Vec2& p, double radius) {
  const double a = p.squaredNorm(), b = T.dot(p), c = radius * radius - T.squaredNorm();
  if (a == 0.0) return kInfinity;
  return std::max(0.0, (b + std::sqrt(std::max(0.0, b * b + a * c))) / a);
}

class Kucera {
 public:
  Kucera(FirstOrderProblem& problem, ScaledWatch& watch, const KuceraOptions& options)
      : problem_(problem), watch_(watch), gamma2_(options.gamma * options.gamma) {
    for (VecX* v : {&x_, &g_, &p_, &Np_, &free_, &boundary_}) v->setZero(problem.size());
  }

  void run();

 private:
  /// The parts of (x - proj(x - step g)) / step on free and on active unknowns.
  void split();
  /// The gradient on the free unknowns.
  void free_gradient(VecX& phi) const;
  [[nodiscard]] double longest_step() const;
  void expand(double to_boundary);
  void step_along(const VecX& part);

  [[nodiscard]] bool free_normal(std::ptrdiff_t a) const { return !frictional(problem_.kind(a)) || x_[3 * a] > 0.0; }
  [[nodiscard]] bool free_tangent(std::ptrdiff_t a) const {
    return face_of(problem_, a, x_.segment<3>(3 * a), Vec3::Zero()).disk;
  }

  FirstOrderProblem& problem_;
  ScaledWatch& watch_;
  double gamma2_, step_ = 1.0;
  VecX x_, g_, p_, Np_, free_, boundary_;
};

void Kucera::split() {
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    const Vec3 x = x_.segment<3>(3 * a);
    const Vec3 moved = (x - problem_.project(a, x - step_ * g_.segment<3>(3 * a))) / step_;
    const bool normal = free_normal(a), tangent = free_tangent(a);
    free_.segment<3>(3 * a) << (normal ? moved.x() : 0.0), (tangent ? moved.y() : 0.0), (tangent ? moved.z() : 0.0);
    boundary_.segment<3>(3 * a) = moved - free_.segment<3>(3 * a);
  });
}

void Kucera::free_gradient(VecX& phi) const {
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    const bool normal = free_normal(a), tangent = free_tangent(a);
    phi.segment<3>(3 * a) << (normal ? g_[3 * a] : 0.0), (tangent ? g_[3 * a + 1] : 0.0), (tangent ? g_[3 * a + 2] : 0.0);
  });
}

double Kucera::longest_step() const {
  double longest = kInfinity;
  for (std::ptrdiff_t a = 0; a < problem_.blocks(); ++a) {
    if (!frictional(problem_.kind(a))) continue;
    if (p_[3 * a] > 0.0) longest = std::min(longest, x_[3 * a] / p_[3 * a]);
    if (problem_.threshold(a) > 0.0)
      longest = std::min(longest, step_to_circle(x_.segment<2>(3 * a + 1), p_.segment<2>(3 * a + 1), problem_.threshold(a)));
  }
  return longest;
}

void Kucera::step_along(const VecX& part) {
  add_scaled(-step_, part, x_);
  problem_.project(x_);
  problem_.gradient(x_, g_);
  free_gradient(p_);
}

/// To the boundary along p, then a fixed step along the projected free gradient found there.
void Kucera::expand(double to_boundary) {
  if (std::isfinite(to_boundary)) {
    add_scaled(-to_boundary, p_, x_);
    add_scaled(-to_boundary, Np_, g_);
    problem_.project(x_);
  }
  split();
  step_along(free_);
}

void Kucera::run() {
  if (watch_.certified(x_, g_)) return;
  step_ = 1.0 / largest_eigenvalue(problem_);
  free_gradient(p_);
  for (int iteration = 1;; ++iteration) {
    split();
    if (dot(boundary_, g_) <= gamma2_ * dot(free_, g_)) {
      problem_.product(p_, Np_);
      const double pNp = dot(p_, Np_), slope = dot(g_, p_), conjugate = pNp > 0.0 ? slope / pNp : kInfinity;
      const double boundary = longest_step();
      if (conjugate < boundary) {
        add_scaled(-conjugate, p_, x_);
        problem_.project(x_);
        problem_.gradient(x_, g_);
        free_gradient(free_);
        const double rho = dot(free_, Np_) / pNp;
        p_ = free_ - rho * p_;
      } else {
        expand(boundary);
      }
    } else {
      step_along(boundary_);
    }
    if (watch_.finished(x_, g_, iteration)) return;
    if (!std::isfinite(watch_.value())) {
      // Rounding took over: shorter fixed steps from the best iterate.
      step_ *= 0.5;
      watch_.best_iterate(x_);
      problem_.gradient(x_, g_);
      free_gradient(p_);
    }
  }
}

}  // namespace

SolveReport solve_kucera(const ContactProblem& problem, const KuceraOptions& options, std::span<double> R) {
  check(options);
  if (options.formulation == Formulation::coulomb) {
    OuterOptions outer;
    static_cast<StopRule&>(outer) = options;
    outer.law = OuterLaw::tresca;
    KuceraOptions inner = options;
    inner.formulation = Formulation::tresca;
    return solve_outer(problem, outer, [&](const ContactProblem& part, const StopRule& stop, std::span<double> trial) {
      static_cast<StopRule&>(inner) = stop;
      return solve_kucera(part, inner, trial);
    }, R);
  }
  FirstOrderProblem scaled(problem, options.formulation, R, options.preconditioner);
  ScaledWatch watch(scaled, options, R);
  Kucera(scaled, watch, options).run();
  return watch.report(0, "KUCERA needs a well conditioned W: try GPMINRES, APGD or AUTO");
}

SolverInfo kucera_info() {
  return {"KUCERA",
          "Kucera's method: conjugate gradients on the free unknowns with expansion and proportioning steps. Frictionless and "
          "Tresca contact; Coulomb friction by an accelerated fixed point on the thresholds.",
          {std::begin(kBoundFormulations), std::end(kBoundFormulations)},
          {{"formulation", std::string("coulomb"), "law: coulomb (Tresca with fixed point), tresca (thresholds mu R_N of the guess) or frictionless"},
           {"preconditioner", std::string("diagonal"), "'diagonal' (unknowns scaled block by block) or 'none' (as in the paper)"},
           {"gamma", 1.0, "readiness to release active constraints, positive"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("KUCERA"), values);
            KuceraOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kBoundFormulations);
            options.preconditioner = scaling_from("KUCERA", read.text("preconditioner"));
            options.gamma = read.real("gamma");
            return solve_kucera(problem, options, R);
          }};
}

}  // namespace scree::solvers
