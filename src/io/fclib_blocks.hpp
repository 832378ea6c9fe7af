/// Between FCLIB's scalar unknowns and Scree's blocks of three.
#pragma once

#include <Eigen/SparseCore>

#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::io {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Triplet = Eigen::Triplet<double, int>;

/// Which component of which block each scalar of a file is. Scalars are ordered as files have them:
/// `contact_scalars` of contacts, then the equalities.
struct BlockLayout {
  int dimension = 3;
  std::vector<solvers::BlockKind> kind;  ///< of each block
  std::vector<int> scalar;               ///< 3 * block + component of each scalar
  int contact_scalars = 0;

  [[nodiscard]] int blocks() const { return static_cast<int>(kind.size()); }
  [[nodiscard]] int scalars() const { return static_cast<int>(scalar.size()); }
};

/// Layout of blocks of the given kinds; contacts have `dimension` components, bilaterals 3, directions 1.
[[nodiscard]] BlockLayout make_layout(std::vector<solvers::BlockKind> kind, int dimension);

/// Scalars of a file -> three a block, zero where the file has nothing.
[[nodiscard]] std::vector<double> spread(const BlockLayout& layout, std::span<const double> scalars);
/// Three a block -> scalars of a file.
[[nodiscard]] std::vector<double> gather(const BlockLayout& layout, std::span<const double> blocks);

/// Block rows of a scalar matrix; absent components get a decoupled diagonal entry.
[[nodiscard]] solvers::ExplicitForm make_blocks(const BlockLayout& layout, const SparseRows& matrix);

}  // namespace scree::io
