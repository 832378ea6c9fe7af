#include "parallel/body_sums.hpp"

#include <algorithm>
#include <cstring>

namespace scree::parallel {

BodySums::BodySums(const solvers::BodyForm& part, std::vector<Body> bodies, Team& team) : part_(&part), bodies_(std::move(bodies)), team_(&team) {
  outgoing_.resize(team.size());
  incoming_.resize(outgoing_.size());
  const auto lengthen = [](Bytes& box, std::size_t more) { box.resize(box.size() + more); };
  for (const Body& shared : bodies_) {
    const std::size_t size = sizeof(double) * static_cast<std::size_t>(part.body_dofs(shared.body));
    for (const int rank : shared.acting)
      if (rank != team.rank()) lengthen(incoming_[rank], size);
    if (!acts(shared)) continue;
    for (const int rank : shared.knowing)
      if (rank != team.rank()) lengthen(outgoing_[rank], size);
  }
}

bool BodySums::acts(const Body& body) const { return std::ranges::binary_search(body.acting, team_->rank()); }

void BodySums::add_up(std::span<double> entries) const {
  const auto part_of = [&](int body) { return entries.subspan(static_cast<std::size_t>(part_->dof_start(body)), static_cast<std::size_t>(part_->body_dofs(body))); };
  std::vector<std::size_t> next(outgoing_.size(), 0);
  for (const Body& shared : bodies_) {
    if (!acts(shared)) continue;
    const auto part = part_of(shared.body);
    for (const int rank : shared.knowing) {
      if (rank == team_->rank()) continue;
      const std::size_t r = rank;
      std::memcpy(outgoing_[r].data() + next[r], part.data(), part.size_bytes());
      next[r] += part.size_bytes();
    }
  }
  team_->exchange(outgoing_, incoming_);
  std::ranges::fill(next, 0);
  for (const Body& shared : bodies_) {
    const auto part = part_of(shared.body);
    own_.assign(part.begin(), part.end());
    std::ranges::fill(part, 0.0);
    for (const int rank : shared.acting) {
      const std::size_t r = rank;
      const double* from = rank == team_->rank() ? own_.data() : reinterpret_cast<const double*>(incoming_[r].data() + next[r]);
      for (std::size_t k = 0; k < part.size(); ++k) part[k] += from[k];
      if (rank != team_->rank()) next[r] += part.size_bytes();
    }
  }
}

}  // namespace scree::parallel
