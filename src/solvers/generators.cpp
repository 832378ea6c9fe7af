#include "solvers/generators.hpp"

#include <array>
#include <map>
#include <vector>

namespace scree::solvers {

namespace {

/// splitmix64: short, and the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Uniform in [-1, 1).
  double signed_unit() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t state_;
};

struct Ball {
  Vec3 center, velocity;
  double radius, mass;
  Vec3 inertia;   ///< principal moments, axes along x, y, z
};

std::vector<Ball> place_balls(const PackingOptions& o, Random& random) {
  std::vector<Ball> balls;
  const double pitch = 2.0 * o.radius, rise = pitch * std::sqrt(0.5);
  for (int k = 0; k < o.up; ++k)
    for (int j = 0; j < o.across; ++j)
      for (int i = 0; i < o.across; ++i) {
        Ball ball;
        const double shift = k % 2 == 0 ? 0.0 : 0.5;
        ball.center = Vec3((i + shift) * pitch, (j + shift) * pitch, k * rise + o.radius);
        ball.center += 0.03 * o.radius * Vec3(random.signed_unit(), random.signed_unit(), random.signed_unit());
        ball.radius = o.radius * (1.0 + 0.05 * random.signed_unit());
        ball.mass = o.density * 4.0 / 3.0 * kPi * ball.radius * ball.radius * ball.radius;
        ball.inertia = Vec3::Constant(0.4 * ball.mass * ball.radius * ball.radius);
        if (o.ellipsoids)
          for (int d = 0; d < 3; ++d) ball.inertia[d] *= 1.0 + 0.4 * random.signed_unit();
        const double height = static_cast<double>(k) / std::max(1, o.up - 1);
        ball.velocity = Vec3(o.shear * height, 0.0, -9.81 * o.step);
        balls.push_back(ball);
      }
  return balls;
}

/// Adds blocks to a problem: frames, scaled rows and free velocities.
class Builder {
 public:
  Builder(const std::vector<Ball>& balls, const PackingOptions& options) : balls_(balls), options_(options) {
    form_.reset_rigid(static_cast<int>(balls.size()));
  }

  /// Contact between body `one` (or -1) and body `two`, normal from one to two at `point`.
  void contact(int one, int two, const Vec3& normal, const Vec3& point) {
    const Vec3 helper = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
    const Vec3 t1 = normal.cross(helper).normalized(), t2 = normal.cross(t1);
    const std::array<Vec3, 3> frame{normal, t1, t2};
    const auto sides = form_.add_block(one, two);
    Vec3 U = Vec3::Zero();
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? one : two;
      if (body < 0) continue;
      const Ball& ball = balls_[static_cast<std::size_t>(body)];
      const double sign = side == 0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 arm = (point - ball.center).cross(frame[i]);
        for (std::size_t d = 0; d < 3; ++d) {
          const auto row = 6 * i;
          sides[static_cast<std::size_t>(side)][row + d] = sign * frame[i][static_cast<int>(d)] / std::sqrt(ball.mass);
          sides[static_cast<std::size_t>(side)][row + 3 + d] = sign * arm[static_cast<int>(d)] / std::sqrt(ball.inertia[static_cast<int>(d)]);
        }
        U[static_cast<int>(i)] += sign * frame[i].dot(ball.velocity);
      }
    }
    problem_.kind.push_back(BlockKind::contact);
    problem_.mu.push_back(options_.mu);
    problem_.B.insert(problem_.B.end(), U.data(), U.data() + 3);
  }

  ContactProblem finish() {
    form_.finish();
    problem_.W = std::make_shared<BodyForm>(std::move(form_));
    return std::move(problem_);
  }

 private:
  const std::vector<Ball>& balls_;
  const PackingOptions& options_;
  BodyForm form_;
  ContactProblem problem_;
};

/// Neighbours on the lattice are at most one place and two layers away.
void add_pairs(Builder& builder, const std::vector<Ball>& balls, const PackingOptions& o, Random& random) {
  const auto index = [&](int i, int j, int k) { return (k * o.across + j) * o.across + i; };
  const double reach = 0.06 * o.radius;
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
              const Ball& one = balls[static_cast<std::size_t>(a)];
              const Ball& two = balls[static_cast<std::size_t>(b)];
              const Vec3 between = two.center - one.center;
              const double distance = between.norm();
              if (distance > one.radius + two.radius + reach) continue;
              Vec3 normal = between / distance;
              const Vec3 point = one.center + one.radius * normal;
              if (o.ellipsoids) normal = (normal + 0.2 * Vec3(random.signed_unit(), random.signed_unit(), random.signed_unit())).normalized();
              builder.contact(a, b, normal, point);
            }
}

}  // namespace

ContactProblem make_packing(const PackingOptions& options) {
  Random random(options.seed);
  const std::vector<Ball> balls = place_balls(options, random);
  Builder builder(balls, options);
  add_pairs(builder, balls, options, random);
  // Floor and walls are bodies without degrees of freedom.
  const double wide = 2.0 * options.radius * (options.across - 0.5);
  for (int b = 0; b < static_cast<int>(balls.size()); ++b) {
    const Ball& ball = balls[static_cast<std::size_t>(b)];
    const auto wall = [&](const Vec3& normal, double distance) {
      if (distance < 1.06 * ball.radius) builder.contact(-1, b, normal, ball.center - ball.radius * normal);
    };
    wall(Vec3::UnitZ(), ball.center.z());
    for (int d = 0; d < 2; ++d) {
      wall(Vec3::Unit(d), ball.center[d] + options.radius);
      wall(-Vec3::Unit(d), wide - ball.center[d]);
    }
  }
  return builder.finish();
}

}  // namespace scree::solvers
