#include "elastic/place.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/element.hpp"

namespace scree::elastic {

namespace {

constexpr double kInside = 1e-9;  ///< natural coordinates this far outside count as inside

/// Newton's method for x(at) = X, started at the middle. Edges are straight, so the map is that of the corners. False when it
/// does not converge, which happens outside only.
bool natural_coordinates(const FiniteMesh& mesh, int e, const Vec3& X, Vec3& at) {
  const int corners = corner_count(mesh.kinds[e]);
  const Kind kind = kind_of(corners, 1);
  const auto nodes = mesh.element(e);
  double N[kMostNodes];
  Vec3 dN[kMostNodes];
  at = natural_center(kind);
  for (int iteration = 0; iteration < 50; ++iteration) {
    shape_values(kind, at, N);
    shape_gradients(kind, at, dN);
    Vec3 miss = X;
    Mat3 J = Mat3::Zero();
    for (int a = 0; a < corners; ++a) {
      miss -= N[a] * mesh.nodes[nodes[a]];
      J += mesh.nodes[nodes[a]] * dN[a].transpose();
    }
    const Vec3 step = J.inverse() * miss;
    if (!is_finite(step)) return false;
    // Towards the apex of a pyramid the map is singular: at most three quarters of the way at once.
    const double lowest = corners == 5 ? at.z() + 0.75 * (1.0 - at.z()) : kInfinity;
    at += step;
    if (at.z() > lowest) at = Vec3(0.25 * (at.x() - step.x()), 0.25 * (at.y() - step.y()), lowest);
    // A sound element never needs more room than this on the way to a point inside.
    if (natural_excess(kind, at) > 4.0) at = clamp_natural(kind, at);
    if (step.squaredNorm() < 1e-26) return true;
  }
  return false;
}

/// Nearest point of the triangle a, b, c: by the region its foot lies in.
Vec3 nearest_on_triangle(const Vec3& X, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, n = ab.cross(ac);
  const double square = n.squaredNorm();
  if (square > 0.0) {
    const double v = (X - a).cross(ac).dot(n) / square, w = ab.cross(X - a).dot(n) / square;
    if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) return a + v * ab + w * ac;
  }
  Vec3 best = a;
  const std::array<std::array<const Vec3*, 2>, 3> edges{{{&a, &b}, {&b, &c}, {&c, &a}}};
  for (const auto& [p, q] : edges) {
    const Vec3 d = *q - *p;
    const double length = d.squaredNorm();
    const Vec3 foot = *p + (length > 0.0 ? std::clamp((X - *p).dot(d) / length, 0.0, 1.0) : 0.0) * d;
    if ((foot - X).squaredNorm() < (best - X).squaredNorm()) best = foot;
  }
  return best;
}

/// Nearest point of an element's surface; quadrilaterals count as two triangles.
Vec3 nearest_on_element(const FiniteMesh& mesh, int e, const Vec3& X) {
  const auto nodes = mesh.element(e);
  Vec3 best = mesh.nodes[nodes[0]];
  for (const geometry::ElementFace& face : geometry::element_faces(corner_count(mesh.kinds[e]))) {
    for (int k = 2; k < face.size; ++k) {
      const Vec3 foot = nearest_on_triangle(X, mesh.nodes[nodes[face.node[0]]], mesh.nodes[nodes[face.node[k - 1]]], mesh.nodes[nodes[face.node[k]]]);
      if ((foot - X).squaredNorm() < (best - X).squaredNorm()) best = foot;
    }
  }
  return best;
}

double distance_squared(const Box& box, const Vec3& X) {
  return (box.low - X).cwiseMax(X - box.high).cwiseMax(0.0).squaredNorm();
}

}  // namespace

Weights weights(const FiniteMesh& mesh, const Place& place) {
  Weights result;
  const auto nodes = mesh.element(place.element);
  result.count = static_cast<int>(nodes.size());
  shape_values(mesh.kinds[place.element], place.at, result.weight.data());
  std::copy(nodes.begin(), nodes.end(), result.node.begin());
  return result;
}

Vec3 point(const FiniteMesh& mesh, const Place& place) {
  const Weights w = weights(mesh, place);
  Vec3 X = Vec3::Zero();
  for (int a = 0; a < w.count; ++a) X += w.weight[a] * mesh.nodes[w.node[a]];
  return X;
}

Locator::Locator(const FiniteMesh& mesh) {
  boxes_.resize(mesh.elements());
  for (int e = 0; e < mesh.elements(); ++e) {
    for (int n : mesh.element(e)) boxes_[e].add(mesh.nodes[n]);
    bounds_.add(boxes_[e]);
  }
  // About one element a cell.
  const Vec3 extent = bounds_.extent();
  const double edge = std::cbrt(extent.prod() / std::max(1, mesh.elements()));
  for (int i = 0; i < 3; ++i) {
    cells_[i] = static_cast<int>(std::clamp(std::floor(extent[i] / edge), 1.0, 512.0));
    size_[i] = extent[i] / cells_[i];
  }
  // Count, then fill: each cell lists its elements in ascending order.
  const auto each_cell = [&](int e, auto&& visit) {
    const auto low = cell(boxes_[e].low), high = cell(boxes_[e].high);
    for (int z = low[2]; z <= high[2]; ++z) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int x = low[0]; x <= high[0]; ++x) visit((z * cells_[1] + y) * cells_[0] + x);
      }
    }
  };
  start_.assign(static_cast<std::size_t>(cells_[0]) * cells_[1] * cells_[2] + 1, 0);
  for (int e = 0; e < mesh.elements(); ++e) each_cell(e, [&](int c) { ++start_[c + 1]; });
  for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
  elements_.resize(start_.back());
  std::vector<int> at(start_.begin(), start_.end() - 1);
  for (int e = 0; e < mesh.elements(); ++e) each_cell(e, [&](int c) { elements_[at[c]++] = e; });
}

std::array<int, 3> Locator::cell(const Vec3& X) const {
  std::array<int, 3> c;
  for (int i = 0; i < 3; ++i) c[i] = static_cast<int>(std::clamp(std::floor((X[i] - bounds_.low[i]) / size_[i]), 0.0, cells_[i] - 1.0));
  return c;
}

/// visit(k) for the entries k of elements_ in cells at Chebyshev distance `ring` from cell c.
template <class Visit>
void Locator::visit_shell(const std::array<int, 3>& c, int ring, Visit&& visit) const {
  for (int z = std::max(0, c[2] - ring); z <= std::min(cells_[2] - 1, c[2] + ring); ++z) {
    for (int y = std::max(0, c[1] - ring); y <= std::min(cells_[1] - 1, c[1] + ring); ++y) {
      const bool edge = std::abs(z - c[2]) == ring || std::abs(y - c[1]) == ring;
      for (int x = std::max(0, c[0] - ring); x <= std::min(cells_[0] - 1, c[0] + ring); ++x) {
        if (!edge && std::abs(x - c[0]) != ring) continue;
        const int index = (z * cells_[1] + y) * cells_[0] + x;
        for (int k = start_[index]; k < start_[index + 1]; ++k) visit(k);
      }
    }
  }
}

Place Locator::locate_in(const FiniteMesh& mesh, int element, const Vec3& X) {
  const Kind kind = mesh.kinds[element];
  Vec3 at;
  if (natural_coordinates(mesh, element, X, at) && natural_excess(kind, at) <= kInside) return {element, clamp_natural(kind, at)};
  natural_coordinates(mesh, element, nearest_on_element(mesh, element, X), at);
  return {element, clamp_natural(kind, at)};
}

Place Locator::locate(const FiniteMesh& mesh, const Vec3& X) const {
  const auto c = cell(X);
  const int index = (c[2] * cells_[1] + c[1]) * cells_[0] + c[0];
  const double slack = 1e-10 * bounds_.extent().norm();
  // Inside: the first element of the cell that holds the point.
  for (int k = start_[index]; k < start_[index + 1]; ++k) {
    const int e = elements_[k];
    if (distance_squared(boxes_[e], X) > slack * slack) continue;
    Vec3 at;
    if (natural_coordinates(mesh, e, X, at) && natural_excess(mesh.kinds[e], at) <= kInside) return {e, clamp_natural(mesh.kinds[e], at)};
  }
  // Outside: shells of cells around it until nothing beyond can be nearer.
  int best = -1;
  double nearest = kInfinity;
  const int most = std::max({cells_[0], cells_[1], cells_[2]});
  for (int ring = 0; ring <= most; ++ring) {
    const double reached = (ring - 1) * size_.minCoeff();
    if (best >= 0 && ring > 0 && nearest <= reached * reached) break;
    visit_shell(c, ring, [&](int k) {
      const int e = elements_[k];
      const double box = distance_squared(boxes_[e], X);
      if (box > nearest) return;
      const double distance = (nearest_on_element(mesh, e, X) - X).squaredNorm();
      if (distance < nearest || (distance == nearest && e < best)) nearest = distance, best = e;
    });
  }
  return locate_in(mesh, best, X);
}

}  // namespace scree::elastic
