#include <cmath>

#include "elastic/law.hpp"

namespace scree::elastic {

namespace {

/// Compressible neo-Hookean:  W = mu/2 (tr C - 3) - mu ln J + lambda/2 (ln J)^2,  J = sqrt(det C)   (theory eq. 5.7).
class NeoHookean final : public Law {
 public:
  explicit NeoHookean(const Lame& c) : c_(c) {}
  [[nodiscard]] double energy(const Mat3& C) const override {
    const double log_j = 0.5 * std::log(C.determinant());
    return 0.5 * c_.mu * (C.trace() - 3.0) - c_.mu * log_j + 0.5 * c_.lambda * log_j * log_j;
  }
  [[nodiscard]] Vec6 stress(const Mat3& C) const override {
    const double log_j = 0.5 * std::log(C.determinant());
    return components(c_.mu * Mat3::Identity() + (c_.lambda * log_j - c_.mu) * C.inverse());
  }
  [[nodiscard]] Mat6 tangent(const Mat3& C) const override {
    const Mat3 inverse = C.inverse();
    const double log_j = 0.5 * std::log(C.determinant()), shear = c_.mu - c_.lambda * log_j;
    const Vec6 v = components(inverse);
    constexpr int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    Mat6 D = c_.lambda * v * v.transpose();
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b < 6; ++b) {
        const int i = first[a], j = second[a], k = first[b], l = second[b];
        D(a, b) += shear * (inverse(i, k) * inverse(j, l) + inverse(i, l) * inverse(j, k));
      }
    }
    return D;
  }

 private:
  Lame c_;
};

}  // namespace

std::shared_ptr<const Law> make_neo_hookean(double young, double poisson) { return std::make_shared<NeoHookean>(lame(young, poisson)); }

}  // namespace scree::elastic
