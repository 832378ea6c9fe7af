/// A step's work on several ranks: every rank holds all bodies; who owns a body detects its contacts; the ranks solve together, each for its own
/// blocks, where the solver can, or rank 0 solves alone.
///
/// A moving body belongs to the rank whose cell holds its mass centre. Two bodies' contacts belong to the mover's rank against an obstacle, to
/// the rank of the one with more degrees of freedom, or else, by the parity of the ids' sum, to the rank of the first or the second. Nothing
/// depends on a clock.
#pragma once

#include <memory>
#include <vector>

#include "core/team.hpp"
#include "parallel/partition.hpp"
#include "stepping/division.hpp"

namespace scree::parallel {

struct SharedWorkOptions {
  double imbalance = 1.3;    ///< largest work of a rank over the mean that is left alone
  long least_steps = 20;     ///< between two new cuts of space
  int least_bodies = 200;    ///< moving bodies a rank; more ranks than that stay without
  bool gathered = false;     ///< let rank 0 solve, whatever the solver: the bits of one process
  int most_gathered = 20000; ///< contacts of an island between ranks up to which AUTO lets one rank solve it
  bool migrate_always = false;  ///< give every body to the next rank at every step, to test that nothing depends on owners
};

/// What a launcher's module hands to the engine: both live as long as the process.
struct Launched {
  Team* team = nullptr;
  Partitioner* partitioner = nullptr;
};

class SharedWork final : public stepping::Division {
 public:
  SharedWork(Team& team, std::shared_ptr<Partitioner> partitioner) : team_(team), partitioner_(std::move(partitioner)) {}

  [[nodiscard]] Team& team() const override { return team_; }
  bool begin(const model::Bodies& bodies, const model::Motion& motion, std::span<const assembly::Contact> contacts) override;
  [[nodiscard]] int owner(int id) const override;
  [[nodiscard]] int pair_owner(int id_a, int id_b) const override;
  void join(std::vector<collision::ContactPoint>& points) override;
  solvers::SolveReport solve(const stepping::WholeProblem& whole, const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses) override;
  void compare_loads(std::span<const Vec3> force, std::span<const Vec3> torque) override;
  void commit() override;
  void save(Archive& archive, const model::Bodies& bodies, std::span<const assembly::Contact> contacts) const override;
  void load(const Archive& archive) override;

  SharedWorkOptions options;

  /// What ranks sent each other, messages and bytes of all of them, and contacts of the rank that had most over the mean.
  struct Ledger {
    long steps = 0;
    Traffic traffic;
    double balance = 1.0, balance_sum = 0.0, balance_max = 0.0;   ///< of the last step, of all steps

    void add(const Traffic& step, double step_balance);
  };
  /// Of the steps since the start.
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

  /// Work of the busiest rank over the mean, at the last step's start.
  [[nodiscard]] double imbalance() const { return imbalance_; }
  /// Bodies that changed their rank, new cuts of space, contact points found here, since the start.
  [[nodiscard]] long migrations() const { return migrations_; }
  [[nodiscard]] long cuts() const { return cuts_; }
  [[nodiscard]] long detected() const { return detected_; }
  /// Ranks that have bodies.
  [[nodiscard]] int parts() const { return static_cast<int>(cells_.size()); }

 private:
  struct Mover {
    int owner = -1;  ///< -1: an obstacle
    int unknowns = 0;
  };

  [[nodiscard]] std::vector<double> weights_of(const model::Bodies& bodies, std::span<const assembly::Contact> contacts) const;
  [[nodiscard]] bool known(const model::Bodies& bodies) const;
  void cut(const model::Bodies& bodies, const model::Motion& motion);
  bool assign(const model::Bodies& bodies, const model::Motion& motion);
  [[nodiscard]] double measure_imbalance(const model::Bodies& bodies) const;
  solvers::SolveReport solve_gathered(const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses);
  void measure_balance(std::span<const int> rank);

  Team& team_;
  std::shared_ptr<Partitioner> partitioner_;
  std::vector<Cell> cells_;
  std::vector<Mover> movers_;    ///< by body id
  std::vector<double> weight_;   ///< by index
  long steps_ = 0, last_cut_ = 0;
  double imbalance_ = 1.0;
  long migrations_ = 0, cuts_ = 0, detected_ = 0;
  bool resumed_ = false;         ///< cells_ and weight_ are those of a checkpoint
  double balance_ = 1.0;         ///< of the contact problem at hand
  Traffic told_;                 ///< what this rank had sent when the last step ended
  Ledger ledger_;
};

}  // namespace scree::parallel
