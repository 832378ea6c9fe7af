#include "solvers/anderson.hpp"

#include "core/dense.hpp"

namespace scree::solvers {

void Anderson::reset(std::span<const double> weight, int depth, double regularisation) {
  const auto n = static_cast<Eigen::Index>(weight.size());
  weight_ = Eigen::Map<const VecX>(weight.data(), n);
  depth_ = depth;
  regularisation_ = regularisation;
  df_.resize(n, depth);
  dg_.resize(n, depth);
  normal_.setZero(depth, depth);
  last_f_.resize(n);
  last_g_.resize(n);
  f_.resize(n);
  clear();
}

void Anderson::next(std::span<const double> x, std::span<const double> g, std::span<double> result) {
  const Eigen::Map<const VecX> now(g.data(), static_cast<Eigen::Index>(g.size()));
  f_ = weight_.cwiseProduct(now - Eigen::Map<const VecX>(x.data(), now.size()));
  if (has_last_ && depth_ > 0) {
    newest_ = held_ < depth_ ? held_ : (newest_ + 1) % depth_;
    df_.col(newest_) = f_ - last_f_;
    dg_.col(newest_) = now - last_g_;
    held_ = std::min(held_ + 1, depth_);
    for (int k = 0; k < held_; ++k) normal_(k, newest_) = normal_(newest_, k) = df_.col(k).dot(df_.col(newest_));
  }
  last_f_ = f_;
  last_g_ = now;
  has_last_ = true;
  Eigen::Map<VecX> out(result.data(), now.size());
  out = now;
  if (held_ == 0) return;
  MatX normal = normal_.topLeftCorner(held_, held_);
  VecX projected(held_);
  for (int k = 0; k < held_; ++k) projected[k] = df_.col(k).dot(f_);
  const double shift = regularisation_ * normal.trace();
  if (!(shift > 0.0)) return;
  normal.diagonal().array() += shift;
  const VecX gamma = solve_positive(normal, projected);
  if (!gamma.allFinite()) return;
  for (int k = 0; k < held_; ++k) out -= gamma[k] * dg_.col(k);
}

}  // namespace scree::solvers
