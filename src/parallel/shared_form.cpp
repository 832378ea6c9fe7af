#include "parallel/shared_form.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "parallel/krylov_shift.hpp"
#include "parallel/shared_sweeper.hpp"
#include "solvers/interior_point_system.hpp"
#include "solvers/newton_system.hpp"

namespace scree::parallel {

namespace {

[[noreturn]] void refuse(const char* what) { throw_solve("{} of a problem on several ranks are not available; solve it gathered", what); }

std::vector<int> blocks_of(std::span<const int> rank, int mine) {
  std::vector<int> blocks;
  for (std::size_t a = 0; a < rank.size(); ++a)
    if (rank[a] == mine) blocks.push_back(static_cast<int>(a));
  return blocks;
}

}  // namespace

SharedForm::SharedForm(const solvers::BodyForm& whole, std::span<const int> rank, Team& team, SweepVariant variant)
    : whole_(whole), rank_(rank), team_(team), variant_(variant), mine_(blocks_of(rank, team.rank())), part_(whole.restricted(mine_, place_)),
      sums_(part_, find_shared(), team) {
  diagonal_ = part_.diagonal();
}

std::vector<BodySums::Body> SharedForm::find_shared() const {
  // Who acts on a body follows from the owners of its blocks: every rank knows that of all.
  std::vector<BodySums::Body> shared;
  for (int body = 0; body < whole_.bodies(); ++body) {
    if (place_[body] < 0 || whole_.body_dofs(body) == 0) continue;
    const std::vector<int> ranks = ranks_of(whole_, rank_, body);
    if (ranks.size() > 1) shared.push_back({place_[body], ranks, ranks});
  }
  return shared;
}

std::vector<SharedForm::Phase> SharedForm::phases() const {
  const Phases order = make_phases(whole_, rank_, variant_);
  std::vector<std::vector<BodySums::Body>> bodies(at(order.count));
  std::vector<std::vector<int>> copies(bodies.size(), std::vector<int>(at(part_.bodies()), 1));
  std::size_t next = 0;   // shared bodies are in the order of the whole's
  for (int body = 0; body < whole_.bodies(); ++body) {
    if (next == shared().size() || place_[body] != shared()[next].body) continue;
    const BodySums::Body& known = shared()[next++];
    for (std::size_t p = 0; p < bodies.size(); ++p) {
      std::vector<int> acting;
      for (const int entry : whole_.incidence(body))
        if (rank_[entry / 2] >= 0 && order.of_block[entry / 2] == static_cast<int>(p)) acting.push_back(rank_[entry / 2]);
      std::ranges::sort(acting);
      acting.erase(std::unique(acting.begin(), acting.end()), acting.end());
      if (acting.empty()) continue;
      copies[p][known.body] = static_cast<int>(acting.size());
      bodies[p].push_back({known.body, std::move(acting), known.knowing});
    }
  }
  std::vector<std::vector<int>> blocks(bodies.size());
  for (std::size_t k = 0; k < mine_.size(); ++k) blocks[order.of_block[mine_[k]]].push_back(static_cast<int>(k));
  std::vector<Phase> result;
  for (std::size_t p = 0; p < bodies.size(); ++p) result.push_back({std::move(blocks[p]), std::move(copies[p]), BodySums(part_, std::move(bodies[p]), team_)});
  return result;
}

void SharedForm::scatter(std::span<const double> R, std::span<double> y) const {
  part_.scatter(R, y);
  sums_.add_up(y);
}

void SharedForm::apply(std::span<const double> R, std::span<double> U) const {
  y_.resize(part_.dofs());
  scatter(R, y_);
  part_.gather(y_, U);
}

std::shared_ptr<const solvers::Operator> SharedForm::restricted(std::span<const int>) const { refuse("parts"); }
std::unique_ptr<solvers::Sweeper> SharedForm::make_sweeper(const solvers::LocalIteration& how) const { return std::make_unique<SharedSweeper>(*this, how); }
std::unique_ptr<solvers::ShiftedFactor> SharedForm::make_shifted_factor(std::span<const double> scale) const { return std::make_unique<KrylovShift>(*this, scale); }
std::unique_ptr<solvers::NewtonSystem> SharedForm::make_newton_system(solvers::ScaledProblem&) const { refuse("factors"); }
std::unique_ptr<solvers::InteriorPointSystem> SharedForm::make_direct_barrier(solvers::ScaledProblem&) const { refuse("factors"); }
std::unique_ptr<solvers::InteriorPointSystem> SharedForm::make_krylov_barrier(solvers::ScaledProblem&, int) const { refuse("barriers"); }

}  // namespace scree::parallel
