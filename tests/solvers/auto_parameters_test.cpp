#include "solvers/auto_parameters.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "../long_form.hpp"
#include "auto_catalogue.hpp"
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
  // The first problems of the generator, as they come. What each number changes is printed; most are not felt by problems as small as these.
  const std::uint32_t problems = long_form() ? 24 : 8;
  const int before = threads();
  set_threads(1);   // small problems
  std::vector<testing::AutoCase> list;
  std::vector<testing::AutoOutcome> nominal;
  long products = 0;
  for (std::uint32_t seed = 0; seed < problems; ++seed) {
    list.push_back(testing::draw_case(seed));
    nominal.push_back(run_case(list.back(), {}));
    EXPECT_TRUE(nominal.back().solved) << list.back().name;
    products += nominal.back().report.products;
    fmt::print("{:12} {:4} blocks  {:16} {:5} products\n", list.back().name, list.back().problem.blocks(), nominal.back().report.stage, nominal.back().report.products);
  }
  int in_use = 0;
  for (const AutoParameter& parameter : kAutoParameters) {
    std::set<std::string> felt;
    std::string row;
    double least = 1.0, most = 1.0;
    for (const double factor : {0.5, 2.0}) {
      long sum = 0;
      for (std::size_t k = 0; k < list.size(); ++k) {
        AutoParameters varied;
        double& value = varied.*parameter.value;
        value = std::clamp(value * factor, parameter.least, parameter.most);
        const testing::AutoOutcome outcome = run_case(list[k], varied);
        EXPECT_TRUE(outcome.solved) << parameter.name << " times " << factor << ", " << list[k].name;
        if (outcome.R != nominal[k].R || outcome.report.products != nominal[k].report.products) felt.insert(list[k].name);
        const double ratio = static_cast<double>(outcome.report.products) / static_cast<double>(std::max(1L, nominal[k].report.products));
        least = std::min(least, ratio), most = std::max(most, ratio);
        sum += outcome.report.products;
      }
      const double ratio = static_cast<double>(sum) / static_cast<double>(products);
      // All together; of a single problem the range is printed.
      EXPECT_LT(ratio, 2.0) << parameter.name << " times " << factor;
      row += fmt::format("  x{:<4} {:5.2f}", factor, ratio);
    }
    in_use += !felt.empty();
    fmt::print("{:16}{}  felt by {:2} of {}, a single one {:.2f} to {:.2f}\n", parameter.name, row, felt.size(), list.size(), least, most);
  }
  fmt::print("{} of {} are felt\n", in_use, std::size(kAutoParameters));
  // Options that lead nowhere would make all of this idle: those of sweeps and of working sets are felt by any list of problems.
  EXPECT_GE(in_use, 6);
  set_threads(before);
}

}  // namespace
}  // namespace scree::solvers
