/// Time series: value, slope and integral of the same function.
#include "model/time_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.hpp"

namespace scree::model {
namespace {

TimeSeries random_series(std::mt19937& random) {
  std::uniform_real_distribution<> uniform(-1.0, 1.0);
  std::vector<double> times{-0.5}, values{uniform(random)};
  for (int k = 0; k < 6; ++k) {
    times.push_back(times.back() + 0.05 + 0.3 * std::abs(uniform(random)));
    values.push_back(uniform(random));
  }
  return {times, values};
}

TEST(TimeSeries, IntegralIsThatOfTheValue) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const TimeSeries series = random_series(random);
    for (const double t : {-2.0, -0.3, 0.0, 0.4, 1.1, 5.0}) {
      // The midpoint rule with 20000 cells: corners cost h^2 times a slope below 40.
      double sum = 0.0;
      const int cells = 20000;
      const double h = t / cells;
      for (int k = 0; k < cells; ++k) sum += h * series.value((k + 0.5) * h);
      EXPECT_NEAR(series.integral(t), sum, 1e-6) << t;
    }
    EXPECT_EQ(series.integral(0.0), 0.0);
  }
}

TEST(TimeSeries, SlopeIsThatOfTheValueAndZeroOutside) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 20; ++trial) {
    const TimeSeries series = random_series(random);
    for (std::size_t k = 0; k + 1 < series.times().size(); ++k) {
      const double t = 0.5 * (series.times()[k] + series.times()[k + 1]), d = 1e-4;
      EXPECT_NEAR(series.derivative(t), (series.value(t + d) - series.value(t - d)) / (2 * d), 1e-9);
      EXPECT_NEAR(series.value(series.times()[k]), series.values()[k], 1e-14);
    }
    EXPECT_EQ(series.derivative(series.times().back() + 1.0), 0.0);
    EXPECT_EQ(series.value(-100.0), series.values().front());
    EXPECT_EQ(series.value(100.0), series.values().back());
  }
}

TEST(TimeSeries, WhatIsNoFunctionIsRefused) {
  EXPECT_THROW(TimeSeries({}, {}), InputError);
  EXPECT_THROW(TimeSeries({0.0, 1.0}, {0.0}), InputError);
  EXPECT_THROW(TimeSeries({0.0, 0.0}, {0.0, 1.0}), InputError);
  EXPECT_THROW(TimeSeries({0.0, std::nan("")}, {0.0, 1.0}), InputError);
  EXPECT_TRUE(TimeSeries(3.0).constant());
}

}  // namespace
}  // namespace scree::model
