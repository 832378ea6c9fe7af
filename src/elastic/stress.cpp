#include "elastic/stress.hpp"

#include <array>

#include "core/dense.hpp"

namespace scree::elastic {

namespace {

/// Values at quadrature points -> values at nodes, through the least-squares field of the corner functions.
MatX extrapolation(Kind kind) {
  const auto rule = stiffness_rule(kind);
  const int corners = corner_count(kind), points = static_cast<int>(rule.size()), nodes = node_count(kind);
  const Kind linear = kind_of(corners, 1);
  MatX at_points(points, corners), at_nodes(nodes, corners);
  std::array<double, kMostNodes> N;
  for (int p = 0; p < points; ++p) {
    shape_values(linear, rule[p].at, N.data());
    for (int c = 0; c < corners; ++c) at_points(p, c) = N[c];
  }
  for (int a = 0; a < nodes; ++a) {
    shape_values(linear, node_natural(kind, a), N.data());
    for (int c = 0; c < corners; ++c) at_nodes(a, c) = N[c];
  }
  return at_nodes * pseudo_inverse(at_points);
}

}  // namespace

Mat3 deformation_at(const ElasticBody& body, std::span<const double> q, const Place& place) {
  const FiniteMesh& mesh = body.mesh();
  const auto nodes = mesh.element(place.element);
  std::array<Vec3, kMostNodes> dN;
  shape_gradients(mesh.kinds[place.element], place.at, dN.data());
  Mat3 J = Mat3::Zero(), j = Mat3::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    J += mesh.nodes[nodes[a]] * dN[a].transpose();
    j += Vec3::Map(q.data() + 3 * nodes[a]) * dN[a].transpose();
  }
  return j * J.inverse();
}

Vec6 stress_at(const ElasticBody& body, std::span<const double> q, const Place& place) {
  const Mat3 F = deformation_at(body, q, place);
  return cauchy(F, body.law(place.element).stress(F.transpose() * F));
}

StressSmoother::StressSmoother(const ElasticBody& body) : extrapolate_(8), node_volume_(body.nodes(), 0.0) {
  const FiniteMesh& mesh = body.mesh();
  for (int e = 0; e < mesh.elements(); ++e) {
    MatX& map = extrapolate_[static_cast<std::size_t>(mesh.kinds[e])];
    if (map.size() == 0) map = extrapolation(mesh.kinds[e]);
    double volume = 0.0;
    for (int p = body.first_point(e); p < body.first_point(e) + body.points(e); ++p) volume += body.point_volume(p);
    element_volume_.push_back(volume);
    for (int n : mesh.element(e)) node_volume_[n] += volume;
  }
}

void StressSmoother::evaluate(const ElasticBody& body, std::span<const double> q, std::vector<Vec6>& stress) const {
  const FiniteMesh& mesh = body.mesh();
  stress.assign(mesh.nodes.size(), Vec6::Zero());
  std::vector<Vec6> values;
  for (int e = 0; e < mesh.elements(); ++e) {
    const MatX& map = extrapolate_[static_cast<std::size_t>(mesh.kinds[e])];
    const int points = body.points(e);
    if (points == 0) continue;
    values.resize(points);
    Vec6 mean = Vec6::Zero();
    for (int p = 0; p < points; ++p) {
      const Mat3 F = body.deformation(e, body.first_point(e) + p, q);
      values[p] = cauchy(F, body.law(e).stress(F.transpose() * F));
      mean += body.point_volume(body.first_point(e) + p) / element_volume_[e] * values[p];
    }
    const auto nodes = mesh.element(e);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const double share = element_volume_[e] / node_volume_[nodes[a]];
      if (points != map.cols()) {
        // Partly filled elements have points of their own: their mean is what they can tell.
        stress[nodes[a]] += share * mean;
        continue;
      }
      for (int p = 0; p < points; ++p) stress[nodes[a]] += share * map(static_cast<Eigen::Index>(a), p) * values[p];
    }
  }
}

Vec6 StressSmoother::at(const ElasticBody& body, std::span<const Vec6> stress, const Place& place) {
  const int corners = corner_count(body.mesh().kinds[place.element]);
  std::array<double, kMostNodes> N;
  shape_values(kind_of(corners, 1), place.at, N.data());
  Vec6 sum = Vec6::Zero();
  for (int c = 0; c < corners; ++c) sum += N[c] * stress[body.mesh().element(place.element)[c]];
  return sum;
}

}  // namespace scree::elastic
