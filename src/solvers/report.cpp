#include "solvers/report.hpp"

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

}  // namespace scree::solvers
