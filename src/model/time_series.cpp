#include "model/time_series.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/error.hpp"

namespace scree::model {

TimeSeries::TimeSeries(std::vector<double> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  if (times_.empty() || times_.size() != values_.size())
    throw_input("TIME_SERIES: {} times and {} values; give at least one pair [t0, v0, t1, v1, ...]", times_.size(), values_.size());
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!std::isfinite(times_[i]) || !std::isfinite(values_[i]))
      throw_input("TIME_SERIES: point {} is ({}, {}); numbers must be finite", i, times_[i], values_[i]);
    if (i > 0 && times_[i] <= times_[i - 1])
      throw_input("TIME_SERIES: time {} at point {} does not exceed time {} before it; sort the points by time", times_[i], i, times_[i - 1]);
  }
}

double TimeSeries::value(double t) const {
  if (t <= times_.front()) return values_.front();
  if (t >= times_.back()) return values_.back();
  const std::size_t i = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
  const double share = (t - times_[i - 1]) / (times_[i] - times_[i - 1]);
  return values_[i - 1] + share * (values_[i] - values_[i - 1]);
}

double TimeSeries::derivative(double t) const {
  if (t < times_.front() || t >= times_.back()) return 0.0;
  const std::size_t i = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin();
  return (values_[i] - values_[i - 1]) / (times_[i] - times_[i - 1]);
}

double TimeSeries::primitive(double t) const {
  if (t <= times_.front()) return values_.front() * (t - times_.front());
  double sum = 0.0;
  std::size_t i = 1;
  for (; i < times_.size() && times_[i] <= t; ++i) sum += 0.5 * (values_[i - 1] + values_[i]) * (times_[i] - times_[i - 1]);
  if (i < times_.size()) sum += 0.5 * (values_[i - 1] + value(t)) * (t - times_[i - 1]);
  return sum + values_.back() * std::max(0.0, t - times_.back());
}

double TimeSeries::integral(double t) const { return primitive(t) - primitive(0.0); }

namespace {

/// True for a line that names columns, such as "time,acceleration": it begins with something that is no number.
bool names_columns(const std::string& line) {
  const char* text = line.c_str();
  while (std::isspace(static_cast<unsigned char>(*text))) ++text;
  char* end = nullptr;
  (void)std::strtod(text, &end);
  return *text != '\0' && end == text;
}

}  // namespace

TimeSeries read_time_series(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw_file("TIME_SERIES: cannot open '{}'; check the path", path);
  std::vector<double> numbers;
  std::string line;
  bool header = false;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    if (numbers.empty() && !header && names_columns(line)) {
      header = true;
      if (const auto more = std::count_if(line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }); more > 1)
        throw_file("TIME_SERIES: '{}' line {} names {} columns; keep two of them, time and value", path, number, more + 1);
      continue;
    }
    std::replace_if(line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    const char* text = line.c_str();
    while (true) {
      while (std::isspace(static_cast<unsigned char>(*text))) ++text;
      if (*text == '\0') break;
      char* end = nullptr;
      numbers.push_back(std::strtod(text, &end));
      if (end == text) throw_file("TIME_SERIES: '{}' line {}: '{}' is not a number", path, number, std::string(text).substr(0, 20));
      text = end;
    }
  }
  if (numbers.empty() || numbers.size() % 2 != 0)
    throw_file("TIME_SERIES: '{}' holds {} numbers; it needs pairs of time and value", path, numbers.size());
  std::vector<double> times, values;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    times.push_back(numbers[i]);
    values.push_back(numbers[i + 1]);
  }
  return {std::move(times), std::move(values)};
}

}  // namespace scree::model
