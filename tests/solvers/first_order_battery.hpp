/// What every first-order solver must do, whatever its method. Judged by `measure` alone.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "core/threads.hpp"
#include "newton_problems.hpp"
#include "solvers/apgd.hpp"
#include "solvers/generators.hpp"

namespace scree::solvers::testing {

inline constexpr Formulation kLaws[] = {Formulation::coulomb, Formulation::convex, Formulation::tresca, Formulation::frictionless};
/// Those whose impulses and velocities stand in the same cones.
inline constexpr Formulation kConeLaws[] = {Formulation::coulomb, Formulation::tresca, Formulation::frictionless};

/// A solver with its options bound, as the battery calls it.
using Solver = std::function<SolveReport(const ContactProblem&, Formulation, const StopRule&, std::span<double> R)>;

inline StopRule stop_at(double tolerance, int max_iterations = 200000) {
  StopRule stop;
  stop.tolerance = tolerance;
  stop.max_iterations = max_iterations;
  return stop;
}

inline bool all_finite(std::span<const double> R) {
  return std::all_of(R.begin(), R.end(), [](double r) { return std::isfinite(r); });
}

inline std::vector<double> velocity(const ContactProblem& problem, std::span<const double> R) {
  std::vector<double> U(problem.B.size());
  relative_velocity(problem, R, U);
  return U;
}

/// sqrt(sum rho |U - V|^2) over the reference of the residual: the error of U in the yardstick's own norm.
inline double velocity_error(const ContactProblem& problem, std::span<const double> U, std::span<const double> V) {
  const std::vector<double> rho = block_scaling(*problem.W);
  double error = 0.0, scale = 0.0;
  for (std::size_t k = 0; k < U.size(); ++k) {
    error += rho[k / 3] * (U[k] - V[k]) * (U[k] - V[k]);
    scale += rho[k / 3] * problem.B[k] * problem.B[k];
  }
  return std::sqrt(error / scale);
}


/// Small, hyperstatic, with joints, explicit, frictionless and asymmetric problems.
inline std::vector<ContactProblem> battery_problems() {
  std::vector<ContactProblem> problems;
  problems.push_back(random_problem({.bodies = 6, .contacts = 8, .mu = 0.4, .seed = 3}));
  problems.push_back(random_problem({.bodies = 5, .contacts = 20, .mu = 0.3, .seed = 4}));  // 60 unknowns of rank 30
  problems.push_back(random_problem({.bodies = 10, .contacts = 16, .mu = 0.5, .joints = true, .seed = 5}));
  problems.push_back(explicit_copy(problems[1]));
  problems.push_back(random_problem({.bodies = 6, .contacts = 12, .mu = 0.0, .seed = 6}));
  // W as given, one part in a thousand of it not symmetric.
  const auto form = make_explicit(dynamic_cast<const BodyForm&>(*problems[0].W));
  std::vector<int> row_start{0}, columns;
  std::vector<RowMat3> values;
  for (int a = 0; a < form.blocks(); ++a) {
    for (std::size_t k = 0; k < form.columns(a).size(); ++k) {
      columns.push_back(form.columns(a)[k]);
      RowMat3 block = form.values(a)[k];
      block(0, 1) += 1e-3 * form.diagonal()[static_cast<std::size_t>(a)].trace();
      values.push_back(block);
    }
    row_start.push_back(static_cast<int>(columns.size()));
  }
  problems.push_back(problems[0]);
  problems.back().W = std::make_shared<ExplicitForm>(row_start, columns, values);
  return problems;
}

/// The yardstick of a formulation, by `measure` on the problem that states its law.
inline double law_error(const ContactProblem& problem, Formulation law, std::span<const double> R) {
  if (law == Formulation::convex) return measure(Yardstick::ccp, problem, R);
  if (law == Formulation::frictionless) return measure(Yardstick::residual, without_friction(problem), R);
  return measure(Yardstick::residual, problem, R);
}

/// Coulomb, convex and frictionless: the law holds to the tolerance. Tresca: with thresholds of a Coulomb solution it has that
/// solution's velocity, which is unique.
inline void expect_solves(const Solver& solver, std::span<const Formulation> laws, double tolerance) {
  int index = 0;
  for (const ContactProblem& problem : battery_problems()) {
    for (Formulation law : laws) {
      SCOPED_TRACE(fmt::format("problem {} law {}", index, to_string(law)));
      std::vector<double> R(problem.B.size(), 0.0);
      if (law == Formulation::tresca) {
        ApgdOptions reference;
        static_cast<StopRule&>(reference) = stop_at(1e-11);
        ASSERT_EQ(solve_apgd(problem, reference, R).status, Status::converged);
        const std::vector<double> U = velocity(problem, R);
        for (std::size_t k = 0; k < R.size(); ++k)
          if (k % 3 != 0) R[k] *= 0.5;
        const SolveReport report = solver(problem, law, stop_at(tolerance), R);
        EXPECT_EQ(report.status, Status::converged) << report.residual;
        // The velocity's error is of the order of the residual's times the square root of the condition number.
        EXPECT_LT(velocity_error(problem, velocity(problem, R), U), 300.0 * tolerance);
        continue;
      }
      const SolveReport report = solver(problem, law, stop_at(tolerance), R);
      EXPECT_EQ(report.status, Status::converged) << report.residual;
      EXPECT_LE(law_error(problem, law, R), 1.0001 * tolerance);
      EXPECT_GT(report.products, 0);
    }
    ++index;
  }
}

/// A guess that already satisfies the rule is returned as it is, with no iteration.
inline void expect_warm_start(const Solver& solver, Formulation law) {
  const ContactProblem problem = random_problem({.bodies = 10, .contacts = 16, .mu = 0.4, .joints = true, .seed = 7});
  std::vector<double> R(problem.B.size(), 0.0);
  ASSERT_EQ(solver(problem, law, stop_at(1e-6), R).status, Status::converged);
  const std::vector<double> first = R;
  const SolveReport again = solver(problem, law, stop_at(2e-6), R);
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(R, first);
}

/// Limits end the solve, and what is returned is never worse than the guess.
inline void expect_limits(const Solver& solver, Formulation law) {
  const ContactProblem problem = random_problem({.bodies = 6, .contacts = 24, .mu = 0.5, .seed = 8});
  std::vector<double> R(problem.B.size(), 0.0);
  const double start = law_error(problem, law, R);
  SolveReport report = solver(problem, law, stop_at(1e-300, 7), R);
  EXPECT_EQ(report.status, Status::max_iterations);
  EXPECT_LE(report.iterations, 7);
  EXPECT_LE(law_error(problem, law, R), start);
  EXPECT_FALSE(report.advice.empty());
  StopRule rule = stop_at(1e-300, 1 << 30);
  rule.max_seconds = 0.02;
  report = solver(problem, law, rule, R);
  // A residual of zero, up to the rounding of R itself, is the only other way to end.
  EXPECT_TRUE(report.status == Status::max_seconds || law_error(problem, law, R) < 1e-15) << to_string(report.status);
  EXPECT_EQ(solver(problem, law, stop_at(1e-300, 0), R).iterations, 0);
}

/// Masses times 4^k and velocities times 2^k are exact in binary: the same iterations, the scaled answer.
inline void expect_unit_invariance(const Solver& solver, Formulation law) {
  RandomOptions options{.bodies = 8, .contacts = 14, .mu = 0.4, .joints = true, .seed = 9};
  const ContactProblem problem = random_problem(options);
  options.unit_mass = 1048576.0;           // 4^10
  options.unit_velocity = 1.0 / 4096.0;    // 2^-12
  const ContactProblem scaled = random_problem(options);
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  const SolveReport first = solver(problem, law, stop_at(1e-7), R), second = solver(scaled, law, stop_at(1e-7), S);
  EXPECT_EQ(first.status, Status::converged);
  EXPECT_EQ(first.iterations, second.iterations);
  double largest = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < R.size(); ++k) {
    largest = std::max(largest, std::abs(R[k]));
    difference = std::max(difference, std::abs(S[k] / (options.unit_mass * options.unit_velocity) - R[k]));
  }
  EXPECT_LT(difference, 1e-9 * largest);  // rounding, amplified by the iteration
}

/// The velocity does not depend on the order of blocks.
inline void expect_renumbering(const Solver& solver, Formulation law) {
  const ContactProblem problem =
      explicit_copy(random_problem({.bodies = 10, .contacts = 12, .mu = 0.2, .joints = true, .seed = 10}));
  std::vector<int> order(problem.kind.size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  std::swap(order[1], order[4]);
  const ContactProblem other = renumbered(problem, order);
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  ASSERT_EQ(solver(problem, law, stop_at(1e-8), R).status, Status::converged);
  ASSERT_EQ(solver(other, law, stop_at(1e-8), S).status, Status::converged);
  const std::vector<double> U = velocity(problem, R), V = velocity(other, S);
  std::vector<double> back(V.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) back[3 * static_cast<std::size_t>(order[i]) + k] = V[3 * i + k];
  EXPECT_LT(velocity_error(problem, U, back), 1e-6);  // two residuals of 1e-8, times a condition number of 200 at most
}

/// Overflow, underflow, empty, singular and wild guesses: a finite R comes back, within the limits.
inline void expect_finite(const Solver& solver, std::span<const Formulation> laws) {
  const Mat3 I = Mat3::Identity();
  Mat3 normal = Mat3::Zero();
  normal(0, 0) = 1.0;
  const std::vector<std::pair<std::vector<Mat3>, std::vector<double>>> cases = {
      {{}, {}},
      {{I, I}, {0, 0, 0, 0, 0, 0}},
      {{I * 0.0}, {-1, 1, 0}},
      {{normal, I}, {-1, 1, 1, -1, 0, 2}},
      {{I * 1e300, I * 1e-300}, {-1, 1, 0, -1, 0, 1}},
      {{I, I}, {-1e200, 1e200, 0, -1e-200, 0, 0}},
      {{I * 1e-308}, {-1e308, 1e308, 1e308}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (Formulation law : laws)
      for (double guess : {0.0, 1.0, -1e300, 1e308}) {
        SCOPED_TRACE(fmt::format("case {} law {} guess {}", i, to_string(law), guess));
        const ContactProblem problem = diagonal_problem(cases[i].first, cases[i].second, 0.5);
        std::vector<double> R(problem.B.size(), guess);
        const SolveReport report = solver(problem, law, stop_at(1e-10, 300), R);
        EXPECT_TRUE(all_finite(R));
        EXPECT_LE(report.iterations, 300);
      }
}

/// One and two threads give the same bits on a problem of several chunks.
inline void expect_thread_independence(const Solver& solver, Formulation law) {
  const ContactProblem problem = make_packing({.across = 9, .up = 9, .mu = 0.5});
  ASSERT_GT(problem.blocks(), kChunk);
  const int before = threads();
  std::vector<double> R(problem.B.size(), 0.0), S = R;
  set_threads(1);
  (void)solver(problem, law, stop_at(1e-12, 2), R);
  set_threads(2);
  (void)solver(problem, law, stop_at(1e-12, 2), S);
  set_threads(before);
  EXPECT_EQ(R, S);
}

/// The whole battery.
inline void expect_all(const Solver& solver, std::span<const Formulation> laws, double tolerance) {
  expect_solves(solver, laws, tolerance);
  expect_finite(solver, laws);
  expect_thread_independence(solver, laws[0]);
  for (Formulation law : laws) {
    if (law == Formulation::tresca) continue;  // thresholds belong to the guess: covered by expect_solves
    SCOPED_TRACE(to_string(law));
    expect_warm_start(solver, law);
    expect_limits(solver, law);
    expect_unit_invariance(solver, law);
    expect_renumbering(solver, law);
  }
}

}  // namespace scree::solvers::testing
