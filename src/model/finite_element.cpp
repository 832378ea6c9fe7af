#include "model/finite_element.hpp"

#include <algorithm>
#include <map>

#include "core/dense.hpp"
#include "elastic/critical_step.hpp"
#include "elastic/loads.hpp"
#include "elastic/shapes.hpp"

namespace scree::model {

namespace {

using elastic::Place;

constexpr double kNegligible = 1e-8;  ///< weight of a node
constexpr double kOnFace = 1e-6;      ///< a point whose nodes off a face, an edge or a node weigh less than this is on it
constexpr double kFarOutside = 0.5;  ///< natural distance beyond which a contact point is pulled back to its element

Eigen::Map<const Vec3> vector(std::span<const double> values, int node) { return Eigen::Map<const Vec3>(values.data() + 3 * node); }

std::vector<Weight> to_list(const elastic::Weights& weights) {
  std::vector<Weight> list;
  for (int a = 0; a < weights.count; ++a) list.push_back({weights.node[a], weights.weight[a]});
  return list;
}

/// Append weights. A point at a node or on a face must not hold the nodes beyond by rounding errors or gaps of that size: what they have goes
/// to the node with the largest weight, so that translations stay exact.
void append_weights(const elastic::Weights& weights, std::vector<Weight>& out) {
  double dropped = 0.0;
  const std::size_t first = out.size();
  for (int a = 0; a < weights.count; ++a) {
    const double w = weights.weight[a];
    if (std::abs(w) > kNegligible) out.push_back({weights.node[a], w});
    else dropped += w;
  }
  std::max_element(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [](const Weight& x, const Weight& y) { return x.value < y.value; })->value += dropped;
}

std::size_t corners_of(elastic::FaceKind kind) { return kind == elastic::FaceKind::tri3 || kind == elastic::FaceKind::tri6 ? 3 : 4; }

/// Twice the area vector of the polygon of a face's corners.
Vec3 corner_area(const elastic::BoundaryFace& face, std::span<const double> q) {
  const auto corner = [&](std::size_t k) { return vector(q, face.node[k]); };
  return corners_of(face.kind) == 4 ? (corner(2) - corner(0)).cross(corner(3) - corner(1)).eval() : (corner(1) - corner(0)).cross(corner(2) - corner(0)).eval();
}

/// Natural coordinates of the point of a face nearest to x, by Newton's method on a surface taken as flat; at most on the face's edge.
Vec2 nearest_on_face(const elastic::BoundaryFace& face, std::span<const double> q, const Vec3& x) {
  const bool triangle = corners_of(face.kind) == 3;
  std::array<double, elastic::kMostFaceNodes> N;
  std::array<Vec2, elastic::kMostFaceNodes> dN;
  Vec2 at = triangle ? Vec2(1.0 / 3.0, 1.0 / 3.0) : Vec2::Zero().eval();
  for (int iteration = 0; iteration < 20; ++iteration) {
    elastic::face_values(face.kind, at, N.data());
    elastic::face_gradients(face.kind, at, dN.data());
    Vec3 defect = x;
    Eigen::Matrix<double, 3, 2> tangents = Eigen::Matrix<double, 3, 2>::Zero();
    for (std::size_t a = 0; a < face.nodes().size(); ++a) {
      defect -= N[a] * vector(q, face.node[a]);
      tangents += vector(q, face.node[a]) * dN[a].transpose();
    }
    const Vec2 change = (tangents.transpose() * tangents).inverse() * (tangents.transpose() * defect);
    if (!change.allFinite()) break;
    at += change.cwiseMax(-1.0).cwiseMin(1.0);
    if (change.squaredNorm() < 1e-28) break;
  }
  if (!triangle) return at.cwiseMax(-1.0).cwiseMin(1.0);
  at = at.cwiseMax(0.0).cwiseMin(1.0);
  return at.sum() > 1.0 ? (at / at.sum()).eval() : at;
}

}  // namespace

void FiniteElement::Points::add(std::span<const Weight> more) {
  weights.insert(weights.end(), more.begin(), more.end());
  start.push_back(weights.size());
}

Vec3 FiniteElement::Points::at(int k, std::span<const double> values) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t w = start[k]; w < start[k + 1]; ++w) sum += weights[w].value * vector(values, weights[w].node);
  return sum;
}

FiniteElement::FiniteElement(elastic::ElasticBody body, const geometry::Shape& shape, bool embedded, Formulation formulation, int modes, const MatX& shapes)
    : body_(std::move(body)), locator_(body_.mesh()), smoother_(body_), embedded_(embedded), reference_(body_.mesh().positions()) {
  if (formulation == Formulation::modal) reduction_.emplace(body_, shapes.size() > 0 ? elastic::modes_from(body_, shapes) : elastic::natural_modes(body_, modes));
  else if (formulation != Formulation::total_lagrangian) corotation_.emplace(body_, formulation == Formulation::incompatible);
  // Row sums of the mass: what each node takes of a uniform acceleration.
  std::vector<double> ones(body_.dofs(), 1.0), sums(ones.size());
  body_.mass().multiply(ones, sums);
  for (int i = 0; i < nodes(); ++i) node_mass_.push_back(sums[3 * static_cast<std::size_t>(i)]);
  if (!embedded_) {
    element_of_piece_ = shape.piece_element;
    measure_faces();
  }
  weigh_shape(shape);
  reference_center_ = lumped_center(reference_);
}

void FiniteElement::weigh_shape(const geometry::Shape& shape) {
  const elastic::FiniteMesh& mesh = body_.mesh();
  std::vector<Weight> list;
  const auto add = [&](int piece, const Vec3& X) {
    // A corner of a mesh element is a node; any other point hangs on the element around it.
    list.clear();
    if (!embedded_)
      for (const int node : mesh.element(element_of_piece_[piece]))
        if (mesh.nodes[node] == X) list.assign(1, {node, 1.0});
    if (list.empty()) list = to_list(elastic::weights(mesh, locator_.locate(mesh, X)));
    surface_.add(list);
    return std::span<const Weight>(list);
  };
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const int piece = static_cast<int>(p);
    const geometry::Piece& form = shape.pieces[p];
    if (embedded_) piece_box_.push_back(form.bounds());
    if (const auto* sphere = std::get_if<geometry::Sphere>(&form.form)) {
      add(piece, sphere->center);
    } else if (const auto* ellipsoid = std::get_if<geometry::Ellipsoid>(&form.form)) {
      add(piece, ellipsoid->center);
    } else {
      for (const Vec3& X : std::get<geometry::Polyhedron>(form.form).vertices) {
        const auto weights = add(piece, X);
        if (embedded_) drawn_.add(weights);
      }
    }
  }
  // A mesh is stored by its own nodes.
  if (!embedded_)
    for (std::size_t n = 0; n < shape.meshes.front().nodes.size(); ++n) drawn_.add(std::array<Weight, 1>{Weight{static_cast<int>(n), 1.0}});
}

void FiniteElement::measure_faces() {
  const elastic::FiniteMesh& mesh = body_.mesh();
  faces_of_element_.resize(mesh.elements());
  face_degree_ = 2;
  for (std::size_t f = 0; f < mesh.boundary.size(); ++f) {
    const elastic::BoundaryFace& face = mesh.boundary[f];
    faces_of_element_[face.element].push_back(static_cast<int>(f));
    if (face.kind == elastic::FaceKind::quad8) face_degree_ = 3;
    face_size_ += 0.5 * corner_area(face, reference_).norm() / static_cast<double>(mesh.boundary.size());
  }
}

bool FiniteElement::face_at(std::span<const double> q, int piece, const Vec3& x, const Vec3& outward, FacePoint& point) const {
  if (embedded_) return false;
  // The face of the element that looks the right way.
  const elastic::BoundaryFace* face = nullptr;
  double most = 0.0;
  for (const int f : faces_of_element_[element_of_piece_[piece]]) {
    const elastic::BoundaryFace& candidate = body_.mesh().boundary[f];
    const double cosine = corner_area(candidate, q).normalized().dot(outward);
    if (cosine > most) most = cosine, face = &candidate;
  }
  if (!face) return false;
  const Vec2 at = nearest_on_face(*face, q, x);
  std::array<double, elastic::kMostFaceNodes> N;
  elastic::face_values(face->kind, at, N.data());
  point.place.setZero();
  for (std::size_t k = 0; k < face->nodes().size(); ++k) {
    point.place += N[k] * vector(q, face->node[k]);
    point.weights.push_back({face->node[k], N[k]});
  }
  point.area = 0.5 * corner_area(*face, q).norm();
  const elastic::FaceKind linear = corners_of(face->kind) == 3 ? elastic::FaceKind::tri3 : elastic::FaceKind::quad4;
  elastic::face_values(linear, at, N.data());
  for (std::size_t k = 0; k < corners_of(face->kind); ++k) point.corners.push_back({face->node[k], N[k]});
  return true;
}

double FiniteElement::critical_step() const {
  std::call_once(critical_once_, [&] { critical_step_ = reduction_ ? 2.0 / reduction_->largest_frequency() : elastic::critical_step(body_, reference_); });
  return critical_step_;
}

elastic::BlockMatrix FiniteElement::stiffness() const {
  if (corotation_) return corotation_->stiffness();
  elastic::BlockMatrix K = body_.make_matrix();
  body_.tangent(body_.mesh().positions(), K);
  return K;
}

void FiniteElement::reference(std::span<double> q) const { std::ranges::copy(reference_, q.begin()); }

void FiniteElement::internal_force(std::span<const double> q, std::span<double> f) const {
  if (reduction_) return reduction_->internal_force(q, f);
  if (!corotation_) return body_.internal_force(q, f);
  thread_local std::vector<double> work;
  work.resize(q.size());
  corotation_->internal_force(q, f, work);
}

double FiniteElement::internal_energy(std::span<const double> q) const {
  if (reduction_) return reduction_->internal_energy(q);
  if (!corotation_) return body_.internal_energy(q);
  thread_local std::vector<double> work;
  work.resize(q.size());
  return corotation_->internal_energy(q, work);
}

void FiniteElement::step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const {
  if (reduction_) return reduction_->step_force(q0, q1, viscosity, f);
  if (!corotation_) return body_.step_force(q0, q1, viscosity, f);
  thread_local std::vector<double> work;
  work.resize(q0.size());
  corotation_->step_force(q0, q1, viscosity, f, work);
}

void FiniteElement::viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const {
  if (reduction_) return reduction_->viscous_force(q, u, f);
  if (!corotation_) return body_.viscous_force(q, u, f);
  thread_local std::vector<double> work;
  work.resize(q.size());
  corotation_->viscous_force(q, u, f, work);
}

void FiniteElement::arms(std::span<const double> q, std::span<double> out) const {
  Vec3 center = Vec3::Zero();
  for (int i = 0; i < nodes(); ++i) center += node_mass_[i] * vector(q, i);
  center /= body_.mass_properties().mass;
  for (int i = 0; i < nodes(); ++i) Eigen::Map<Vec3>(out.data() + 3 * i) = vector(q, i) - center;
}

void FiniteElement::project(std::span<double> q) const {
  if (reduction_) reduction_->place(reduction_->pose(q), q);
}

void FiniteElement::weights(const Vec3& X, std::vector<Weight>& out) const {
  append_weights(elastic::weights(body_.mesh(), locator_.locate(body_.mesh(), X)), out);
}

Place FiniteElement::current_place(std::span<const double> q, int element, const Vec3& x) const {
  const auto nodes = body_.mesh().element(element);
  const elastic::Kind kind = body_.mesh().kinds[element];
  std::array<double, elastic::kMostNodes> N;
  std::array<Vec3, elastic::kMostNodes> dN;
  Place place{element, elastic::natural_center(kind)};
  for (int iteration = 0; iteration < 20; ++iteration) {
    elastic::shape_values(kind, place.at, N.data());
    elastic::shape_gradients(kind, place.at, dN.data());
    Vec3 defect = x;
    Mat3 J = Mat3::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      defect -= N[a] * vector(q, nodes[a]);
      J += vector(q, nodes[a]) * dN[a].transpose();
    }
    const Vec3 change = solve_linear(J, defect);
    if (!is_finite(change)) break;
    place.at += change.cwiseMax(-1.0).cwiseMin(1.0);
    if (change.squaredNorm() < 1e-28) break;
  }
  // A point ahead of the surface keeps its lever; one far off is pulled back.
  if (elastic::natural_excess(kind, place.at) > kFarOutside) place.at = elastic::clamp_natural(kind, place.at);
  return place;
}

int FiniteElement::element_at(std::span<const double> q, const Box& box, const Vec3& x) const {
  // Newton's method on the referential point, across elements. It stays within the piece: a folded body may be at x twice.
  Vec3 X = box.center();
  Place place;
  for (int iteration = 0; iteration < 12; ++iteration) {
    place = locator_.locate(body_.mesh(), X);
    const Vec3 defect = x - elastic::weights(body_.mesh(), place).at(q);
    const Vec3 change = solve_linear(elastic::deformation_at(body_, q, place), defect);
    const Vec3 next = (elastic::point(body_.mesh(), place) + change).cwiseMax(box.low).cwiseMin(box.high);
    if (!is_finite(change) || (next - X).norm() <= 1e-9 * box.extent().norm()) break;
    X = next;
  }
  return place.element;
}

void FiniteElement::weights_at(std::span<const double> q, int piece, const Vec3& x, std::vector<Weight>& out) const {
  const int element = embedded_ ? element_at(q, piece_box_[piece], x) : element_of_piece_[piece];
  const Place place = current_place(q, element, x);
  append_weights(elastic::weights(body_.mesh(), place), out);
}

bool FiniteElement::surface_points(std::span<const double> q, std::vector<Vec3>& out) const {
  out.resize(surface_.size());
  for (int k = 0; k < surface_.size(); ++k) out[k] = surface_.at(k, q);
  return true;
}

void FiniteElement::drawn_points(std::span<const double> values, std::vector<Vec3>& out) const {
  out.resize(drawn_.size());
  for (int k = 0; k < drawn_.size(); ++k) out[k] = drawn_.at(k, values);
}

void FiniteElement::drawn_mises(std::span<const double> q, std::vector<double>& out) const {
  std::vector<Vec6> smooth;
  smoother_.evaluate(body_, q, smooth);
  std::vector<double> sum;
  for (const Vec6& stress : smooth) sum.push_back(elastic::von_mises(stress));
  out.assign(drawn_.size(), 0.0);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t w = drawn_.start[k]; w < drawn_.start[k + 1]; ++w) out[k] += drawn_.weights[w].value * sum[drawn_.weights[w].node];
}

void FiniteElement::mass_times(std::span<const double> v, bool lumped, std::span<double> out) const {
  if (!lumped || reduction_) {
    body_.mass().multiply(v, out);
    return;
  }
  const auto mass = body_.lumped_mass();
  for (std::size_t k = 0; k < v.size(); ++k) out[k] = mass[k / 3] * v[k];
}

Mat3 FiniteElement::stress(std::span<const double> q, const Vec3& X) const {
  const elastic::FiniteMesh& mesh = body_.mesh();
  const Place place = locator_.locate(mesh, X);
  const elastic::Weights weights = elastic::weights(mesh, place);
  // Elements that share the place disagree: their mean. They have all nodes that weigh there, and it lies in them as these do.
  std::vector<int> heavy;
  for (int a = 0; a < weights.count; ++a)
    if (std::abs(weights.weight[a]) > kOnFace) heavy.push_back(a);
  if (static_cast<int>(heavy.size()) == weights.count) return elastic::tensor(elastic::stress_at(body_, q, place));
  Vec6 sum = Vec6::Zero();
  int count = 0;
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto nodes = mesh.element(e);
    Vec3 at = Vec3::Zero();
    const bool there = std::ranges::all_of(heavy, [&](int a) {
      const auto found = std::ranges::find(nodes, weights.node[a]);
      if (found == nodes.end()) return false;
      at += weights.weight[a] * elastic::node_natural(mesh.kinds[e], static_cast<int>(found - nodes.begin()));
      return true;
    });
    if (!there) continue;
    sum += elastic::stress_at(body_, q, {e, at});
    ++count;
  }
  return elastic::tensor(sum / count);
}

Vec3 FiniteElement::lumped_center(std::span<const double> q) const {
  Vec3 sum = Vec3::Zero();
  double mass = 0.0;
  for (int i = 0; i < nodes(); ++i) {
    sum += body_.lumped_mass()[i] * vector(q, i);
    mass += body_.lumped_mass()[i];
  }
  return sum / mass;
}

Mat3 FiniteElement::lumped_inertia(std::span<const double> q, const Vec3& center) const {
  Mat3 e = Mat3::Zero();
  for (int i = 0; i < nodes(); ++i) {
    const Vec3 arm = vector(q, i) - center;
    e += body_.lumped_mass()[i] * arm * arm.transpose();
  }
  return e.trace() * Mat3::Identity() - e;
}

MeanMotion FiniteElement::mean(std::span<const double> q, std::span<const double> u) const {
  MeanMotion motion;
  motion.position.setZero();
  motion.velocity.setZero();
  for (int i = 0; i < nodes(); ++i) {
    motion.position += node_mass_[i] * vector(q, i);
    motion.velocity += node_mass_[i] * vector(u, i);
  }
  const geometry::MassProperties& properties = body_.mass_properties();
  motion.position /= properties.mass;
  motion.velocity /= properties.mass;
  // Rotation nearest to the mean gradient, and the angular velocity of the angular momentum.
  Mat3 moment = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  const Vec3 center = lumped_center(q), speed = lumped_center(u), reference = reference_center_;
  for (int i = 0; i < nodes(); ++i) {
    const double mass = body_.lumped_mass()[i];
    moment += mass * (vector(q, i) - center) * (vector(reference_, i) - reference).transpose();
    momentum += mass * (vector(q, i) - center).cross(vector(u, i) - speed);
  }
  motion.gradient = nearest_rotation(moment);
  motion.angular = solve_positive(lumped_inertia(q, center), momentum);
  return motion;
}

void FiniteElement::rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const {
  const Vec3 center = mean(q, q).position;
  for (int i = 0; i < nodes(); ++i) Eigen::Map<Vec3>(u.data() + 3 * i) = v + angular.cross(vector(q, i) - center);
}

void FiniteElement::place(const Mat3& rotation, const Vec3& position, std::span<double> q) const {
  const Vec3& center = body_.mass_properties().center;
  for (int i = 0; i < nodes(); ++i) Eigen::Map<Vec3>(q.data() + 3 * i) = rotation * (body_.mesh().nodes[i] - center) + position;
}

void FiniteElement::add_body_force(const Vec3& acceleration, bool lumped, std::span<double> f) const {
  for (int i = 0; i < nodes(); ++i) {
    const std::size_t k = i;
    Eigen::Map<Vec3>(f.data() + 3 * i) += (lumped && !reduction_ ? body_.lumped_mass()[k] : node_mass_[k]) * acceleration;
  }
}

void FiniteElement::add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const {
  // The forces of a rigid angular acceleration, whose moment is the torque.
  const Vec3 center = lumped_center(q), acceleration = solve_positive(lumped_inertia(q, center), torque);
  for (int i = 0; i < nodes(); ++i)
    Eigen::Map<Vec3>(f.data() + 3 * i) += body_.lumped_mass()[i] * acceleration.cross(vector(q, i) - center);
}

double FiniteElement::fastest(std::span<const double> u) const {
  double square = 0.0;
  for (int i = 0; i < nodes(); ++i) square = std::max(square, vector(u, i).squaredNorm());
  return std::sqrt(square);
}

void FiniteElement::add_surface_load(std::span<const double> q, const SurfaceTraction& load, std::span<double> f) const {
  const elastic::SurfaceLoad traction{load.surface, load.convected ? elastic::LoadKind::convected : elastic::LoadKind::spatial,
                                      static_cast<elastic::LoadDirection>(load.direction), load.vector, load.value};
  elastic::add_surface_load(body_.mesh(), q, traction, f);
}

std::vector<SurfacePoint> FiniteElement::surface(int id) const {
  // Normals of the faces around each node, weighted by area.
  std::map<int, Vec3> normals;
  for (const elastic::BoundaryFace& face : body_.mesh().boundary) {
    if (face.surface != id) continue;
    const Vec3 area = corner_area(face, reference_);
    for (const int node : face.nodes()) normals.try_emplace(node, Vec3::Zero()).first->second += area;
  }
  std::vector<SurfacePoint> points;
  for (const auto& [node, normal] : normals) points.push_back({body_.mesh().nodes[node], normal.normalized()});
  return points;
}

}  // namespace scree::model
