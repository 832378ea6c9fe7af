/// How the work of a step is divided among the ranks of a team (parallel/ says how). Without one, a simulation does all of it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assembly/contact.hpp"
#include "collision/contact_point.hpp"
#include "core/archive.hpp"
#include "core/team.hpp"
#include "model/model.hpp"
#include "solvers/registry.hpp"

namespace scree::stepping {

/// A contact problem, the same on every rank, and how it is to be solved.
struct WholeProblem {
  const solvers::ContactProblem& problem;
  const solvers::BodyForm& form;       ///< its W
  std::span<const int> rank;           ///< whose each block is
  const std::string& solver;
  const solvers::StopRule& stop;
  const solvers::OptionValues& options;
};

class Division {
 public:
  virtual ~Division() = default;

  [[nodiscard]] virtual Team& team() const = 0;
  /// Start of a step: renew who owns which body. Returns true when that has changed. `contacts` are those of the last step.
  virtual bool begin(const model::Bodies& bodies, const model::Motion& motion, std::span<const assembly::Contact> contacts) = 0;
  /// The rank a body belongs to, by id; -1 for obstacles, which are on every rank.
  [[nodiscard]] virtual int owner(int id) const = 0;
  /// The rank that detects the contacts of two bodies, given by id, and has their blocks; -1 in place of a body: none. Every rank knows it of all.
  [[nodiscard]] virtual int pair_owner(int id_a, int id_b) const = 0;
  /// Contact points that this rank has detected: replaced by those of all ranks, in the order of one process.
  virtual void join(std::vector<collision::ContactPoint>& points) = 0;
  /// Solve together, or let one rank do it by `solve_here`; everybody has the report and all impulses.
  virtual solvers::SolveReport solve(const WholeProblem& whole, const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses) = 0;
  /// Check that all ranks have found the same loads.
  virtual void compare_loads(std::span<const Vec3> force, std::span<const Vec3> torque) = 0;
  /// End of a step: returns when it has gone well on all ranks.
  virtual void commit() = 0;
  /// Keep and take up who owns what, so that a run goes on to the same bits. Another number of ranks begins anew.
  virtual void save(Archive& archive, const model::Bodies& bodies, std::span<const assembly::Contact> contacts) const = 0;
  virtual void load(const Archive& archive) = 0;
};

}  // namespace scree::stepping
