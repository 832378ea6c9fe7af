/// One scene on several ranks comes to the bits of one process.
#include "parallel/shared_work.hpp"

#include <random>

#include <gtest/gtest.h>

#include "../stepping/elastic_scene.hpp"
#include "parallel/thread_team.hpp"

namespace scree::parallel {
namespace {

using stepping::Elastic;
using stepping::Scene;

template <class Made>
Made make_scene() {
  const Vec3 gravity(0, 0, -9.81);
  if constexpr (std::is_same_v<Made, Elastic>) return Elastic(1e-3, gravity, 1e6, 0.2);
  else return Scene(1e-3, gravity, 1e-8);
}

std::shared_ptr<SharedWork> divide(Scene& scene, Team& ranks, bool migrate = false) {
  auto work = std::make_shared<SharedWork>(ranks, std::make_shared<Bisection>());
  work->options.least_bodies = 1;
  work->options.migrate_always = migrate;
  work->options.gathered = true;
  scene.sim.divide(work);
  return work;
}

/// Boxes and balls of random sizes that fall into a heap.
void fill_heap(Scene& scene, double cohesion = 0.0) {
  model::SurfaceMaterial material{.is_default = true, .label = "default"};
  material.friction = 0.4;
  material.cohesion = cohesion;
  scene.sim.model().surfaces.add(material);
  scene.floor();
  std::mt19937 random(11);
  std::uniform_real_distribution<double> size(0.1, 0.2);
  for (int k = 0; k < 27; ++k) {
    const Vec3 place(0.35 * (k % 3), 0.35 * (k / 3 % 3), 0.2 + 0.3 * (k / 9));
    const double s = size(random);
    if (k % 2 == 0) scene.ball(place, s, 1.0 + s);
    else scene.box(place - Vec3::Constant(0.7 * s), place + Vec3::Constant(0.7 * s));
  }
}

/// Hash after some steps on every number of ranks; they must all be the same.
template <class Made = Scene, class Fill>
void expect_one_hash(Fill&& fill, int steps, const char* solver = "AUTO") {
  Made whole = make_scene<Made>();
  fill(whole);
  whole.sim.solver().name = solver;
  whole.run(steps);
  ASSERT_GT(whole.sim.report().contacts, 0);
  long bodies = 0;
  for (int b = 0; b < whole.sim.model().bodies.size(); ++b) bodies += whole.sim.model().bodies.moves(b);
  for (const int ranks : {2, 3})
    for (const bool migrate : {false, true})
      run_team(ranks, [&](Team& team) {
        Made scene = make_scene<Made>();
        fill(scene);
        scene.sim.solver().name = solver;
        const auto work = divide(scene, team, migrate);
        scene.run(steps);
        EXPECT_EQ(scene.sim.state_hash(), whole.sim.state_hash()) << ranks << " ranks, rank " << team.rank() << (migrate ? ", migrating" : "");
        EXPECT_EQ(scene.sim.report().residual, whole.sim.report().residual);
        // The work was divided: nobody found all contacts, and together they found each once.
        const double found = static_cast<double>(work->detected());
        EXPECT_LT(team.max(found), team.sum(found));
        if (migrate) { EXPECT_GE(work->migrations(), bodies * (steps - 1)); }
      });
}

TEST(SharedWork, AHeapHasTheHashOfOneProcess) {
  expect_one_hash([](Scene& scene) { fill_heap(scene); }, 60);
  expect_one_hash([](Scene& scene) { fill_heap(scene); }, 30, "GAUSS_SEIDEL");
  expect_one_hash([](Scene& scene) { fill_heap(scene); }, 30, "NEWTON");
}

TEST(SharedWork, BondsConstraintsAndLoadsAreNotLostOnTheWay) {
  expect_one_hash([](Scene& scene) {
    fill_heap(scene, 1e3);
    model::Constraint link;
    link.kind = model::ConstraintKind::link;
    link.body = {1, 2};
    link.point = {scene.position(1), scene.position(2)};
    scene.sim.add_constraint(link);
    scene.sim.model().user_forces.push_back({3, [](const model::RigidState& state, double t, double) {
                                               return model::UserForceValue{Vec3(1.0, t, -state.velocity.z()), Vec3::Zero(), Vec3::Zero()};
                                             }});
  }, 40);
}

TEST(SharedWork, RattleHasTheHashOfOneProcess) {
  expect_one_hash([](Scene& scene) {
    scene.sim.settings().integrator = stepping::Integrator::rattle;
    fill_heap(scene);
  }, 20);
}

TEST(SharedWork, DeformableBodiesThatTouchOverFacesHaveTheHashOfOneProcess) {
  expect_one_hash<Elastic>([](Elastic& scene) {
    scene.surface(0.3);
    scene.floor();
    for (int k = 0; k < 4; ++k) {
      const Vec3 low(0.11 * (k % 2), 0.0, 1e-4 + 0.1001 * (k / 2));
      if (k == 1) scene.box(low, low + Vec3::Constant(0.1));
      else scene.mesh(stepping::block(low, low + Vec3::Constant(0.1), 2, 2, 2));
    }
  }, 15);
}

TEST(SharedWork, AutoWorksTowardsItsGoalAsInOneProcess) {
  // Impulses of the last step that meet the tolerance are no reason to leave the goal.
  constexpr double kGoal = 1e-8;
  const auto fill = [](Scene& scene) {
    scene.sim.solver().stop.tolerance = 1e-3;
    scene.sim.solver().goal = kGoal;
    fill_heap(scene);
  };
  const auto worst = [](Scene& scene) {
    double residual = 0.0;
    for (int step = 0; step < 250; ++step) {
      scene.run(1);
      residual = std::max(residual, scene.sim.report().residual);
    }
    return residual;
  };
  Scene whole = make_scene<Scene>();
  fill(whole);
  ASSERT_LE(worst(whole), kGoal);
  ASSERT_GT(whole.sim.report().contacts, 20);
  run_team(3, [&](Team& team) {
    Scene scene = make_scene<Scene>();
    fill(scene);
    divide(scene, team)->options.gathered = false;
    EXPECT_LE(worst(scene), kGoal);
  });
}

TEST(SharedWork, MoreRanksThanBodiesAndBodiesThatComeAndGo) {
  const auto story = [](Scene& scene) {
    scene.surface(0.3);
    scene.floor();
    const int first = scene.ball({0, 0, 0.1}, 0.1, 1.0);
    scene.run(5);
    scene.box({0.5, 0, 0}, {0.7, 0.2, 0.2});
    scene.run(5);
    scene.sim.remove_body(first);
    scene.run(5);
    return scene.sim.state_hash();
  };
  Scene whole(1e-3, {0, 0, -9.81});
  const std::uint64_t expected = story(whole);
  run_team(4, [&](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81});
    divide(scene, team);
    EXPECT_EQ(story(scene), expected);
  });
}

TEST(SharedWork, ARestartTakesAnyNumberOfRanks) {
  Scene whole(1e-3, {0, 0, -9.81}, 1e-8);
  fill_heap(whole);
  whole.run(10);
  Archive archive;
  whole.sim.save(archive);
  whole.run(20);
  run_team(3, [&](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
    fill_heap(scene);
    divide(scene, team);
    scene.run(2);
    scene.sim.load(archive);
    scene.run(20);
    EXPECT_EQ(scene.sim.state_hash(), whole.sim.state_hash());
  });
}

TEST(SharedWork, ARunOnTheSameRanksGoesOnToTheSameBits) {
  const auto begin = [](Scene& scene, Team& team) {
    fill_heap(scene);
    const auto work = divide(scene, team);
    work->options.gathered = false;
    work->options.most_gathered = 0;
    work->options.imbalance = 1.01;   // space is cut again as soon as it may be
    work->options.least_steps = 7;
    return work;
  };
  run_team(3, [&](Team& team) {
    Scene whole(1e-3, {0, 0, -9.81}, 1e-6), again(1e-3, {0, 0, -9.81}, 1e-6);
    const auto work = begin(whole, team);
    whole.run(12);
    Archive archive;
    whole.sim.save(archive);
    whole.run(12);
    EXPECT_GT(work->cuts(), 1);
    begin(again, team);
    again.sim.load(archive);
    again.run(12);
    EXPECT_EQ(again.sim.state_hash(), whole.sim.state_hash());
  });
}

TEST(SharedWork, StepsTellWhatWasSent) {
  run_team(3, [](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81}, 1e-8);
    fill_heap(scene);
    const auto work = divide(scene, team);
    work->options.gathered = false;
    scene.sim.solver().name = "NEWTON";
    while (scene.sim.steps() < 100 && scene.sim.step().iterations == 0) {}
    const SharedWork::Ledger start = work->ledger();
    const Traffic before = team.traffic();
    scene.sim.step();
    const Traffic mine = team.traffic() - before, all = work->ledger().traffic - start.traffic;
    // The meeting at a step's end is counted with the next step; all such meetings are alike.
    EXPECT_EQ(all.rounds, mine.rounds);
    EXPECT_EQ(all.reductions, mine.reductions);
    EXPECT_EQ(static_cast<double>(all.bytes), team.sum(static_cast<double>(mine.bytes)));
    EXPECT_EQ(static_cast<double>(all.messages), team.sum(static_cast<double>(mine.messages)));
    EXPECT_GT(all.bytes, 0);
    EXPECT_GT(all.reductions, 0);
    EXPECT_EQ(work->ledger().steps, scene.sim.steps());
    EXPECT_GE(work->ledger().balance, 1.0);
  });
}

TEST(SharedWork, AFailureOfOneRankFailsTheStepOfAllAndChangesNothing) {
  run_team(3, [](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81});
    fill_heap(scene);
    divide(scene, team);
    scene.run(3);
    const std::uint64_t before = scene.sim.state_hash();
    scene.sim.model().user_forces.push_back({3, [&](const model::RigidState&, double, double) -> model::UserForceValue {
                                               if (team.rank() == 1) throw_input("the table is empty");
                                               return {};
                                             }});
    if (team.rank() == 1) EXPECT_THROW(scene.sim.step(), InputError);
    else EXPECT_THROW(scene.sim.step(), RankFailure);
    EXPECT_EQ(scene.sim.state_hash(), before);
    scene.sim.model().user_forces.clear();
    scene.run(2);
    EXPECT_EQ(scene.sim.steps(), 5);
  });
}

TEST(SharedWork, ForcesThatDifferBetweenRanksAreRefused) {
  run_team(2, [](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81});
    fill_heap(scene);
    divide(scene, team);
    scene.sim.model().user_forces.push_back({3, [&](const model::RigidState&, double, double) {
                                               return model::UserForceValue{Vec3(team.rank(), 0, 0), Vec3::Zero(), Vec3::Zero()};
                                             }});
    EXPECT_THROW(scene.sim.step(), RankFailure);
  });
}

TEST(SharedWork, FewBodiesARankLeaveRanksWithout) {
  run_team(4, [](Team& team) {
    Scene scene(1e-3, {0, 0, -9.81});
    fill_heap(scene);
    const auto work = divide(scene, team);
    work->options.least_bodies = 10;
    scene.run(1);
    EXPECT_EQ(work->parts(), 2);  // of 27 bodies
  });
}

TEST(SharedWork, SpaceIsCutAgainWhenWorkHasGatheredOnOneSide) {
  run_team(2, [](Team& team) {
    Scene scene(1e-2, Vec3::Zero());
    scene.surface(0.0);
    for (int k = 0; k < 20; ++k) {
      const int id = scene.ball({0.5 * k, 0, 0}, 0.1, 1.0);
      if (k < 8) scene.sim.set_velocity(id, {30.0, 20.0 * k + 10.0, 0}, Vec3::Zero());  // they fly over the others
    }
    const auto work = divide(scene, team);
    scene.run(30);
    EXPECT_EQ(work->cuts(), 2);
    scene.run(1);
    EXPECT_LE(work->imbalance(), 1.3);
  });
}

}  // namespace
}  // namespace scree::parallel
