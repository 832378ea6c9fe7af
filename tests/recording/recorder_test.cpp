/// Results written by the engine alone: what a reader finds is what the simulation was.
#include <gtest/gtest.h>

#include <cmath>

#include "../io/sample_results.hpp"
#include "../io/temporary_folder.hpp"
#include "../stepping/scene.hpp"
#include "recording/frame.hpp"
#include "recording/run.hpp"

namespace scree::recording {
namespace {

/// Balls that fall on a floor, one on a string, one that leaves the extents.
stepping::Scene rain() {
  stepping::Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
  scene.surface(0.3);
  scene.floor();
  for (int k = 0; k < 4; ++k) scene.ball({0.3 * k, 0, 0.11}, 0.1, 1.0);
  model::Constraint string;
  string.kind = model::ConstraintKind::link;
  string.body = {2, -1};
  string.point = {scene.position(2), Vec3(0.3, 0, 1)};
  scene.sim.add_constraint(string);
  scene.sim.set_velocity(4, {100, 0, 0}, Vec3::Zero());
  scene.sim.model().extents = Box{Vec3(-5, -5, -5), Vec3(5, 5, 5)};
  return scene;
}

TEST(Recorder, ARunIsInItsFile) {
  io::TemporaryFolder folder;
  const std::string path = folder.file("results.h5");
  stepping::Scene scene = rain();
  Recorder recorder(path, {.title = "rain"});
  run(scene.sim, 0.1, 0.02, recorder);
  recorder.close();

  const io::ResultsReader reader(path);
  EXPECT_EQ(reader.info().title, "rain");
  ASSERT_EQ(reader.frames(), 6);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(reader.time(k), 0.02 * k, 1e-12);
  const auto steps = reader.steps();
  ASSERT_EQ(steps.size(), 100u);
  EXPECT_EQ(steps.back().contacts, scene.sim.report().contacts);
  EXPECT_EQ(steps.back().residual, scene.sim.report().residual);
  EXPECT_EQ(steps.back().solve, scene.sim.report().solve);
  EXPECT_EQ(reader.energies().back().kinetic, scene.sim.energies().kinetic);
  // The ball that left is in the first frame and not in the last.
  EXPECT_EQ(reader.frame(0).bodies(), 5u);
  EXPECT_EQ(reader.frame(5).bodies(), 4u);
  EXPECT_GE(reader.bodies()[4].last_frame, 0);
  const io::Frame last = reader.frame(5), made = make_frame(scene.sim, [](int id) { return id; });
  EXPECT_TRUE(io::same_frames(last, made));
}

TEST(Recorder, AFileIsGoneOnWith) {
  io::TemporaryFolder folder;
  stepping::Scene whole = rain();
  {
    Recorder recorder(folder.file("whole.h5"), {});
    run(whole.sim, 0.06, 0.01, recorder);
  }
  stepping::Scene first = rain();
  {
    Recorder recorder(folder.file("parts.h5"), {});
    run(first.sim, 0.03, 0.01, recorder);
    Archive archive;
    first.sim.save(archive);
    run(first.sim, 0.02, 0.01, recorder);  // beyond the checkpoint: dropped when the file is gone on with
    first.sim.load(archive);
  }
  Recorder recorder = Recorder::resume(folder.file("parts.h5"), first.sim.time());
  EXPECT_NEAR(recorder.last_time(), 0.03, 1e-12);
  run(first.sim, 0.03, 0.01, recorder);
  recorder.close();
  const io::ResultsReader a(folder.file("whole.h5")), b(folder.file("parts.h5"));
  ASSERT_EQ(a.frames(), b.frames());
  for (std::int64_t k = 0; k < a.frames(); ++k) EXPECT_TRUE(io::same_frames(a.frame(k), b.frame(k))) << k;
  EXPECT_EQ(a.steps().size(), b.steps().size());
}

TEST(Recorder, StepsBeforeAFailureAreKept) {
  io::TemporaryFolder folder;
  stepping::Scene scene = rain();
  scene.sim.settings().unphysical_penetration = 0.0;
  scene.sim.settings().slack = 0.0;
  scene.sim.set_velocity(1, {0, 0, -1}, Vec3::Zero());
  Recorder recorder(folder.file("results.h5"), {});
  EXPECT_THROW(run(scene.sim, 1.0, 0.1, recorder), SolveError);
  recorder.close();
  const io::ResultsReader reader(folder.file("results.h5"));
  EXPECT_EQ(static_cast<long>(reader.steps().size()), scene.sim.steps());
  EXPECT_GE(reader.frames(), 1);
}

TEST(Recorder, WrongSpansAreRefused) {
  io::TemporaryFolder folder;
  stepping::Scene scene = rain();
  Recorder recorder(folder.file("results.h5"), {});
  EXPECT_THROW(run(scene.sim, -1.0, 0.1, recorder), InputError);
  EXPECT_THROW(run(scene.sim, 1.0, std::nan(""), recorder), InputError);
  EXPECT_EQ(scene.sim.steps(), 0);
}

}  // namespace
}  // namespace scree::recording
