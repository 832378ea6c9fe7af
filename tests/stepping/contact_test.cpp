/// Closed forms with contact and friction.
#include <gtest/gtest.h>

#include "scene.hpp"

namespace scree::stepping {
namespace {

/// A unit block on an incline of angle a: gravity is turned instead of the ground.
Scene incline(double angle, double mu, double h) {
  Scene scene(h, Vec3(9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)), 1e-12);
  scene.surface(mu);
  scene.floor(100.0);
  return scene;
}

TEST(Contact, BlockBelowTheFrictionAngleDoesNotCreep) {
  const double mu = 0.5;
  Scene scene = incline(std::atan(mu) - 1e-3, mu, 1e-3);
  const int id = scene.box({-0.5, -0.5, 0}, {0.5, 0.5, 1.0});
  const Vec3 start = scene.position(id);
  scene.run(100000);
  EXPECT_LT((scene.position(id) - start).norm(), 1e-10);
}

TEST(Contact, BlockAboveTheFrictionAngleSlidesAndDoesNotLift) {
  const double mu = 0.3, angle = 0.5, h = 1e-3;
  Scene scene = incline(angle, mu, h);
  const int id = scene.box({-0.5, -0.5, 0}, {0.5, 0.5, 0.4});
  scene.run(1000);
  const double a = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(scene.velocity(id).x(), a, 1e-8);
  EXPECT_NEAR(scene.position(id).x(), 0.5 * a, 1e-8);
  EXPECT_NEAR(scene.position(id).z(), 0.2, 1e-10);
}

TEST(Contact, FastSlidingBlockNeverRises) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-12);
  scene.surface(0.5);
  scene.floor(100.0);
  const int id = scene.box({-0.5, -0.5, 0}, {0.5, 0.5, 1.0});
  scene.sim.set_velocity(id, {6, 0, 0}, Vec3::Zero());
  double highest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    scene.sim.step();
    highest = std::max(highest, scene.position(id).z() - 0.5);
  }
  EXPECT_LT(highest, 1e-10);
  EXPECT_NEAR(scene.velocity(id).x(), 6.0 - 0.5 * 9.81, 1e-8);
}

TEST(Contact, StickSlipUnderAHarmonicForce) {
  const double h = 1e-3;
  Scene scene(h, {0, 0, -9.81}, 1e-12);
  scene.surface(0.8);
  scene.floor(10.0);
  const int id = scene.box({3 - 0.15, -0.15, 0}, {3 + 0.15, 0.15, 0.1}, 1.0 / (0.3 * 0.3 * 0.1));
  std::vector<double> times, values;
  for (int k = 0; k <= 20000; ++k) {
    times.push_back(5e-4 * k);
    values.push_back(8.0 * std::cos(times.back()));
  }
  scene.sim.model().forces.push_back({id, model::Direction::spatial, {3, 0, 0.05}, {1, 0, 0}, model::TimeSeries(times, values)});
  std::vector<double> x{3.0}, v{0.0};
  for (int k = 0; k < 8000; ++k) {
    scene.sim.step();
    x.push_back(scene.position(id).x());
    v.push_back(scene.velocity(id).x());
  }
  // Closed form: the block slips from the moment 8 |cos t| exceeds 7.848 until its speed returns to zero.
  const double limit = 0.8 * 9.81, wait = std::acos(limit / 8.0);
  const auto slip = [&](double start, double sign, double t) {
    return 8.0 * (std::sin(t) - std::sin(start)) - sign * limit * (t - start);
  };
  const auto moved = [&](double start, double sign, double t) {
    return 8.0 * (std::cos(start) - std::cos(t) - std::sin(start) * (t - start)) - sign * 0.5 * limit * (t - start) * (t - start);
  };
  const auto stop = [&](double start, double sign) {
    double low = start + 0.1, high = start + 1.0;
    while (high - low > 1e-13) {
      const double mid = 0.5 * (low + high);
      (sign * slip(start, sign, mid) > 0.0 ? low : high) = mid;
    }
    return low;
  };
  const double first = moved(0.0, 1.0, stop(0.0, 1.0));
  const double second = kPi - wait, third = 2 * kPi - wait;
  EXPECT_NEAR(v[150], slip(0.0, 1.0, 0.150), 1e-6);
  EXPECT_NEAR(x[2000], 3.0 + first, 1e-6);
  EXPECT_NEAR(v[3150], slip(second, -1.0, 3.150), 1e-5);
  EXPECT_NEAR(x[5000], 3.0 + first + moved(second, -1.0, stop(second, -1.0)), 1e-5);
  EXPECT_NEAR(v[6150], slip(third, 1.0, 6.150), 1e-5);
  EXPECT_NEAR(x[8000], 3.0 + first + moved(second, -1.0, stop(second, -1.0)) + moved(third, 1.0, stop(third, 1.0)), 1e-5);
}

TEST(Contact, SlidingSphereEndsRolling) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-12);
  scene.surface(0.2);
  scene.floor(100.0);
  const int id = scene.ball({0, 0, 0.1}, 0.1, 1.0);
  scene.sim.set_velocity(id, {3, 0, 0}, Vec3::Zero());
  scene.run(1500);  // slip ends at 2 v0 / (7 mu g) = 0.437 s
  EXPECT_NEAR(scene.velocity(id).x(), 3.0 * 5.0 / 7.0, 1e-9);
  EXPECT_NEAR(scene.spin(id).y(), 3.0 * 5.0 / 7.0 / 0.1, 1e-8);
  EXPECT_NEAR(scene.position(id).z(), 0.1, 1e-10);
}

TEST(Contact, BouncingBallLosesHeightByTheSquareOfRestitution) {
  const double e = 0.7, h = 1e-4;
  Scene scene(h, {0, 0, -9.81}, 1e-12);
  scene.surface(0.0, e);
  scene.floor();
  const int id = scene.ball({0, 0, 1.1}, 0.1, 1.0);
  std::vector<double> peaks;
  double before = 0.0, now = 1.0;
  for (int k = 0; k < 25000 && peaks.size() < 4; ++k) {
    scene.sim.step();
    const double z = scene.position(id).z() - 0.1;
    if (now > before && now >= z && k > 1) peaks.push_back(now);
    before = now;
    now = z;
  }
  ASSERT_GE(peaks.size(), 3u);
  // An impact is placed within half a step: relative error of the height about 2 v h / H.
  for (int n = 1; n <= 3; ++n) {
    const double height = std::pow(e, 2 * n);
    EXPECT_NEAR(peaks[static_cast<std::size_t>(n - 1)], height, 4 * std::sqrt(2 * 9.81) * h) << n;
  }
}

TEST(Contact, CradlePassesTheImpulseOn) {
  Scene scene(1e-4);
  scene.surface(0.0, 1.0);
  std::vector<int> balls;
  // Gaps a little wider than a step's motion keep the impacts one after another.
  for (int k = 0; k < 5; ++k) balls.push_back(scene.ball({0.201 * k, 0, 0}, 0.1, 1.0));
  scene.sim.set_velocity(balls[0], {1, 0, 0}, Vec3::Zero());
  scene.run(300);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(scene.velocity(balls[static_cast<std::size_t>(k)]).x(), 0.0, 1e-9);
  EXPECT_NEAR(scene.velocity(balls[4]).x(), 1.0, 1e-9);
}

TEST(Contact, EllipsoidRestsOnItsShortAxis) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-10);
  scene.surface(0.5);
  scene.floor();
  const int id = scene.rigid(geometry::make_ellipsoid({0, 0, 0.1}, {0.3, 0.2, 0.1}, 0, 0));
  scene.run(500);
  EXPECT_NEAR(scene.position(id).z(), 0.1, 1e-9);
  // Rocking about the long axis: a small tilt keeps its energy and stays small.
  Scene rocking(1e-4, {0, 0, -9.81}, 1e-12);
  rocking.surface(10.0);
  rocking.floor();
  const int rock = rocking.rigid(geometry::make_ellipsoid({0, 0, 0.1}, {0.3, 0.2, 0.1}, 0, 0));
  rocking.sim.set_velocity(rock, {0.0, -0.02, 0.0}, {0.2, 0, 0});
  double largest = 0.0;
  for (int k = 0; k < 10000; ++k) {
    rocking.sim.step();
    largest = std::max(largest, std::abs(std::asin(rocking.rotation(rock)(2, 1))));
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(largest, 0.1);
}

TEST(Contact, FastSmallBallDoesNotTunnel) {
  Scene scene(1e-3);
  scene.surface(0.0);
  scene.obstacle(geometry::make_box({-1, -1, -0.001}, {1, 1, 0.0}, 0, 0));
  const int id = scene.ball({0, 0, 0.5}, 0.005, 0.1);
  scene.sim.set_velocity(id, {0, 0, -300}, Vec3::Zero());
  scene.run(20);
  EXPECT_GE(scene.position(id).z(), 0.005 - 1e-9);
}

TEST(Contact, CohesionHoldsUntilTheStrengthIsReached) {
  for (const double pull : {0.9, 1.1}) {
    Scene scene(1e-3, Vec3::Zero(), 1e-10);
    model::SurfaceMaterial glue{.is_default = true, .label = "glue"};
    glue.friction = 0.5;
    glue.cohesion = 100.0;  // Pa on 1 m^2: 100 N
    scene.sim.model().surfaces.add(glue);
    scene.floor();
    const int id = scene.box({-0.5, -0.5, 0}, {0.5, 0.5, 1.0});
    scene.sim.model().forces.push_back({id, model::Direction::spatial, {0, 0, 0.5}, {0, 0, 1}, pull * 100.0});
    scene.run(200);
    if (pull < 1.0)
      EXPECT_NEAR(scene.position(id).z(), 0.5, 1e-9);
    else
      EXPECT_GT(scene.position(id).z(), 0.5 + 1e-3);
  }
}

// What a solver leaves undone adds up to velocities; they are no reason for a bond to end.
TEST(Contact, BondsHoldWithEverySolverAndTolerance) {
  for (const char* solver : {"AUTO", "NEWTON", "GAUSS_SEIDEL", "SEMISMOOTH_NEWTON"}) {
    for (const auto yardstick : {solvers::Yardstick::residual, solvers::Yardstick::scaled_merit}) {
      for (const double load : {0.8, 1.2}) {
        Scene scene(1e-3, {0, 0, -10});
        scene.sim.solver().name = solver;
        scene.sim.solver().stop = {.tolerance = yardstick == solvers::Yardstick::residual ? 1e-3 : 1e-8, .yardstick = yardstick};
        model::SurfaceMaterial glue{.is_default = true, .label = "glue"};
        glue.friction = 0.3;
        glue.cohesion = 1e4 / load;  // Pa on 1 m^2, under a block of 1000 kg
        scene.sim.model().surfaces.add(glue);
        scene.obstacle(geometry::make_box({-1, -1, 1}, {1, 1, 2}, 0, 0));
        const int id = scene.rigid(geometry::make_box({-0.5, -0.5, 0}, {0.5, 0.5, 1}, 0, 0), 1000.0);
        scene.run(100);
        const double fallen = 0.5 - scene.position(id).z();
        if (load < 1.0)
          EXPECT_LT(fallen, 1e-5) << solver << ' ' << solvers::to_string(yardstick);
        else
          EXPECT_GT(fallen, 1e-3) << solver << ' ' << solvers::to_string(yardstick);
      }
    }
  }
}

TEST(Contact, SpringDashpotBallRestsAtItsStaticOverlap) {
  // Ball impact with spring 1e9 N/m: rest overlap m g / s, no dashpot conserves energy within 1 %.
  for (const double dashpot : {0.0, 1e7}) {
    Scene scene(1e-3, {0, 0, -10});
    model::SurfaceMaterial law{.is_default = true, .model = model::SurfaceModel::spring_dashpot, .label = "spring"};
    law.spring = 1e9;
    law.dashpot = dashpot;
    scene.sim.model().surfaces.add(law);
    scene.sim.solver().name = "EXPLICIT";
    scene.floor();
    const int id = scene.rigid(geometry::make_sphere({0, 0, 1.0}, 1.0, 0, 0), 2000.0);
    scene.sim.set_velocity(id, {0, 0, -5}, Vec3::Zero());
    const double m = scene.sim.model().bodies.mass[1];
    EXPECT_NEAR(m, 8377.58, 0.01);
    const double start = 0.5 * m * 25;
    double highest = 0.0;
    for (int k = 0; k < 2000; ++k) {
      scene.sim.step();
      if (k > 1200) highest = std::max(highest, scene.sim.energies().kinetic + m * 10 * (scene.position(id).z() - 1.0));
    }
    if (dashpot == 0.0)
      EXPECT_NEAR(highest, start, 0.01 * start);
    else
      EXPECT_NEAR(1.0 - scene.position(id).z(), m * 10 / 1e9, 1e-8);
  }
}

TEST(Contact, EnergyLedgerBalances) {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-10);
  scene.surface(0.4);
  scene.floor();
  for (int k = 0; k < 4; ++k) {
    scene.sim.model().bodies.scheme[scene.at(scene.ball({0.05 * k, 0.03 * k, 0.2 + 0.25 * k}, 0.1, 1.0))] = model::Scheme::rig_imp;
  }
  scene.run(1500);
  const Energies e = scene.sim.energies();
  const double scale = std::abs(e.work.external);
  ASSERT_GT(scale, 1.0);
  EXPECT_LT(std::abs(e.drift), 1e-3 * scale);
  EXPECT_LT(e.work.friction, 0.0);
  EXPECT_LT(e.work.contact, 0.0);
}

}  // namespace
}  // namespace scree::stepping
