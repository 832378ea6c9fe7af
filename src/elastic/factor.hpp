/// Sparse Cholesky factor of a body's system matrix A (M, M + h^2/4 K, ...), with chosen nodes eliminated last.
///
/// When the nodes in contact come last, the trailing dense block of L alone gives the inverse of A among them,
/// (A^-1)_cc = L_cc^-T L_cc^-1, and scaled contact rows Hs = H_c L_cc^-T with W = Hs Hs^T cost a dense triangular solve
/// (theory eq. 5.19). Ordering: nested dissection of the other nodes; supernodal factor (CHOLMOD).
/// Results do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "elastic/block_matrix.hpp"
#include "elastic/place.hpp"

namespace scree::elastic {

class Factor {
 public:
  Factor();
  ~Factor();
  Factor(Factor&&) noexcept;
  Factor& operator=(Factor&&) noexcept;

  /// Order and analyse a pattern; `last` lists nodes (each once) to be eliminated last, in this order. Forgets the numbers.
  void analyse(std::shared_ptr<const NodePattern> pattern, std::span<const int> last = {});
  /// Numbers of A = L L^T on the analysed pattern. SolveError when A is not positive definite or holds NaN: the factor is then empty.
  /// Both throw Interrupted after a request to stop (core/interrupt.hpp): the pattern must then be analysed again.
  void factorise(const BlockMatrix& A);
  [[nodiscard]] bool ready() const;

  /// x = A^-1 b; b and x may be the same. Not to be called from two threads at once.
  void solve(std::span<const double> b, std::span<double> x) const;

  /// Nodes ordered last, and the place of a node among them (-1: it is not).
  [[nodiscard]] std::span<const int> last_nodes() const;
  [[nodiscard]] int last_index(int node) const;
  [[nodiscard]] int last_dofs() const { return 3 * static_cast<int>(last_nodes().size()); }
  /// True when all these nodes are ordered last.
  [[nodiscard]] bool covers(std::span<const int> nodes) const;

  /// columns <- L_cc^-1 columns: `columns` holds `count` contiguous vectors of last_dofs() numbers, each a row of H over the
  /// last nodes (three numbers a node, in the order of last_nodes()); afterwards each is a row of Hs.
  void scale(std::span<double> columns, int count) const;

  /// Numbers stored in L, floating point operations of one factorisation, bytes held.
  [[nodiscard]] double stored() const;
  [[nodiscard]] double operations() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;  ///< shared with work that was abandoned
};

}  // namespace scree::elastic
