#include "elastic/block_matrix.hpp"

#include <algorithm>

#include "core/abandon.hpp"
#include "core/threads.hpp"
#include "elastic/finite_mesh.hpp"

namespace scree::elastic {

namespace {
constexpr std::ptrdiff_t kRowChunk = 256;
}

int NodePattern::find(int row, int column) const {
  const auto first = columns.begin() + row_start[row], last = columns.begin() + row_start[row + 1];
  const auto found = std::lower_bound(first, last, column);
  return found != last && *found == column ? static_cast<int>(found - columns.begin()) : -1;
}

std::shared_ptr<const NodePattern> make_pattern(const FiniteMesh& mesh) {
  const std::size_t nodes = mesh.nodes.size();
  // Elements around each node.
  std::vector<int> start(nodes + 1, 0), around(mesh.element_nodes.size());
  for (int n : mesh.element_nodes) ++start[n + 1];
  for (std::size_t n = 0; n < nodes; ++n) start[n + 1] += start[n];
  std::vector<int> at(start.begin(), start.end() - 1);
  for (int e = 0; e < mesh.elements(); ++e) {
    for (int n : mesh.element(e)) around[at[n]++] = e;
  }
  auto pattern = std::make_shared<NodePattern>();
  std::vector<int> row;
  for (std::size_t n = 0; n < nodes; ++n) {
    throw_if_stopped();
    row.clear();
    for (int k = start[n]; k < start[n + 1]; ++k) {
      const auto list = mesh.element(around[k]);
      row.insert(row.end(), list.begin(), list.end());
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    pattern->columns.insert(pattern->columns.end(), row.begin(), row.end());
    pattern->row_start.push_back(static_cast<int>(pattern->columns.size()));
  }
  return pattern;
}

std::shared_ptr<const NodePattern> with_groups(const std::shared_ptr<const NodePattern>& whole, std::span<const std::vector<int>> groups) {
  const NodePattern& pattern = *whole;
  std::vector<std::vector<int>> more(static_cast<std::size_t>(pattern.rows()));
  bool any = false;
  for (const auto& group : groups) {
    for (int a : group) {
      for (int b : group) {
        if (pattern.find(a, b) < 0) more[a].push_back(b), any = true;
      }
    }
  }
  if (!any) return whole;
  auto wider = std::make_shared<NodePattern>();
  for (int n = 0; n < pattern.rows(); ++n) {
    std::vector<int>& row = more[n];
    row.insert(row.end(), pattern.columns.begin() + pattern.row_start[n], pattern.columns.begin() + pattern.row_start[n + 1]);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    wider->columns.insert(wider->columns.end(), row.begin(), row.end());
    wider->row_start.push_back(static_cast<int>(wider->columns.size()));
  }
  return wider;
}

void NodeMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  const NodePattern& p = *pattern;
  parallel_for(p.rows(), [&](std::ptrdiff_t n) {
    Vec3 sum = Vec3::Zero();
    for (int k = p.row_start[n]; k < p.row_start[n + 1]; ++k) sum += values[k] * Vec3::Map(x.data() + 3 * p.columns[k]);
    Vec3::Map(y.data() + 3 * n) = sum;
  }, kRowChunk);
}

void BlockMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  const NodePattern& p = *pattern;
  parallel_for(p.rows(), [&](std::ptrdiff_t n) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int k = p.row_start[n]; k < p.row_start[n + 1]; ++k) {
      const double* a = values.data() + 9 * static_cast<std::size_t>(k);
      const double* v = x.data() + 3 * p.columns[k];
      s0 += a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
      s1 += a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
      s2 += a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
    }
    y[3 * n] = s0, y[3 * n + 1] = s1, y[3 * n + 2] = s2;
  }, kRowChunk);
}

void BlockMatrix::copy(const BlockMatrix& A) {
  const NodePattern &from = *A.pattern, &to = *pattern;
  std::fill(values.begin(), values.end(), 0.0);
  for (int n = 0; n < from.rows(); ++n) {
    int at = to.row_start[n];
    for (int k = from.row_start[n]; k < from.row_start[n + 1]; ++k) {
      while (to.columns[at] != from.columns[k]) ++at;
      std::copy_n(A.values.begin() + 9 * static_cast<std::ptrdiff_t>(k), 9, values.begin() + 9 * static_cast<std::ptrdiff_t>(at));
    }
  }
}

void BlockMatrix::combine(double a, const NodeMatrix& M, double b, const BlockMatrix& K) {
  parallel_for(pattern->entries(), [&](std::ptrdiff_t k) {
    double* to = values.data() + 9 * k;
    const double* from = K.values.data() + 9 * k;
    for (int i = 0; i < 9; ++i) to[i] = b * from[i];
    for (int i = 0; i < 9; i += 4) to[i] += a * M.values[k];
  });
}

void BlockMatrix::combine(double a, std::span<const double> M, double b, const BlockMatrix& K) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = b * K.values[k];
  for (int n = 0; n < pattern->rows(); ++n) {
    double* to = values.data() + 9 * static_cast<std::size_t>(pattern->find(n, n));
    for (int i = 0; i < 9; i += 4) to[i] += a * M[n];
  }
}

void BlockMatrix::constrain(std::span<const char> fixed, double diagonal) {
  for (int n = 0; n < pattern->rows(); ++n) {
    for (int k = pattern->row_start[n]; k < pattern->row_start[n + 1]; ++k) {
      const int column = pattern->columns[k];
      double* block = values.data() + 9 * static_cast<std::size_t>(k);
      for (int i = 0; i < 9; ++i) {
        const int row = 3 * n + i / 3, other = 3 * column + i % 3;
        if (fixed[row] || fixed[other]) block[i] = row == other ? diagonal : 0.0;
      }
    }
  }
}

}  // namespace scree::elastic
