/// Saving, loading, failing and thread counts: the state must be the same to the bit.
#include <gtest/gtest.h>

#include "core/threads.hpp"
#include "scene.hpp"

namespace scree::stepping {
namespace {

Scene rattle() {
  Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.4);
  const int drum = scene.obstacle(geometry::make_box({-2, -2, -1}, {2, 2, 0}, 0, 0));
  scene.sim.set_velocity(drum, {0.3, 0, 0}, {0, 0, 0.5});
  for (int k = 0; k < 27; ++k) {
    const Vec3 c(0.21 * (k % 3), 0.22 * (k / 3 % 3), 0.12 + 0.21 * (k / 9));
    if (k % 3 == 0)
      scene.rigid(geometry::make_box(c - Vec3::Constant(0.1), c + Vec3::Constant(0.1), 0, 0));
    else if (k % 3 == 1)
      scene.rigid(geometry::make_ellipsoid(c, {0.1, 0.08, 0.09}, 0, 0));
    else
      scene.ball(c, 0.1, 5.0);
  }
  model::Constraint link;
  link.kind = model::ConstraintKind::link;
  link.body = {1, 2};
  link.point = {scene.position(1), scene.position(2)};
  scene.sim.add_constraint(link);
  return scene;
}

TEST(Checkpoint, LoadedSimulationContinuesToTheBit) {
  Scene whole = rattle();
  whole.run(200);
  Scene first = rattle();
  first.run(120);
  Archive archive;
  first.sim.save(archive);
  Scene second = rattle();
  second.sim.load(archive);
  EXPECT_EQ(second.sim.state_hash(), first.sim.state_hash());
  second.run(80);
  EXPECT_EQ(second.sim.state_hash(), whole.sim.state_hash());
  EXPECT_EQ(second.sim.energies().work.friction, whole.sim.energies().work.friction);
}

using Edit = std::function<void(Scene&)>;

/// The words with which a checkpoint of rattle() is refused by a scene built otherwise.
std::string refusal(const Archive& archive, const Edit& edit) {
  Scene other = rattle();
  edit(other);
  const auto before = other.sim.state_hash();
  std::string words;
  try {
    other.sim.load(archive);
  } catch (const InputError& error) {
    words = error.what();
  }
  EXPECT_EQ(other.sim.state_hash(), before) << words;
  return words;
}

TEST(Checkpoint, AModelBuiltOtherwiseIsRefusedByName) {
  Scene scene = rattle();
  scene.run(3);
  Archive archive;
  scene.sim.save(archive);
  const auto surface = [](Scene& s, auto change) {
    model::SurfaceMaterial material = s.sim.model().surfaces[0];
    change(material);
    s.sim.model().surfaces.update(0, material);
  };
  const std::vector<std::pair<std::string, Edit>> edits{
      {"settings: step is 0.002 and was 0.001", [](Scene& s) { s.sim.settings().step = 2e-3; }},
      {"settings: integrator is 'SHAKE' and was 'MOREAU'", [](Scene& s) { s.sim.settings().integrator = Integrator::shake; }},
      {"settings: recovery is 0.9 and was 0.01", [](Scene& s) { s.sim.settings().recovery = 0.9; }},
      {"settings: recovery_speed", [](Scene& s) { s.sim.settings().recovery_speed = 1.0; }},
      {"settings: restitution is 'NEWTON'", [](Scene& s) { s.sim.settings().restitution = RestitutionLaw::newton; }},
      {"settings: slack", [](Scene& s) { s.sim.settings().slack = 0.0; }},
      {"settings: unphysical_penetration", [](Scene& s) { s.sim.settings().unphysical_penetration = 1.0; }},
      {"settings: quasi_static is 1 and was 0", [](Scene& s) { s.sim.settings().quasi_static = true; }},
      {"settings: margin", [](Scene& s) { s.sim.settings().contact.margin = 0.1; }},
      {"settings: one_point_per_overlap", [](Scene& s) { s.sim.settings().contact.one_point_per_overlap = true; }},
      {"settings: manifold_points", [](Scene& s) { s.sim.settings().contact.manifold_points = 3; }},
      {"settings: sparsify", [](Scene& s) { s.sim.settings().contact.sparsify = 0.5; }},
      {"settings: min_area", [](Scene& s) { s.sim.settings().contact.min_area = 1e-9; }},
      {"settings: min_distance", [](Scene& s) { s.sim.settings().contact.min_distance = 1e-9; }},
      {"solver: name is 'SPG' and was 'AUTO'", [](Scene& s) { s.sim.solver().name = "SPG"; }},
      {"solver: tolerance is 1e-06 and was 1e-08", [](Scene& s) { s.sim.solver().stop.tolerance = 1e-6; }},
      {"solver: yardstick is 'merit' and was 'residual'", [](Scene& s) { s.sim.solver().stop.yardstick = solvers::Yardstick::merit; }},
      {"solver: max_iterations", [](Scene& s) { s.sim.solver().stop.max_iterations = 7; }},
      {"solver: failure is 'raise' and was 'continue'", [](Scene& s) { s.sim.solver().failure = FailurePolicy::raise; }},
      {"solver: option depth is new", [](Scene& s) { s.sim.solver().options["depth"] = 3; }},
      {"model: bodies is 29 and was 28", [](Scene& s) { s.ball({0, 0, 3}, 0.1, 1.0); }},
      {"model: constraints is 0 and was 1", [](Scene& s) { s.sim.remove_constraint(0); }},
      {"surface material 0 'default': friction is 0.3 and was 0.4", [&](Scene& s) { surface(s, [](auto& m) { m.friction = 0.3; }); }},
      {"bulk material 0 'bulk': young", [](Scene& s) { s.sim.model().bulk[0].young = 7.0; }},
      {"body 5: mass is", [](Scene& s) { s.sim.model().bodies.mass[5] *= 2.0; }},
      {"body 5 has another place", [](Scene& s) { s.sim.set_placement(5, Mat3::Identity(), {0, 0, 5}); }},
      {"body 5 has another velocity", [](Scene& s) { s.sim.set_velocity(5, {0, 0, 1}, Vec3::Zero()); }},
      {"body 5 has another scheme", [](Scene& s) { s.sim.model().bodies.scheme[5] = model::Scheme::rig_neg; }},
      {"body 0 has another velocity", [](Scene& s) { s.sim.set_velocity(0, Vec3::Zero(), {0, 0, 0.5}); }},
      {"body 0 has another prescribed motion", [](Scene& s) { s.sim.model().bodies.prescribed.at(0).linear[2] = model::TimeSeries({0, 1}, {0, 1}); }},
      {"constraint 0 has another direction", [](Scene& s) { s.sim.model().constraints[0].direction = Vec3::UnitX(); }},
      {"gravity: value is 1.62 and was 9.81", [](Scene& s) { s.sim.model().gravity.value = 1.62; }},
      {"extents: given is 1 and was 0", [](Scene& s) { s.sim.model().extents = Box{Vec3(-9, -9, -9), Vec3(9, 9, 9)}; }},
      {"model: excluded pairs of bodies is 1 and was 0", [](Scene& s) { s.sim.exclude_bodies(1, 2); }},
  };
  for (const auto& [words, edit] : edits) EXPECT_NE(refusal(archive, edit).find(words), std::string::npos) << words << ", but: " << refusal(archive, edit);
}

TEST(Checkpoint, SettingsChangedDuringTheRunComeBack) {
  const auto edit = [](Scene& s) {
    s.sim.settings().step = 5e-4;
    s.sim.settings().recovery = 0.1;
    s.sim.solver().stop.tolerance = 1e-6;
    s.sim.solver().name = "GAUSS_SEIDEL";
    s.sim.solver().options = {{"reverse", true}, {"omega", 0.9}};
  };
  Scene scene = rattle();
  scene.run(20);
  edit(scene);
  scene.run(5);
  Archive archive;
  scene.sim.save(archive);
  Scene resumed = rattle();
  resumed.sim.load(archive);
  EXPECT_EQ(resumed.sim.settings().recovery, 0.1);
  EXPECT_EQ(resumed.sim.solver().options, scene.sim.solver().options);
  scene.run(20), resumed.run(20);
  EXPECT_EQ(resumed.sim.state_hash(), scene.sim.state_hash());
}

TEST(Checkpoint, AcceptedChangesTakeTheStateAndKeepTheSettings) {
  Scene scene = rattle();
  scene.run(10);
  Archive archive;
  scene.sim.save(archive);
  Scene other = rattle();
  other.sim.settings().recovery = 0.5;
  other.ball({0, 0, 3}, 0.1, 1.0);
  other.sim.load(archive, Simulation::Changes::accepted);
  EXPECT_EQ(other.sim.state_hash(), scene.sim.state_hash());
  EXPECT_EQ(other.sim.settings().recovery, 0.5);
  // What was accepted is what the next checkpoint compares with.
  Archive again;
  other.sim.save(again);
  Scene third = rattle();
  third.sim.settings().recovery = 0.5;
  third.ball({0, 0, 3}, 0.1, 1.0);
  third.sim.load(again);
  EXPECT_EQ(third.sim.state_hash(), scene.sim.state_hash());
}

TEST(Checkpoint, DamagedArchiveChangesNothing) {
  Scene scene = rattle();
  scene.run(5);
  Archive archive;
  scene.sim.save(archive);
  const auto before = scene.sim.state_hash();
  for (const auto& [name, value] : archive.values()) {
    Archive damaged = archive;
    if (const auto* reals = std::get_if<Archive::Reals>(&value); reals && !reals->empty())
      damaged.put(name, Archive::Reals(reals->begin(), reals->begin() + static_cast<long>(reals->size() / 2)));
    else if (const auto* integers = std::get_if<Archive::Integers>(&value); integers && !integers->empty())
      damaged.put(name, Archive::Integers(integers->begin(), integers->begin() + static_cast<long>(integers->size() / 2)));
    else
      continue;
    EXPECT_THROW(scene.sim.load(damaged), FileError) << name;
    EXPECT_EQ(scene.sim.state_hash(), before) << name;
  }
}

TEST(Checkpoint, ThreadCountDoesNotChangeTheState) {
  std::vector<std::uint64_t> hashes;
  for (int count : {1, 2, 4}) {
    set_threads(count);
    Scene scene = rattle();
    scene.run(150);
    hashes.push_back(scene.sim.state_hash());
  }
  set_threads(2);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Checkpoint, FailedStepLeavesTheStateOfTheLastGoodOne) {
  Scene scene = rattle();
  scene.run(100);  // bodies lie on each other
  const auto before = scene.sim.state_hash();
  scene.sim.solver().stop.max_iterations = 1;
  scene.sim.solver().stop.tolerance = 1e-15;
  scene.sim.solver().failure = FailurePolicy::raise;
  EXPECT_THROW(scene.sim.step(), SolveError);
  EXPECT_EQ(scene.sim.state_hash(), before);
  EXPECT_EQ(scene.sim.steps(), 100);
}

TEST(Checkpoint, BodiesComeAndGo) {
  Scene scene = rattle();
  scene.run(20);
  const int added = scene.ball({0.2, 0.2, 1.5}, 0.1, 1.0);
  scene.sim.remove_body(5);
  EXPECT_THROW(scene.sim.remove_body(5), InputError);
  scene.sim.model().extents = Box{Vec3(-3, -3, -3), Vec3(3, 3, 3)};
  scene.sim.set_velocity(added, {0, 0, 500}, Vec3::Zero());
  scene.run(20);
  EXPECT_FALSE(scene.sim.model().bodies.has(added));
  EXPECT_EQ(scene.sim.model().bodies.size(), 27);
}

}  // namespace
}  // namespace scree::stepping
