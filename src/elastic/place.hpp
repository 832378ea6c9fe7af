/// Where a referential point is in the mesh, and what the nodes' weights there are (theory eq. 5.8).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "elastic/finite_mesh.hpp"

namespace scree::elastic {

/// Node numbers and weights: x(X) = sum weight[a] q[node[a]].
struct Weights {
  std::array<int, kMostNodes> node;
  std::array<double, kMostNodes> weight;
  int count = 0;

  /// Interpolate a flat nodal field of three components.
  [[nodiscard]] Vec3 at(std::span<const double> field) const {
    Vec3 sum = Vec3::Zero();
    for (int a = 0; a < count; ++a) sum += weight[a] * Vec3::Map(field.data() + 3 * node[a]);
    return sum;
  }
  /// Add the force at this place to a flat nodal load.
  void add_force(const Vec3& force, std::span<double> f) const {
    for (int a = 0; a < count; ++a) Vec3::Map(f.data() + 3 * node[a]) += weight[a] * force;
  }
};

struct Place {
  int element = -1;
  Vec3 at = Vec3::Zero();  ///< natural coordinates, inside the element's domain
};

/// Shape function weights at a place.
[[nodiscard]] Weights weights(const FiniteMesh& mesh, const Place& place);
/// Referential point of a place.
[[nodiscard]] Vec3 point(const FiniteMesh& mesh, const Place& place);

/// Search for referential points: a grid of cells over the mesh, each listing the elements whose box meets it.
class Locator {
 public:
  explicit Locator(const FiniteMesh& mesh);

  /// The place of X in the reference configuration. A point outside every element goes to the nearest place of the
  /// nearest element found around it. Ties go to the lowest element number.
  [[nodiscard]] Place locate(const FiniteMesh& mesh, const Vec3& X) const;
  /// The place of X within one element; a point outside it goes to the nearest point of its surface.
  [[nodiscard]] static Place locate_in(const FiniteMesh& mesh, int element, const Vec3& X);

 private:
  [[nodiscard]] std::array<int, 3> cell(const Vec3& X) const;
  template <class Visit>
  void visit_shell(const std::array<int, 3>& c, int ring, Visit&& visit) const;
  Box bounds_;
  Vec3 size_ = Vec3::Ones();  ///< of a cell
  std::array<int, 3> cells_{1, 1, 1};
  std::vector<int> start_, elements_;
  std::vector<Box> boxes_;  ///< of the elements
};

}  // namespace scree::elastic
