#include "solvers/islands.hpp"

namespace scree::solvers {

int Islands::root(int node) {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];
    node = parent_[node];
  }
  return node;
}

void Islands::join(int a, int b) {
  a = root(a);
  b = root(b);
  // The smaller number wins, so that the outcome does not depend on the order of joins.
  if (a < b) parent_[b] = a;
  else parent_[a] = b;
}

void Islands::find(const Operator& W) {
  const int blocks = W.blocks();
  const int nodes = W.nodes();
  parent_.resize(nodes);
  for (int i = 0; i < nodes; ++i) parent_[i] = i;
  W.visit_links([this](int block, int node) { join(block, node); });
  // A root is the first block of its island; count, then file the blocks in order.
  island_.assign(nodes, -1);
  start_.assign(1, 0);
  for (int a = 0; a < blocks; ++a) {
    int& island = island_[root(a)];
    if (island < 0) {
      island = count();
      start_.push_back(0);
    }
    ++start_[island + 1];
  }
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  blocks_.resize(blocks);
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for (int a = 0; a < blocks; ++a) blocks_[next[island_[root(a)]]++] = a;
}

ContactProblem restrict_to(const ContactProblem& problem, std::span<const int> blocks) {
  ContactProblem part;
  part.W = problem.W->restricted(blocks);
  part.kind.reserve(blocks.size());
  for (int a : blocks) {
    part.kind.push_back(problem.kind[a]);
    part.mu.push_back(problem.mu[a]);
    part.B.insert(part.B.end(), problem.B.begin() + 3 * a, problem.B.begin() + 3 * a + 3);
  }
  return part;
}

std::vector<double> part_of(std::span<const double> whole, std::span<const int> blocks) {
  std::vector<double> part;
  part.reserve(blocks.size());
  for (int a : blocks) part.push_back(whole[a]);
  return part;
}

std::vector<double> tolerance_shares(const ContactProblem& problem, std::span<const double> weight, int parts, const std::function<std::span<const int>(int)>& blocks) {
  constexpr double kLeast = 0.01;   ///< of the whole, shared out by size: parts with nothing to do are not asked for perfection
  std::vector<double> share(parts, 0.0);
  double undone = 0.0;
  for (int i = 0; i < parts; ++i) {
    double& part = share[i];
    for (const int block : blocks(i)) {
      const std::size_t a = block;
      part += weight[a] * free_impulse(Eigen::Map<const Vec3>(problem.B.data() + 3 * a), block_rho(problem.W->diagonal()[a]), problem.kind[a], problem.mu[a]).squaredNorm();
    }
    undone += part;
  }
  const double spare = std::max(1.0 - undone, kLeast);
  for (int i = 0; i < parts; ++i) {
    double& part = share[i];
    part = (part + spare * static_cast<double>(blocks(i).size()) / problem.blocks()) / (undone + spare);
  }
  return share;
}

void gather_part(std::span<const double> whole, std::span<const int> blocks, std::vector<double>& part) {
  part.resize(3 * blocks.size());
  for (std::size_t k = 0; k < part.size(); ++k) part[k] = whole[3 * static_cast<std::size_t>(blocks[k / 3]) + k % 3];
}

void scatter_part(std::span<const double> part, std::span<const int> blocks, std::span<double> whole) {
  for (std::size_t k = 0; k < part.size(); ++k) whole[3 * static_cast<std::size_t>(blocks[k / 3]) + k % 3] = part[k];
}

}  // namespace scree::solvers
