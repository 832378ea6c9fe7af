/// Bodies as structure of arrays: what a step does not change (what it changes is model::Motion). Index = place in the arrays
/// (changes when bodies are removed), id = stable name (never reused).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/vec.hpp"
#include "geometry/mass.hpp"
#include "geometry/shape.hpp"
#include "model/mechanics.hpp"
#include "model/time_series.hpp"

namespace scree::model {

enum class BodyKind : std::uint8_t { rigid, obstacle, pseudo_rigid, finite_element };

/// Integrators: of rigid rotations (theory sec. 2.4), and of deformable bodies (theory sec. 6.3).
enum class Scheme : std::uint8_t {
  rig_pos,  ///< explicit, positive energy drift
  rig_neg,  ///< explicit, negative energy drift, exact momentum
  rig_imp,  ///< semi-explicit, no drift, exact momentum
  def_exp,  ///< explicit, limited by the critical step
  def_lim,  ///< linearly implicit (default of deformable bodies)
  def_imp,  ///< implicit, keeps energy
  rig_exact  ///< free rotation in closed form between impulses at mid-step: keeps energy and momentum (default of rigid bodies)
};

/// How a deformable body is described; plain data.
struct Deformation {
  std::map<int, int> materials;                ///< bulk material by volume id, where it is not the body's own
  std::shared_ptr<const geometry::Mesh> mesh;  ///< carries the motion of a finite element body; none: the shape's own mesh
  int order = 1;                               ///< of finite elements, 1 or 2
  std::string form = "TL";                     ///< formulation of finite elements: TL, BC, BC-IM, BC-MODAL
  int modes = 0;                               ///< elastic modes of BC-MODAL, where no shapes are given
  std::vector<double> shapes;                  ///< displacements that span the deformations of BC-MODAL, one after the other, three numbers a node of the mesh
};

/// What is particular to a deformable body.
struct Deformable {
  int body = -1;                               ///< id
  std::size_t first = 0;                       ///< its first number in Motion::q and Motion::u
  std::shared_ptr<const Mechanics> mechanics;
  Deformation description;
  double stiffness_damping = 0.0;              ///< eta of eta K u, s
  bool selfcontact = false;                    ///< pieces that are not neighbours touch each other
  bool round_spheres = true;                   ///< spheres keep their shape (pseudo-rigid bodies)

  [[nodiscard]] std::size_t size() const { return 3 * static_cast<std::size_t>(mechanics->nodes()); }
  /// Its part of a flat array over all deformable bodies.
  template <class Array>
  [[nodiscard]] auto part(Array& all) const { return std::span(all).subspan(first, size()); }
};

/// Prescribed motion of an obstacle: velocity `linear` (m/s) plus rotation `angular` (rad/s) about a point that moves with
/// `linear` (Motion::pivot).
struct ObstacleMotion {
  TimeSeries linear[3];
  TimeSeries angular[3];

  [[nodiscard]] Vec3 linear_at(double t) const { return {linear[0].value(t), linear[1].value(t), linear[2].value(t)}; }
  [[nodiscard]] Vec3 angular_at(double t) const { return {angular[0].value(t), angular[1].value(t), angular[2].value(t)}; }
};

/// What it takes to make a body.
struct BodySpec {
  BodyKind kind = BodyKind::rigid;
  std::shared_ptr<const geometry::Shape> shape;
  geometry::MassProperties mass;  ///< of the shape with its material's density
  int material = 0;               ///< bulk material index
  std::string label;
  Deformation deformation;        ///< of deformable kinds
  std::shared_ptr<const Mechanics> mechanics;  ///< of deformable kinds (build_mechanics())
};

/// E = tr(J)/2 I - J, the inverse of theory eq. 2.3.
[[nodiscard]] Mat3 euler_tensor(const Mat3& inertia);

struct Bodies {
  // Identity.
  std::vector<int> id;
  std::vector<BodyKind> kind;
  std::vector<Scheme> scheme;
  std::vector<std::string> label;
  std::vector<int> material;
  std::vector<std::shared_ptr<const geometry::Shape>> shape;

  // Referential constants.
  std::vector<double> mass;             ///< kg
  std::vector<double> volume;           ///< m^3
  std::vector<double> damping;          ///< mass-proportional coefficient, 1/s
  std::vector<double> radius;           ///< farthest point of the shape from the mass centre, m
  std::vector<Vec3> center;             ///< Xc, m
  std::vector<Mat3> inertia;            ///< J about Xc, kg m^2
  std::vector<Mat3> principal_axes;     ///< Q:  J = Q diag(D) Q^T, a rotation
  std::vector<Vec3> principal_moments;  ///< D, kg m^2; infinite about axes that are held
  std::vector<std::uint8_t> held;       ///< motions that a rigid body does not make: bits 0 to 2 along x, y, z, bits 3 to 5 about them (theory sec. 2.10)

  // The three kinds of store, each gone through by itself.
  std::vector<int> rigid;               ///< indices of rigid bodies, ascending
  std::vector<Deformable> deformables;  ///< in the order of their bodies
  std::unordered_map<int, ObstacleMotion> prescribed;  ///< by id, obstacles that move
  std::vector<int> deformable;          ///< index in `deformables`, -1 for rigid bodies and obstacles

  /// Visit every array with one entry a body, by name: the one list for removal, checkpoints and checks. `rigid` and `deformable`
  /// follow from the kinds (index_stores), and shapes are shared: these are left to the caller.
  template <class Self, class Visit>
  static void each_array(Self& self, Visit&& visit) {
    visit("id", self.id), visit("kind", self.kind), visit("scheme", self.scheme), visit("label", self.label), visit("material", self.material);
    visit("mass", self.mass), visit("volume", self.volume), visit("damping", self.damping), visit("radius", self.radius);
    visit("center", self.center), visit("inertia", self.inertia);
    visit("principal_axes", self.principal_axes), visit("principal_moments", self.principal_moments), visit("held", self.held);
  }

  [[nodiscard]] int size() const { return static_cast<int>(id.size()); }
  [[nodiscard]] bool moves(int i) const { return kind[i] != BodyKind::obstacle; }
  /// What is particular to body i where it deforms; null: it does not.
  [[nodiscard]] const Deformable* find_deformable(int i) const { return deformable[i] < 0 ? nullptr : &deformables[deformable[i]]; }
  /// The same of a body known to deform.
  [[nodiscard]] Deformable& deformable_of(int i) { return deformables[deformable[i]]; }
  [[nodiscard]] const Deformable& deformable_of(int i) const { return deformables[deformable[i]]; }
  /// The same of a body by id; InputError with what is said `otherwise`.
  [[nodiscard]] Deformable& need_deformable(int body_id, std::string_view otherwise);
  /// The part of body i in a flat array over all deformable bodies; empty where it does not deform.
  template <class Array>
  [[nodiscard]] auto part(int i, Array& all) const {
    const Deformable* body = find_deformable(i);
    return body ? body->part(all) : std::span(all).first(0);
  }
  /// Degrees of freedom of a body that moves.
  [[nodiscard]] int unknowns(int i) const { return find_deformable(i) ? static_cast<int>(deformable_of(i).size()) : 6; }

  /// Append a body; returns its id.
  int add(const BodySpec& spec);
  /// Remove by id, keeping the order of the others.
  void remove(int body_id);
  /// Index of an id; InputError when there is no such body.
  [[nodiscard]] int index(int body_id) const;
  [[nodiscard]] bool has(int body_id) const { return find(body_id) >= 0; }

  /// Override mass, volume, centre and inertia. InputError when the mass is not positive
  /// or the inertia tensor is not symmetric positive definite.
  void set_characteristics(int i, double new_mass, double new_volume, const Vec3& new_center, const Mat3& new_inertia);

  [[nodiscard]] geometry::MassProperties mass_properties(int i) const;

  /// Hold motions of a rigid body for good (bits as in `held`). InputError for other bodies, and for one rotation alone: the axes of
  /// the other two would turn.
  void hold(int i, std::uint8_t bits);
  /// 1 along and about the axes that are free, 0 where they are held.
  [[nodiscard]] Vec3 free_along(std::size_t i) const { return free_axes(held[i]); }
  [[nodiscard]] Vec3 free_about(std::size_t i) const { return free_axes(held[i] >> 3); }
  /// The axis about which alone body i turns; -1: it turns about all, or none.
  [[nodiscard]] int only_axis(std::size_t i) const;
  /// Referential angular velocity of a referential angular momentum.
  [[nodiscard]] Vec3 spin(std::size_t i, const Vec3& momentum) const;

  /// Renew what follows from kinds and deformables: `rigid`, `deformable`, places of unknowns (after arrays were filled by hand).
  void index_stores();

  /// Set the next id to be given (after arrays were filled by hand, ids ascending).
  void set_next_id(int next_id) { next_id_ = next_id; }
  [[nodiscard]] int next_id() const { return next_id_; }

 private:
  [[nodiscard]] int find(int body_id) const;   ///< index, or -1
  [[nodiscard]] static Vec3 free_axes(int bits) { return {bits & 1 ? 0.0 : 1.0, bits & 2 ? 0.0 : 1.0, bits & 4 ? 0.0 : 1.0}; }
  void find_principal(std::size_t i);

  int next_id_ = 0;
};

}  // namespace scree::model
