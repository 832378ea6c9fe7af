#include "elastic/law.hpp"

#include <cmath>

#include "core/error.hpp"

namespace scree::elastic {

namespace {

constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1};
constexpr int kSecond[6] = {0, 1, 2, 1, 2, 2};

/// How F changes the six engineering strains: row v holds dE_v / dF, entry 3 i + J.
Eigen::Matrix<double, 6, 9> strain_rate(const Mat3& F) {
  Eigen::Matrix<double, 6, 9> B = Eigen::Matrix<double, 6, 9>::Zero();
  for (int v = 0; v < 6; ++v) {
    const int J = kFirst[v], L = kSecond[v];
    for (int i = 0; i < 3; ++i) {
      B(v, 3 * i + J) += F(i, L);
      if (J != L) B(v, 3 * i + L) += F(i, J);
    }
  }
  return B;
}

/// Six components of a strain, with twice the shear.
Vec6 engineering(const Mat3& E) { return Vec6(E(0, 0), E(1, 1), E(2, 2), 2.0 * E(0, 1), 2.0 * E(0, 2), 2.0 * E(1, 2)); }

}  // namespace

Lame lame(double young, double poisson) {
  return {young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), 0.5 * young / (1.0 + poisson)};
}

std::shared_ptr<const Law> make_law(std::string_view name, double young, double poisson) {
  if (!(young > 0.0) || !std::isfinite(young)) throw_input("material {}: young is {:g}: it must be positive", name, young);
  if (!(poisson > -1.0 && poisson < 0.5)) throw_input("material {}: poisson is {:g}: it must lie between -1 and 0.5", name, poisson);
  if (name == "KIRCHHOFF") return make_kirchhoff(young, poisson);
  if (name == "NEO_HOOKEAN") return make_neo_hookean(young, poisson);
  throw_input("material model '{}' is unknown: KIRCHHOFF and NEO_HOOKEAN are available", name);
}

Mat3 first_piola(const Law& law, const Mat3& F) { return F * tensor(law.stress(F.transpose() * F)); }

Mat9 first_piola_tangent(const Law& law, const Mat3& F) {
  const Mat3 C = F.transpose() * F;
  const auto B = strain_rate(F);
  Mat9 A = B.transpose() * law.tangent(C) * B;
  const Mat3 S = tensor(law.stress(C));
  for (int i = 0; i < 3; ++i) A.block<3, 3>(3 * i, 3 * i) += S;
  return A;
}

Vec6 mean_stress(const Law& law, const Mat3& C0, const Mat3& C1) {
  if (law.linear()) return 0.5 * (law.stress(C0) + law.stress(C1));
  const Vec6 S = law.stress(0.5 * (C0 + C1));
  const Mat3 D = C1 - C0;
  const double square = D.squaredNorm();
  // Below rounding of C the correction is a quotient of noise, and the midpoint stress is as good.
  if (!(square > 1e-24 * (C0.squaredNorm() + C1.squaredNorm()))) return S;
  const double miss = law.energy(C1) - law.energy(C0) - 0.5 * tensor(S).cwiseProduct(D).sum();
  return S + components(2.0 * miss / square * D);
}

Vec6 step_stress(const Law& law, const Mat3& C0, const Mat3& C1, double viscosity) {
  const Vec6 S = mean_stress(law, C0, C1);
  if (viscosity == 0.0) return S;
  return S + viscosity * (law.tangent(0.5 * (C0 + C1)) * engineering(0.5 * (C1 - C0)));
}

Vec6 viscous_stress(const Law& law, const Mat3& F, const Mat3& dF) {
  const Mat3 rate = F.transpose() * dF;
  return law.tangent(F.transpose() * F) * engineering(0.5 * (rate + rate.transpose()));
}

Vec6 cauchy(const Mat3& F, const Vec6& S) { return components(F * tensor(S) * F.transpose() / F.determinant()); }

double von_mises(const Vec6& s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return std::sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

}  // namespace scree::elastic
