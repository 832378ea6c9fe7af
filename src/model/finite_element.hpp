/// Finite element bodies: unknowns are the places of the mesh's nodes (theory sec. 6.1, chapter 5).
#pragma once

#include <mutex>
#include <optional>

#include "elastic/body.hpp"
#include "elastic/corotation.hpp"
#include "elastic/place.hpp"
#include "elastic/reduction.hpp"
#include "elastic/stress.hpp"
#include "model/mechanics.hpp"

namespace scree::model {

/// Formulations (theory sec. 5.4, 5.10, 5.11, 5.13).
enum class Formulation {
  total_lagrangian,  ///< TL: any strain
  corotational,      ///< BC: one rotation a body, small strain, constant stiffness
  incompatible,      ///< BC-IM: the same, with incompatible modes in first-order hexahedra
  modal              ///< BC-MODAL: the same, reduced to rigid motion and a few modes
};

class FiniteElement final : public Mechanics {
 public:
  /// The shape is the mesh itself, or lies within it (embedded). `modes` counts the elastic ones of the modal formulation; given
  /// `shapes` (columns) span its deformations instead.
  FiniteElement(elastic::ElasticBody body, const geometry::Shape& shape, bool embedded, Formulation formulation, int modes, const MatX& shapes = {});

  [[nodiscard]] int nodes() const override { return body_.nodes(); }
  void reference(std::span<double> q) const override;
  void weights(const Vec3& X, std::vector<Weight>& out) const override;
  void weights_at(std::span<const double> q, int piece, const Vec3& x, std::vector<Weight>& out) const override;
  [[nodiscard]] int face_degree() const override { return face_degree_; }
  [[nodiscard]] const geometry::MassProperties* own_mass() const override { return &body_.mass_properties(); }
  [[nodiscard]] double face_size() const override { return face_size_; }
  bool face_at(std::span<const double> q, int piece, const Vec3& x, const Vec3& outward, FacePoint& point) const override;
  bool surface_points(std::span<const double> q, std::vector<Vec3>& out) const override;
  void drawn_points(std::span<const double> values, std::vector<Vec3>& out) const override;
  void mass_times(std::span<const double> v, bool lumped, std::span<double> out) const override;
  void internal_force(std::span<const double> q, std::span<double> f) const override;
  [[nodiscard]] double internal_energy(std::span<const double> q) const override;
  void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const override;
  void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const override;
  [[nodiscard]] bool reduced() const override { return reduction_.has_value(); }
  void project(std::span<double> q) const override;
  [[nodiscard]] double critical_step() const override;
  [[nodiscard]] Mat3 stress(std::span<const double> q, const Vec3& X) const override;
  void drawn_mises(std::span<const double> q, std::vector<double>& out) const override;
  void arms(std::span<const double> q, std::span<double> out) const override;
  [[nodiscard]] MeanMotion mean(std::span<const double> q, std::span<const double> u) const override;
  void rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const override;
  void place(const Mat3& rotation, const Vec3& position, std::span<double> q) const override;
  void add_body_force(const Vec3& acceleration, bool lumped, std::span<double> f) const override;
  void add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const override;
  [[nodiscard]] double fastest(std::span<const double> u) const override;
  void add_surface_load(std::span<const double> q, const SurfaceTraction& load, std::span<double> f) const override;
  [[nodiscard]] std::vector<SurfacePoint> surface(int id) const override;
  [[nodiscard]] std::unique_ptr<Inertia> make_inertia() const override;

  [[nodiscard]] const elastic::ElasticBody& body() const { return body_; }
  /// Stiffness of the undeformed body in its formulation, on body().pattern().
  [[nodiscard]] elastic::BlockMatrix stiffness() const;
  /// Of the co-rotational formulations with all unknowns.
  [[nodiscard]] const elastic::Corotation* corotation() const { return corotation_ ? &*corotation_ : nullptr; }

 private:
  /// Weights of one point, in flat lists.
  struct Points {
    std::vector<std::size_t> start{0};
    std::vector<Weight> weights;
    void add(std::span<const Weight> more);
    [[nodiscard]] int size() const { return static_cast<int>(start.size()) - 1; }
    [[nodiscard]] Vec3 at(int k, std::span<const double> values) const;
  };

  void weigh_shape(const geometry::Shape& shape);
  void measure_faces();
  /// Element that carries the point of an embedded piece (with this referential box) which is at x now.
  [[nodiscard]] int element_at(std::span<const double> q, const Box& box, const Vec3& x) const;
  [[nodiscard]] elastic::Place current_place(std::span<const double> q, int element, const Vec3& x) const;
  [[nodiscard]] Vec3 lumped_center(std::span<const double> q) const;
  [[nodiscard]] Mat3 lumped_inertia(std::span<const double> q, const Vec3& center) const;

  elastic::ElasticBody body_;
  elastic::Locator locator_;
  elastic::StressSmoother smoother_;
  std::optional<elastic::Corotation> corotation_;
  std::optional<elastic::Reduction> reduction_;  ///< of the modal formulation
  bool embedded_;
  std::vector<int> element_of_piece_;     ///< of a mesh
  std::vector<Box> piece_box_;            ///< of embedded pieces, referential
  std::vector<std::vector<int>> faces_of_element_;  ///< of a mesh: numbers in its boundary
  int face_degree_ = 0;
  double face_size_ = 0.0;
  Points surface_;                    ///< contact points of the shape
  Points drawn_;                      ///< points of the stored shape
  std::vector<double> node_mass_;     ///< row sums of the consistent mass, kg
  std::vector<double> reference_;     ///< node places of the undeformed body, flat
  Vec3 reference_center_ = Vec3::Zero();  ///< its mean with lumped masses
  mutable std::once_flag critical_once_;  ///< explicit bodies alone need it
  mutable double critical_step_ = 0.0;
};

}  // namespace scree::model
