/// Finite element bodies that touch themselves.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "core/threads.hpp"
#include "elastic_scene.hpp"

namespace scree::stepping {
namespace {

using model::Scheme;

/// The cells (i, j, k) of a grid over the given coordinates that `keep` keeps; `bend` moves its nodes.
geometry::Mesh carved(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& z,
                      const std::function<bool(int, int, int)>& keep, const std::function<Vec3(const Vec3&)>& bend = {}) {
  geometry::Mesh mesh;
  std::map<std::array<int, 3>, int> number;
  const auto node = [&](int i, int j, int k) {
    const auto [at, fresh] = number.try_emplace({i, j, k}, static_cast<int>(mesh.nodes.size()));
    const Vec3 X(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)], z[static_cast<std::size_t>(k)]);
    if (fresh) mesh.nodes.push_back(bend ? bend(X) : X);
    return at->second;
  };
  for (int i = 0; i + 1 < static_cast<int>(x.size()); ++i)
    for (int j = 0; j + 1 < static_cast<int>(y.size()); ++j)
      for (int k = 0; k + 1 < static_cast<int>(z.size()); ++k) {
        if (!keep(i, j, k)) continue;
        for (const int top : {0, 1})
          for (const auto& [di, dj] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) mesh.element_nodes.push_back(node(i + di, j + dj, k + top));
        mesh.element_start.push_back(static_cast<int>(mesh.element_nodes.size()));
        mesh.element_volume.push_back(0);
      }
  geometry::check_mesh(mesh);
  return mesh;
}

std::vector<double> evenly(double low, double high, int cells) {
  std::vector<double> x;
  for (int i = 0; i <= cells; ++i) x.push_back(low + (high - low) * i / cells);
  return x;
}

/// Two prongs of length 0.4 and thickness 0.02 with a slit of 4 mm between them, grown from a base held at x = -0.1.
struct Tweezers : Elastic {
  static constexpr double kStep = 0.1, kLength = 0.4, kThick = 0.02, kSlit = 4e-3, kWide = 0.02;
  int id;
  Tweezers(double load, bool touching) : Elastic(kStep, Vec3::Zero(), 1e9) {
    sim.settings().quasi_static = true;
    sim.solver().stop.tolerance = 1e-9;
    surface(0.0);
    std::vector<double> x = evenly(0.0, kLength, 10);
    x.insert(x.begin(), -0.1);
    const double half = 0.5 * kSlit, outside = half + kThick;
    id = mesh(carved(x, {0.0, kWide}, {-outside, -half, half, outside}, [](int i, int, int k) { return i == 0 || k != 1; }), Scheme::def_lim, 2);
    for (const double y : {0.0, kWide})
      for (const double z : {-outside, -half, half, outside}) fix(id, {-0.1, y, z});
    for (const double y : {0.0, kWide})
      for (const double side : {-1.0, 1.0}) force(id, {kLength, y, side * outside}, {0, 0, -side}, 0.5 * load);
    sim.set_selfcontact(id, touching);
    run(6);
  }
  /// Width of the slit at the tips.
  [[nodiscard]] double opening() const { return point(id, {kLength, 0.5 * kWide, 0.5 * kSlit}).z() - point(id, {kLength, 0.5 * kWide, -0.5 * kSlit}).z(); }
};

TEST(SelfContact, TipsOfTweezersCarryWhatTheProngsDoNot) {
  // Beam theory: a tip moves by P L^3 / 3 E I; the prongs also turn with their base, which makes them a little softer.
  const double I = Tweezers::kWide * std::pow(Tweezers::kThick, 3) / 12.0;
  const double beam = 3.0 * 1e9 * I / std::pow(Tweezers::kLength, 3);
  Tweezers open(0.5 * beam * 0.5 * Tweezers::kSlit, true);
  EXPECT_EQ(open.normal_force(Tweezers::kStep), 0.0);
  const double stiffness = 2.0 * 0.5 * beam * 0.5 * Tweezers::kSlit / (Tweezers::kSlit - open.opening());
  EXPECT_NEAR(stiffness / beam, 1.0, 0.1);
  // Twice the closing force: half of it goes through the tips. The slope of 0.75 % changes lever arms by its square.
  const double closing = stiffness * 0.5 * Tweezers::kSlit;
  Tweezers closed(2.0 * closing, true);
  EXPECT_NEAR(closed.normal_force(Tweezers::kStep) / closing, 1.0, 2e-3);
  // A contact found across the slit sees it turn by the square of the slope; later steps leave so little alone.
  EXPECT_NEAR(closed.opening(), 0.0, 5e-4 * Tweezers::kSlit);
  for (const auto& contact : closed.sim.contacts()) {
    EXPECT_EQ(contact.point.body_a, contact.point.body_b);
    EXPECT_GT(contact.point.gap, -5e-4 * Tweezers::kSlit);
    EXPECT_TRUE(contact.R.x() == 0.0 || std::abs(contact.point.point.x() - Tweezers::kLength) < 1e-3);
  }
  // Without it they pass through each other.
  EXPECT_NEAR(Tweezers(2.0 * closing, false).opening(), -Tweezers::kSlit, 0.01 * Tweezers::kSlit);
}

/// A thin strip bent to an arc of a circle.
geometry::Mesh arc(double angle, int cells, double thick = 0.02) {
  const double radius = 0.1;
  return carved(evenly(0.0, angle, cells), {0.0, 0.03}, evenly(radius - 0.5 * thick, radius + 0.5 * thick, 1), [](int, int, int) { return true; },
                [](const Vec3& X) { return Vec3(X.z() * std::sin(X.x()), 0.03 - X.y(), -X.z() * std::cos(X.x())); });
}

/// Linear and angular momentum about the origin.
std::pair<Vec3, Vec3> momentum(const Simulation& sim, int id) {
  const auto& bodies = sim.model().bodies;
  const auto& body = bodies.deformable_of(bodies.index(id));
  std::vector<double> p(body.size());
  body.mechanics->mass_times(body.part(sim.motion().u), false, p);
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (std::size_t k = 0; k < p.size(); k += 3) {
    const Vec3 force = Eigen::Map<const Vec3>(p.data() + k);
    linear += force;
    angular += Eigen::Map<const Vec3>(body.part(sim.motion().q).data() + k).cross(force);
  }
  return {linear, angular};
}

/// Throw the ends of an open ring at each other with 12 m/s, slower towards the middle of the strip.
void throw_ends(Elastic& ring) {
  auto& motion = ring.sim.motion();
  for (std::size_t k = 0; k < motion.q.size(); k += 3) {
    double turn = std::atan2(motion.q[k], -motion.q[k + 2]);
    if (turn < -1e-9) turn += 2.0 * kPi;
    const double share = turn / 3.0 - 1.0;
    motion.u[k] = 6.0 * share * share * share * std::cos(turn);
    motion.u[k + 2] = 6.0 * share * share * share * std::sin(turn);
  }
}

std::unique_ptr<Elastic> clapping(Scheme scheme) {
  auto ring = std::make_unique<Elastic>(1e-4, Vec3::Zero(), 2e6, 0.3);
  ring->surface(0.3);
  ring->sim.set_selfcontact(ring->mesh(arc(6.0, 30), scheme), true);
  throw_ends(*ring);
  return ring;
}

TEST(SelfContact, AClosingRingKeepsItsMomentumAndDoesNotOverlap) {
  const auto ring = clapping(Scheme::def_imp);
  const auto [linear, angular] = momentum(ring->sim, 0);
  const double before = ring->total();
  double struck = 0.0, deepest = 0.0;
  for (int step = 0; step < 200; ++step) {
    ring->sim.step();
    struck = std::max(struck, ring->normal_force(1e-4));
    deepest = std::max(deepest, ring->sim.report().penetration_max);
  }
  const auto [linear_end, angular_end] = momentum(ring->sim, 0);
  EXPECT_GT(struck, 1.0);
  EXPECT_LT(deepest, 1e-5);
  // The two sides of a contact share one point: impulses cancel in sum and in moment, the latter to the 1e-10 of the velocities
  // (0.3 N s at 0.1 m) at which each of 200 implicit steps stops.
  EXPECT_NEAR((linear_end - linear).norm(), 0.0, 1e-12);
  EXPECT_NEAR((angular_end - angular).norm(), 0.0, 1e-8);
  EXPECT_LT(ring->total(), before);
  EXPECT_NEAR(ring->sim.energies().drift - before, 0.0, 1e-6 * before);
}

TEST(SelfContact, AFoldedEmbeddedShapeIsHeldWhereItTouches) {
  // A ring of convex pieces in a mesh of the same form, folded far from its mean motion: each side of a contact hangs on its own end.
  Elastic ring(1e-4, Vec3::Zero(), 2e6, 0.3);
  ring.surface(0.3);
  const geometry::Mesh mesh = arc(6.0, 30);
  geometry::Shape pieces = geometry::make_shape(arc(6.0, 60, 0.018));
  pieces.meshes.clear();
  std::ranges::fill(pieces.piece_mesh, -1);
  model::BodySpec spec;
  spec.kind = model::BodyKind::finite_element;
  spec.shape = std::make_shared<geometry::Shape>(pieces);
  spec.mass = geometry::mass_properties(pieces, 1000.0);
  spec.deformation.mesh = std::make_shared<geometry::Mesh>(mesh);
  const int id = ring.sim.add_body(spec);
  ring.sim.model().bodies.scheme[0] = Scheme::def_imp;
  ring.sim.set_selfcontact(id, true);
  throw_ends(ring);
  const auto [linear, angular] = momentum(ring.sim, id);
  double struck = 0.0, deepest = 0.0;
  for (int step = 0; step < 200; ++step) {
    ring.sim.step();
    struck = std::max(struck, ring.normal_force(1e-4));
    deepest = std::max(deepest, ring.sim.report().penetration_max);
  }
  const auto [linear_end, angular_end] = momentum(ring.sim, id);
  EXPECT_GT(struck, 1.0);
  // Ends meet askew, found by their nearest points: the others come at most half a step of 12 m/s too far.
  EXPECT_LT(deepest, 6e-4);
  EXPECT_NEAR((linear_end - linear).norm(), 0.0, 1e-12);
  EXPECT_NEAR((angular_end - angular).norm(), 0.0, 1e-8);
}

TEST(SelfContact, NeighboursNeverTouch) {
  // A whip that flies, spins and bends by much, without folding: the flag changes nothing but what is looked at.
  const auto fly = [](bool touching) {
    Elastic strip(1e-3, {0, 0, -10}, 1e6, 0.3);
    strip.surface(0.3);
    const int id = strip.mesh(carved(evenly(0.0, 0.6, 15), evenly(0.0, 0.04, 2), evenly(0.0, 0.02, 1), [](int, int, int) { return true; }), Scheme::def_lim);
    strip.sim.set_velocity(id, {3, 0, 0}, {0, 12, 3});
    strip.sim.set_selfcontact(id, touching);
    strip.run(200);
    for (const auto& contact : strip.sim.contacts()) EXPECT_TRUE(contact.R.isZero(0.0));
    return strip.sim.state_hash();
  };
  EXPECT_EQ(fly(true), fly(false));
}

TEST(SelfContact, RestartsToTheBitOnAnyNumberOfThreads) {
  auto whole = clapping(Scheme::def_lim);
  whole->run(60);
  expect_same_after_restart(*whole, 60);
  set_threads(2);
  auto threaded = clapping(Scheme::def_lim);
  threaded->run(120);
  set_threads(1);
  EXPECT_EQ(threaded->sim.state_hash(), whole->sim.state_hash());
}

}  // namespace
}  // namespace scree::stepping
