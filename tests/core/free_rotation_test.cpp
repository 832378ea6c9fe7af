/// Free rotation in closed form (theory eq. 2.28-2.29).
#include "core/free_rotation.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/rotation.hpp"

namespace scree {
namespace {

/// Random bodies: any, slender, flat, nearly symmetric; momenta of any direction, near an axis, near the separatrix.
struct RandomBody {
  Vec3 moments, momentum;
};

RandomBody random_body(std::mt19937& random, int kind) {
  std::uniform_real_distribution<double> part(0.01, 1.0);
  std::normal_distribution<double> normal;
  // Drawn one by one: compilers choose the order of arguments.
  const double z = part(random), y = part(random), x = part(random);
  Vec3 euler(x, y, z);
  if (kind % 5 == 1) {
    const double c = 1e-4 * part(random), b = 1e-4 * part(random);
    euler = Vec3(1.0, b, c);
  }
  if (kind % 5 == 2) euler[1] = euler[0] * (1.0 + 1e-7 * part(random));
  if (kind % 5 == 3) {
    const double c = 1.0 + 1e-5 * part(random), a = 1e-4 * part(random);
    euler = Vec3(a, 1.0, c);
  }
  const Vec3 moments(euler[1] + euler[2], euler[0] + euler[2], euler[0] + euler[1]);
  const double m3 = normal(random), m2 = normal(random), m1 = normal(random);
  Vec3 momentum(m1, m2, m3);
  if (kind % 3 == 1) momentum = 1e-7 * momentum + Vec3::Unit(kind % 7 % 3);
  if (kind % 11 == 0) {  // on the axis of the middle moment but for 1e-9: a flip takes many turns
    int middle = 0;
    for (int k = 1; k < 3; ++k)
      if (moments[k] != moments.maxCoeff() && moments[k] != moments.minCoeff()) middle = k;
    momentum = 1e-9 * momentum + Vec3::Unit(middle);
  }
  return {moments, momentum};
}

double energy(const RandomBody& body, const Vec3& momentum) { return 0.5 * momentum.dot(momentum.cwiseQuotient(body.moments)); }

/// Euler's equations by steps of a fourth order Runge-Kutta-Munthe-Kaas scheme of about 0.001 rad.
FreeRotation integrated(const RandomBody& body, double time) {
  const double rate = body.momentum.norm() / body.moments.minCoeff();
  const int steps = 20 + static_cast<int>(std::abs(time) * rate / 1e-3);
  const double h = time / steps;
  FreeRotation now{Mat3::Identity(), body.momentum};
  const auto torque = [&](const Vec3& m) { return Vec3(m.cross(m.cwiseQuotient(body.moments))); };
  const auto spin = [&](const Mat3& turn, const Vec3& m) { return Mat3(turn * skew(m.cwiseQuotient(body.moments))); };
  for (int k = 0; k < steps; ++k) {
    const Vec3 a = torque(now.momentum), b = torque(now.momentum + 0.5 * h * a), c = torque(now.momentum + 0.5 * h * b), d = torque(now.momentum + h * c);
    const Mat3 A = spin(now.turn, now.momentum), B = spin(now.turn + 0.5 * h * A, now.momentum + 0.5 * h * a);
    const Mat3 C = spin(now.turn + 0.5 * h * B, now.momentum + 0.5 * h * b), D = spin(now.turn + h * C, now.momentum + h * c);
    now.momentum += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    now.turn += h / 6.0 * (A + 2.0 * B + 2.0 * C + D);
  }
  return now;
}

TEST(FreeRotation, FollowsEulersEquations) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int kind = 0; kind < 600; ++kind) {
    const RandomBody body = random_body(random, kind);
    const double time = normal(random) * (kind % 4 == 0 ? 20.0 : 2.0) * body.moments.minCoeff() / body.momentum.norm();
    const FreeRotation exact = free_rotation(body.moments, body.momentum, time), reference = integrated(body, time);
    // The reference is good to about 1e-12 a radian.
    EXPECT_LT((exact.momentum - reference.momentum).norm(), 1e-10 * body.momentum.norm()) << kind;
    EXPECT_LT((exact.turn - reference.turn).norm(), 1e-10) << kind;
  }
}

TEST(FreeRotation, KeepsEnergyAndMomentumForAnySpan) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-8.0, 6.0);
  for (int kind = 0; kind < 20000; ++kind) {
    const RandomBody body = random_body(random, kind);
    const double angle = std::pow(10.0, exponent(random));
    const FreeRotation motion = free_rotation(body.moments, body.momentum, angle * body.moments.minCoeff() / body.momentum.norm());
    ASSERT_LT((motion.turn * motion.momentum - body.momentum).norm(), 4e-15 * body.momentum.norm()) << kind;
    ASSERT_NEAR(energy(body, motion.momentum) / energy(body, body.momentum), 1.0, 1e-14) << kind;
    ASSERT_LT((motion.turn.transpose() * motion.turn - Mat3::Identity()).norm(), 4e-15) << kind;
  }
}

TEST(FreeRotation, TwoSpansMakeOne) {
  std::mt19937 random(3);
  for (int kind = 0; kind < 2000; ++kind) {
    const RandomBody body = random_body(random, kind);
    const double time = 0.3 * (kind % 40 - 20) * body.moments.minCoeff() / body.momentum.norm();
    const FreeRotation first = free_rotation(body.moments, body.momentum, 0.3 * time), second = free_rotation(body.moments, first.momentum, 0.7 * time);
    const FreeRotation whole = free_rotation(body.moments, body.momentum, time), back = free_rotation(body.moments, whole.momentum, -time);
    EXPECT_LT((first.turn * second.turn - whole.turn).norm(), 1e-11) << kind;
    EXPECT_LT((whole.turn * back.turn - Mat3::Identity()).norm(), 1e-11) << kind;
  }
}

TEST(FreeRotation, SymmetricBodiesAndRest) {
  const FreeRotation rest = free_rotation({1, 2, 3}, Vec3::Zero(), 1.0);
  EXPECT_EQ(rest.turn, Mat3::Identity());
  EXPECT_EQ(rest.momentum, Vec3::Zero());
  // A ball turns uniformly, and so does a body about a principal axis.
  EXPECT_LT((free_rotation({2, 2, 2}, {1, 2, 3}, 0.7).turn - exp_rotation(Vec3(0.35, 0.7, 1.05))).norm(), 1e-15);
  for (int k = 0; k < 3; ++k)
    EXPECT_LT((free_rotation({1, 2, 3}, 5.0 * Vec3::Unit(k), 0.7).turn - exp_rotation(3.5 / (k + 1) * Vec3::Unit(k))).norm(), 1e-14) << k;
}

}  // namespace
}  // namespace scree
