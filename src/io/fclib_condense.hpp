/// From the global form  M v = J^T R + f,  U = J v + w  to  U = W R + B,  W = J M^-1 J^T.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/fclib_blocks.hpp"

namespace scree::io {

/// Global problem in scalars of a file: contacts' rows of H^T first, then those of G^T.
struct GlobalForm {
  SparseRows M;           ///< n x n
  SparseRows J;           ///< scalars x n
  std::vector<double> f;  ///< n
  std::vector<double> w;  ///< scalars
};

/// Operator and free velocities (three a block). `file` is for messages.
struct Condensed {
  std::shared_ptr<const solvers::Operator> W;
  std::vector<double> B;
};

/// FileError when M is singular or not positive definite, or the condensed problem would be out of reach.
[[nodiscard]] Condensed condense(const GlobalForm& global, const BlockLayout& layout, const std::string& file);

/// v = M^-1 (J^T R + f) for impulses R in scalars of a file. FileError when M is singular.
[[nodiscard]] VecX global_velocities(const GlobalForm& global, std::span<const double> R, const std::string& file);

/// Group of each of n degrees of freedom: connected parts of M, joined until no block of J touches more
/// than two groups. Groups are numbered by their first degree of freedom.
[[nodiscard]] std::vector<int> find_bodies(const SparseRows& M, const SparseRows& J, const BlockLayout& layout);

}  // namespace scree::io
