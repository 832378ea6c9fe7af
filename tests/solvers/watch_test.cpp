#include "solvers/watch.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "core/interrupt.hpp"
#include "newton_problems.hpp"
#include "solvers/generators.hpp"
#include "solvers/registry.hpp"

namespace scree::solvers {
namespace {

using testing::random_problem;

/// The flag never outlives a test.
struct StopGuard {
  ~StopGuard() { clear_stop(); }
};

TEST(Watch, KeepsTheBestOfAnySequence) {
  const ContactProblem problem = random_problem({.bodies = 4, .contacts = 6, .seed = 1});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int run = 0; run < 50; ++run) {
    std::vector<double> best(problem.B.size(), 0.0), lowest = best, trial = best;
    StopRule stop;
    stop.history = true;
    Watch watch(problem, stop, best);
    double value = watch.offer(best);
    for (int k = 0; k < 20; ++k) {
      for (double& r : trial) r = uniform(random);
      watch.count();
      const double now = watch.offer(trial);
      EXPECT_EQ(now, measure(Yardstick::residual, problem, trial));
      if (now < value) {
        value = now;
        lowest = trial;
        EXPECT_EQ(watch.since_best(), 0);
      }
    }
    EXPECT_EQ(best, lowest);
    EXPECT_EQ(watch.best_value(), value);
    const SolveReport report = watch.report("advice");
    EXPECT_EQ(report.history.size(), 21u);
    EXPECT_EQ(*std::min_element(report.history.begin(), report.history.end()), value);
    EXPECT_EQ(report.products, 21);
    EXPECT_EQ(report.advice, "advice");
  }
}

TEST(Watch, TheToleranceEasesOnceTheWorkIsDone) {
  const ContactProblem problem = random_problem({.bodies = 4, .contacts = 6, .seed = 1});
  std::vector<double> best(problem.B.size(), 0.0);
  StopRule stop;
  stop.tolerance = 1e-8;
  Watch watch(problem, stop, best);
  watch.begin(1e-4);
  EXPECT_EQ(watch.until_eased(1.0), 1 << 30);
  watch.ease(1e-3, 100.0);
  EXPECT_EQ(watch.until_eased(30.0), 3);
  EXPECT_EQ(watch.until_eased(300.0), 1);
  watch.count(2, 30.0);
  EXPECT_EQ(watch.tolerance(), 1e-8);
  EXPECT_FALSE(watch.solved());
  // A part with a quarter of the blocks sees four times as many sweeps ahead.
  std::vector<double> same = best;
  Watch part(problem, watch.rest(), same);
  part.ease_with(watch, 0.25);
  EXPECT_EQ(part.until_eased(1.0), 160);
  SolveReport counted;
  counted.iterations = 7;
  counted.work = 160.0;
  watch.add(counted, 0.25);
  EXPECT_TRUE(watch.eased());
  EXPECT_EQ(watch.iterations(), 9);
  EXPECT_EQ(watch.work(), 100.0);
  EXPECT_EQ(watch.tolerance(), 1e-3);
  EXPECT_TRUE(watch.solved());
  EXPECT_EQ(watch.rest().tolerance, 1e-3);
  // A tolerance that is tighter than the rule's changes nothing.
  watch.ease(1e-12, 0.0);
  EXPECT_EQ(watch.tolerance(), 1e-8);
}

TEST(Watch, WhatIsNotANumberIsNeverTheBest) {
  const ContactProblem problem = random_problem({.bodies = 4, .contacts = 6, .seed = 2});
  std::vector<double> best(problem.B.size(), 0.0), bad(best.size(), std::nan(""));
  Watch watch(problem, {}, best);
  watch.offer(best);
  EXPECT_EQ(watch.offer(bad), kInfinity);
  EXPECT_EQ(best, std::vector<double>(best.size(), 0.0));
}

TEST(Watch, AGuessWorseThanNoneIsDropped) {
  const ContactProblem problem = random_problem({.bodies = 4, .contacts = 6, .seed = 3});
  std::vector<double> best(problem.B.size(), 1e9);
  Watch watch(problem, {}, best);
  const double value = watch.offer_guess();
  EXPECT_EQ(best, std::vector<double>(best.size(), 0.0));
  EXPECT_EQ(value, measure(Yardstick::residual, problem, best));
  for (std::size_t k = 0; k < best.size(); ++k) EXPECT_EQ(watch.velocity()[k], problem.B[k]);
}

TEST(Watch, CountsStallsFromTheLastProgress) {
  const ContactProblem problem = random_problem({.bodies = 2, .contacts = 2, .seed = 4});
  std::vector<double> best(problem.B.size(), 0.0);
  Watch watch(problem, {}, best);
  watch.begin(1.0);
  watch.be_patient(0.5);
  const auto step = [&](double value) {
    watch.count();
    watch.note(value, best);
  };
  step(0.9);
  step(0.6);
  EXPECT_EQ(watch.stalled(), 2);      // better, but not by half
  EXPECT_EQ(watch.since_best(), 0);
  step(0.4);
  EXPECT_EQ(watch.stalled(), 0);
  step(0.3);
  step(0.25);
  EXPECT_EQ(watch.stalled(), 2);
}

TEST(Watch, SaysWhichLimitEndedIt) {
  const ContactProblem problem = random_problem({.bodies = 2, .contacts = 2, .seed = 5});
  std::vector<double> best(problem.B.size(), 0.0);
  StopRule stop;
  stop.max_iterations = 3;
  {
    Watch watch(problem, stop, best);
    watch.begin(1.0);
    EXPECT_EQ(watch.rest().max_iterations, 3);
    EXPECT_EQ(watch.rest(2).max_iterations, 2);
    watch.count(2);
    EXPECT_FALSE(watch.ended());
    watch.count();
    EXPECT_TRUE(watch.ended());
    EXPECT_EQ(watch.rest().max_iterations, 0);
    EXPECT_EQ(watch.report("").status, Status::max_iterations);
  }
  stop.max_seconds = 1e-12;
  {
    Watch watch(problem, stop, best);
    watch.begin(1.0);
    EXPECT_TRUE(watch.spent());
    EXPECT_GT(watch.rest().max_seconds, 0.0);
    EXPECT_EQ(watch.report("").status, Status::max_seconds);
  }
  {
    // A solution found in the last allowed iteration is one.
    Watch watch(problem, stop, best);
    watch.begin(1e-9);
    EXPECT_EQ(watch.report("").status, Status::converged);
  }
}

TEST(Watch, EverySolverEndsOnRequest) {
  const StopGuard guard;
  const ContactProblem problem = random_problem({.bodies = 8, .contacts = 20, .mu = 0.5, .seed = 6});
  for (const SolverInfo& info : all_solvers())
    for (const Formulation law : info.formulations) {
      std::vector<double> R(problem.B.size(), 0.0);
      StopRule stop;
      stop.tolerance = 1e-14;
      OptionValues options;
      if (law != Formulation::coulomb) options["formulation"] = to_string(law);
      request_stop();
      const SolveReport report = solve(info.name, problem, stop, options, R);
      clear_stop();
      EXPECT_EQ(report.status, Status::interrupted) << info.name << " " << to_string(law);
      EXPECT_LE(report.iterations, 1) << info.name << " " << to_string(law);
      for (double r : R) EXPECT_TRUE(std::isfinite(r)) << info.name;
    }
}

TEST(Watch, ARequestReachesASolveInProgress) {
  const StopGuard guard;
  const ContactProblem problem = make_packing({.across = 6, .up = 6, .shear = 0.1});
  for (const char* name : {"AUTO", "GAUSS_SEIDEL", "APGD", "ADMM", "NEWTON", "SEMISMOOTH_NEWTON", "IPM"}) {
    std::vector<double> R(problem.B.size(), 0.0);
    StopRule stop;
    stop.tolerance = 1e-300;   // never reached: without the request the solve would go on for hours
    stop.max_iterations = 2000000000;
    std::thread other([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      request_stop();
    });
    const SolveReport report = solve(name, problem, stop, {}, R);
    other.join();
    clear_stop();
    EXPECT_TRUE(report.status == Status::interrupted || report.residual <= 1e-300) << name << " " << to_string(report.status);
  }
}

TEST(Watch, AutoReportsResidualAndYardstickApart) {
  // A warm start good enough by `merit` is kept; what is reported is its residual.
  const ContactProblem problem = make_packing({.across = 4, .up = 4, .seed = 3});
  std::vector<double> R(problem.B.size(), 0.0);
  StopRule stop;
  stop.tolerance = 1e-3;
  ASSERT_EQ(solve("GAUSS_SEIDEL", problem, stop, {}, R).status, Status::converged);
  const std::vector<double> given = R;
  stop.yardstick = Yardstick::merit;
  stop.tolerance = 2.0 * measure(Yardstick::merit, problem, R);
  const SolveReport report = solve("AUTO", problem, stop, {}, R);
  EXPECT_EQ(report.stage, "warm start");
  EXPECT_EQ(R, given);
  const double residual = measure(Yardstick::residual, problem, R), merit = measure(Yardstick::merit, problem, R);
  EXPECT_GT(residual, 10.0 * merit);
  EXPECT_EQ(report.residual, residual);
}

}  // namespace
}  // namespace scree::solvers
