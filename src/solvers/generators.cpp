#include "solvers/generators.hpp"

#include <vector>

#include "solvers/grain_contacts.hpp"

namespace scree::solvers {

namespace {

std::vector<Grain> place_balls(const PackingOptions& o, Random& random) {
  std::vector<Grain> balls;
  const double pitch = 2.0 * o.radius, rise = pitch * std::sqrt(0.5);
  for (int k = 0; k < o.up; ++k)
    for (int j = 0; j < o.across; ++j)
      for (int i = 0; i < o.across; ++i) {
        Grain ball;
        const double shift = k % 2 == 0 ? 0.0 : 0.5;
        ball.center = Vec3((i + shift) * pitch, (j + shift) * pitch, k * rise + o.radius);
        ball.center += 0.03 * o.radius * random.signed_vector();
        ball.radius = o.radius * (1.0 + 0.05 * random.signed_unit());
        const double mass = o.density * 4.0 / 3.0 * kPi * ball.radius * ball.radius * ball.radius;
        ball.mass = Vec3::Constant(mass);
        ball.inertia = Vec3::Constant(0.4 * mass * ball.radius * ball.radius);
        if (o.ellipsoids)
          for (int d = 0; d < 3; ++d) ball.inertia[d] *= 1.0 + 0.4 * random.signed_unit();
        const double height = static_cast<double>(k) / std::max(1, o.up - 1);
        ball.velocity = Vec3(o.shear * height, 0.0, -9.81 * o.step);
        balls.push_back(ball);
      }
  return balls;
}

/// Neighbours on the lattice are at most one place and two layers away.
void add_pairs(GrainContacts& contacts, const std::vector<Grain>& balls, const PackingOptions& o, Random& random) {
  const auto index = [&](int i, int j, int k) { return (k * o.across + j) * o.across + i; };
  const double reach = o.reach * o.radius;
  for (int k = 0; k < o.up; ++k)
    for (int j = 0; j < o.across; ++j)
      for (int i = 0; i < o.across; ++i)
        for (int dk = 0; dk <= 1; ++dk)
          for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di) {
              const int ni = i + di, nj = j + dj, nk = k + dk;
              if (ni < 0 || nj < 0 || ni >= o.across || nj >= o.across || nk >= o.up) continue;
              const int a = index(i, j, k), b = index(ni, nj, nk);
              if (b <= a) continue;
              const Grain& one = balls[a];
              const Grain& two = balls[b];
              const Vec3 between = two.center - one.center;
              const double distance = between.norm();
              if (distance > one.radius + two.radius + reach) continue;
              Vec3 normal = between / distance;
              const Vec3 point = one.center + one.radius * normal;
              if (o.ellipsoids) normal = (normal + 0.2 * random.signed_vector()).normalized();
              contacts.add(a, b, normal, point, o.mu);
            }
}

}  // namespace

std::vector<Vec3> packing_places(const PackingOptions& options) {
  Random random(options.seed);
  std::vector<Vec3> places;
  for (const Grain& ball : place_balls(options, random)) places.push_back(ball.center);
  return places;
}

ContactProblem make_packing(const PackingOptions& options) {
  Random random(options.seed);
  const std::vector<Grain> balls = place_balls(options, random);
  GrainContacts contacts(balls);
  add_pairs(contacts, balls, options, random);
  // Floor and walls are bodies without degrees of freedom.
  const double wide = 2.0 * options.radius * (options.across - 0.5);
  for (int b = 0; b < static_cast<int>(balls.size()); ++b) {
    const Grain& ball = balls[b];
    const auto wall = [&](const Vec3& normal, double distance) {
      if (distance < (1.0 + options.reach) * ball.radius) contacts.add(-1, b, normal, ball.center - ball.radius * normal, options.mu);
    };
    wall(Vec3::UnitZ(), ball.center.z());
    for (int d = 0; d < 2; ++d) {
      wall(Vec3::Unit(d), ball.center[d] + options.radius);
      wall(-Vec3::Unit(d), wide - ball.center[d]);
    }
  }
  return contacts.finish();
}

}  // namespace scree::solvers
