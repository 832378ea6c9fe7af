#include "solvers/auto_parameters.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "auto_cases.hpp"
#include "core/threads.hpp"

namespace scree::solvers {
namespace {

TEST(AutoParameters, EveryNumberIsInTheTableWithinItsRange) {
  EXPECT_EQ(std::size(kAutoParameters), sizeof(AutoParameters) / sizeof(double));
  const AutoParameters nominal;
  std::set<std::string> names;
  std::set<const double*> fields;
  for (const AutoParameter& parameter : kAutoParameters) {
    const double& value = nominal.*parameter.value;
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_TRUE(fields.insert(&value).second) << parameter.name;
    EXPECT_GE(value, parameter.least) << parameter.name;
    EXPECT_LE(value, parameter.most) << parameter.name;
    EXPECT_GT(std::string(parameter.use).size(), 10u) << parameter.name;
  }
}

TEST(AutoParameters, HalvingOrDoublingAnyChangesCostsNotSuccess) {
  const int before = threads();
  set_threads(1);   // small problems
  const std::vector<testing::AutoCase> list = testing::auto_cases();
  std::vector<testing::AutoOutcome> nominal;
  long products = 0;
  for (const testing::AutoCase& one : list) {
    nominal.push_back(run_case(one, one.parameters));
    EXPECT_TRUE(nominal.back().solved) << one.name;
    products += nominal.back().report.products;
    fmt::print("{:20} {:4} contacts  {:16} {:5} products\n", one.name, one.problem.blocks(), nominal.back().report.stage, nominal.back().report.products);
  }
  for (const AutoParameter& parameter : kAutoParameters) {
    std::set<std::string> felt;
    std::string row;
    for (const double factor : {0.5, 2.0}) {
      long sum = 0;
      for (std::size_t k = 0; k < list.size(); ++k) {
        AutoParameters varied = list[k].parameters;
        double& value = varied.*parameter.value;
        value = std::clamp(value * factor, parameter.least, parameter.most);
        const testing::AutoOutcome outcome = run_case(list[k], varied);
        EXPECT_TRUE(outcome.solved) << parameter.name << " times " << factor << ", " << list[k].name;
        if (outcome.R != nominal[k].R || outcome.report.products != nominal[k].report.products) felt.insert(list[k].name);
        sum += outcome.report.products;
      }
      const double ratio = static_cast<double>(sum) / static_cast<double>(products);
      // All together; a single problem may cost far more or less (auto_parameters.hpp).
      EXPECT_LT(ratio, 2.0) << parameter.name << " times " << factor;
      row += fmt::format("  x{:<4} {:5.2f}", factor, ratio);
    }
    // One that no problem feels has no reason to be there.
    EXPECT_FALSE(felt.empty()) << parameter.name;
    fmt::print("{:16}{}  felt by {} of {}\n", parameter.name, row, felt.size(), list.size());
  }
  set_threads(before);
}

}  // namespace
}  // namespace scree::solvers
