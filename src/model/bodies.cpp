#include "model/bodies.hpp"

#include <algorithm>
#include <bit>

#include "core/dense.hpp"
#include "core/error.hpp"

namespace scree::model {

namespace {

/// Distance of the farthest point of a shape from a centre (exact for polyhedra and spheres, a bound for
/// ellipsoids).
double farthest(const geometry::Shape& shape, const Vec3& center) {
  double radius = 0.0;
  for (const geometry::Piece& piece : shape.pieces) {
    if (const auto* sphere = std::get_if<geometry::Sphere>(&piece.form)) {
      radius = std::max(radius, (sphere->center - center).norm() + sphere->radius);
    } else if (const auto* ellipsoid = std::get_if<geometry::Ellipsoid>(&piece.form)) {
      radius = std::max(radius, (ellipsoid->center - center).norm() + ellipsoid->radii.maxCoeff());
    } else {
      for (const Vec3& vertex : std::get<geometry::Polyhedron>(piece.form).vertices)
        radius = std::max(radius, (vertex - center).norm());
    }
  }
  return radius;
}

void check_inertia(double mass, const Mat3& inertia) {
  if (!(mass > 0.0) || !std::isfinite(mass)) throw_input("BODY: mass = {} kg; it must be positive and finite", mass);
  if (!inertia.allFinite() || (inertia - inertia.transpose()).norm() > 1e-8 * inertia.norm())
    throw_input("BODY: the inertia tensor must be finite and symmetric");
  const double least = symmetric_eigenvalues(inertia)[0];
  if (!(least > 0.0)) throw_input("BODY: the inertia tensor must be positive definite; its least principal moment is {} kg m^2", least);
}

/// Principal axes and moments; an isotropic tensor keeps the coordinate axes, so that spheres carry no
/// arbitrary rotation.
void principal(const Mat3& inertia, Mat3& axes, Vec3& moments) {
  const double mean = inertia.trace() / 3.0;
  const Mat3 deviator = inertia - mean * Mat3::Identity();
  const Mat3 off_diagonal = inertia - Mat3(inertia.diagonal().asDiagonal());
  if (deviator.norm() <= 1e-12 * mean) {
    axes = Mat3::Identity();
    moments = Vec3::Constant(mean);
  } else if (off_diagonal.norm() <= 1e-14 * mean) {
    axes = Mat3::Identity();
    moments = inertia.diagonal();
  } else {
    const SymmetricEigen eigen = symmetric_eigen(0.5 * (inertia + inertia.transpose()));
    axes = eigen.vectors;
    if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
    moments = eigen.values;
  }
}

template <class T>
void erase_at(std::vector<T>& values, int i) {
  values.erase(values.begin() + i);
}

}  // namespace

int Bodies::add(const BodySpec& spec) {
  if (!spec.shape || spec.shape->empty()) throw_input("BODY: the shape is empty");
  const Mat3 J = spec.mass.inertia();
  const bool deforms = spec.kind == BodyKind::pseudo_rigid || spec.kind == BodyKind::finite_element;
  if (spec.kind != BodyKind::obstacle) check_inertia(spec.mass.mass, J);
  if (deforms && !spec.mechanics) throw_input("BODY: a deformable body needs its mechanics");

  const int new_id = next_id_++;
  id.push_back(new_id);
  kind.push_back(spec.kind);
  scheme.push_back(deforms ? Scheme::def_lim : Scheme::rig_exact);
  label.push_back(spec.label);
  material.push_back(spec.material);
  shape.push_back(spec.shape);
  mass.push_back(spec.mass.mass);
  volume.push_back(spec.mass.volume);
  damping.push_back(0.0);
  radius.push_back(farthest(*spec.shape, spec.mass.center));
  center.push_back(spec.mass.center);
  inertia.push_back(J);
  principal_axes.emplace_back();
  principal_moments.emplace_back();
  held.push_back(0);
  find_principal(inertia.size() - 1);
  if (spec.kind == BodyKind::rigid) rigid.push_back(size() - 1);
  deformable.push_back(deforms ? static_cast<int>(deformables.size()) : -1);
  if (deforms) {
    const std::size_t first = deformables.empty() ? 0 : deformables.back().first + deformables.back().size();
    deformables.push_back({.body = new_id, .first = first, .mechanics = spec.mechanics, .description = spec.deformation});
  }
  return new_id;
}

void Bodies::remove(int body_id) {
  const int i = index(body_id);
  if (find_deformable(i)) erase_at(deformables, deformable[i]);
  each_array(*this, [i](const char*, auto& values) { erase_at(values, i); });
  erase_at(shape, i);
  erase_at(deformable, i);
  prescribed.erase(body_id);
  index_stores();
}

int Bodies::find(int body_id) const {
  // Ids ascend, and equal the index until something is removed.
  if (body_id >= 0 && body_id < size() && id[body_id] == body_id) return body_id;
  const auto found = std::lower_bound(id.begin(), id.end(), body_id);
  return found != id.end() && *found == body_id ? static_cast<int>(found - id.begin()) : -1;
}

int Bodies::index(int body_id) const {
  const int i = find(body_id);
  if (i < 0) throw_input("body {}: there is no such body; it was deleted or left the extents", body_id);
  return i;
}

void Bodies::set_characteristics(int i, double new_mass, double new_volume, const Vec3& new_center, const Mat3& new_inertia) {
  const std::size_t k = i;
  if (!(new_volume > 0.0) || !std::isfinite(new_volume)) throw_input("BODY_CHARS: volume = {} m^3; it must be positive and finite", new_volume);
  if (!is_finite(new_center)) throw_input("BODY_CHARS: the mass centre is not finite");
  check_inertia(new_mass, new_inertia);
  mass[k] = new_mass;
  volume[k] = new_volume;
  center[k] = new_center;
  inertia[k] = new_inertia;
  find_principal(k);
  radius[k] = farthest(*shape[k], new_center);
}

void Bodies::find_principal(std::size_t i) {
  if (!(held[i] >> 3)) {
    principal(inertia[i], principal_axes[i], principal_moments[i]);
    return;
  }
  // Held axes resist every torque: only the moment about the one that is free counts, and products of inertia do not.
  principal_axes[i] = Mat3::Identity();
  const Vec3 free = free_about(i);
  for (int d = 0; d < 3; ++d) principal_moments[i][d] = free[d] > 0.0 ? inertia[i](d, d) : kInfinity;
}

void Bodies::hold(int i, std::uint8_t bits) {
  const std::size_t k = i;
  if (kind[k] != BodyKind::rigid) throw_input("body {}: only motions of a rigid body can be held; deformable bodies take constraints, obstacles have a motion of their own", id[k]);
  const int rotations = std::popcount(static_cast<unsigned>(bits >> 3));
  if (rotations == 1) throw_input("body {}: rotations about one axis alone cannot be held, since the others would turn; hold those about two axes (a plane) or all three", id[k]);
  held[k] = bits;
  find_principal(k);
}

int Bodies::only_axis(std::size_t i) const {
  constexpr int kAxis[] = {-1, -1, -1, 2, -1, 1, 0, -1};  // by which of the three rotations are held
  return kAxis[held[i] >> 3];
}

Vec3 Bodies::spin(std::size_t i, const Vec3& momentum) const {
  if (held[i] >> 3) return momentum.cwiseQuotient(principal_moments[i]);
  return solve_positive(inertia[i], momentum);
}

Mat3 euler_tensor(const Mat3& inertia) { return 0.5 * inertia.trace() * Mat3::Identity() - inertia; }

geometry::MassProperties Bodies::mass_properties(int i) const {
  const std::size_t k = i;
  return {volume[k], mass[k], center[k], euler_tensor(inertia[k])};
}

Deformable& Bodies::need_deformable(int body_id, std::string_view otherwise) {
  const int i = index(body_id);
  if (!find_deformable(i)) throw_input("body {}: {}", body_id, otherwise);
  return deformable_of(i);
}

void Bodies::index_stores() {
  rigid.clear();
  for (int i = 0; i < size(); ++i)
    if (kind[i] == BodyKind::rigid) rigid.push_back(i);
  std::size_t first = 0;
  for (std::size_t d = 0; d < deformables.size(); ++d) {
    deformables[d].first = first;
    first += deformables[d].size();
    deformable[index(deformables[d].body)] = static_cast<int>(d);
  }
}

}  // namespace scree::model
