#include "parallel/shared_form.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "parallel/split_sweeper.hpp"
#include "solvers/interior_point_system.hpp"
#include "solvers/newton_system.hpp"
#include "solvers/shifted_factor.hpp"

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

SharedForm::SharedForm(const solvers::BodyForm& whole, std::span<const int> rank, Team& team) : team_(team), mine_(blocks_of(rank, team.rank())) {
  std::vector<int> place;
  part_ = whole.restricted(mine_, place);
  diagonal_ = part_.diagonal();

  // Who acts on a body follows from the owners of its blocks: every rank knows that of all.
  outgoing_.resize(static_cast<std::size_t>(team.size()));
  for (int body = 0; body < whole.bodies(); ++body) {
    const int here = place[static_cast<std::size_t>(body)];
    if (here < 0) continue;
    std::vector<int> ranks;
    for (const int entry : whole.incidence(body)) ranks.push_back(rank[static_cast<std::size_t>(entry / 2)]);
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (ranks.size() < 2) continue;
    for (const int other : ranks)
      if (other != team.rank()) {
        Bytes& box = outgoing_[static_cast<std::size_t>(other)];
        box.resize(box.size() + sizeof(double) * static_cast<std::size_t>(part_.body_dofs(here)));
      }
    shared_.push_back({here, std::move(ranks)});
  }
  incoming_ = outgoing_;  // what is sent to a rank is as long as what it sends
}

solvers::BodyForm SharedForm::split() const {
  std::vector<int> dofs;
  for (int body = 0; body < part_.bodies(); ++body) dofs.push_back(part_.body_dofs(body));
  std::vector<double> factor(dofs.size(), 1.0);
  for (const Shared& shared : shared_) factor[static_cast<std::size_t>(shared.body)] = std::sqrt(static_cast<double>(shared.ranks.size()));
  solvers::BodyForm form;
  form.reset(dofs);
  for (int block = 0; block < part_.blocks(); ++block) {
    const auto& bodies = part_.bodies_of(block);
    const auto sides = form.add_block(bodies[0], bodies[1]);
    for (std::size_t side = 0; side < 2; ++side) {
      const auto from = part_.rows(block, static_cast<int>(side));
      for (std::size_t k = 0; k < from.size(); ++k) sides[side][k] = factor[static_cast<std::size_t>(bodies[side])] * from[k];
    }
  }
  form.finish();
  return form;
}

void SharedForm::apply(std::span<const double> R, std::span<double> U) const {
  y_.resize(static_cast<std::size_t>(part_.dofs()));
  part_.scatter(R, y_);
  add_parts(y_);
  part_.gather(y_, U);
}

void SharedForm::add_parts(std::span<double> y) const {
  std::vector<std::size_t> next(outgoing_.size(), 0);
  const auto part_of = [&](int body) { return y.subspan(static_cast<std::size_t>(part_.dof_start(body)), static_cast<std::size_t>(part_.body_dofs(body))); };
  for (const Shared& shared : shared_) {
    const auto part = part_of(shared.body);
    for (const int other : shared.ranks) {
      if (other == team_.rank()) continue;
      const auto r = static_cast<std::size_t>(other);
      std::memcpy(outgoing_[r].data() + next[r], part.data(), part.size_bytes());
      next[r] += part.size_bytes();
    }
  }
  team_.exchange(outgoing_, incoming_);
  std::ranges::fill(next, 0);
  std::vector<double> own;
  for (const Shared& shared : shared_) {
    const auto part = part_of(shared.body);
    own.assign(part.begin(), part.end());
    std::ranges::fill(part, 0.0);
    for (const int rank : shared.ranks) {
      const auto r = static_cast<std::size_t>(rank);
      const double* from = rank == team_.rank() ? own.data() : reinterpret_cast<const double*>(incoming_[r].data() + next[r]);
      for (std::size_t k = 0; k < part.size(); ++k) part[k] += from[k];
      if (rank != team_.rank()) next[r] += part.size_bytes();
    }
  }
}

std::shared_ptr<const solvers::Operator> SharedForm::restricted(std::span<const int>) const { refuse("parts"); }
std::unique_ptr<solvers::Sweeper> SharedForm::make_sweeper(const solvers::LocalIteration& how) const { return std::make_unique<SplitSweeper>(*this, how); }
std::unique_ptr<solvers::ShiftedFactor> SharedForm::make_shifted_factor(std::span<const double>) const { refuse("factors"); }
std::unique_ptr<solvers::NewtonSystem> SharedForm::make_newton_system(solvers::ScaledProblem&) const { refuse("factors"); }
std::unique_ptr<solvers::InteriorPointSystem> SharedForm::make_direct_barrier(solvers::ScaledProblem&) const { refuse("factors"); }
std::unique_ptr<solvers::InteriorPointSystem> SharedForm::make_krylov_barrier(solvers::ScaledProblem&, int) const { refuse("barriers"); }

}  // namespace scree::parallel
