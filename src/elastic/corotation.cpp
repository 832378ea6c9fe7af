#include "elastic/corotation.hpp"

#include "core/dense.hpp"
#include "elastic/incompatible.hpp"

namespace scree::elastic {

Polar polar(const Mat3& A) {
  const Svd3 parts = svd(A);
  const Vec3 sign(1.0, 1.0, (parts.U * parts.V.transpose()).determinant() < 0.0 ? -1.0 : 1.0);
  return {parts.U * sign.asDiagonal() * parts.V.transpose(), parts.V * sign.cwiseProduct(parts.values).asDiagonal() * parts.V.transpose()};
}

void rotate(const Mat3& R, std::span<double> x) {
  for (std::size_t k = 0; k + 2 < x.size(); k += 3) Vec3::Map(x.data() + k) = R * Vec3::Map(x.data() + k).eval();
}

Corotation::Corotation(const ElasticBody& body, bool incompatible) : K_(body.make_matrix()), mass_(body.lumped_mass().begin(), body.lumped_mass().end()) {
  if (incompatible) incompatible_stiffness(body, K_);
  else body.tangent(body.mesh().positions(), K_);
  Vec3 first = Vec3::Zero();
  for (int n = 0; n < body.nodes(); ++n) total_ += mass_[n], first += mass_[n] * body.mesh().nodes[n];
  for (int n = 0; n < body.nodes(); ++n) arm_.push_back(body.mesh().nodes[n] - first / total_);
}

Vec3 Corotation::center(std::span<const double> q) const {
  Vec3 center = Vec3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) center += mass_[n] / total_ * Vec3::Map(q.data() + 3 * n);
  return center;
}

Corotation::Pose Corotation::pose(std::span<const double> q) const {
  const Vec3 center = this->center(q);
  Mat3 A = Mat3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) A += mass_[n] * (Vec3::Map(q.data() + 3 * n) - center) * arm_[n].transpose();
  return {center, polar(A)};
}

Mat3 Corotation::rotation(std::span<const double> q) const { return pose(q).polar.R; }

void Corotation::local_displacement(std::span<const double> q, const Pose& pose, std::span<double> d) const {
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    Vec3::Map(d.data() + 3 * n) = pose.polar.R.transpose() * (Vec3::Map(q.data() + 3 * n) - pose.center) - arm_[n];
  }
}

void Corotation::internal_force(std::span<const double> q, std::span<double> f, std::span<double> work) const {
  const Pose at = pose(q);
  local_displacement(q, at, work);
  K_.multiply(work, f);
  spread(at, work, f);
}

void Corotation::spread(const Pose& pose, std::span<const double> d, std::span<double> p) const {
  // The rotation's own change with q takes the torque out.
  Vec3 torque = Vec3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) torque += (arm_[n] + Vec3::Map(d.data() + 3 * n)).cross(Vec3::Map(p.data() + 3 * n));
  const Vec3 t = solve_positive(pose.polar.B.trace() * Mat3::Identity() - pose.polar.B, torque);
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    auto force = Vec3::Map(p.data() + 3 * n);
    force = pose.polar.R * (force - mass_[n] * t.cross(arm_[n]));
  }
}

void Corotation::viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f, std::span<double> work) const {
  const Pose at = pose(q);
  const Vec3 speed = center(u);
  const auto rate = [&](std::size_t n) { return (at.polar.R.transpose() * (Vec3::Map(u.data() + 3 * n) - speed)).eval(); };
  // Spin of the body's frame, the derivative of its polar decomposition.
  Vec3 moment = Vec3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) moment += mass_[n] * arm_[n].cross(rate(n));
  const Vec3 spin = solve_positive(at.polar.B.trace() * Mat3::Identity() - at.polar.B, moment);
  local_displacement(q, at, work);
  for (std::size_t n = 0; n < arm_.size(); ++n) Vec3::Map(f.data() + 3 * n) = rate(n) - spin.cross(arm_[n] + Vec3::Map(work.data() + 3 * n));
  std::vector<double> change(f.begin(), f.end());
  K_.multiply(change, f);
  spread(at, work, f);
}

void Corotation::step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f, std::span<double> work) const {
  const Pose a = pose(q0), b = pose(q1);
  const auto place = [&](std::span<const double> q, const Pose& pose, std::size_t n) { return (Vec3::Map(q.data() + 3 * n) - pose.center).eval(); };
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    const Vec3 before = a.polar.R.transpose() * place(q0, a, n) - arm_[n], after = b.polar.R.transpose() * place(q1, b, n) - arm_[n];
    Vec3::Map(work.data() + 3 * n) = 0.5 * (before + after) + viscosity * (after - before);
  }
  K_.multiply(work, f);
  // d = B^-1 c - X with the quadratic invariants c_n = A^T y_n and B^2 = A^T A of A = R B: differences of products are exact with means.
  const Mat3 &B0 = a.polar.B, &B1 = b.polar.B, inverse0 = B0.inverse(), inverse1 = B1.inverse();
  const Mat3 A0 = a.polar.R * B0, A1 = b.polar.R * B1, A = 0.5 * (A0 + A1), H = 0.5 * (inverse0 + inverse1);
  Mat3 first = Mat3::Zero(), second = Mat3::Zero();  // sums of y p^T and p c^T
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    const Vec3 y0 = place(q0, a, n), y1 = place(q1, b, n), p = Vec3::Map(f.data() + 3 * n);
    first += 0.5 * (y0 + y1) * p.transpose();
    second += 0.5 * p * (A0.transpose() * y0 + A1.transpose() * y1).transpose();
  }
  // B1 - B0 follows from B1^2 - B0^2; the transpose of that map takes the forces on B to those on A^T A.
  const Mat3 onto = 0.5 * (inverse1 * second * inverse0 + inverse0 * second * inverse1);
  const SymmetricEigen mean = symmetric_eigen(Mat3(0.5 * (B0 + B1)));
  const Mat3 V = mean.vectors;
  Mat3 Z = 0.5 * V.transpose() * (onto + onto.transpose()) * V;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Z(i, j) /= mean.values[i] + mean.values[j];
  const Mat3 turn = first * H - 2.0 * A * (V * Z * V.transpose()), AH = A * H;
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    auto force = Vec3::Map(f.data() + 3 * n);
    force = AH * Vec3(force) + mass_[n] * turn * arm_[n];
  }
}

double Corotation::internal_energy(std::span<const double> q, std::span<double> work) const {
  local_displacement(q, pose(q), work);
  const NodePattern& p = *K_.pattern;
  double sum = 0.0;
  for (int n = 0; n < p.rows(); ++n) {
    Vec3 row = Vec3::Zero();
    for (int k = p.row_start[n]; k < p.row_start[n + 1]; ++k) {
      row += Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(K_.values.data() + 9 * static_cast<std::size_t>(k)) * Vec3::Map(work.data() + 3 * p.columns[k]);
    }
    sum += row.dot(Vec3::Map(work.data() + 3 * n));
  }
  return 0.5 * sum;
}

}  // namespace scree::elastic
