#include "solvers/elimination_order.hpp"

#include <cholmod.h>

#include <algorithm>

#include "core/error.hpp"

namespace scree::solvers {

namespace {

/// CHOLMOD's workspace, and the strictly lower triangle of a symmetrised pattern.
struct Graph {
  cholmod_common common;
  cholmod_sparse* matrix = nullptr;

  Graph(std::span<const int> row_start, std::span<const int> columns);
  ~Graph() {
    cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] int rows() const { return static_cast<int>(matrix->nrow); }
};

/// Each pair of neighbours once, under the smaller of the two.
std::vector<std::vector<int>> later_neighbours(std::span<const int> row_start, std::span<const int> columns) {
  std::vector<std::vector<int>> later(row_start.size() - 1);
  for (std::size_t a = 0; a + 1 < row_start.size(); ++a)
    for (int k = row_start[a]; k < row_start[a + 1]; ++k) {
      const int row = static_cast<int>(a), column = columns[k];
      if (row != column) later[std::min(row, column)].push_back(std::max(row, column));
    }
  for (std::vector<int>& list : later) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return later;
}

Graph::Graph(std::span<const int> row_start, std::span<const int> columns) {
  cholmod_start(&common);
  common.print = 0;
  const auto later = later_neighbours(row_start, columns);
  std::size_t count = 0;
  for (const auto& list : later) count += list.size();
  matrix = cholmod_allocate_sparse(later.size(), later.size(), count, 1, 1, -1, CHOLMOD_PATTERN, &common);
  if (!matrix) throw_solve("order of elimination: no memory for a graph of {} rows; use a matrix-free solver", later.size());
  auto *start = static_cast<int*>(matrix->p), *row = static_cast<int*>(matrix->i);
  int at = 0;
  for (std::size_t a = 0; a < later.size(); ++a) {
    start[a] = at;
    for (const int b : later[a]) row[at++] = b;
  }
  start[later.size()] = at;
}

template <class Order>
std::vector<int> ordered(std::span<const int> row_start, std::span<const int> columns, Order&& order) {
  if (row_start.size() < 2) return {};
  Graph graph(row_start, columns);
  std::vector<int> permutation(graph.rows());
  if (!order(graph, permutation.data())) throw_solve("order of elimination: ordering {} rows failed: not enough memory", graph.rows());
  return permutation;
}

}  // namespace

std::vector<int> nested_dissection(std::span<const int> row_start, std::span<const int> columns) {
  return ordered(row_start, columns, [](Graph& graph, int* permutation) {
    std::vector<int> parent(graph.rows()), member(parent.size());
    return cholmod_nested_dissection(graph.matrix, nullptr, 0, permutation, parent.data(), member.data(), &graph.common) >= 0;
  });
}

std::vector<int> minimum_degree(std::span<const int> row_start, std::span<const int> columns) {
  return ordered(row_start, columns, [](Graph& graph, int* permutation) { return cholmod_amd(graph.matrix, nullptr, 0, permutation, &graph.common) != 0; });
}

}  // namespace scree::solvers
