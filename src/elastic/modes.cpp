#include "elastic/modes.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/abandon.hpp"
#include "core/dense.hpp"
#include "core/error.hpp"
#include "elastic/factor.hpp"

namespace scree::elastic {

namespace {

constexpr int kBlock = 6;         ///< vectors a Krylov step: symmetric bodies have repeated frequencies
constexpr double kSettled = 1e-11;  ///< relative change of a Ritz value that counts as none

MatX times(const NodeMatrix& M, const MatX& X) {
  MatX Y(X.rows(), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    M.multiply({X.col(j).data(), static_cast<std::size_t>(X.rows())}, {Y.col(j).data(), static_cast<std::size_t>(X.rows())});
  }
  return Y;
}

/// The operator (K + s M)^-1 M on the free dofs, M-orthogonal to what is removed.
class ShiftInverse {
 public:
  ShiftInverse(const ElasticBody& body, std::span<const char> fixed, const BlockMatrix* stiffness) : body_(body), fixed_(fixed) {
    BlockMatrix K = body.make_matrix(), A = body.make_matrix();
    if (stiffness) K = *stiffness;
    else body.tangent(body.mesh().positions(), K);
    shift_ = 1e-3 * typical_square(K);
    A.combine(shift_, body.mass(), 1.0, K);
    if (!fixed.empty()) A.constrain(fixed, A.values[9 * static_cast<std::size_t>(A.pattern->find(0, 0))]);
    else removed_ = rigid_motions(body);
    factor_.analyse(body.pattern());
    factor_.factorise(A);
  }
  [[nodiscard]] double shift() const { return shift_; }

  [[nodiscard]] MatX apply(const MatX& X) const {
    MatX Y = times(body_.mass(), X);
    clear_fixed(Y);
    for (Eigen::Index j = 0; j < Y.cols(); ++j) {
      const std::span<double> column{Y.col(j).data(), static_cast<std::size_t>(Y.rows())};
      factor_.solve(column, column);
    }
    remove(Y);
    return Y;
  }
  void remove(MatX& Y) const {
    clear_fixed(Y);
    if (removed_.size() > 0) Y -= removed_ * (removed_.transpose() * times(body_.mass(), Y));
  }

 private:
  void clear_fixed(MatX& Y) const {
    for (std::size_t i = 0; i < fixed_.size(); ++i) {
      if (fixed_[i]) Y.row(static_cast<Eigen::Index>(i)).setZero();
    }
  }
  /// Square of a frequency of the body's own scale: Rayleigh quotient of a uniform stretch.
  [[nodiscard]] double typical_square(const BlockMatrix& K) const {
    std::vector<double> x(body_.dofs()), Kx(x.size()), Mx(x.size());
    for (int n = 0; n < body_.nodes(); ++n) Vec3::Map(x.data() + 3 * n) = body_.mesh().nodes[n] - body_.mass_properties().center;
    K.multiply(x, Kx);
    body_.mass().multiply(x, Mx);
    const auto v = Eigen::Map<const VecX>(x.data(), body_.dofs());
    return v.dot(Eigen::Map<const VecX>(Kx.data(), body_.dofs())) / v.dot(Eigen::Map<const VecX>(Mx.data(), body_.dofs()));
  }

  const ElasticBody& body_;
  std::span<const char> fixed_;
  double shift_;
  MatX removed_;
  Factor factor_;
};

/// M-orthonormal basis of the columns of W against `basis` and each other; dependent columns are dropped.
MatX orthonormal(const NodeMatrix& M, const MatX& basis, MatX W) {
  MatX result(W.rows(), 0);
  for (Eigen::Index j = 0; j < W.cols(); ++j) {
    VecX w = W.col(j);
    const double before = std::sqrt(std::max(0.0, w.dot(times(M, w).col(0))));
    for (int pass = 0; pass < 2; ++pass) {
      VecX Mw = times(M, w);
      if (basis.cols() > 0) w -= basis * (basis.transpose() * Mw);
      Mw = times(M, w);
      if (result.cols() > 0) w -= result * (result.transpose() * Mw);
    }
    const double length = std::sqrt(std::max(0.0, w.dot(times(M, w).col(0))));
    if (!(length > 1e-10 * before)) continue;
    result.conservativeResize(Eigen::NoChange, result.cols() + 1);
    result.col(result.cols() - 1) = w / length;
  }
  return result;
}

}  // namespace

MatX rigid_motions(const ElasticBody& body) {
  MatX R(body.dofs(), 6);
  for (int n = 0; n < body.nodes(); ++n) {
    const Vec3 arm = body.mesh().nodes[n] - body.mass_properties().center;
    R.block<3, 3>(3 * n, 0).setIdentity();
    R.block<3, 3>(3 * n, 3) = -skew(arm);
  }
  return orthonormal(body.mass(), MatX(body.dofs(), 0), R);
}

Modes natural_modes(const ElasticBody& body, int count, std::span<const char> fixed, const BlockMatrix* stiffness) {
  const int free = fixed.empty() ? body.dofs() - 6 : body.dofs() - static_cast<int>(std::count_if(fixed.begin(), fixed.end(), [](char c) { return c != 0; }));
  if (!fixed.empty() && fixed.size() != static_cast<std::size_t>(body.dofs())) {
    throw_input("modes: {} marks of held dofs for a body of {} dofs", fixed.size(), body.dofs());
  }
  if (count < 1 || count > free) throw_input("modes: {} asked for: a body with {} elastic dofs has 1 to {}", count, free, free);
  const ShiftInverse op(body, fixed, stiffness);

  // Random start block, the same on every run.
  std::mt19937_64 random(3);
  MatX start(body.dofs(), std::min(kBlock, free));
  for (Eigen::Index k = 0; k < start.size(); ++k) start.data()[k] = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  op.remove(start);
  MatX basis = orthonormal(body.mass(), MatX(body.dofs(), 0), start), block = basis;
  MatX image(body.dofs(), 0);  // op applied to the basis
  VecX previous;
  const int most = std::min(free, 10 * count + 120);
  for (;;) {
    throw_if_stopped();
    const MatX next = op.apply(block);
    image.conservativeResize(Eigen::NoChange, image.cols() + next.cols());
    image.rightCols(next.cols()) = next;
    // Rayleigh-Ritz on the whole basis.
    MatX T = basis.transpose() * times(body.mass(), image);
    T = 0.5 * (T + T.transpose()).eval();
    const SymmetricEigen ritz = symmetric_eigen(T);
    const int size = static_cast<int>(basis.cols());
    if (size >= count) {
      const VecX values = ritz.values.tail(count);
      const bool settled = previous.size() == count && ((values - previous).cwiseAbs().array() <= kSettled * values.cwiseAbs().array()).all();
      if (settled || size >= most || size >= free) {
        if (!settled && size < free) throw_solve("modes: {} modes did not settle within {} vectors: ask for fewer", count, size);
        Modes modes;
        modes.frequency.resize(count);
        modes.shapes.resize(body.dofs(), count);
        for (int k = 0; k < count; ++k) {
          const int from = size - 1 - k;
          modes.frequency[k] = std::sqrt(std::max(0.0, 1.0 / ritz.values[from] - op.shift()));
          modes.shapes.col(k) = basis * ritz.vectors.col(from);
        }
        return modes;
      }
      previous = values;
    }
    block = orthonormal(body.mass(), basis, next);
    if (block.cols() == 0) {
      // The space is exhausted along these vectors: go on with new ones.
      MatX fresh = MatX::NullaryExpr(body.dofs(), 1, [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
      op.remove(fresh);
      block = orthonormal(body.mass(), basis, fresh);
      if (block.cols() == 0) throw_solve("modes: the body has fewer than {} independent motions", count);
    }
    basis.conservativeResize(Eigen::NoChange, basis.cols() + block.cols());
    basis.rightCols(block.cols()) = block;
  }
}

Modes modes_from(const ElasticBody& body, const MatX& shapes) {
  if (shapes.rows() != body.dofs() || shapes.cols() < 1) {
    throw_input("modes: given shapes are {} x {}: one column a mode with {} rows (three a node) is needed", shapes.rows(), shapes.cols(), body.dofs());
  }
  if (!shapes.allFinite()) throw_input("modes: a given shape holds NaN or infinity");
  const MatX basis = orthonormal(body.mass(), rigid_motions(body), shapes);
  if (basis.cols() == 0) throw_input("modes: the {} given shapes are rigid motions alone; deformations are needed", shapes.cols());
  BlockMatrix K = body.make_matrix();
  body.tangent(body.mesh().positions(), K);
  MatX image(body.dofs(), basis.cols());
  for (Eigen::Index j = 0; j < basis.cols(); ++j) {
    K.multiply({basis.col(j).data(), static_cast<std::size_t>(body.dofs())}, {image.col(j).data(), static_cast<std::size_t>(body.dofs())});
  }
  const SymmetricEigen ritz = symmetric_eigen(basis.transpose() * image);
  return {ritz.values.cwiseMax(0.0).cwiseSqrt(), basis * ritz.vectors};
}

}  // namespace scree::elastic
