#include "elastic/reduction.hpp"

#include "core/dense.hpp"
#include "elastic/corotation.hpp"

namespace scree::elastic {

namespace {

Eigen::Map<const Vec3> at(std::span<const double> x, std::size_t n) { return Eigen::Map<const Vec3>(x.data() + 3 * n); }
Eigen::Map<Vec3> at(std::span<double> x, std::size_t n) { return Eigen::Map<Vec3>(x.data() + 3 * n); }
Eigen::Map<const VecX> flat(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

/// Cayley's vector of a rotation:  Q = (I - [theta]/2)^-1 (I + [theta]/2).
Vec3 cayley(const Mat3& Q) {
  const Eigen::Quaterniond turn(Q);
  return 2.0 / turn.w() * turn.vec();
}

}  // namespace

Reduction::Reduction(const ElasticBody& body, const Modes& modes)
    : shapes_(modes.shapes), mass_shapes_(modes.shapes.rows(), modes.shapes.cols()), squares_(modes.frequency.cwiseAbs2()), total_(body.mass_properties().mass) {
  const auto size = static_cast<std::size_t>(body.dofs());
  for (const Vec3& node : body.mesh().nodes) {
    const Vec3 arm = node - body.mass_properties().center;
    arm_.insert(arm_.end(), arm.begin(), arm.end());
  }
  mass_arm_.resize(size);
  body.mass().multiply(arm_, mass_arm_);
  for (Eigen::Index k = 0; k < shapes_.cols(); ++k) body.mass().multiply({shapes_.col(k).data(), size}, {mass_shapes_.col(k).data(), size});
  std::vector<double> ones(size, 1.0), sums(size);
  body.mass().multiply(ones, sums);
  for (std::size_t k = 0; k < size; k += 3) node_mass_.push_back(sums[k]);
}

Reduction::Pose Reduction::pose(std::span<const double> q) const {
  // Modes have no moment with M about the mass centre: on the manifold the polar decomposition gives R itself.
  Vec3 center = Vec3::Zero();
  Mat3 A = Mat3::Zero();
  for (std::size_t n = 0; n < node_mass_.size(); ++n) center += node_mass_[n] / total_ * at(q, n);
  for (std::size_t n = 0; n < node_mass_.size(); ++n) A += (at(q, n) - center) * at(mass_arm_, n).transpose();
  const Mat3 R = polar(A).R;
  VecX d(static_cast<Eigen::Index>(q.size()));
  for (std::size_t n = 0; n < node_mass_.size(); ++n) d.segment<3>(static_cast<Eigen::Index>(3 * n)) = R.transpose() * (at(q, n) - center) - at(arm_, n);
  return {center, R, mass_shapes_.transpose() * d};
}

void Reduction::shape(const VecX& eta, std::span<double> y) const {
  Eigen::Map<VecX> all(y.data(), static_cast<Eigen::Index>(y.size()));
  all.noalias() = shapes_ * eta;
  all += flat(arm_);
}

void Reduction::place(const Pose& pose, std::span<double> q) const {
  shape(pose.eta, q);
  for (std::size_t n = 0; n < node_mass_.size(); ++n) at(q, n) = pose.center + pose.R * Vec3(at(q, n));
}

void Reduction::add_motion(std::span<const double> y, int node, const Mat3& frame, Eigen::Ref<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> rows) const {
  rows.leftCols<3>() += frame;
  rows.middleCols<3>(3) -= frame * skew(at(y, static_cast<std::size_t>(node)));
  rows.rightCols(modes()).noalias() += frame * shapes_.middleRows<3>(3 * node);
}

MatX Reduction::system(const VecX& eta, double a, double b) const {
  std::vector<double> y(arm_.size());
  shape(eta, y);
  VecX My = mass_shapes_ * eta;
  My += flat(mass_arm_);
  MatX A = MatX::Zero(dofs(), dofs());
  Mat3 euler = Mat3::Zero();
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    const auto i = static_cast<Eigen::Index>(3 * n);
    euler += at(std::span<const double>(y), n) * My.segment<3>(i).transpose();
    // phi . M (w x y) = w . (y x M phi)
    A.block(6, 3, modes(), 3) -= a * mass_shapes_.middleRows<3>(i).transpose() * skew(at(std::span<const double>(y), n));
  }
  A.topLeftCorner<3, 3>().diagonal().setConstant(a * total_);
  A.block<3, 3>(3, 3) = a * (euler.trace() * Mat3::Identity() - 0.5 * (euler + euler.transpose()));
  A.block(3, 6, 3, modes()) = A.block(6, 3, modes(), 3).transpose();
  A.diagonal().tail(modes()) = (b * squares_).array() + a;
  return A;
}

VecX Reduction::work(const Pose& pose, std::span<const double> r) const {
  VecX y(static_cast<Eigen::Index>(r.size())), turned(y.size()), done = VecX::Zero(dofs());
  shape(pose.eta, {y.data(), r.size()});
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    const auto i = static_cast<Eigen::Index>(3 * n);
    const Vec3 force = pose.R.transpose() * at(r, n);
    turned.segment<3>(i) = force;
    done.head<3>() += force;
    done.segment<3>(3) += Vec3(y.segment<3>(i)).cross(force);
  }
  done.tail(modes()).noalias() = shapes_.transpose() * turned;
  return done;
}

Reduction::Middle Reduction::middle(const Pose& from, const Pose& to) const {
  const Vec3 theta = cayley(to.R * from.R.transpose());
  const double tangent = 0.5 * theta.norm();
  Middle middle{from.R + 0.5 * skew(theta) * from.R, from.R, std::vector<double>(arm_.size())};
  if (tangent > 0.0) middle.R = Eigen::AngleAxisd(std::atan(tangent), theta.normalized()).toRotationMatrix() * from.R;
  std::vector<double> last(arm_.size());
  shape(from.eta, middle.arms);
  shape(to.eta, last);
  for (std::size_t n = 0; n < node_mass_.size(); ++n)
    at(std::span<double>(middle.arms), n) = 0.5 * (from.R * Vec3(at(std::span<const double>(middle.arms), n)) + to.R * at(std::span<const double>(last), n));
  return middle;
}

VecX Reduction::step_work(std::span<const double> q0, std::span<const double> q1, std::span<const double> r) const {
  const Middle mid = middle(pose(q0), pose(q1));
  VecX turned(static_cast<Eigen::Index>(r.size())), done = VecX::Zero(dofs());
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    force += at(r, n);
    torque += at(std::span<const double>(mid.arms), n).cross(at(r, n));
    turned.segment<3>(static_cast<Eigen::Index>(3 * n)) = mid.G.transpose() * at(r, n);
  }
  done.head<3>() = mid.R.transpose() * force;
  done.segment<3>(3) = mid.R.transpose() * torque;
  done.tail(modes()).noalias() = shapes_.transpose() * turned;
  return done;
}

void Reduction::motion(const Pose& pose, const VecX& velocities, std::span<double> u) const {
  std::vector<double> y(u.size());
  shape(pose.eta, y);
  Eigen::Map<VecX>(u.data(), static_cast<Eigen::Index>(u.size())).noalias() = shapes_ * velocities.tail(modes());
  const Vec3 speed = velocities.head<3>(), spin = velocities.segment<3>(3);
  for (std::size_t n = 0; n < node_mass_.size(); ++n) at(u, n) = pose.R * (speed + spin.cross(at(std::span<const double>(y), n)) + Vec3(at(u, n)));
}

double Reduction::internal_energy(std::span<const double> q) const { return 0.5 * squares_.dot(pose(q).eta.cwiseAbs2()); }

void Reduction::spread(const Middle& mid, const VecX& p, std::span<double> f) const {
  Eigen::Map<VecX>(f.data(), static_cast<Eigen::Index>(f.size())).noalias() = mass_shapes_ * p;
  // Forces in the frame of G; momenta of a rotation of the undeformed body, which do no work on modes, take the torque out.
  const Mat3 frame = mid.G.transpose().inverse();
  Mat3 moment = Mat3::Zero(), arms = Mat3::Zero();
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    at(f, n) = frame * Vec3(at(f, n));
    moment += at(std::span<const double>(mid.arms), n) * at(f, n).transpose();
    arms += at(std::span<const double>(mid.arms), n) * at(mass_arm_, n).transpose();
  }
  Mat3 slope;
  for (int k = 0; k < 3; ++k) slope.col(k) = axial(-arms * skew(Vec3::Unit(k)) * frame.transpose());
  const Vec3 t = solve_linear(slope, axial(moment));
  for (std::size_t n = 0; n < node_mass_.size(); ++n) at(f, n) -= frame * t.cross(at(mass_arm_, n));
}

void Reduction::step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const {
  const Pose a = pose(q0), b = pose(q1);
  const VecX mean = 0.5 * (a.eta + b.eta) + viscosity * (b.eta - a.eta);
  spread(middle(a, b), squares_.cwiseProduct(mean), f);
}

void Reduction::viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const {
  // Rates of the amplitudes: those of the motion nearest to u.
  const Pose here = pose(q);
  std::vector<double> y(q.size());
  shape(here.eta, y);
  VecX moment = VecX::Zero(modes());
  Mat3 spin = Mat3::Zero(), A = Mat3::Zero();
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    spin += here.R.transpose() * at(u, n) * at(mass_arm_, n).transpose();
    A += at(std::span<const double>(y), n) * at(mass_arm_, n).transpose();
  }
  // Derivative of the polar decomposition A = R B:  (tr(B) I - B) w = axial vector.
  const Vec3 w = solve_linear(A.trace() * Mat3::Identity() - A, -axial(spin));
  for (std::size_t n = 0; n < node_mass_.size(); ++n) {
    const Vec3 rate = here.R.transpose() * at(u, n) - w.cross(at(std::span<const double>(y), n));
    moment += mass_shapes_.middleRows<3>(static_cast<Eigen::Index>(3 * n)).transpose() * rate;
  }
  spread(middle(here, here), squares_.cwiseProduct(moment), f);
}

}  // namespace scree::elastic
