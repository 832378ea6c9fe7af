#include "core/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace scree {

namespace {

// Plain loops: these few algorithms as templates of Eigen's were half a minute of compiling.

/// A difference of squares below this part of them is lost in their rounding.
constexpr double kCancelled = 1e-8;

/// A symmetric matrix as Q T Q^T with T tridiagonal, by Householder's reflections; A becomes Q.
void tridiagonalize(MatX& A, VecX& diagonal, VecX& off) {
  const Eigen::Index n = A.rows();
  VecX beta = VecX::Zero(n), p(n);
  for (Eigen::Index k = 0; k + 2 < n; ++k) {
    // v, below the diagonal of column k, makes all but the first of its entries zero.
    double* v = &A(0, k);
    double tail = 0.0;
    for (Eigen::Index i = k + 2; i < n; ++i) tail += v[i] * v[i];
    const double first = v[k + 1];
    off[k] = first;
    if (tail == 0.0) continue;
    const double norm = std::copysign(std::sqrt(first * first + tail), first);
    off[k] = -norm;
    v[k + 1] = first + norm;
    beta[k] = 2.0 / (v[k + 1] * v[k + 1] + tail);
    // A -= v w^T + w v^T,  w = p - beta/2 (p . v) v,  p = beta A v.
    std::fill(p.data() + k + 1, p.data() + n, 0.0);
    for (Eigen::Index j = k + 1; j < n; ++j) {
      const double* column = &A(0, j);
      for (Eigen::Index i = k + 1; i < n; ++i) p[i] += beta[k] * v[j] * column[i];
    }
    double half = 0.0;
    for (Eigen::Index i = k + 1; i < n; ++i) half += 0.5 * beta[k] * p[i] * v[i];
    for (Eigen::Index i = k + 1; i < n; ++i) p[i] -= half * v[i];
    for (Eigen::Index j = k + 1; j < n; ++j) {
      double* column = &A(0, j);
      for (Eigen::Index i = k + 1; i < n; ++i) column[i] -= v[i] * p[j] + p[i] * v[j];
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) diagonal[i] = A(i, i);
  off[n - 1] = 0.0;
  if (n > 1) off[n - 2] = A(n - 1, n - 2);
  // Q is the product of the reflections, the last one applied first.
  MatX Q = MatX::Identity(n, n);
  for (Eigen::Index k = n - 3; k >= 0; --k) {
    const double* v = &A(0, k);
    for (Eigen::Index j = k + 1; j < n; ++j) {
      double* column = &Q(0, j);
      double along = 0.0;
      for (Eigen::Index i = k + 1; i < n; ++i) along += v[i] * column[i];
      for (Eigen::Index i = k + 1; i < n; ++i) column[i] -= beta[k] * along * v[i];
    }
  }
  A = Q;
}

/// One implicitly shifted QL step on rows low..m of a tridiagonal matrix; columns of Q follow its rotations.
void ql_step(VecX& d, VecX& e, MatX& Q, Eigen::Index low, Eigen::Index m) {
  const Eigen::Index rows = Q.rows();
  const double half = (d[low + 1] - d[low]) / (2.0 * e[low]);
  double g = d[m] - d[low] + e[low] / (half + std::copysign(std::hypot(half, 1.0), half));
  double s = 1.0, c = 1.0, shift = 0.0;
  for (Eigen::Index i = m - 1; i >= low; --i) {
    const double f = s * e[i], b = c * e[i], r = std::hypot(f, g);
    e[i + 1] = r;
    if (r == 0.0) {  // it falls in two here
      d[i + 1] -= shift;
      e[m] = 0.0;
      return;
    }
    s = f / r, c = g / r;
    g = d[i + 1] - shift;
    const double t = (d[i] - g) * s + 2.0 * c * b;
    shift = s * t;
    d[i + 1] = g + shift;
    g = c * t - b;
    double *left = Q.data() + i * rows, *right = left + rows;
    for (Eigen::Index k = 0; k < rows; ++k) {
      const double old = right[k];
      right[k] = s * left[k] + c * old;
      left[k] = c * left[k] - s * old;
    }
  }
  d[low] -= shift, e[low] = g, e[m] = 0.0;
}

/// Values of a tridiagonal matrix ascending, from its diagonals (e with a zero at its end); columns of Q follow.
void diagonalize(VecX& d, VecX& e, MatX& Q) {
  constexpr int kMostSteps = 60;  // a value; two or three are usual
  const Eigen::Index n = d.size();
  for (Eigen::Index low = 0; low < n; ++low)
    for (int step = 0; step < kMostSteps; ++step) {
      Eigen::Index m = low;
      while (m + 1 < n && std::abs(e[m]) > std::numeric_limits<double>::epsilon() * (std::abs(d[m]) + std::abs(d[m + 1]))) ++m;
      if (m == low) break;
      ql_step(d, e, Q, low, m);
    }
  for (Eigen::Index k = 0; k + 1 < n; ++k) {
    const Eigen::Index least = std::min_element(d.data() + k, d.data() + n) - d.data();
    if (least == k) continue;
    std::swap(d[k], d[least]);
    if (Q.rows() > 0) std::swap_ranges(&Q(0, k), &Q(0, k) + Q.rows(), &Q(0, least));
  }
}

/// The matrix that the lower triangle of A stands for, over its largest entry (returned), so that squares neither vanish nor overflow.
double symmetric_part(const MatX& A, MatX& S) {
  const Eigen::Index n = A.rows();
  S.resize(n, n);
  double scale = 0.0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i) scale = std::max(scale, std::abs(A(i, j)));
  if (scale == 0.0) scale = 1.0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i) S(i, j) = S(j, i) = A(i, j) / scale;
  return scale;
}

/// X = A^-1 B for a symmetric A of size n (both triangles given, overwritten) and m columns of B, by L D L^T with the largest diagonal entries
/// first; directions in which A is zero get nothing.
void solve_symmetric(double* A, Eigen::Index n, double* B, Eigen::Index m) {
  const auto at = [&](Eigen::Index i, Eigen::Index j) -> double& { return A[i + j * n]; };
  std::array<Eigen::Index, 8> few;
  std::vector<Eigen::Index> many(n > 8 ? n : 0);
  Eigen::Index* const order = n > 8 ? many.data() : few.data();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (std::abs(at(i, i)) > std::abs(at(pivot, pivot))) pivot = i;
    order[k] = pivot;
    if (pivot != k) {
      for (Eigen::Index j = 0; j < n; ++j) std::swap(at(k, j), at(pivot, j));
      for (Eigen::Index j = k; j < n; ++j) std::swap(at(j, k), at(j, pivot));
      for (Eigen::Index j = 0; j < m; ++j) std::swap(B[k + j * n], B[pivot + j * n]);
    }
    const double D = at(k, k);
    if (D == 0.0) {
      for (Eigen::Index i = k + 1; i < n; ++i) at(i, k) = 0.0;
      continue;
    }
    for (Eigen::Index j = k + 1; j < n; ++j)
      for (Eigen::Index i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * (at(j, k) / D);
    for (Eigen::Index i = k + 1; i < n; ++i) at(i, k) /= D;
  }
  for (Eigen::Index j = 0; j < m; ++j) {
    double* x = B + j * n;
    for (Eigen::Index k = 0; k < n; ++k)
      for (Eigen::Index i = k + 1; i < n; ++i) x[i] -= at(i, k) * x[k];
    for (Eigen::Index k = 0; k < n; ++k) x[k] = at(k, k) == 0.0 ? 0.0 : x[k] / at(k, k);
    for (Eigen::Index k = n - 1; k >= 0; --k)
      for (Eigen::Index i = k + 1; i < n; ++i) x[k] -= at(i, k) * x[i];
    for (Eigen::Index k = n - 1; k >= 0; --k) std::swap(x[k], x[order[k]]);
  }
}

/// x (n numbers) becomes v of the reflection I - beta v v^T that turns x to (first, 0, ..., 0). Returns beta.
double make_reflection(double* x, Eigen::Index n, double& first) {
  double tail = 0.0;
  for (Eigen::Index i = 1; i < n; ++i) tail += x[i] * x[i];
  first = x[0];
  if (tail == 0.0) return 0.0;
  first = -std::copysign(std::sqrt(x[0] * x[0] + tail), x[0]);
  x[0] -= first;
  return 2.0 / (x[0] * x[0] + tail);
}

/// A becomes R of A P = Q R and, below the diagonal, the reflections of Q over their first entries; returns the factors beta of these. With
/// an `order` of columns the largest of what is left comes first, without one they stay.
VecX triangularize(MatX& A, std::vector<Eigen::Index>* order) {
  const Eigen::Index rows = A.rows(), columns = A.cols(), pivots = std::min(rows, columns);
  VecX beta(pivots);
  const auto left = [&](Eigen::Index j, Eigen::Index k) {
    double sum = 0.0;
    for (Eigen::Index i = k; i < rows; ++i) sum += A(i, j) * A(i, j);
    return sum;
  };
  // Squares of what is left of the columns, and what they were when they were last summed up.
  VecX square(columns), summed(columns);
  for (Eigen::Index j = 0; order && j < columns; ++j) square[j] = summed[j] = left(j, 0);
  for (Eigen::Index k = 0; k < pivots; ++k) {
    if (order) {
      const Eigen::Index pivot = std::max_element(square.data() + k, square.data() + columns) - square.data();
      if (pivot != k) {
        std::swap_ranges(&A(0, k), &A(0, k) + rows, &A(0, pivot));
        std::swap((*order)[k], (*order)[pivot]);
        std::swap(square[k], square[pivot]), std::swap(summed[k], summed[pivot]);
      }
    }
    double* v = &A(k, k);
    double first = 0.0;
    beta[k] = make_reflection(v, rows - k, first);
    const double v0 = v[0];
    for (Eigen::Index j = k + 1; j < columns; ++j) {
      double* x = &A(k, j);
      double along = 0.0;
      for (Eigen::Index i = 0; i < rows - k; ++i) along += v[i] * x[i];
      for (Eigen::Index i = 0; i < rows - k; ++i) x[i] -= beta[k] * along * v[i];
      if (!order) continue;
      // Differences of nearly equal squares say nothing: then the sum is made anew.
      square[j] -= x[0] * x[0];
      if (!(square[j] > kCancelled * summed[j])) square[j] = summed[j] = left(j, k + 1);
    }
    v[0] = first;
    if (beta[k] != 0.0) {
      for (Eigen::Index i = 1; i < rows - k; ++i) v[i] /= v0;
      beta[k] *= v0 * v0;
    }
  }
  return beta;
}

/// Turns columns p and q of U until they are orthogonal, V with them. Returns whether they were not.
bool make_orthogonal(Mat3& U, Mat3& V, int p, int q) {
  const double a = U.col(p).squaredNorm(), b = U.col(q).squaredNorm(), along = U.col(p).dot(U.col(q));
  if (!(std::abs(along) > std::numeric_limits<double>::epsilon() * std::sqrt(a) * std::sqrt(b))) return false;
  const double zeta = (b - a) / (2.0 * along), t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double c = 1.0 / std::hypot(1.0, t), s = c * t;
  for (Mat3* M : {&U, &V})
    for (int i = 0; i < 3; ++i) {
      const double left = (*M)(i, p), right = (*M)(i, q);
      (*M)(i, p) = c * left - s * right;
      (*M)(i, q) = s * left + c * right;
    }
  return true;
}

}  // namespace

MatX SymmetricEigen::matrix() const {
  MatX scaled = vectors;
  for (Eigen::Index j = 0; j < scaled.cols(); ++j)
    for (Eigen::Index i = 0; i < scaled.rows(); ++i) scaled(i, j) *= values[j];
  return multiply_by_transposed(scaled, vectors);
}

SymmetricEigen symmetric_eigen(const MatX& A) {
  SymmetricEigen out;
  const double scale = symmetric_part(A, out.vectors);
  out.values.resize(A.rows());
  VecX off(A.rows());
  if (A.rows() == 0) return out;
  tridiagonalize(out.vectors, out.values, off);
  diagonalize(out.values, off, out.vectors);
  out.values *= scale;
  return out;
}

VecX symmetric_eigenvalues(const MatX& A) { return symmetric_eigen(A).values; }

SymmetricEigen tridiagonal_eigen(const VecX& diagonal, const VecX& off_diagonal) {
  SymmetricEigen out{diagonal, MatX::Identity(diagonal.size(), diagonal.size())};
  VecX off = VecX::Zero(diagonal.size());
  std::copy(off_diagonal.data(), off_diagonal.data() + off_diagonal.size(), off.data());
  diagonalize(out.values, off, out.vectors);
  return out;
}

Svd3 svd(const Mat3& A) {
  constexpr int kMostSweeps = 30;  // four or five are usual
  const double largest = A.cwiseAbs().maxCoeff(), scale = largest > 0.0 ? largest : 1.0;
  Mat3 U = A / scale, V = Mat3::Identity();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    const bool first = make_orthogonal(U, V, 0, 1), second = make_orthogonal(U, V, 0, 2), third = make_orthogonal(U, V, 1, 2);
    if (!first && !second && !third) break;
  }
  const Vec3 lengths(U.col(0).norm(), U.col(1).norm(), U.col(2).norm());
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return lengths[i] > lengths[j]; });
  Svd3 out;
  for (int k = 0; k < 3; ++k) {
    out.values[k] = scale * lengths[order[k]];
    out.V.col(k) = V.col(order[k]);
    if (lengths[order[k]] > 0.0) out.U.col(k) = U.col(order[k]) / lengths[order[k]];
    else if (k == 0) out.U.col(0) = Vec3::UnitX();
    else if (k == 1) out.U.col(1) = Vec3(out.U.col(0)).unitOrthogonal();
    else out.U.col(2) = Vec3(out.U.col(0)).cross(Vec3(out.U.col(1)));
  }
  return out;
}

Vec2 solve_positive(const Mat2& A, const Vec2& b) {
  Mat2 factor = A;
  Vec2 x = b;
  factor(0, 1) = factor(1, 0);
  solve_symmetric(factor.data(), 2, x.data(), 1);
  return x;
}

Vec3 solve_positive(const Mat3& A, const Vec3& b) {
  Mat3 factor = A;
  Vec3 x = b;
  factor(0, 1) = factor(1, 0), factor(0, 2) = factor(2, 0), factor(1, 2) = factor(2, 1);
  solve_symmetric(factor.data(), 3, x.data(), 1);
  return x;
}

MatX solve_positive(const MatX& A, const MatX& B) {
  MatX factor, x = B;
  const double scale = symmetric_part(A, factor);
  solve_symmetric(factor.data(), A.rows(), x.data(), x.cols());
  x /= scale;
  return x;
}

bool cholesky(double* A, Eigen::Index n) {
  for (Eigen::Index j = 0; j < n; ++j) {
    double* column = A + j * n;
    for (Eigen::Index k = 0; k < j; ++k) {
      const double* earlier = A + k * n;
      const double factor = earlier[j];
      for (Eigen::Index i = j; i < n; ++i) column[i] -= factor * earlier[i];
    }
    if (!(column[j] > 0.0)) return false;
    column[j] = std::sqrt(column[j]);
    for (Eigen::Index i = j + 1; i < n; ++i) column[i] /= column[j];
  }
  return true;
}

void solve_lower(const double* L, Eigen::Index n, double* x) {
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = L + j * n;
    x[j] /= column[j];
    for (Eigen::Index i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
  }
}

void solve_lower_transposed(const double* L, Eigen::Index n, double* x) {
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    const double* column = L + j * n;
    for (Eigen::Index i = j + 1; i < n; ++i) x[j] -= column[i] * x[i];
    x[j] /= column[j];
  }
}

void multiply_lower(const double* L, Eigen::Index n, double* x) {
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    const double* column = L + j * n;
    for (Eigen::Index i = j + 1; i < n; ++i) x[i] += column[i] * x[j];
    x[j] *= column[j];
  }
}

void multiply_lower_transposed(const double* L, Eigen::Index n, double* x) {
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = L + j * n;
    double sum = 0.0;
    for (Eigen::Index i = j; i < n; ++i) sum += column[i] * x[i];
    x[j] = sum;
  }
}

std::optional<Mat3> inverse_cholesky(const Mat3& A) {
  Mat3 L = Mat3::Zero(), inverse = Mat3::Zero();
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i) {
      double rest = A(i, j);
      for (int k = 0; k < j; ++k) rest -= L(i, k) * L(j, k);
      if (i == j && !(rest > 0.0)) return std::nullopt;
      L(i, j) = i == j ? std::sqrt(rest) : rest / L(j, j);
    }
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i) {
      double rest = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) rest -= L(i, k) * inverse(k, j);
      inverse(i, j) = rest / L(i, i);
    }
  if (!inverse.allFinite()) return std::nullopt;
  return inverse;
}

namespace {

/// A^-1 over the last n of 2 n columns, of the matrix in the first n, which is spoilt.
template <class Work>
void invert(Work& work, Eigen::Index n) {
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) work(i, n + j) = i == j ? 1.0 : 0.0;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (std::abs(work(i, k)) > std::abs(work(pivot, k))) pivot = i;
    for (Eigen::Index j = k; j < 2 * n; ++j) std::swap(work(k, j), work(pivot, j));
    // All other rows lose their part of column k, which is not looked at again.
    for (Eigen::Index j = k + 1; j < 2 * n; ++j) {
      work(k, j) /= work(k, k);
      for (Eigen::Index i = 0; i < n; ++i)
        if (i != k) work(i, j) -= work(i, k) * work(k, j);
    }
  }
}

}  // namespace

Mat6 inverse(const Mat6& A) {
  Eigen::Matrix<double, 6, 12> work;
  std::copy(A.data(), A.data() + 36, work.data());
  invert(work, 6);
  Mat6 out;
  std::copy(work.data() + 36, work.data() + 72, out.data());
  return out;
}

MatX inverse(const MatX& A) {
  const Eigen::Index n = A.rows();
  MatX work(n, 2 * n), out(n, n);
  std::copy(A.data(), A.data() + n * n, work.data());
  invert(work, n);
  std::copy(work.data() + n * n, work.data() + 2 * n * n, out.data());
  return out;
}

Vec3 solve_linear(const Mat3& A, const Vec3& b) {
  Mat3 U = A;
  Vec3 x = b;
  for (int k = 0; k < 3; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 3; ++i)
      if (std::abs(U(i, k)) > std::abs(U(pivot, k))) pivot = i;
    for (int j = k; j < 3; ++j) std::swap(U(k, j), U(pivot, j));
    std::swap(x[k], x[pivot]);
    for (int i = k + 1; i < 3; ++i) {
      const double factor = U(i, k) / U(k, k);
      for (int j = k + 1; j < 3; ++j) U(i, j) -= factor * U(k, j);
      x[i] -= factor * x[k];
    }
  }
  for (int k = 2; k >= 0; --k) {
    for (int j = k + 1; j < 3; ++j) x[k] -= U(k, j) * x[j];
    x[k] /= U(k, k);
  }
  return x;
}

OrthogonalFactor::OrthogonalFactor(const MatX& A, double threshold) : A_(A), order_(A.cols()) {
  for (Eigen::Index j = 0; j < A.cols(); ++j) order_[j] = j;
  beta_ = triangularize(A_, &order_);
  const Eigen::Index pivots = beta_.size(), columns = A_.cols();
  // Pivots descend but for rounding.
  while (rank_ < pivots && std::abs(A_(rank_, rank_)) > threshold * std::abs(A_(0, 0))) ++rank_;
  // [T 0] Z = the first rows of R: reflections from the right, upwards, each of a row's diagonal entry and what stands right of T.
  right_ = MatX::Zero(columns - rank_ + 1, rank_);
  right_beta_ = VecX::Zero(rank_);
  for (Eigen::Index k = rank_ - 1; k >= 0; --k) {
    double* v = &right_(0, k);
    v[0] = A_(k, k);
    for (Eigen::Index j = rank_; j < columns; ++j) v[1 + j - rank_] = A_(k, j);
    double first = 0.0;
    right_beta_[k] = make_reflection(v, columns - rank_ + 1, first);
    for (Eigen::Index i = 0; i < k; ++i) {
      double along = v[0] * A_(i, k);
      for (Eigen::Index j = rank_; j < columns; ++j) along += v[1 + j - rank_] * A_(i, j);
      A_(i, k) -= right_beta_[k] * along * v[0];
      for (Eigen::Index j = rank_; j < columns; ++j) A_(i, j) -= right_beta_[k] * along * v[1 + j - rank_];
    }
    A_(k, k) = first;
  }
}

/// x <- H_k x, the k-th reflection of Q.
void OrthogonalFactor::reflect(Eigen::Index k, double* x) const {
  // Its vector is stored below the diagonal, over its first entry.
  const double* v = &A_(0, k);
  double along = x[k];
  for (Eigen::Index i = k + 1; i < A_.rows(); ++i) along += v[i] * x[i];
  along *= beta_[k];
  x[k] -= along;
  for (Eigen::Index i = k + 1; i < A_.rows(); ++i) x[i] -= along * v[i];
}

/// y <- y H_k, the k-th reflection of Z; y has as many numbers as A columns.
void OrthogonalFactor::reflect_right(Eigen::Index k, double* y) const {
  const double* v = right_.data() + k * right_.rows();
  double along = v[0] * y[k];
  for (Eigen::Index j = 1; j < right_.rows(); ++j) along += v[j] * y[rank_ + j - 1];
  along *= right_beta_[k];
  y[k] -= along * v[0];
  for (Eigen::Index j = 1; j < right_.rows(); ++j) y[rank_ + j - 1] -= along * v[j];
}

MatX OrthogonalFactor::Q() const {
  MatX out = MatX::Identity(A_.rows(), A_.rows());
  for (Eigen::Index j = 0; j < out.cols(); ++j)
    for (Eigen::Index k = beta_.size() - 1; k >= 0; --k) reflect(k, &out(0, j));
  return out;
}

VecX OrthogonalFactor::solve(const VecX& b) const {
  VecX c = b, y = VecX::Zero(A_.cols()), x(A_.cols());
  for (Eigen::Index k = 0; k < beta_.size(); ++k) reflect(k, c.data());
  for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
    double rest = c[i];
    for (Eigen::Index j = i + 1; j < rank_; ++j) rest -= A_(i, j) * y[j];
    y[i] = rest / A_(i, i);
  }
  for (Eigen::Index k = 0; k < rank_; ++k) reflect_right(k, y.data());
  for (Eigen::Index j = 0; j < x.size(); ++j) x[order_[j]] = y[j];
  return x;
}

VecX OrthogonalFactor::solve_transposed(const VecX& b) const {
  VecX y(A_.cols()), x = VecX::Zero(A_.rows());
  for (Eigen::Index j = 0; j < y.size(); ++j) y[j] = b[order_[j]];
  for (Eigen::Index k = rank_ - 1; k >= 0; --k) reflect_right(k, y.data());
  for (Eigen::Index i = 0; i < rank_; ++i) {
    double rest = y[i];
    for (Eigen::Index j = 0; j < i; ++j) rest -= A_(j, i) * x[j];
    x[i] = rest / A_(i, i);
  }
  for (Eigen::Index k = beta_.size() - 1; k >= 0; --k) reflect(k, x.data());
  return x;
}

MatX pseudo_inverse(const MatX& A) {
  const auto pivots = static_cast<double>(std::min(A.rows(), A.cols()));
  const OrthogonalFactor factor(A, pivots * std::numeric_limits<double>::epsilon());
  MatX out(A.cols(), A.rows());
  for (Eigen::Index j = 0; j < A.rows(); ++j) out.col(j) = factor.solve(VecX::Unit(A.rows(), j));
  return out;
}

MatX qr_upper(const MatX& A) {
  MatX R = A, out = MatX::Zero(A.cols(), A.cols());
  triangularize(R, nullptr);
  for (Eigen::Index j = 0; j < A.cols(); ++j) std::copy(&R(0, j), &R(0, j) + j + 1, &out(0, j));
  return out;
}

}  // namespace scree
