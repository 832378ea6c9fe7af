/// Reading documented options: defaults come from the SolverInfo, values were checked by solve().
#pragma once

#include <string>

#include "solvers/registry.hpp"

namespace scree::solvers {

/// The value given for an option, or its documented default.
class OptionReader {
 public:
  OptionReader(const SolverInfo& info, const OptionValues& values) : info_(info), values_(values) {}

  [[nodiscard]] bool flag(const std::string& name) const { return std::get<bool>(value(name)); }
  [[nodiscard]] int integer(const std::string& name) const { return std::get<int>(value(name)); }
  [[nodiscard]] double real(const std::string& name) const { return std::get<double>(value(name)); }
  [[nodiscard]] const std::string& text(const std::string& name) const { return std::get<std::string>(value(name)); }

 private:
  [[nodiscard]] const OptionValue& value(const std::string& name) const;

  const SolverInfo& info_;
  const OptionValues& values_;
};

}  // namespace scree::solvers
