/// Everything a simulation is about, as data: bodies, materials, loads, constraints.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/bodies.hpp"
#include "model/constraint.hpp"
#include "model/loads.hpp"
#include "model/material.hpp"

namespace scree::model {

struct Model {
  Bodies bodies;
  SurfaceMaterials surfaces;
  std::vector<BulkMaterial> bulk;
  std::vector<Constraint> constraints;
  int next_constraint = 0;

  Gravity gravity;
  std::vector<PointForce> forces;
  std::vector<Torque> torques;
  std::vector<SurfaceLoad> surface_loads;
  std::vector<UserForce> user_forces;

  /// Bodies whose mass centre leaves this box are deleted.
  std::optional<Box> extents;

  /// Excluded from contact: pairs of bodies (ids), pairs of pieces (ids and referential points), pairs
  /// of surfaces.
  struct PieceExclusion {
    int body1, body2;
    Vec3 point1, point2;
  };
  std::vector<std::pair<int, int>> excluded_bodies;
  std::vector<PieceExclusion> excluded_pieces;
  std::vector<std::pair<int, int>> excluded_surfaces;

  /// Remove a body with everything that refers to it but constraints.
  void remove_body(int id);
  /// Remove a constraint; returns where it was in the list.
  std::ptrdiff_t remove_constraint(int id);
  /// Place of a constraint in the list; InputError when there is none of that id.
  [[nodiscard]] std::size_t constraint_index(int id) const;
};

}  // namespace scree::model
