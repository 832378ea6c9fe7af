/// Contact integrated over the faces of finite element meshes: points of quadrature become one contact a node (theory sec. 6.7).
#pragma once

#include <vector>

#include "assembly/sides.hpp"
#include "collision/world.hpp"

namespace scree::assembly {

/// A contact point with its grips, -1 where a side has none yet.
struct GrippedPoint {
  collision::ContactPoint point;
  int grip_a = -1, grip_b = -1;
};

/// All contact points, with those of quadrature (collision::ContactPoint::weighted) summed up: for every corner node c of the faces of the finer body,
/// with psi_c its linear shape function or the dual one, one contact of the means  int psi_c (.) dA / int psi_c dA  of place, gap, normal and weights
/// (theory eq. 6.17, 6.19).
/// Others are copied. Sorted as World::detect sorts them.
void join_faces(const model::Bodies& bodies, const model::Motion& motion, const collision::World& world, const std::vector<collision::ContactPoint>& points,
                Grips& grips, std::vector<GrippedPoint>& joined);

}  // namespace scree::assembly
