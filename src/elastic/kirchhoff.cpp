#include "elastic/law.hpp"

namespace scree::elastic {

namespace {

/// Saint Venant-Kirchhoff:  W = lambda/2 (tr E)^2 + mu E:E   (theory eq. 5.6).
class Kirchhoff final : public Law {
 public:
  explicit Kirchhoff(const Lame& c) : c_(c) {
    tangent_.setZero();
    tangent_.topLeftCorner<3, 3>().setConstant(c.lambda);
    tangent_.diagonal() += Vec6(2 * c.mu, 2 * c.mu, 2 * c.mu, c.mu, c.mu, c.mu);
  }
  [[nodiscard]] double energy(const Mat3& C) const override {
    const Mat3 E = 0.5 * (C - Mat3::Identity());
    const double trace = E.trace();
    return 0.5 * c_.lambda * trace * trace + c_.mu * E.squaredNorm();
  }
  [[nodiscard]] Vec6 stress(const Mat3& C) const override {
    const Mat3 E = 0.5 * (C - Mat3::Identity());
    return components(c_.lambda * E.trace() * Mat3::Identity() + 2.0 * c_.mu * E);
  }
  [[nodiscard]] Mat6 tangent(const Mat3&) const override { return tangent_; }
  [[nodiscard]] bool linear() const override { return true; }

 private:
  Lame c_;
  Mat6 tangent_;
};

}  // namespace

std::shared_ptr<const Law> make_kirchhoff(double young, double poisson) { return std::make_shared<Kirchhoff>(lame(young, poisson)); }

}  // namespace scree::elastic
