/// Pseudo-rigid bodies: x(X) = F (X - Xc) + x  with a full matrix F, 12 degrees of freedom (theory sec. 6.2).
///
/// The four vector unknowns are the columns of F and the mass centre, with weights (X - Xc, 1).
#pragma once

#include "elastic/law.hpp"
#include "model/mechanics.hpp"

namespace scree::model {

/// A part of the body with one material.
struct PseudoRigidPart {
  double volume = 0.0;  ///< referential, m^3
  std::shared_ptr<const elastic::Law> law;
};

class PseudoRigid final : public Mechanics {
 public:
  /// @param euler  int rho (X - Xc)(X - Xc)^T dV, kg m^2, positive definite (InputError otherwise)
  PseudoRigid(double mass, const Vec3& center, const Mat3& euler, double radius, std::vector<PseudoRigidPart> parts);

  [[nodiscard]] int nodes() const override { return 4; }
  void reference(std::span<double> q) const override;
  void weights(const Vec3& X, std::vector<Weight>& out) const override;
  void weights_at(std::span<const double> q, int piece, const Vec3& x, std::vector<Weight>& out) const override;
  bool surface_points(std::span<const double>, std::vector<Vec3>&) const override { return false; }
  void mass_times(std::span<const double> v, bool lumped, std::span<double> out) const override;
  void internal_force(std::span<const double> q, std::span<double> f) const override;
  [[nodiscard]] double internal_energy(std::span<const double> q) const override;
  void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const override;
  void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const override;
  [[nodiscard]] double critical_step() const override;
  [[nodiscard]] Mat3 stress(std::span<const double> q, const Vec3& X) const override;
  void drawn_points(std::span<const double>, std::vector<Vec3>& out) const override { out.clear(); }
  void drawn_mises(std::span<const double>, std::vector<double>& out) const override { out.clear(); }
  void arms(std::span<const double> q, std::span<double> out) const override;
  [[nodiscard]] MeanMotion mean(std::span<const double> q, std::span<const double> u) const override;
  void rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const override;
  void place(const Mat3& rotation, const Vec3& position, std::span<double> q) const override;
  void add_body_force(const Vec3& acceleration, bool lumped, std::span<double> f) const override;
  void add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const override;
  [[nodiscard]] double fastest(std::span<const double> u) const override;
  [[nodiscard]] std::unique_ptr<Inertia> make_inertia() const override;

  /// K of the nine entries of F, column after column (theory eq. 6.6).
  [[nodiscard]] elastic::Mat9 stiffness(const Mat3& F) const;
  [[nodiscard]] double mass() const { return mass_; }
  [[nodiscard]] const Mat3& euler() const { return euler_; }

 private:
  double mass_, radius_, volume_ = 0.0;
  Vec3 center_;
  Mat3 euler_;
  std::vector<PseudoRigidPart> parts_;
};

}  // namespace scree::model
