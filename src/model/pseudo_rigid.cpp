#include "model/pseudo_rigid.hpp"

#include <array>
#include <limits>

#include "core/dense.hpp"
#include "core/error.hpp"

namespace scree::model {

namespace {

using elastic::Mat9;
using Mat12 = Eigen::Matrix<double, 12, 12>;
using ConstGradient = Eigen::Map<const Mat3>;  // columns of F are the first three unknowns
using Gradient = Eigen::Map<Mat3>;

/// The nearest symmetric positive semidefinite matrix.
Mat9 without_negative_part(const Mat9& K) {
  SymmetricEigen eigen = symmetric_eigen(K);
  for (double& value : eigen.values) value = std::max(0.0, value);
  return eigen.matrix();
}

/// A = a M + b K: nine rows for F and a multiple of the unit matrix for the mass centre.
class PseudoRigidInertia final : public Inertia {
 public:
  explicit PseudoRigidInertia(const PseudoRigid& body) : body_(body) {}

  void update(std::span<const double> q, double a, double b, bool, std::span<const int>) override {
    Mat9 M = Mat9::Zero();
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) M.block<3, 3>(3 * j, 3 * k).diagonal().setConstant(body_.euler()(j, k));
    K_ = b != 0.0 ? body_.stiffness(ConstGradient(q.data())) : Mat9::Zero();
    const auto factorise = [&] {
      L_ = a * M + b * K_;
      return cholesky(L_.data(), 9);
    };
    if (!factorise()) {
      K_ = without_negative_part(K_);
      if (!factorise()) L_.setConstant(std::numeric_limits<double>::quiet_NaN());  // of unknowns that are not finite: the step refuses it
    }
    root_mass_ = std::sqrt(a * body_.mass());
  }

  void solve(std::span<double> x) const override {
    solve_lower(L_.data(), 9, x.data());
    solve_lower_transposed(L_.data(), 9, x.data());
    Eigen::Map<Vec3>(x.data() + 9) /= root_mass_ * root_mass_;
  }

  void choose(std::span<const int>) override {}
  [[nodiscard]] int scaled_dofs() const override { return 12; }

  void add_rows(const Mat3& frame, std::span<const Weight> weights, double sign, std::span<double> rows) const override {
    Eigen::Map<Eigen::Matrix<double, 3, 12, Eigen::RowMajor>> H(rows.data());
    for (const Weight& w : weights) H.middleCols<3>(3 * w.node) += sign * w.value * frame;
  }

  void scale_rows(std::span<double> rows, int count) const override {
    // Three rows of a block side by side: their chains of operations do not wait for one another.
    std::array<double, 9> inverse;
    for (int j = 0; j < 9; ++j) inverse[j] = 1.0 / L_(j, j);
    const double last = 1.0 / root_mass_;
    for (int k = 0; k < count; k += 3) {
      double* row = rows.data() + 12 * k;
      for (int j = 0; j < 9; ++j) {
        for (int r = 0; r < 36; r += 12) row[r + j] *= inverse[j];
        for (int i = j + 1; i < 9; ++i)
          for (int r = 0; r < 36; r += 12) row[r + i] -= L_(i, j) * row[r + j];
      }
      for (int r = 0; r < 36; r += 12)
        for (int i = 9; i < 12; ++i) row[r + i] *= last;
    }
  }

 private:
  const PseudoRigid& body_;
  Mat9 K_ = Mat9::Zero();
  Mat9 L_ = Mat9::Identity();  ///< A = L L^T of the nine
  double root_mass_ = 1.0;
};

}  // namespace

PseudoRigid::PseudoRigid(double mass, const Vec3& center, const Mat3& euler, double radius, std::vector<PseudoRigidPart> parts)
    : mass_(mass), radius_(radius), center_(center), euler_(euler), parts_(std::move(parts)) {
  if (!inverse_cholesky(euler_))
    throw_input("pseudo-rigid body: its Euler tensor is not positive definite (inertia ({}, {}, {}) kg m^2); give it a volume", euler_(0, 0),
                euler_(1, 1), euler_(2, 2));
  for (const PseudoRigidPart& part : parts_) volume_ += part.volume;
}

void PseudoRigid::reference(std::span<double> q) const { place(Mat3::Identity(), center_, q); }

void PseudoRigid::place(const Mat3& rotation, const Vec3& position, std::span<double> q) const {
  Gradient(q.data()) = rotation;
  Eigen::Map<Vec3>(q.data() + 9) = position;
}

void PseudoRigid::weights(const Vec3& X, std::vector<Weight>& out) const {
  for (int j = 0; j < 3; ++j) out.push_back({j, X[j] - center_[j]});
  out.push_back({3, 1.0});
}

void PseudoRigid::weights_at(std::span<const double> q, int, const Vec3& x, std::vector<Weight>& out) const {
  const Vec3 arm = solve_linear(ConstGradient(q.data()), x - Eigen::Map<const Vec3>(q.data() + 9));
  weights(center_ + arm, out);
}

void PseudoRigid::mass_times(std::span<const double> v, bool, std::span<double> out) const {
  Gradient(out.data()) = ConstGradient(v.data()) * euler_;
  Eigen::Map<Vec3>(out.data() + 9) = mass_ * Eigen::Map<const Vec3>(v.data() + 9);
}

void PseudoRigid::internal_force(std::span<const double> q, std::span<double> f) const {
  const Mat3 F = ConstGradient(q.data());
  Mat3 P = Mat3::Zero();
  for (const PseudoRigidPart& part : parts_) P += part.volume * elastic::first_piola(*part.law, F);
  Gradient(f.data()) = P;
  Eigen::Map<Vec3>(f.data() + 9).setZero();
}

double PseudoRigid::internal_energy(std::span<const double> q) const {
  const Mat3 F = ConstGradient(q.data());
  double energy = 0.0;
  for (const PseudoRigidPart& part : parts_) energy += part.volume * part.law->energy(F.transpose() * F);
  return energy;
}

void PseudoRigid::step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const {
  const Mat3 F0 = ConstGradient(q0.data()), F1 = ConstGradient(q1.data());
  const Mat3 C0 = F0.transpose() * F0, C1 = F1.transpose() * F1;
  Mat3 S = Mat3::Zero();
  for (const PseudoRigidPart& part : parts_) S += part.volume * elastic::tensor(elastic::step_stress(*part.law, C0, C1, viscosity));
  Gradient(f.data()) = 0.5 * (F0 + F1) * S;
  Eigen::Map<Vec3>(f.data() + 9).setZero();
}

void PseudoRigid::viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const {
  const Mat3 F = ConstGradient(q.data());
  Mat3 S = Mat3::Zero();
  for (const PseudoRigidPart& part : parts_) S += part.volume * elastic::tensor(elastic::viscous_stress(*part.law, F, ConstGradient(u.data())));
  Gradient(f.data()) = F * S;
  Eigen::Map<Vec3>(f.data() + 9).setZero();
}

void PseudoRigid::arms(std::span<const double> q, std::span<double> out) const {
  Gradient(out.data()) = ConstGradient(q.data());
  Eigen::Map<Vec3>(out.data() + 9).setZero();
}

Mat9 PseudoRigid::stiffness(const Mat3& F) const {
  Mat9 by_rows = Mat9::Zero();
  for (const PseudoRigidPart& part : parts_) by_rows += part.volume * elastic::first_piola_tangent(*part.law, F);
  // From the order F_11, F_12, ... to columns one after the other.
  Mat9 K;
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J)
      for (int k = 0; k < 3; ++k)
        for (int L = 0; L < 3; ++L) K(3 * J + i, 3 * L + k) = by_rows(3 * i + J, 3 * k + L);
  return 0.5 * (K + K.transpose());
}

double PseudoRigid::critical_step() const {
  // Largest eigenvalue of M^-1/2 K M^-1/2 where F = I; M repeats Euler's tensor for each row of F.
  SymmetricEigen euler = symmetric_eigen(euler_);
  for (double& value : euler.values) value = 1.0 / std::sqrt(value);
  const Mat3 root = euler.matrix();
  MatX R = MatX::Zero(9, 9);
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) R.block<3, 3>(3 * j, 3 * k).diagonal().setConstant(root(j, k));
  return 2.0 / std::sqrt(symmetric_eigenvalues(R * MatX(stiffness(Mat3::Identity())) * R)[8]);
}

Mat3 PseudoRigid::stress(std::span<const double> q, const Vec3&) const {
  const Mat3 F = ConstGradient(q.data());
  Mat3 P = Mat3::Zero();
  for (const PseudoRigidPart& part : parts_) P += part.volume / volume_ * elastic::first_piola(*part.law, F);
  return P * F.transpose() / F.determinant();
}

MeanMotion PseudoRigid::mean(std::span<const double> q, std::span<const double> u) const {
  MeanMotion motion;
  motion.gradient = ConstGradient(q.data());
  motion.position = Eigen::Map<const Vec3>(q.data() + 9);
  motion.velocity = Eigen::Map<const Vec3>(u.data() + 9);
  // Angular velocity of the momentum: (tr(e) I - e) omega = axial vector of F E Fdot^T, e = F E F^T.
  const Mat3 e = motion.gradient * euler_ * motion.gradient.transpose();
  const Mat3 b = ConstGradient(u.data()) * euler_ * motion.gradient.transpose();
  const Vec3 momentum(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
  motion.angular = solve_positive(Mat3(e.trace() * Mat3::Identity() - e), momentum);
  return motion;
}

void PseudoRigid::rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const {
  Gradient(u.data()) = skew(angular) * ConstGradient(q.data());
  Eigen::Map<Vec3>(u.data() + 9) = v;
}

void PseudoRigid::add_body_force(const Vec3& acceleration, bool, std::span<double> f) const {
  Eigen::Map<Vec3>(f.data() + 9) += mass_ * acceleration;
}

void PseudoRigid::add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const {
  // Power T . omega with the spin (Fdot F^-1 - F^-T Fdot^T)/2.
  Gradient(f.data()) += 0.5 * skew(torque) * ConstGradient(q.data()).inverse().transpose();
}

double PseudoRigid::fastest(std::span<const double> u) const {
  return Eigen::Map<const Vec3>(u.data() + 9).norm() + ConstGradient(u.data()).norm() * radius_;
}

std::unique_ptr<Inertia> PseudoRigid::make_inertia() const { return std::make_unique<PseudoRigidInertia>(*this); }

}  // namespace scree::model
