/// Nodal forces of distributed loads (theory sec. 5.7). All functions add to f, N, three numbers a node.
#pragma once

#include <span>

#include "elastic/body.hpp"

namespace scree::elastic {

enum class LoadKind {
  spatial,   ///< direction and area of the reference configuration: a dead load
  convected  ///< turns with the face and acts on its current area
};
enum class LoadDirection { vector, normal, tangent1, tangent2 };

struct SurfaceLoad {
  int surface = 0;                                  ///< surface id
  LoadKind kind = LoadKind::spatial;
  LoadDirection direction = LoadDirection::normal;  ///< normal points outward: a pressure is a negative value
  Vec3 vector = Vec3::Zero();                       ///< of LoadDirection::vector; convected: its components in the face's frame are kept
  double value = 0.0;                               ///< Pa, times `vector` if there is one
};

/// Frame of a face with outward normal n, columns (TANGENT1, TANGENT2, NORMAL), right-handed: TANGENT1 is the direction of
/// steepest descent along -z, global x on a horizontal face.
[[nodiscard]] Mat3 face_frame(const Vec3& n);

/// f += int N_a t dA over the faces with the surface id (theory eq. 5.17). InputError when no face has it.
void add_surface_load(const FiniteMesh& mesh, std::span<const double> q, const SurfaceLoad& load, std::span<double> f);
/// True when a boundary face has the surface id.
[[nodiscard]] bool has_surface(const FiniteMesh& mesh, int surface);

}  // namespace scree::elastic
