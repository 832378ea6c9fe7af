#include "elastic/loads.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "meshes.hpp"

namespace scree::elastic::testing {
namespace {

struct Resultant {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
Resultant resultant(const std::vector<double>& f, const std::vector<double>& q) {
  Resultant r;
  for (std::size_t k = 0; k < f.size(); k += 3) {
    r.force += Vec3::Map(f.data() + k);
    r.torque += Vec3::Map(q.data() + k).cross(Vec3::Map(f.data() + k));
  }
  return r;
}

TEST(Loads, PressureOnAFaceHasTheRightResultant) {
  for (Cells cells : {Cells::hexahedra, Cells::pyramids}) {
    for (int order : {1, 2}) {
      const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(2, 1, 1), 4, 2, 2, cells), order);
      const auto q = body.mesh().positions();
      std::vector<double> f(q.size(), 0.0);
      add_surface_load(body.mesh(), q, {.surface = 6, .kind = LoadKind::convected, .value = -3.0}, f);
      const Resultant r = resultant(f, q);
      EXPECT_LT((r.force - Vec3(0, 0, -6)).norm(), 1e-13);
      EXPECT_LT((r.torque - Vec3(1, 0.5, 1).cross(Vec3(0, 0, -6))).norm(), 1e-13);
    }
  }
}

TEST(Loads, PressureOnAClosedSurfaceHasNoResultant) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 3, 3, 3, Cells::mixed, 0.1), 2);
  const auto q = shaken(body, 0.02);
  std::vector<double> f(q.size(), 0.0);
  add_surface_load(body.mesh(), q, {.surface = 0, .kind = LoadKind::convected, .value = 1.0}, f);
  const Resultant r = resultant(f, q);
  EXPECT_LT(r.force.norm(), 1e-13);
  // The torque of a pressure needs one order more than the rule has on warped faces.
  EXPECT_LT(r.torque.norm(), 1e-5);
}

TEST(Loads, SpatialStaysConvectedTurns) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3(1, 1, 2), 2, 2, 2, Cells::hexahedra), 1);
  const Mat3 Q = exp_rotation(Vec3(0.3, 0.4, -1.0));
  const auto q = mapped(body, Q, Vec3(1, 2, 3));
  const int side = 3;  // the face x = 1: steepest descent is -z, the second tangent n x t1 = +y
  const struct {
    LoadDirection direction;
    Vec3 expected;
  } cases[] = {{LoadDirection::normal, Vec3(1, 0, 0)}, {LoadDirection::tangent1, Vec3(0, 0, -1)}, {LoadDirection::tangent2, Vec3(0, 1, 0)}, {LoadDirection::vector, Vec3(0.6, 0, 0.8)}};
  for (const auto& c : cases) {
    std::vector<double> dead(q.size(), 0.0), following(q.size(), 0.0);
    add_surface_load(body.mesh(), q, {side, LoadKind::spatial, c.direction, Vec3(0.6, 0, 0.8), 2.0}, dead);
    add_surface_load(body.mesh(), q, {side, LoadKind::convected, c.direction, Vec3(0.6, 0, 0.8), 2.0}, following);
    EXPECT_LT((resultant(dead, q).force - 4.0 * c.expected).norm(), 1e-13);
    EXPECT_LT((resultant(following, q).force - 4.0 * (Q * c.expected)).norm(), 1e-13);
  }
  EXPECT_LT((face_frame(Vec3::UnitZ()).col(0) - Vec3::UnitX()).norm(), 1e-15);
}

TEST(Loads, UnknownSurfaceIsRefused) {
  const ElasticBody body = make_body(box_mesh(Vec3::Zero(), Vec3::Ones(), 1, 1, 1, Cells::hexahedra), 1);
  std::vector<double> f(body.dofs(), 0.0);
  EXPECT_THROW(add_surface_load(body.mesh(), body.mesh().positions(), {.surface = 77, .value = 1.0}, f), InputError);
  EXPECT_FALSE(has_surface(body.mesh(), 77));
}

}  // namespace
}  // namespace scree::elastic::testing
