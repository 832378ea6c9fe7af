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
  Scene second(1e-3);
  second.sim.solver() = first.sim.solver();
  second.sim.load(archive);
  EXPECT_EQ(second.sim.state_hash(), first.sim.state_hash());
  second.run(80);
  EXPECT_EQ(second.sim.state_hash(), whole.sim.state_hash());
  EXPECT_EQ(second.sim.energies().work.friction, whole.sim.energies().work.friction);
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
