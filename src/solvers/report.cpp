#include "solvers/report.hpp"

namespace scree::solvers {

void add_costs(SolveReport& total, const SolveReport& part) {
  total.iterations += part.iterations;
  total.products += part.products;
  total.linear_iterations += part.linear_iterations;
  total.fallbacks += part.fallbacks;
}

std::string to_string(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::max_iterations: return "max_iterations";
    case Status::max_seconds: return "max_seconds";
    case Status::diverged: return "diverged";
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

}  // namespace scree::solvers
