#include "elastic/corotation.hpp"

#include "elastic/incompatible.hpp"

namespace scree::elastic {

Polar polar(const Mat3& A) {
  const Eigen::JacobiSVD<Mat3> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign(1.0, 1.0, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0);
  return {svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose(),
          svd.matrixV() * sign.cwiseProduct(svd.singularValues()).asDiagonal() * svd.matrixV().transpose()};
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

Corotation::Pose Corotation::pose(std::span<const double> q) const {
  Vec3 center = Vec3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) center += mass_[n] / total_ * Vec3::Map(q.data() + 3 * n);
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
  // The rotation's own change with q takes the torque out.
  Vec3 torque = Vec3::Zero();
  for (std::size_t n = 0; n < arm_.size(); ++n) torque += (arm_[n] + Vec3::Map(work.data() + 3 * n)).cross(Vec3::Map(f.data() + 3 * n));
  const Vec3 t = (at.polar.B.trace() * Mat3::Identity() - at.polar.B).ldlt().solve(torque);
  for (std::size_t n = 0; n < arm_.size(); ++n) {
    auto force = Vec3::Map(f.data() + 3 * n);
    force = at.polar.R * (force - mass_[n] * t.cross(arm_[n]));
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
