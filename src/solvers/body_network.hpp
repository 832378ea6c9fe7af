/// Systems of symmetric compliances between bodies,  (I + Hs^T G Hs) z = r,  by conjugate gradients in the space of bodies, split by the Cholesky
/// factors of the bodies' diagonal blocks. G is block diagonal, symmetric and positive semidefinite; rows Hs are those of the scaled problem.
///
/// What steps of interior points (theory eq. 4.15) and of proximal Newton steps of the convex relaxation (eq. 4.21) come down to.
#pragma once

#include <span>
#include <vector>

#include "solvers/conjugate_gradient.hpp"
#include "solvers/scaled_problem.hpp"

namespace scree::solvers {

class BodyNetwork {
 public:
  /// Problem and rows must outlive it.
  BodyNetwork(ScaledProblem& scaled, const BodyForm& W);

  /// Contacts alone between small bodies: equations would be stiff beyond any preconditioner of bodies.
  [[nodiscard]] static bool suits(const BodyForm& W, const ContactProblem& problem);

  /// Take over G, a block each, kept by the caller.
  void set(std::span<const Mat3> G);

  /// y = Hs^T u; u is lost.
  void to_bodies(std::span<double> u, std::span<double> y);
  /// u = Hs y
  void to_contacts(std::span<const double> y, std::span<double> u);
  /// u = G u
  void weigh(std::span<double> u) const;

  /// z until the residual is at most `goal`, in the norm of the bodies' blocks, or after so many products.
  void solve(std::span<const double> r, double goal, int most, std::span<double> z);
  /// The same until what the residual leaves of the contacts' equations, Hs (r - A z), is at most `goal` in the norm of G.
  void solve_for_contacts(std::span<const double> r, double goal, int most, std::span<double> z);
  /// |r| in the norm solve() measures by.
  [[nodiscard]] double size(std::span<const double> r);
  [[nodiscard]] long products() const { return products_; }

 private:
  template <class Good>
  void solve_until(std::span<const double> r, Good&& good, int most, std::span<double> z);
  /// out = L^-1 in, or L^-T in, body by body; the same vector is allowed.
  void times_inverse(std::span<const double> in, std::span<double> out, bool transposed) const;
  /// out = L in
  void times_factor(std::span<const double> in, std::span<double> out) const;
  /// sqrt(u . G u)
  [[nodiscard]] double weighed_norm(std::span<const double> u) const;

  ScaledProblem& scaled_;
  const BodyForm& W_;
  ConjugateGradient cg_;
  std::span<const Mat3> G_;
  std::vector<MatX> inverse_, diagonal_;  ///< L^-1 and L, a body
  std::vector<double> contact_, right_side_, inner_;
  long products_ = 0;
};

}  // namespace scree::solvers
