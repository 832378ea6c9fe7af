/// Piecewise linear functions of time.
#pragma once

#include <string>
#include <vector>

namespace scree::model {

/// A number or a linear spline through (t_i, v_i), t_i increasing; constant before the first and after
/// the last point.
class TimeSeries {
 public:
  TimeSeries(double constant = 0.0) : times_{0.0}, values_{constant} {}  // NOLINT: a number is a series
  /// InputError when empty, sizes differ, a number is not finite or times do not increase.
  TimeSeries(std::vector<double> times, std::vector<double> values);

  [[nodiscard]] double value(double t) const;
  /// Right-sided slope; zero outside the points.
  [[nodiscard]] double derivative(double t) const;
  /// Exact integral from 0 to t.
  [[nodiscard]] double integral(double t) const;

  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] bool constant() const { return values_.size() == 1; }

 private:
  /// Integral from the first point to t.
  [[nodiscard]] double primitive(double t) const;

  std::vector<double> times_, values_;
};

/// Read "time value" pairs separated by blanks, commas or line ends; '#' starts a comment. FileError names
/// path and line.
[[nodiscard]] TimeSeries read_time_series(const std::string& path);

}  // namespace scree::model
