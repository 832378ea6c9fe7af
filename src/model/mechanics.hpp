/// Mechanics of deformable bodies behind one interface: what the time step needs to know of a pseudo-rigid body or a
/// finite element mesh (theory sec. 6.1).
///
/// Unknowns are n vectors q_i (m, or without unit) with  x(X) = sum_i w_i(X) q_i : the place of a referential point is
/// linear in them with weights that do not change. Flat arrays hold 3 n numbers, vector after vector; u = dq/dt.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/vec.hpp"
#include "geometry/mass.hpp"

namespace scree::model {

/// Share of one vector unknown in the motion of a point.
struct Weight {
  int node;
  double value;
};

/// A point on a face of a body.
struct FacePoint {
  Vec3 place = Vec3::Zero();    ///< m
  std::vector<Weight> weights;  ///< of the unknowns; empty for bodies that do not deform
  std::vector<Weight> corners;  ///< linear shape functions of the face's corners; empty where the body has no faces
  double area = 0.0;            ///< of the polygon of these corners as seen along its normal, m^2
};

/// What holds a point of a body against the ground, as A sees it: the motion  sum_i w_i u_i  along `directions`, a projector.
struct Support {
  std::vector<Weight> weights;
  Mat3 directions = Mat3::Identity();
  double stiffness = 1.0;  ///< relative to the largest entry of A
};

/// A load on the faces of a surface id (theory sec. 5.7).
struct SurfaceTraction {
  enum class Direction : unsigned char { vector, normal, tangent1, tangent2 };
  int surface = 0;
  bool convected = false;             ///< follows the faces
  Direction direction = Direction::normal;
  Vec3 vector = Vec3::Zero();         ///< of Direction::vector
  double value = 0.0;                 ///< Pa
};

/// A point of a surface with its outward normal, both referential.
struct SurfacePoint {
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();
};

/// The mean motion of a deformable body.
struct MeanMotion {
  Mat3 gradient = Mat3::Identity();  ///< F of a pseudo-rigid body, mean rotation of a finite element one
  Vec3 position = Vec3::Zero();      ///< mass centre, m
  Vec3 velocity = Vec3::Zero();      ///< of the mass centre, m/s
  Vec3 angular = Vec3::Zero();       ///< mean angular velocity, spatial, rad/s
};

/// The inertia operator A = a M + b K(q) of one body, factorised. Belongs to the mechanics that made it.
class Inertia {
 public:
  virtual ~Inertia() = default;

  /// Form and factorise; K is made positive definite where the material has lost it. `lumped` asks for a diagonal M. `expected` are
  /// unknowns that choose() is likely to name (those of the last step): the same list gives the same bits.
  virtual void update(std::span<const double> q, double a, double b, bool lumped, std::span<const int> expected) = 0;
  /// The same of a body held by supports, with K as it is: each adds a stiffness far above the body's own, which does not matter where the point
  /// keeps still. SolveError where A is not positive definite even so: the body is not stable. By default supports are left out and K is made positive.
  virtual void update_supported(std::span<const double> q, double a, double b, bool lumped, std::span<const int> expected, std::span<const Support>) {
    update(q, a, b, lumped, expected);
  }
  /// Factorisations of A so far and the seconds they took, for timings.
  struct Cost {
    long factorisations = 0;
    double seconds = 0.0;
  };
  [[nodiscard]] virtual Cost cost() const { return {}; }
  /// x <- A^-1 x.
  virtual void solve(std::span<double> x) const = 0;

  /// Of a body whose configurations are a manifold: the motion at q1 with which Newton's method answers the defect r of the equation of a step from q0
  /// to q1, and r . change; none: the body moves freely, and solve() does.
  virtual std::optional<double> step_change(std::span<const double> /*q0*/, std::span<const double> /*q1*/, std::span<const double> /*r*/, std::span<double> /*change*/) const {
    return std::nullopt;
  }

  /// Unknowns that rows will refer to until the next update, ascending; call before the two functions below.
  virtual void choose(std::span<const int> nodes) = 0;
  /// Numbers in a scaled row.
  [[nodiscard]] virtual int scaled_dofs() const = 0;
  /// Add  sign * frame [w]  to a 3 x scaled_dofs() row-major block, still without its factor L^-T.
  virtual void add_rows(const Mat3& frame, std::span<const Weight> weights, double sign, std::span<double> rows) const = 0;
  /// Multiply `count` (three a block) contiguous rows of scaled_dofs() numbers by L^-T, where A = L L^T (theory eq. 6.3).
  virtual void scale_rows(std::span<double> rows, int count) const = 0;
};

class Mechanics {
 public:
  virtual ~Mechanics() = default;

  [[nodiscard]] virtual int nodes() const = 0;
  /// The undeformed configuration.
  virtual void reference(std::span<double> q) const = 0;

  /// Append the weights of a referential point; points slightly outside the body belong to what is nearest.
  virtual void weights(const Vec3& X, std::vector<Weight>& out) const = 0;
  /// Append the weights of the material point that is at the spatial point x now; `piece` of the shape is there.
  virtual void weights_at(std::span<const double> q, int piece, const Vec3& x, std::vector<Weight>& out) const = 0;
  /// Faces over which contact is integrated (theory sec. 6.7): the degree of the weights on them and their mean area at the reference, m^2; 0: none.
  [[nodiscard]] virtual int face_degree() const { return 0; }
  [[nodiscard]] virtual double face_size() const { return 0.0; }
  /// The point of the faces of `piece` that look along `outward` which is nearest to x. False when the body has no such faces.
  virtual bool face_at(std::span<const double>, int /*piece*/, const Vec3& /*x*/, const Vec3& /*outward*/, FacePoint&) const { return false; }
  /// Places of all contact points of the shape (the order of collision::World::place_points); false when the affine map
  /// of mean() places the pieces.
  virtual bool surface_points(std::span<const double> q, std::vector<Vec3>& out) const = 0;

  /// Mass properties by its own material points; null: those it was made with.
  [[nodiscard]] virtual const geometry::MassProperties* own_mass() const { return nullptr; }
  /// out = M v.
  virtual void mass_times(std::span<const double> v, bool lumped, std::span<double> out) const = 0;
  /// Internal force f (power conjugate to u, so that the equation of motion reads M u' = f_ext - f) and energy, J.
  virtual void internal_force(std::span<const double> q, std::span<double> f) const = 0;
  [[nodiscard]] virtual double internal_energy(std::span<const double> q) const = 0;
  /// Force of a step between two configurations (theory eq. 5.13): without viscosity  f . (q1 - q0) = energy(q1) - energy(q0)  to rounding, and in
  /// any case no net force and no torque about (q0 + q1)/2. `viscosity` is eta/h: stress of Kelvin and Voigt from the change of strain, whose work is >= 0.
  virtual void step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const = 0;
  /// Force of Kelvin and Voigt at rates u with eta = 1 s (theory eq. 6.9): none in rigid motion, no torque about q.
  virtual void viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const = 0;
  /// Largest stable step of the explicit scheme at the reference configuration, s.
  [[nodiscard]] virtual double critical_step() const = 0;

  /// Cauchy stress at a referential point, Pa; at a node the mean of the elements around it.
  [[nodiscard]] virtual Mat3 stress(std::span<const double> q, const Vec3& X) const = 0;
  /// A field of the unknowns (q or u) at the points of the stored shape (io::StoredShape), and the von Mises stress there, Pa. Both
  /// empty when the affine motion of mean() and one stress say all.
  virtual void drawn_points(std::span<const double> values, std::vector<Vec3>& out) const = 0;
  virtual void drawn_mises(std::span<const double> q, std::vector<double>& out) const = 0;

  /// The part of q (or of its rates) that turns: unknowns less what a translation to the mass centre makes of them. Linear; a rotation Q about the mass
  /// centre adds (Q - I) arms to q.
  virtual void arms(std::span<const double> q, std::span<double> out) const = 0;
  [[nodiscard]] virtual MeanMotion mean(std::span<const double> q, std::span<const double> u) const = 0;
  /// Velocities of a rigid motion of the present configuration: v at the mass centre, spatial angular velocity.
  virtual void rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const = 0;
  /// Place the undeformed body: rotation about the mass centre, which goes to `position`.
  virtual void place(const Mat3& rotation, const Vec3& position, std::span<double> q) const = 0;
  /// Add the forces of a uniform acceleration (N) and of a spatial torque (N m).
  virtual void add_body_force(const Vec3& acceleration, bool lumped, std::span<double> f) const = 0;
  virtual void add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const = 0;
  /// Add the nodal forces of a load on the faces of a surface id. InputError when the body has no such faces.
  virtual void add_surface_load(std::span<const double> q, const SurfaceTraction& load, std::span<double> f) const;
  /// Points (nodes) on the faces of a surface id; none when there are no such faces.
  [[nodiscard]] virtual std::vector<SurfacePoint> surface(int) const { return {}; }
  /// Whether its configurations are a manifold (theory eq. 5.25); q becomes the one of them that it stands for.
  [[nodiscard]] virtual bool reduced() const { return false; }
  virtual void project(std::span<double>) const {}
  /// Largest speed of any point of the body, m/s (a bound).
  [[nodiscard]] virtual double fastest(std::span<const double> u) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Inertia> make_inertia() const = 0;
};

/// The rotation nearest to F (polar decomposition); F must not be singular.
[[nodiscard]] Mat3 nearest_rotation(const Mat3& F);

}  // namespace scree::model
