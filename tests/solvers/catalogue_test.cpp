// What every solver of the catalogue must do, whatever its method; judged by `measure` alone.
#include "solvers/registry.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "core/error.hpp"

#include "first_order_battery.hpp"

#if defined(__GLIBC__) && !defined(SCREE_SANITIZED)
#define SCREE_COUNT_ALLOCATIONS
namespace {
thread_local long allocations = 0;
}
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace scree::solvers {
namespace {

using namespace testing;

/// Solvers that have the formulation as an option get it by name.
SolveReport run(const SolverInfo& info, const ContactProblem& problem, Formulation law, const StopRule& stop, std::span<double> R) {
  OptionValues options;
  if (law != Formulation::coulomb) options["formulation"] = to_string(law);
  return solve(info.name, problem, stop, options, R);
}

struct Edge {
  std::string name;
  ContactProblem problem;
};

std::vector<Edge> edge_problems() {
  const Mat3 I = Mat3::Identity();
  Mat3 normal = Mat3::Zero();
  normal(0, 0) = 1.0;
  std::vector<Edge> edges;
  edges.push_back({"no blocks", diagonal_problem({}, {}, 0.5)});
  edges.push_back({"B = 0", diagonal_problem({I, I}, {0, 0, 0, 0, 0, 0}, 0.5)});
  edges.push_back({"mu = 0", without_friction(random_problem({.bodies = 5, .contacts = 9, .seed = 21}))});
  edges.push_back({"W_aa = 0", diagonal_problem({I * 0.0, I}, {0, 0, 0, -1, 0.2, 0}, 0.5)});
  edges.push_back({"W_aa = 0 pressed", diagonal_problem({I * 0.0, I}, {-1, 0.3, 0, -1, 0.2, 0}, 0.5)});
  edges.push_back({"tangents without mobility", diagonal_problem({normal, I}, {-1, 0, 0, -1, 0, 2}, 0.5)});
  edges.push_back({"huge friction", diagonal_problem({I, I}, {-1, 3, 0, -1, 0, 2}, 1e6)});
  Edge joints{"bilateral only", random_problem({.bodies = 8, .contacts = 8, .seed = 22})};
  std::fill(joints.problem.kind.begin(), joints.problem.kind.end(), BlockKind::bilateral);
  edges.push_back(joints);
  for (const double unit : {1e-12, 1e12}) {
    edges.push_back({fmt::format("masses times {:g}", unit), random_problem({.bodies = 6, .contacts = 9, .mu = 0.4, .unit_mass = unit, .seed = 23})});
    edges.push_back({fmt::format("velocities times {:g}", unit), random_problem({.bodies = 6, .contacts = 9, .mu = 0.4, .unit_velocity = unit, .seed = 23})});
  }
  return edges;
}

/// Methods that project on cones, for which a cone much wider than high is hardly a cone.
const std::vector<std::string> kOnCones = {"ADMM", "APGD", "CONVEX_FIXED_POINT", "IPM", "JACOBI", "SPG"};

TEST(Catalogue, EdgeProblemsEndWithinTheLimitsAndFinite) {
  for (const SolverInfo& info : all_solvers())
    for (const Edge& edge : edge_problems())
      for (const double guess : {0.0, 1.0}) {
        SCOPED_TRACE(fmt::format("{} on '{}' from {}", info.name, edge.name, guess));
        std::vector<double> R(edge.problem.B.size(), guess);
        const double before = measure(Yardstick::residual, edge.problem, R);
        const SolveReport report = solve(info.name, edge.problem, stop_at(1e-6, 3000), {}, R);
        const double after = measure(Yardstick::residual, edge.problem, R);
        EXPECT_TRUE(all_finite(R));
        EXPECT_LE(report.iterations, 3000);
        EXPECT_LE(after, before * (1.0 + 1e-12));
        // Nothing can lift a pressed contact without mobility, and steps on very wide cones gain little; everything else here is easy.
        const bool wide = edge.name == "huge friction" && std::ranges::count(kOnCones, info.name) > 0;
        if (wide) {
          EXPECT_EQ(report.status == Status::converged, after <= 1e-6) << after;
        } else if (edge.name != "W_aa = 0 pressed") {
          EXPECT_EQ(report.status, Status::converged) << after;
          EXPECT_LE(after, 1e-6);
        }
      }
}

TEST(Catalogue, EveryListedFormulationIsSolvedAndOthersAreRefused) {
  const ContactProblem problem = random_problem({.bodies = 7, .contacts = 12, .mu = 0.3, .joints = true, .seed = 24});
  for (const SolverInfo& info : all_solvers())
    for (const Formulation law : {Formulation::coulomb, Formulation::convex, Formulation::tresca, Formulation::frictionless}) {
      SCOPED_TRACE(info.name + " " + to_string(law));
      std::vector<double> R(problem.B.size(), 0.0);
      if (std::find(info.formulations.begin(), info.formulations.end(), law) == info.formulations.end()) {
        EXPECT_THROW(run(info, problem, law, stop_at(1e-6), R), InputError);
        continue;
      }
      std::vector<double> U;
      if (law == Formulation::tresca) {
        // Thresholds of a Coulomb solution: Tresca's law has the same, unique velocity.
        ASSERT_EQ(solve("AUTO", problem, stop_at(1e-11), {}, R).status, Status::converged);
        U = velocity(problem, R);
        for (std::size_t k = 0; k < R.size(); ++k)
          if (k % 3 != 0) R[k] *= 0.5;
      }
      const SolveReport report = run(info, problem, law, stop_at(1e-6), R);
      EXPECT_EQ(report.status, Status::converged);
      // The velocity's error is the residual's times the root of the condition number, 300 at most here.
      if (law == Formulation::tresca) EXPECT_LT(velocity_error(problem, velocity(problem, R), U), 3e-4);
      else EXPECT_LE(law_error(problem, law, R), 1.0001e-6);
    }
}

TEST(Catalogue, SolversAgreeOnTheVelocity) {
  int index = 0;
  for (const ContactProblem& problem : battery_problems()) {
    std::vector<double> R(problem.B.size(), 0.0);
    ASSERT_EQ(solve("AUTO", problem, stop_at(1e-12), {}, R).status, Status::converged);
    const std::vector<double> exact = velocity(problem, R);
    for (const SolverInfo& info : all_solvers()) {
      SCOPED_TRACE(fmt::format("{} on problem {}", info.name, index));
      std::vector<double> S(problem.B.size(), 0.0);
      const SolveReport report = solve(info.name, problem, stop_at(1e-8, 100000), {}, S);
      EXPECT_EQ(report.status, Status::converged) << report.residual;
      // U is unique, R is not; the condition of these problems amplifies the residual by 300 at most.
      EXPECT_LT(velocity_error(problem, velocity(problem, S), exact), 3e-6);
    }
    ++index;
  }
}

TEST(Catalogue, TimeAndIterationLimitsAreKept) {
  const ContactProblem problem = make_packing({.across = 6, .up = 6, .mu = 0.5, .shear = 1.0});
  for (const SolverInfo& info : all_solvers()) {
    SCOPED_TRACE(info.name);
    std::vector<double> R(problem.B.size(), 0.0);
    const double start = measure(Yardstick::residual, problem, R);
    SolveReport report = solve(info.name, problem, stop_at(1e-300, 3), {}, R);
    EXPECT_LE(report.iterations, 3);
    EXPECT_NE(report.status, Status::converged);
    EXPECT_FALSE(report.advice.empty());
    EXPECT_LE(measure(Yardstick::residual, problem, R), start);
    StopRule rule = stop_at(1e-300, 1 << 30);
    rule.max_seconds = 0.02;
    const auto begun = std::clock();
    report = solve(info.name, problem, rule, {}, R);
    EXPECT_NE(report.status, Status::converged);
    // One iteration may finish after the limit: a factorisation of this size takes less than a second of processor time.
    EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, 1.5);
  }
}

TEST(Catalogue, TheBestIterateIsReturned) {
  const ContactProblem packing = make_packing({.across = 3, .up = 3, .mu = 0.5, .shear = 1.0});
  for (const ContactProblem& problem : {packing, explicit_copy(packing)})
    for (const SolverInfo& info : all_solvers())
      for (const int limit : {1, 7, 40}) {
        SCOPED_TRACE(fmt::format("{} after {} iterations", info.name, limit));
        std::vector<double> R(problem.B.size(), 0.0);
        StopRule rule = stop_at(1e-14, limit);
        rule.history = true;
        const SolveReport report = solve(info.name, problem, rule, {}, R);
        const double reached = measure(Yardstick::residual, problem, R);
        // Summation in another order may change the last digits of a residual.
        EXPECT_NEAR(report.residual, reached, 1e-6 * reached + 1e-15);
        for (const double seen : report.history) EXPECT_LE(reached, seen * (1.0 + 1e-6) + 1e-15);
      }
}

TEST(Catalogue, GuessesThatAreNotFiniteDoNoHarm) {
  const ContactProblem problem = random_problem({.bodies = 7, .contacts = 12, .mu = 0.3, .joints = true, .seed = 24});
  for (const SolverInfo& info : all_solvers())
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e300}) {
      SCOPED_TRACE(fmt::format("{} from {}", info.name, bad));
      std::vector<double> R(problem.B.size(), 0.1);
      R[4] = bad;
      const SolveReport report = solve(info.name, problem, stop_at(1e-6, 3000), {}, R);
      EXPECT_TRUE(all_finite(R));
      EXPECT_EQ(report.status, Status::converged);
      EXPECT_LE(measure(Yardstick::residual, problem, R), 1e-6);
    }
}

#ifdef SCREE_COUNT_ALLOCATIONS
TEST(Catalogue, LoopsDoNotAllocate) {
  // Solves inside of some are solves of their own, with workspaces of their own: a few dozen allocations each, not one an iteration. The
  // sparse factors of CHOLMOD bring scratch of their own, some thirty allocations each.
  const auto allowed = [](const std::string& name, int iterations) {
    if (name == "IPM_DIRECT" || name == "SEMISMOOTH_NEWTON") return 32 * iterations;
    const bool inner = name == "GPMINRES" || name == "KUCERA" || name == "ADMM" || name == "CONVEX_FIXED_POINT" || name == "TRESCA_FIXED_POINT";
    return inner ? 2 * iterations : 0;
  };
  const ContactProblem packing = make_packing({.across = 3, .up = 3, .mu = 0.5, .shear = 1.0});
  for (const ContactProblem& problem : {packing, explicit_copy(packing)})
    for (const SolverInfo& info : all_solvers()) {
      SCOPED_TRACE(info.name);
      // Newton steps that finish an interior-point path are another solver's.
      OptionValues options;
      if (info.name.starts_with("IPM")) options["polish"] = false;
      if (info.name == "IPM") options["linmaxiter"] = 20;
      int made = 0;
      const auto count = [&](int iterations) {
        std::vector<double> R(problem.B.size(), 0.0);
        const long before = allocations;
        made = solve(info.name, problem, stop_at(1e-300, iterations), options, R).iterations;
        return allocations - before;
      };
      (void)count(60);  // workspaces grow to their size
      const long few = count(5), many = count(60);
      EXPECT_GT(made, 5);
      EXPECT_LE(many - few, allowed(info.name, made));
    }
}
#endif

}  // namespace
}  // namespace scree::solvers
