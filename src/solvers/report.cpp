#include "solvers/report.hpp"

#include <algorithm>

namespace scree::solvers {

StopRule measured_as(Formulation formulation, const StopRule& stop) {
  StopRule rule = stop;
  if (formulation == Formulation::convex) rule.yardstick = Yardstick::ccp;
  return rule;
}

std::string to_string(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::max_iterations: return "max_iterations";
    case Status::max_seconds: return "max_seconds";
    case Status::diverged: return "diverged";
    case Status::interrupted: return "interrupted";
  }
  return "";
}

std::string to_string(Formulation formulation) {
  switch (formulation) {
    case Formulation::coulomb: return "coulomb";
    case Formulation::convex: return "convex";
    case Formulation::tresca: return "tresca";
    case Formulation::frictionless: return "frictionless";
  }
  return "";
}

SolveReport both(const SolveReport& first, const SolveReport& second) {
  SolveReport sum = first.status == Status::converged ? second : first;
  sum.iterations = first.iterations + second.iterations;
  sum.work = first.work + second.work;
  sum.products = first.products + second.products;
  sum.linear_iterations = first.linear_iterations + second.linear_iterations;
  sum.fallbacks = first.fallbacks + second.fallbacks;
  sum.residual = std::max(first.residual, second.residual);
  sum.seconds = first.seconds + second.seconds;
  return sum;
}

}  // namespace scree::solvers
