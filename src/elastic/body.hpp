/// Mechanics of one finite element body in the total Lagrangian formulation (theory sec. 5.1-5.4).
///
/// A configuration q is the flat list of current node places x0, y0, z0, x1, ... in metres; forces f have the same
/// layout, N. Every function of q is const, allocates nothing and gives the same bits for any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "elastic/block_matrix.hpp"
#include "elastic/finite_mesh.hpp"
#include "elastic/law.hpp"
#include "geometry/mass.hpp"

namespace scree::elastic {

/// What fills the elements of one volume id.
struct Material {
  std::shared_ptr<const Law> law;
  double density;  ///< kg/m^3, > 0
};
using Materials = std::function<Material(int volume_id)>;

/// Quadrature of a body whose elements are only partly filled (elastic/embedding.hpp): points
/// start[e] .. start[e+1] lie in element e.
struct VolumeRule {
  struct Place {
    Vec3 at;        ///< natural coordinates
    double volume;  ///< reference volume it stands for, m^3
  };
  std::vector<int> start{0};
  std::vector<Place> points;
};

struct ElementMatrix;

class ElasticBody {
 public:
  /// Elements filled entirely. InputError for a mesh whose map folds at a quadrature point, or a density <= 0.
  ElasticBody(FiniteMesh mesh, const Materials& materials);
  /// Elements filled as the rule says; every element must hold some matter (embedding.hpp).
  ElasticBody(FiniteMesh mesh, const Materials& materials, const VolumeRule& rule);

  [[nodiscard]] const FiniteMesh& mesh() const { return mesh_; }
  [[nodiscard]] int nodes() const { return static_cast<int>(mesh_.nodes.size()); }
  [[nodiscard]] int dofs() const { return mesh_.dofs(); }
  [[nodiscard]] const Law& law(int element) const { return *laws_[law_of_[element]]; }

  // Inertia, computed once.
  [[nodiscard]] const NodeMatrix& mass() const { return mass_; }                              ///< consistent, kg (theory eq. 5.9)
  [[nodiscard]] std::span<const double> lumped_mass() const { return lumped_; }               ///< kg a node, positive
  [[nodiscard]] const geometry::MassProperties& mass_properties() const { return properties_; }  ///< exact for the elements' maps
  /// Kinetic energy u M u / 2 with the consistent mass, J.
  [[nodiscard]] double kinetic_energy(std::span<const double> u) const;

  // Elastic response.
  /// Internal force f = dW/dq (theory eq. 5.10): the body pushes its nodes with -f.
  void internal_force(std::span<const double> q, std::span<double> f) const;
  /// Stored energy W(q), J.
  [[nodiscard]] double internal_energy(std::span<const double> q) const;
  /// Tangent K = df/dq (theory eq. 5.11) on pattern(): symmetric.
  void tangent(std::span<const double> q, BlockMatrix& K) const;
  /// One element's part of it.
  [[nodiscard]] ElementMatrix element_tangent(int element, std::span<const double> q) const;
  /// Energy-consistent force between two configurations (theory eq. 5.13): f . (q1 - q0) = W(q1) - W(q0) to rounding without viscosity, and
  /// no net force or torque about the midpoint configuration. The viscosity, eta/h, adds the stress of the change of strain (theory eq. 6.9).
  void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const;
  /// Force of Kelvin and Voigt with eta = 1 s at node rates u (theory eq. 6.9).
  void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const;

  [[nodiscard]] std::shared_ptr<const NodePattern> pattern() const { return mass_.pattern; }
  [[nodiscard]] BlockMatrix make_matrix() const { return BlockMatrix(mass_.pattern); }

  // Quadrature points, for recovery and bounds.
  [[nodiscard]] int points(int element) const { return point_start_[element + 1] - point_start_[element]; }
  [[nodiscard]] int first_point(int element) const { return point_start_[element]; }
  [[nodiscard]] double point_volume(int point) const { return volume_[point]; }
  /// Referential gradients of the shape functions at a point of an element: three numbers a node.
  [[nodiscard]] const double* gradients(int element, int point) const {
    return gradients_.data() + gradient_start_[element] + 3 * static_cast<std::size_t>(mesh_.element(element).size()) * (point - first_point(element));
  }
  /// Deformation gradient there (theory eq. 5.2).
  [[nodiscard]] Mat3 deformation(int element, int point, std::span<const double> q) const;

 private:
  void set_materials(const Materials& materials);
  void set_points(const VolumeRule* rule);
  void set_mass(const VolumeRule* rule);
  void add_lumped(const MatX& local, bool partly, std::span<const int> nodes);
  void set_colours();
  void set_slots();
  template <class Work>
  void for_elements(Work&& work) const;

  FiniteMesh mesh_;
  std::vector<std::shared_ptr<const Law>> laws_;
  std::vector<int> law_of_;                   ///< index in laws_ of each element
  std::vector<double> density_;               ///< of each element
  std::vector<int> point_start_{0};           ///< quadrature points of each element
  std::vector<double> volume_;                ///< reference volume of each point
  std::vector<std::size_t> gradient_start_;   ///< of each element in gradients_
  std::vector<double> gradients_;
  std::vector<int> colour_start_{0}, coloured_;  ///< elements by colour: no two of a colour share a node
  std::vector<std::size_t> slot_start_;       ///< of each element in slots_
  std::vector<int> slots_;                    ///< entry of the pattern for each pair of an element's nodes
  NodeMatrix mass_;
  std::vector<double> lumped_;
  geometry::MassProperties properties_;
};

}  // namespace scree::elastic
