#include "model/finite_element.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "elastic/shapes.hpp"

namespace scree::model {

namespace {

using elastic::Place;

constexpr double kFarOutside = 0.5;  ///< natural distance beyond which a contact point is pulled back to its element

Eigen::Map<const Vec3> vector(std::span<const double> values, int node) { return Eigen::Map<const Vec3>(values.data() + 3 * node); }

std::vector<Weight> to_list(const elastic::Weights& weights) {
  std::vector<Weight> list;
  for (int a = 0; a < weights.count; ++a) list.push_back({weights.node[static_cast<std::size_t>(a)], weights.weight[static_cast<std::size_t>(a)]});
  return list;
}

/// Largest eigenvalue of M^-1 K at the reference, by power iteration; the quotient of the last vector rises towards it from below.
double largest_frequency_square(const elastic::ElasticBody& body) {
  elastic::BlockMatrix K = body.make_matrix();
  const std::vector<double> q = body.mesh().positions();
  body.tangent(q, K);
  const auto mass = body.lumped_mass();
  const Eigen::Index n = body.dofs();
  VecX v(n), Kv(n);
  for (Eigen::Index k = 0; k < n; ++k) v[k] = (k % 3 == 0 ? 1.0 : -0.5) * (k / 3 % 2 == 0 ? 1.0 : -1.0) + 0.1 * static_cast<double>(k % 7);
  double value = 0.0;
  for (int iteration = 0; iteration < 300; ++iteration) {
    K.multiply({v.data(), static_cast<std::size_t>(n)}, {Kv.data(), static_cast<std::size_t>(n)});
    double top = v.dot(Kv), bottom = 0.0;
    for (Eigen::Index k = 0; k < n; ++k) bottom += mass[static_cast<std::size_t>(k / 3)] * v[k] * v[k];
    const double last = value;
    value = top / bottom;
    for (Eigen::Index k = 0; k < n; ++k) v[k] = Kv[k] / mass[static_cast<std::size_t>(k / 3)];
    v /= v.norm();
    if (std::abs(value - last) <= 1e-6 * value) break;
  }
  return value;
}

}  // namespace

void FiniteElement::Points::add(std::span<const Weight> more) {
  weights.insert(weights.end(), more.begin(), more.end());
  start.push_back(weights.size());
}

Vec3 FiniteElement::Points::at(int k, std::span<const double> values) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t w = start[static_cast<std::size_t>(k)]; w < start[static_cast<std::size_t>(k) + 1]; ++w) sum += weights[w].value * vector(values, weights[w].node);
  return sum;
}

FiniteElement::FiniteElement(elastic::ElasticBody body, const geometry::Shape& shape, bool embedded)
    : body_(std::move(body)), locator_(body_.mesh()), embedded_(embedded) {
  // Row sums of the mass: what each node takes of a uniform acceleration.
  std::vector<double> ones(static_cast<std::size_t>(body_.dofs()), 1.0), sums(ones.size());
  body_.mass().multiply(ones, sums);
  for (int i = 0; i < nodes(); ++i) node_mass_.push_back(sums[3 * static_cast<std::size_t>(i)]);
  if (!embedded_) element_of_piece_ = shape.piece_element;
  weigh_shape(shape);
  critical_step_ = 2.0 / std::sqrt(largest_frequency_square(body_));
}

void FiniteElement::weigh_shape(const geometry::Shape& shape) {
  const elastic::FiniteMesh& mesh = body_.mesh();
  std::vector<Weight> list;
  const auto add = [&](int piece, const Vec3& X) {
    // A corner of a mesh element is a node; any other point hangs on the element around it.
    list.clear();
    if (!embedded_)
      for (const int node : mesh.element(element_of_piece_[static_cast<std::size_t>(piece)]))
        if (mesh.nodes[static_cast<std::size_t>(node)] == X) list.assign(1, {node, 1.0});
    if (list.empty()) list = to_list(elastic::weights(mesh, locator_.locate(mesh, X)));
    surface_.add(list);
    return std::span<const Weight>(list);
  };
  for (std::size_t p = 0; p < shape.pieces.size(); ++p) {
    const int piece = static_cast<int>(p);
    const geometry::Piece& form = shape.pieces[p];
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

void FiniteElement::reference(std::span<double> q) const { std::ranges::copy(body_.mesh().positions(), q.begin()); }

void FiniteElement::weights(const Vec3& X, std::vector<Weight>& out) const {
  const auto list = elastic::weights(body_.mesh(), locator_.locate(body_.mesh(), X));
  for (int a = 0; a < list.count; ++a) out.push_back({list.node[static_cast<std::size_t>(a)], list.weight[static_cast<std::size_t>(a)]});
}

Place FiniteElement::current_place(std::span<const double> q, int element, const Vec3& x) const {
  const auto nodes = body_.mesh().element(element);
  const elastic::Kind kind = body_.mesh().kinds[static_cast<std::size_t>(element)];
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
    const Vec3 change = J.partialPivLu().solve(defect);
    if (!is_finite(change)) break;
    place.at += change.cwiseMax(-1.0).cwiseMin(1.0);
    if (change.squaredNorm() < 1e-28) break;
  }
  // A point ahead of the surface keeps its lever; one far off is pulled back.
  if (elastic::natural_excess(kind, place.at) > kFarOutside) place.at = elastic::clamp_natural(kind, place.at);
  return place;
}

Mat3 FiniteElement::gradient_at(std::span<const double> q, const Place& place) const {
  const auto nodes = body_.mesh().element(place.element);
  const elastic::Kind kind = body_.mesh().kinds[static_cast<std::size_t>(place.element)];
  std::array<Vec3, elastic::kMostNodes> dN;
  elastic::shape_gradients(kind, place.at, dN.data());
  Mat3 now = Mat3::Zero(), then = Mat3::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    now += vector(q, nodes[a]) * dN[a].transpose();
    then += body_.mesh().nodes[static_cast<std::size_t>(nodes[a])] * dN[a].transpose();
  }
  return now * then.inverse();
}

void FiniteElement::weights_at(std::span<const double> q, int piece, const Vec3& x, std::vector<Weight>& out) const {
  Place place;
  if (embedded_) {
    // Newton's method on the referential point, across elements.
    const MeanMotion motion = mean(q, q);
    Vec3 X = motion.gradient.transpose() * (x - motion.position) + body_.mass_properties().center;
    for (int iteration = 0; iteration < 12; ++iteration) {
      place = locator_.locate(body_.mesh(), X);
      const Vec3 defect = x - elastic::weights(body_.mesh(), place).at(q);
      const Vec3 change = gradient_at(q, place).partialPivLu().solve(defect);
      if (!is_finite(change) || change.norm() <= 1e-14 * (1.0 + X.norm())) break;
      X += change;
    }
  } else {
    place = current_place(q, element_of_piece_[static_cast<std::size_t>(piece)], x);
  }
  const auto list = elastic::weights(body_.mesh(), place);
  for (int a = 0; a < list.count; ++a) out.push_back({list.node[static_cast<std::size_t>(a)], list.weight[static_cast<std::size_t>(a)]});
}

bool FiniteElement::surface_points(std::span<const double> q, std::vector<Vec3>& out) const {
  out.resize(static_cast<std::size_t>(surface_.size()));
  for (int k = 0; k < surface_.size(); ++k) out[static_cast<std::size_t>(k)] = surface_.at(k, q);
  return true;
}

void FiniteElement::drawn_points(std::span<const double> values, std::vector<Vec3>& out) const {
  out.resize(static_cast<std::size_t>(drawn_.size()));
  for (int k = 0; k < drawn_.size(); ++k) out[static_cast<std::size_t>(k)] = drawn_.at(k, values);
}

void FiniteElement::drawn_mises(std::span<const double> q, std::vector<double>& out) const {
  // Means of the quadrature points of the elements around each node, weighted by volume, then interpolated.
  std::vector<double> sum(static_cast<std::size_t>(nodes()), 0.0), volume(sum.size(), 0.0);
  for (int e = 0; e < body_.mesh().elements(); ++e) {
    for (int p = body_.first_point(e); p < body_.first_point(e) + body_.points(e); ++p) {
      const Mat3 F = body_.deformation(e, p, q);
      const double mises = elastic::von_mises(elastic::cauchy(F, body_.law(e).stress(F.transpose() * F)));
      for (const int node : body_.mesh().element(e)) {
        sum[static_cast<std::size_t>(node)] += body_.point_volume(p) * mises;
        volume[static_cast<std::size_t>(node)] += body_.point_volume(p);
      }
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n)
    if (volume[n] > 0.0) sum[n] /= volume[n];
  out.assign(static_cast<std::size_t>(drawn_.size()), 0.0);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t w = drawn_.start[k]; w < drawn_.start[k + 1]; ++w) out[k] += drawn_.weights[w].value * sum[static_cast<std::size_t>(drawn_.weights[w].node)];
}

void FiniteElement::mass_times(std::span<const double> v, bool lumped, std::span<double> out) const {
  if (!lumped) {
    body_.mass().multiply(v, out);
    return;
  }
  const auto mass = body_.lumped_mass();
  for (std::size_t k = 0; k < v.size(); ++k) out[k] = mass[k / 3] * v[k];
}

Mat3 FiniteElement::stress(std::span<const double> q, const Vec3& X) const {
  const Place place = locator_.locate(body_.mesh(), X);
  const Mat3 F = gradient_at(q, place);
  return elastic::tensor(elastic::cauchy(F, body_.law(place.element).stress(F.transpose() * F)));
}

Vec3 FiniteElement::lumped_center(std::span<const double> q) const {
  Vec3 sum = Vec3::Zero();
  double mass = 0.0;
  for (int i = 0; i < nodes(); ++i) {
    sum += body_.lumped_mass()[static_cast<std::size_t>(i)] * vector(q, i);
    mass += body_.lumped_mass()[static_cast<std::size_t>(i)];
  }
  return sum / mass;
}

Mat3 FiniteElement::lumped_inertia(std::span<const double> q, const Vec3& center) const {
  Mat3 e = Mat3::Zero();
  for (int i = 0; i < nodes(); ++i) {
    const Vec3 arm = vector(q, i) - center;
    e += body_.lumped_mass()[static_cast<std::size_t>(i)] * arm * arm.transpose();
  }
  return e.trace() * Mat3::Identity() - e;
}

MeanMotion FiniteElement::mean(std::span<const double> q, std::span<const double> u) const {
  MeanMotion motion;
  motion.position.setZero();
  motion.velocity.setZero();
  for (int i = 0; i < nodes(); ++i) {
    motion.position += node_mass_[static_cast<std::size_t>(i)] * vector(q, i);
    motion.velocity += node_mass_[static_cast<std::size_t>(i)] * vector(u, i);
  }
  const geometry::MassProperties& properties = body_.mass_properties();
  motion.position /= properties.mass;
  motion.velocity /= properties.mass;
  // Rotation nearest to the mean gradient, and the angular velocity of the angular momentum.
  Mat3 moment = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  const Vec3 center = lumped_center(q), speed = lumped_center(u), reference = lumped_center(body_.mesh().positions());
  for (int i = 0; i < nodes(); ++i) {
    const double mass = body_.lumped_mass()[static_cast<std::size_t>(i)];
    moment += mass * (vector(q, i) - center) * (body_.mesh().nodes[static_cast<std::size_t>(i)] - reference).transpose();
    momentum += mass * (vector(q, i) - center).cross(vector(u, i) - speed);
  }
  motion.gradient = nearest_rotation(moment);
  motion.angular = lumped_inertia(q, center).ldlt().solve(momentum);
  return motion;
}

void FiniteElement::rigid_velocity(std::span<const double> q, const Vec3& v, const Vec3& angular, std::span<double> u) const {
  const Vec3 center = mean(q, q).position;
  for (int i = 0; i < nodes(); ++i) Eigen::Map<Vec3>(u.data() + 3 * i) = v + angular.cross(vector(q, i) - center);
}

void FiniteElement::place(const Mat3& rotation, const Vec3& position, std::span<double> q) const {
  const Vec3& center = body_.mass_properties().center;
  for (int i = 0; i < nodes(); ++i) Eigen::Map<Vec3>(q.data() + 3 * i) = rotation * (body_.mesh().nodes[static_cast<std::size_t>(i)] - center) + position;
}

void FiniteElement::add_body_force(const Vec3& acceleration, bool lumped, std::span<double> f) const {
  for (int i = 0; i < nodes(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    Eigen::Map<Vec3>(f.data() + 3 * i) += (lumped ? body_.lumped_mass()[k] : node_mass_[k]) * acceleration;
  }
}

void FiniteElement::add_torque(std::span<const double> q, const Vec3& torque, std::span<double> f) const {
  // The forces of a rigid angular acceleration, whose moment is the torque.
  const Vec3 center = lumped_center(q), acceleration = lumped_inertia(q, center).ldlt().solve(torque);
  for (int i = 0; i < nodes(); ++i)
    Eigen::Map<Vec3>(f.data() + 3 * i) += body_.lumped_mass()[static_cast<std::size_t>(i)] * acceleration.cross(vector(q, i) - center);
}

double FiniteElement::fastest(std::span<const double> u) const {
  double square = 0.0;
  for (int i = 0; i < nodes(); ++i) square = std::max(square, vector(u, i).squaredNorm());
  return std::sqrt(square);
}

}  // namespace scree::model
