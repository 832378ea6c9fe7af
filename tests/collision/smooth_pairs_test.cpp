/// Spheres and ellipsoids against each other and against polyhedra, from apart to concentric: the normal reported parts the two by the gap
/// reported, and a certificate proves that no direction parts them farther.
#include <fmt/format.h>

#include "certificate.hpp"
#include "collision/narrow_phase.hpp"
#include "pair_run.hpp"

namespace scree::collision {
namespace {

using namespace testing;

enum class Form { sphere, ellipsoid, polyhedron };

Shape random_form(Form form, Random& random, const std::vector<Polyhedron>& pool) {
  if (form == Form::polyhedron) return shape_of(pool[random.integer(static_cast<int>(pool.size()))]);
  if (form == Form::sphere) return sphere(random.power(-1, 0));
  Vec3 radii = Vec3::Ones();
  for (int i = 0; i < 2; ++i) radii[i] = random.power(-1.3, 0);
  if (random.integer(4) == 0) radii[1] = radii[0];
  return ellipsoid(random.power(-1, 0) * radii);
}

double diameter(const Placed& p) {
  double most = 0.0;
  for (int i = 0; i < 3; ++i) most = std::max(most, p.extent(Vec3::Unit(i)) + p.extent(-Vec3::Unit(i)));
  return most;
}

class Smooth : public ::testing::TestWithParam<std::pair<Form, Form>> {};

TEST_P(Smooth, pairs) {
  NarrowScratch scratch;
  Manifold manifold;
  Judge judge;
  const Form kind_a = GetParam().first, kind_b = GetParam().second;
  run_pairs(53, 1500, 100, [&](int trial, Random& random, const std::vector<Polyhedron>& pool) {
    Duo duo{random_form(kind_a, random, pool), random_form(kind_b, random, pool)};
    duo.Fa = random.rotation();
    duo.Fb = random.rotation();
    duo.xb = random.within(0, 1);
    PieceStore store;
    store.add(0, duo.a, true);
    store.add(1, duo.b, true);
    NarrowOptions options;
    options.limit = 2.0;
    const auto detect = [&] {
      store.place(0, duo.Fa, Vec3::Zero(), duo.xa);
      store.place(1, duo.Fb, Vec3::Zero(), duo.xb);
      return touch(store, 0, 1, options, scratch, manifold);
    };
    ASSERT_TRUE(detect()) << trial;
    // As deep as thrown, or moved along the normal found to a gap of any order.
    if (random.integer(2)) {
      double wanted = random.integer(2) ? 1 : -1;
      wanted *= random.power(-12, -1);
      duo.xb += (wanted - manifold.points[0].gap) * manifold.normal;
      ASSERT_TRUE(detect()) << trial;
    }
    const Placed a = duo.placed_a(), b = duo.placed_b();
    const double size = std::min(diameter(a), diameter(b));
    const double gap = manifold.points[0].gap, along = separation(a, b, manifold.normal);
    Certificate certificate(a, b);
    const auto verdict = certificate.no_farther(gap, 0.9 * Judge::kTolerance * size);
    if (verdict == Certificate::Verdict::open) {
      judge.skip();
      return;
    }
    const double farther = verdict == Certificate::Verdict::refuted ? separation(a, b, certificate.found) - gap : 0.0;
    const double depth = gap / size;
    judge.check(trial, std::max(std::abs(along - gap), farther) / size, {"all", depth > 1e-6 ? "apart" : depth > -1e-6 ? "touching" : depth > -1e-2 ? "shallow" : depth > -0.1 ? "deep" : "very deep"},
                fmt::format("gap {}, along its normal {}, another direction {} of the size", depth, along / size, (gap + farther) / size));
  });
}

std::string name_of(const ::testing::TestParamInfo<std::pair<Form, Form>>& info) {
  const char* names[] = {"sphere", "ellipsoid", "polyhedron"};
  return std::string(names[static_cast<int>(info.param.first)]) + "_" + names[static_cast<int>(info.param.second)];
}

INSTANTIATE_TEST_SUITE_P(exact_gap, Smooth,
                         ::testing::Values(std::pair{Form::sphere, Form::sphere}, std::pair{Form::sphere, Form::ellipsoid}, std::pair{Form::sphere, Form::polyhedron},
                                           std::pair{Form::ellipsoid, Form::ellipsoid}, std::pair{Form::ellipsoid, Form::polyhedron}),
                         name_of);

}  // namespace
}  // namespace scree::collision
