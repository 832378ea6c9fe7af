/// Symmetric sparse matrices over the nodes of a mesh, both triangles stored: one number or one 3 x 3 block for every
/// pair of nodes that share an element. The pattern never changes; products run row by row, the same bits for any
/// number of threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/vec.hpp"

namespace scree::elastic {

struct FiniteMesh;

/// Row n couples with columns[row_start[n] .. row_start[n+1]), ascending.
struct NodePattern {
  std::vector<int> row_start{0};
  std::vector<int> columns;

  [[nodiscard]] int rows() const { return static_cast<int>(row_start.size()) - 1; }
  [[nodiscard]] int entries() const { return static_cast<int>(columns.size()); }
  /// Index of the entry (row, column), -1 when there is none.
  [[nodiscard]] int find(int row, int column) const;
};

/// Pairs of nodes that share an element.
[[nodiscard]] std::shared_ptr<const NodePattern> make_pattern(const FiniteMesh& mesh);
/// A pattern with all pairs of nodes within each group added; itself where it holds them all.
[[nodiscard]] std::shared_ptr<const NodePattern> with_groups(const std::shared_ptr<const NodePattern>& pattern, std::span<const std::vector<int>> groups);

/// One number a pair; acts on the three components of a node alike (a mass matrix).
struct NodeMatrix {
  std::shared_ptr<const NodePattern> pattern;
  std::vector<double> values;

  /// y = A x, flat vectors of three numbers a node.
  void multiply(std::span<const double> x, std::span<double> y) const;
};

/// One 3 x 3 block a pair (a stiffness matrix), row-major.
struct BlockMatrix {
  std::shared_ptr<const NodePattern> pattern;
  std::vector<double> values;  ///< nine a pair

  BlockMatrix() = default;
  explicit BlockMatrix(std::shared_ptr<const NodePattern> p) : pattern(std::move(p)), values(9 * pattern->columns.size(), 0.0) {}

  [[nodiscard]] int dofs() const { return 3 * pattern->rows(); }
  void multiply(std::span<const double> x, std::span<double> y) const;
  /// this = A, whose pattern is part of this one's.
  void copy(const BlockMatrix& A);
  /// this = a M + b K; all on one pattern.
  void combine(double a, const NodeMatrix& M, double b, const BlockMatrix& K);
  /// The same with a diagonal M, one number a node.
  void combine(double a, std::span<const double> M, double b, const BlockMatrix& K);
  /// Rows and columns of the marked dofs become those of the identity times `diagonal`.
  void constrain(std::span<const char> fixed, double diagonal);
};

}  // namespace scree::elastic
