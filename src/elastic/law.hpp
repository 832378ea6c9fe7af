/// Hyperelastic materials. A law is a stored energy as a function of C = F^T F (theory eq. 5.3); everything
/// the elements need follows from its first two derivatives. To add one, derive from Law in one file and
/// name it in make_law().
///
/// Symmetric tensors are six numbers in the order xx, yy, zz, xy, xz, yz; strains carry twice the shear.
#pragma once

#include <memory>
#include <string_view>

#include "core/vec.hpp"

namespace scree::elastic {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

class Law {
 public:
  virtual ~Law() = default;
  /// Stored energy a unit reference volume, J/m^3.
  [[nodiscard]] virtual double energy(const Mat3& C) const = 0;
  /// Second Piola-Kirchhoff stress S = 2 dW/dC, Pa, six components (theory eq. 5.4).
  [[nodiscard]] virtual Vec6 stress(const Mat3& C) const = 0;
  /// dS/dE with E = (C - I)/2 in engineering form, Pa: symmetric (theory eq. 5.4).
  [[nodiscard]] virtual Mat6 tangent(const Mat3& C) const = 0;
  /// True when S is linear in C: the tangent is then constant and the mean of two stresses is exact in theory eq. 5.14.
  [[nodiscard]] virtual bool linear() const { return false; }
};

/// Lame's constants of Young's modulus (Pa) and Poisson's ratio.
struct Lame {
  double lambda, mu;
};
[[nodiscard]] Lame lame(double young, double poisson);

/// The law called "KIRCHHOFF" (Saint Venant's, linear in E) or "NEO_HOOKEAN" (compressible, theory eq. 5.7).
/// InputError for another name, young <= 0 or poisson outside (-1, 0.5).
[[nodiscard]] std::shared_ptr<const Law> make_law(std::string_view name, double young, double poisson);
[[nodiscard]] std::shared_ptr<const Law> make_kirchhoff(double young, double poisson);
[[nodiscard]] std::shared_ptr<const Law> make_neo_hookean(double young, double poisson);

/// Symmetric matrix of six stress components, and back.
[[nodiscard]] inline Mat3 tensor(const Vec6& s) {
  Mat3 t;
  t << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return t;
}
[[nodiscard]] inline Vec6 components(const Mat3& t) { return Vec6(t(0, 0), t(1, 1), t(2, 2), t(0, 1), t(0, 2), t(1, 2)); }

/// First Piola-Kirchhoff stress P = F S (theory eq. 5.5).
[[nodiscard]] Mat3 first_piola(const Law& law, const Mat3& F);
/// dP_iJ / dF_kL at row 3 i + J, column 3 k + L (theory eq. 5.5).
[[nodiscard]] Mat9 first_piola_tangent(const Law& law, const Mat3& F);

/// Stress S of the energy-consistent scheme between C0 and C1 (theory eq. 5.14):
/// S : (C1 - C0)/2 = W(C1) - W(C0) to rounding.
[[nodiscard]] Vec6 mean_stress(const Law& law, const Mat3& C0, const Mat3& C1);

/// The same with the viscous stress  viscosity D (E1 - E0)  of Kelvin and Voigt (theory eq. 6.9).
[[nodiscard]] Vec6 step_stress(const Law& law, const Mat3& C0, const Mat3& C1, double viscosity);
/// D dE/dt at the rate dF of F: viscous stress with eta = 1 s.
[[nodiscard]] Vec6 viscous_stress(const Law& law, const Mat3& F, const Mat3& dF);

/// Cauchy stress F S F^T / det F of a second Piola-Kirchhoff stress.
[[nodiscard]] Vec6 cauchy(const Mat3& F, const Vec6& S);
/// Von Mises' equivalent of six stress components.
[[nodiscard]] double von_mises(const Vec6& stress);

}  // namespace scree::elastic
