/// Bodies as structure of arrays. Index = place in the arrays (changes when bodies are removed),
/// id = stable name (never reused).
///
/// Rigid motion:  x(X) = Lam (X - Xc) + x   with Lam the rotation and x the mass centre (theory eq. 2.1).
/// Angular velocities are referential: spatial omega = Lam W.
///
/// The state of deformable bodies is in the flat arrays q and u (theory sec. 6.1); the arrays of rigid motion mirror their mean
/// motion, with Lam the deformation gradient of pseudo-rigid bodies and the mean rotation of finite element ones.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
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
  rig_neg,  ///< explicit, negative energy drift, exact momentum (default)
  rig_imp,  ///< semi-explicit, no drift, exact momentum
  def_exp,  ///< explicit, limited by the critical step
  def_lim,  ///< linearly implicit (default of deformable bodies)
  def_imp   ///< implicit, keeps energy
};

/// How a deformable body is described; plain data.
struct Deformation {
  std::map<int, int> materials;                ///< bulk material by volume id, where it is not the body's own
  std::shared_ptr<const geometry::Mesh> mesh;  ///< carries the motion of a finite element body; none: the shape's own mesh
  int order = 1;                               ///< of finite elements, 1 or 2
  std::string form = "TL";                     ///< formulation of finite elements: TL, BC, BC-IM, BC-MODAL
  int modes = 0;                               ///< elastic modes of BC-MODAL
};

/// State of one deformable body.
struct Deformable {
  int body = -1;                               ///< id
  std::size_t first = 0;                       ///< its first number in Bodies::q and Bodies::u
  std::shared_ptr<const Mechanics> mechanics;
  Deformation description;
  double stiffness_damping = 0.0;              ///< eta of eta K u, s
  std::vector<int> held;                       ///< unknowns that contacts and constraints acted on in the last step
  bool selfcontact = false;                    ///< pieces that are not neighbours touch each other
  bool round_spheres = true;                   ///< spheres keep their shape (pseudo-rigid bodies)

  [[nodiscard]] std::size_t size() const { return 3 * static_cast<std::size_t>(mechanics->nodes()); }
  /// Its part of a flat array over all deformable bodies.
  template <class Array>
  [[nodiscard]] auto part(Array& all) const { return std::span(all).subspan(first, size()); }
};

/// Prescribed motion of an obstacle: velocity `linear` plus rotation `angular` (rad/s) about the spatial
/// point `pivot`.
struct ObstacleMotion {
  TimeSeries linear[3];
  TimeSeries angular[3];
  Vec3 pivot = Vec3::Zero();

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

/// Work done on a body since the start, J.
struct Work {
  double external = 0.0;  ///< loads, bilateral constraints, moving obstacles
  double contact = 0.0;   ///< normal contact reactions
  double friction = 0.0;  ///< tangential contact reactions
  double damping = 0.0;   ///< mass- and stiffness-proportional damping

  Work& operator+=(const Work& other) {
    external += other.external;
    contact += other.contact;
    friction += other.friction;
    damping += other.damping;
    return *this;
  }
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
  std::vector<Mat3> principal_axes;     ///< Q:  J = Q diag(D) Q^T
  std::vector<Vec3> principal_moments;  ///< D, kg m^2

  // State.
  std::vector<Mat3> rotation;   ///< Lam
  std::vector<Vec3> position;   ///< x, m
  std::vector<Vec3> angular;    ///< W, referential, rad/s
  std::vector<Vec3> velocity;   ///< v of the mass centre, m/s
  std::vector<Work> work;
  std::vector<int> deformable;          ///< index in `deformables`, -1 for rigid bodies and obstacles
  std::vector<Deformable> deformables;  ///< in the order of their bodies
  std::vector<double> q, u;             ///< unknowns of all deformable bodies and their rates

  std::unordered_map<int, ObstacleMotion> motion;  ///< by id, obstacles that move

  [[nodiscard]] int size() const { return static_cast<int>(id.size()); }
  [[nodiscard]] bool moves(int i) const { return kind[static_cast<std::size_t>(i)] != BodyKind::obstacle; }
  [[nodiscard]] bool deforms(int i) const { return deformable[static_cast<std::size_t>(i)] >= 0; }
  [[nodiscard]] Deformable& deformable_of(int i) { return deformables[static_cast<std::size_t>(deformable[static_cast<std::size_t>(i)])]; }
  [[nodiscard]] const Deformable& deformable_of(int i) const { return deformables[static_cast<std::size_t>(deformable[static_cast<std::size_t>(i)])]; }

  /// Append a body in its referential place, at rest; returns its id.
  int add(const BodySpec& spec);
  /// Remove by id, keeping the order of the others.
  void remove(int body_id);
  /// Index of an id; InputError when there is no such body.
  [[nodiscard]] int index(int body_id) const;
  [[nodiscard]] bool has(int body_id) const { return find(body_id) >= 0; }

  /// Override mass, volume, centre and inertia (kept: the body's current place). InputError when the mass is not positive
  /// or the inertia tensor is not symmetric positive definite.
  void set_characteristics(int i, double new_mass, double new_volume, const Vec3& new_center, const Mat3& new_inertia);

  [[nodiscard]] geometry::MassProperties mass_properties(int i) const;

  /// Current place of a referential point, and its velocity.
  [[nodiscard]] Vec3 point(int i, const Vec3& X) const;
  [[nodiscard]] Vec3 point_velocity(int i, const Vec3& X) const;
  [[nodiscard]] double kinetic_energy(int i) const;
  /// Stored energy of a deformable body, J; 0 for others.
  [[nodiscard]] double internal_energy(int i) const;
  /// Copy the mean motion of a deformable body into the arrays of rigid motion.
  void mirror(int i);

  /// Renew places of deformable bodies' unknowns (after arrays were filled by hand).
  void index_deformables();

  /// Set the next id to be given (after arrays were filled by hand, ids ascending).
  void set_next_id(int next_id) { next_id_ = next_id; }
  [[nodiscard]] int next_id() const { return next_id_; }

 private:
  [[nodiscard]] int find(int body_id) const;   ///< index, or -1

  int next_id_ = 0;
};

}  // namespace scree::model
