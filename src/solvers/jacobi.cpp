#include "solvers/jacobi.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr double kGrowth = 3.0;  // the step is too long when the yardstick exceeds its best by this,
constexpr int kPatience = 100;   // or finds no better one in so many iterations

void check(const JacobiOptions& options) {
  if (!(options.omega > 0.0 && options.omega < 2.0)) throw_input("JACOBI: omega = {} is outside (0, 2)", options.omega);
  if (!(options.lambda > 0.0 && options.lambda <= 1.0)) throw_input("JACOBI: lambda = {} is outside (0, 1]", options.lambda);
}

}  // namespace

SolveReport solve_jacobi(const ContactProblem& problem, const JacobiOptions& options, std::span<double> R) {
  check(options);
  FirstOrderProblem scaled(problem, options.formulation, R);
  ScaledWatch watch(scaled, options, R);
  VecX x(scaled.size()), g(scaled.size()), F(scaled.size());
  double omega = options.omega, least = 0.0;
  int fallbacks = 0;
  const char* advice = "projected Jacobi is slow: try GAUSS_SEIDEL, APGD or AUTO";
  if (watch.certified(x, g)) return watch.report(0, advice);

  for (int iteration = 1;; ++iteration) {
    scaled.modified(g, F);
    parallel_for(scaled.blocks(), [&](std::ptrdiff_t a) {
      const Vec3 old = x.segment<3>(3 * a);
      x.segment<3>(3 * a) = options.lambda * scaled.project(a, old - omega * F.segment<3>(3 * a)) + (1.0 - options.lambda) * old;
    });
    scaled.gradient(x, g);
    if (watch.finished(x, g, iteration)) break;
    // The step is too long for this W: go back and halve it, down to the length that is always stable. From there the
    // iteration goes on as it is: the law is not monotone, and its yardstick may have to rise before it falls.
    if (omega > least && (!(watch.value() <= kGrowth * watch.best_value()) || watch.since_best() > kPatience)) {
      if (least == 0.0) least = std::min(omega, 1.0 / largest_eigenvalue(scaled));
      omega = std::max(least, 0.5 * omega);
      watch.be_patient();
      ++fallbacks;
      watch.best_iterate(x);
      scaled.gradient(x, g);
    }
  }
  return watch.report(fallbacks, advice);
}

SolverInfo jacobi_info() {
  return {"JACOBI",
          "Projected Jacobi: one projected gradient step for all blocks at once. Parallel and slow; the reference of the "
          "Krylov and spectral methods.",
          {std::begin(kEveryFormulation), std::end(kEveryFormulation)},
          {{"formulation", std::string("coulomb"), "law: coulomb, convex, tresca (thresholds mu R_N of the guess) or frictionless"},
           {"omega", 0.3, "step in units of 3 / tr W_aa, between 0 and 2; halved when the iterates grow"},
           {"lambda", 1.0, "share of the new iterate, above 0 and up to 1"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("JACOBI"), values);
            JacobiOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kEveryFormulation);
            options.omega = read.real("omega");
            options.lambda = read.real("lambda");
            return solve_jacobi(problem, options, R);
          }};
}

}  // namespace scree::solvers
