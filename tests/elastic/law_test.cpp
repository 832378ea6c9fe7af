#include "elastic/law.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "core/rotation.hpp"

namespace scree::elastic {
namespace {

Mat3 some_deformation(unsigned seed, double amount = 0.2) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> u(-amount, amount);
  Mat3 F = Mat3::Identity();
  for (int k = 0; k < 9; ++k) F.data()[k] += u(random);
  return F;
}

class EveryLaw : public ::testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<const Law> law = make_law(GetParam(), 3.0, 0.27);
};
INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, ::testing::Values("KIRCHHOFF", "NEO_HOOKEAN"));

TEST_P(EveryLaw, StressIsTheDerivativeOfTheEnergy) {
  // Central differences with step 1e-5: truncation ~1e-10, rounding ~1e-11 relative to the modulus.
  const double step = 1e-5;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Mat3 F = some_deformation(seed);
    const Mat3 P = first_piola(*law, F);
    for (int k = 0; k < 9; ++k) {
      Mat3 plus = F, minus = F;
      plus.data()[k] += step, minus.data()[k] -= step;
      const double slope = (law->energy(plus.transpose() * plus) - law->energy(minus.transpose() * minus)) / (2 * step);
      EXPECT_NEAR(P.data()[k], slope, 1e-9);
    }
  }
}

TEST_P(EveryLaw, TangentIsTheDerivativeOfTheStress) {
  const double step = 1e-5;
  const Mat3 F = some_deformation(3);
  const Mat9 A = first_piola_tangent(*law, F);
  EXPECT_LT((A - A.transpose()).norm(), 1e-13 * A.norm());
  for (int k = 0; k < 3; ++k) {
    for (int L = 0; L < 3; ++L) {
      Mat3 plus = F, minus = F;
      plus(k, L) += step, minus(k, L) -= step;
      const Mat3 slope = (first_piola(*law, plus) - first_piola(*law, minus)) / (2 * step);
      for (int i = 0; i < 3; ++i) {
        for (int J = 0; J < 3; ++J) EXPECT_NEAR(A(3 * i + J, 3 * k + L), slope(i, J), 1e-8);
      }
    }
  }
}

TEST_P(EveryLaw, SmallStrainsFollowHooke) {
  // Both laws have the same moduli at rest: uniaxial stress gives young * strain.
  const Mat6 D = law->tangent(Mat3::Identity());
  const Vec6 strain(1.0, -0.27, -0.27, 0.0, 0.0, 0.0);
  EXPECT_LT((D * strain - Vec6(3.0, 0, 0, 0, 0, 0)).norm(), 1e-13);
  EXPECT_NEAR(D(3, 3), 0.5 * 3.0 / 1.27, 1e-14);
  EXPECT_NEAR(law->energy(Mat3::Identity()), 0.0, 1e-15);
  EXPECT_LT(law->stress(Mat3::Identity()).norm(), 1e-15);
}

TEST_P(EveryLaw, MeanStressDoesTheWorkOfTheEnergyDifference) {
  for (double amount : {0.3, 1e-3, 1e-6}) {
    const Mat3 F0 = some_deformation(5, amount), F1 = some_deformation(6, amount);
    const Mat3 C0 = F0.transpose() * F0, C1 = F1.transpose() * F1;
    const double work = 0.5 * tensor(mean_stress(*law, C0, C1)).cwiseProduct(C1 - C0).sum();
    // Rounding of the energies themselves: they are formed from C with an error of a few 1e-16 times the modulus.
    EXPECT_NEAR(work, law->energy(C1) - law->energy(C0), 1e-14 * amount * amount + 2e-15);
  }
}

TEST_P(EveryLaw, CauchyStressTurnsWithTheBody) {
  const Mat3 F = some_deformation(9), Q = exp_rotation(Vec3(0.3, -1.2, 2.0));
  const Vec6 a = cauchy(F, law->stress(F.transpose() * F)), b = cauchy(Q * F, law->stress(F.transpose() * F));
  EXPECT_LT((tensor(b) - Q * tensor(a) * Q.transpose()).norm(), 1e-14 * a.norm() + 1e-15);
  EXPECT_NEAR(von_mises(a), von_mises(b), 1e-13);
}

TEST(Law, VonMisesOfSimpleStates) {
  EXPECT_DOUBLE_EQ(von_mises(Vec6(2.0, 0, 0, 0, 0, 0)), 2.0);
  EXPECT_DOUBLE_EQ(von_mises(Vec6(5.0, 5.0, 5.0, 0, 0, 0)), 0.0);
  EXPECT_DOUBLE_EQ(von_mises(Vec6(0, 0, 0, 0, 1.0, 0)), std::sqrt(3.0));
}

TEST(Law, BadConstantsAreRefused) {
  EXPECT_THROW((void)make_law("KIRCHHOFF", 0.0, 0.3), InputError);
  EXPECT_THROW((void)make_law("KIRCHHOFF", 1.0, 0.5), InputError);
  EXPECT_THROW((void)make_law("KIRCHHOFF", 1.0, -1.0), InputError);
  EXPECT_THROW((void)make_law("RUBBER", 1.0, 0.3), InputError);
}

}  // namespace
}  // namespace scree::elastic
