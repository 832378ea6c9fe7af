#include "solvers/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "solvers/generators.hpp"

namespace scree::solvers {
namespace {

ContactProblem tiny() {
  PackingOptions options;
  options.across = 2;
  options.up = 2;
  return make_packing(options);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Registry, EverySolverIsDocumented) {
  std::set<std::string> names;
  for (const SolverInfo& info : all_solvers()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.text.size(), 40u) << info.name;
    EXPECT_FALSE(info.formulations.empty()) << info.name;
    for (const OptionInfo& option : info.options) EXPECT_GT(option.text.size(), 5u) << info.name << " " << option.name;
  }
  EXPECT_TRUE(names.contains("AUTO"));
  EXPECT_TRUE(names.contains("GAUSS_SEIDEL"));
}

TEST(Registry, WrongNamesAndTypesAdvise) {
  const ContactProblem problem = tiny();
  std::vector<double> R(problem.B.size(), 0.0);
  EXPECT_NE(refusal([&] { solve("GAUS_SEIDEL", problem, {}, {}, R); }).find("GAUSS_SEIDEL"), std::string::npos);
  EXPECT_NE(refusal([&] { solve("GAUSS_SEIDEL", problem, {}, {{"omeha", 1.0}}, R); }).find("omega"), std::string::npos);
  EXPECT_NE(refusal([&] { solve("GAUSS_SEIDEL", problem, {}, {{"omega", std::string("1")}}, R); }).find("a number"), std::string::npos);
  StopRule stop;
  stop.tolerance = 0.0;
  EXPECT_NE(refusal([&] { solve("AUTO", problem, stop, {}, R); }).find("tolerance"), std::string::npos);
  R.pop_back();
  EXPECT_NE(refusal([&] { solve("AUTO", problem, {}, {}, R); }).find("guess"), std::string::npos);
}

TEST(Registry, IntegersPassForRealsAndBadGuessesAreDropped) {
  const ContactProblem problem = tiny();
  std::vector<double> R(problem.B.size(), std::nan(""));
  const SolveReport report = solve("GAUSS_SEIDEL", problem, {}, {{"omega", 1}}, R);
  EXPECT_EQ(report.status, Status::converged);
  EXPECT_LE(report.residual, 1e-8);
  EXPECT_GT(report.seconds, 0.0);
}

}  // namespace
}  // namespace scree::solvers
