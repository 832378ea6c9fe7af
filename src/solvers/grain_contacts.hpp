/// Contacts between round grains, by closed forms: what generated problems are made of (theory sec. 3.1).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::solvers {

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
  /// Three of them, the last component drawn first: compilers would choose other orders of arguments.
  Vec3 signed_vector() {
    const double z = signed_unit(), y = signed_unit(), x = signed_unit();
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

/// A rigid body of diagonal inertia in the world's axes. An infinite mass or inertia: it does not move along that axis, or
/// turn about it.
struct Grain {
  Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< m, m/s, rad/s
  double radius = 0.0;                  ///< m
  Vec3 mass = Vec3::Ones();             ///< kg, along x, y, z
  Vec3 inertia = Vec3::Constant(kInfinity);  ///< kg m2 about x, y, z
};

/// Collects contacts and makes the problem of them.
class GrainContacts {
 public:
  explicit GrainContacts(const std::vector<Grain>& grains) : grains_(grains) { form_->reset_rigid(static_cast<int>(grains.size())); }

  /// Contact between grain `one` (-1: a wall) and grain `two`, normal from one to two at `point`; the bias is what
  /// B_N holds beside the relative velocity, m/s. `tangent` is normal to the normal; the second one completes the frame.
  void add(int one, int two, const Vec3& normal, const Vec3& tangent, const Vec3& point, double mu, double bias = 0.0);
  /// The same with a first tangent chosen from the normal.
  void add(int one, int two, const Vec3& normal, const Vec3& point, double mu, double bias = 0.0) {
    const Vec3 helper = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
    add(one, two, normal, normal.cross(helper).normalized(), point, mu, bias);
  }

  /// The problem in body form; call once, after the last contact.
  [[nodiscard]] ContactProblem finish();
  /// Its operator.
  [[nodiscard]] std::shared_ptr<const BodyForm> form() const { return form_; }

 private:
  const std::vector<Grain>& grains_;
  std::shared_ptr<BodyForm> form_ = std::make_shared<BodyForm>();
  ContactProblem problem_;
};

}  // namespace scree::solvers
