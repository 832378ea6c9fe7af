#include "elastic/embedding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "elastic/place.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::elastic {

namespace {

constexpr int kRoundVertices = 300;
constexpr double kMissing = 1e-9;   ///< fraction of the shape's volume that may lie outside the mesh
constexpr double kNothing = 1e-12;  ///< fraction of an element's volume that counts as empty

/// Convex polyhedron as polygons, counter-clockwise seen from outside.
using Polygon = std::vector<Vec3>;
using Solid = std::vector<Polygon>;

struct Plane {
  Vec3 normal;
  double offset;
  [[nodiscard]] double height(const Vec3& x) const { return normal.dot(x) - offset; }
};

/// The part of a solid below the plane.
Solid clip(const Solid& solid, const Plane& plane, double tiny) {
  Solid result;
  Polygon cut;
  for (const Polygon& polygon : solid) {
    Polygon kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Vec3 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
      const double ha = plane.height(a), hb = plane.height(b);
      if (ha <= tiny) kept.push_back(a);
      if (std::abs(ha) <= tiny) cut.push_back(a);
      if ((ha < -tiny && hb > tiny) || (ha > tiny && hb < -tiny)) {
        const Vec3 x = a + ha / (ha - hb) * (b - a);
        kept.push_back(x);
        cut.push_back(x);
      }
    }
    // What lies in the plane alone comes back as the closing face.
    const bool below = std::any_of(kept.begin(), kept.end(), [&](const Vec3& x) { return plane.height(x) < -tiny; });
    if (kept.size() >= 3 && below) result.push_back(std::move(kept));
  }
  if (result.empty() || cut.size() < 3) return result;
  // Close: the cut of a convex solid is convex, so its points go round their middle by angle.
  const Vec3 middle = std::accumulate(cut.begin(), cut.end(), Vec3(Vec3::Zero())) / static_cast<double>(cut.size());
  const Vec3 e1 = plane.normal.unitOrthogonal(), e2 = plane.normal.cross(e1);
  const auto angle = [&](const Vec3& x) { return std::atan2(e2.dot(x - middle), e1.dot(x - middle)); };
  std::sort(cut.begin(), cut.end(), [&](const Vec3& a, const Vec3& b) { return angle(a) < angle(b); });
  Polygon cap;
  for (const Vec3& x : cut) {
    if (cap.empty() || ((x - cap.back()).norm() > tiny && (x - cap.front()).norm() > tiny)) cap.push_back(x);
  }
  if (cap.size() >= 3) result.push_back(std::move(cap));
  return result;
}

/// visit(a, b, c, d) for tetrahedra that fill a solid.
template <class Visit>
void tetrahedra(const Solid& solid, Visit&& visit) {
  Vec3 inside = Vec3::Zero();
  int count = 0;
  for (const Polygon& polygon : solid) {
    for (const Vec3& x : polygon) inside += x, ++count;
  }
  inside /= count;
  for (const Polygon& polygon : solid) {
    for (std::size_t k = 2; k < polygon.size(); ++k) visit(inside, polygon[0], polygon[k - 1], polygon[k]);
  }
}

Solid solid_of(const geometry::Polyhedron& polyhedron) {
  Solid solid;
  for (int f = 0; f < polyhedron.faces(); ++f) {
    Polygon polygon;
    for (int v : geometry::face(polyhedron, f)) polygon.push_back(polyhedron.vertices[v]);
    solid.push_back(std::move(polygon));
  }
  return solid;
}

/// Points spread evenly over the unit sphere, hulled, mapped, and scaled to the volume of the ellipsoid.
Solid solid_of(const geometry::Ellipsoid& ellipsoid) {
  std::vector<Vec3> points;
  for (int k = 0; k < kRoundVertices; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kRoundVertices, r = std::sqrt(1.0 - z * z), a = kPi * (3.0 - std::sqrt(5.0)) * k;
    points.push_back(Vec3(r * std::cos(a), r * std::sin(a), z));
  }
  const geometry::Shape hull = geometry::make_hull(points, 0, 0);
  const double scale = std::cbrt(4.0 / 3.0 * kPi / hull.pieces[0].volume());
  Solid solid = solid_of(std::get<geometry::Polyhedron>(hull.pieces[0].form));
  for (Polygon& polygon : solid) {
    for (Vec3& x : polygon) x = ellipsoid.center + ellipsoid.axes * (scale * ellipsoid.radii.cwiseProduct(x));
  }
  return solid;
}

Solid solid_of(const geometry::Piece& piece) {
  if (const auto* p = std::get_if<geometry::Polyhedron>(&piece.form)) return solid_of(*p);
  if (const auto* e = std::get_if<geometry::Ellipsoid>(&piece.form)) return solid_of(*e);
  const auto& s = std::get<geometry::Sphere>(piece.form);
  return solid_of(geometry::Ellipsoid{s.center, Vec3::Constant(s.radius), Mat3::Identity()});
}

/// Planes of an element: of itself when its faces are flat, else of the tetrahedra between its centre and its faces.
std::vector<std::vector<Plane>> cutters(const FiniteMesh& mesh, int e, double tiny) {
  const auto nodes = mesh.element(e);
  const int corners = corner_count(mesh.kinds[e]);
  const auto X = [&](int a) -> const Vec3& { return mesh.nodes[nodes[a]]; };
  const auto through = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 n = (b - a).cross(c - a).normalized();
    return Plane{n, n.dot(a)};
  };
  std::vector<Plane> own;
  bool flat = true;
  for (const auto& f : geometry::element_faces(corners)) {
    own.push_back(through(X(f.node[0]), X(f.node[1]), X(f.node[2])));
    if (f.size == 4) flat = flat && std::abs(own.back().height(X(f.node[3]))) <= tiny;
  }
  if (flat) return {own};
  Vec3 middle = Vec3::Zero();
  for (int a = 0; a < corners; ++a) middle += X(a) / corners;
  std::vector<std::vector<Plane>> result;
  for (const auto& f : geometry::element_faces(corners)) {
    Vec3 center = Vec3::Zero();
    for (int k = 0; k < f.size; ++k) center += X(f.node[k]) / f.size;
    for (int k = 0; k < f.size; ++k) {
      const Vec3 &a = X(f.node[k]), &b = X(f.node[(k + 1) % f.size]);
      result.push_back({through(a, b, center), through(a, middle, b), through(b, middle, center), through(center, middle, a)});
    }
  }
  return result;
}

/// Symmetric rule of degree 2 in a tetrahedron.
void add_tetrahedron(const FiniteMesh& mesh, int e, const std::array<Vec3, 4>& x, std::vector<VolumeRule::Place>& places) {
  const double volume = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0;
  if (!(volume > 0.0)) return;
  for (const Point& p : mass_rule(Kind::tet4)) {
    std::array<double, 4> N;
    shape_values(Kind::tet4, p.at, N.data());
    const Vec3 X = N[0] * x[0] + N[1] * x[1] + N[2] * x[2] + N[3] * x[3];
    places.push_back({Locator::locate_in(mesh, e, X).at, 0.25 * volume});
  }
}

Box bounds_of(const Solid& solid) {
  Box box;
  for (const Polygon& polygon : solid) {
    for (const Vec3& x : polygon) box.add(x);
  }
  return box;
}

/// The mesh without elements that are not kept, and without the nodes only they use.
geometry::Mesh kept_elements(const geometry::Mesh& mesh, const std::vector<char>& keep) {
  geometry::Mesh result;
  result.surface_id = mesh.surface_id;
  std::vector<int> number(mesh.nodes.size(), -1);
  for (int e = 0; e < mesh.elements(); ++e) {
    if (!keep[e]) continue;
    for (int n : geometry::element(mesh, e)) number[n] = 0;
  }
  for (std::size_t n = 0; n < number.size(); ++n) {
    if (number[n] < 0) continue;
    number[n] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(mesh.nodes[n]);
  }
  for (int e = 0; e < mesh.elements(); ++e) {
    if (!keep[e]) continue;
    for (int n : geometry::element(mesh, e)) result.element_nodes.push_back(number[n]);
    result.element_start.push_back(static_cast<int>(result.element_nodes.size()));
    result.element_volume.push_back(mesh.element_volume[e]);
  }
  return result;
}

}  // namespace

Embedding embed(const geometry::Shape& shape, const geometry::Mesh& coarse, int order) {
  const FiniteMesh whole = make_finite_mesh(coarse, order);
  std::vector<Solid> solids;
  std::vector<Box> boxes;
  double wanted = 0.0, found = 0.0;
  for (const geometry::Piece& piece : shape.pieces) {
    solids.push_back(solid_of(piece));
    boxes.push_back(bounds_of(solids.back()));
    tetrahedra(solids.back(), [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { wanted += (b - a).cross(c - a).dot(d - a) / 6.0; });
  }
  std::vector<std::vector<VolumeRule::Place>> places(whole.elements());
  std::vector<char> keep(whole.elements(), 0);
  for (int e = 0; e < whole.elements(); ++e) {
    Box box;
    for (int n : whole.element(e)) box.add(whole.nodes[n]);
    const double size = box.extent().norm(), tiny = 1e-12 * size;
    double filled = 0.0;
    for (const auto& planes : cutters(whole, e, 1e-10 * size)) {
      for (std::size_t s = 0; s < solids.size(); ++s) {
        if (!boxes[s].overlaps(box)) continue;
        Solid part = solids[s];
        for (const Plane& plane : planes) {
          if (!part.empty()) part = clip(part, plane, tiny);
        }
        tetrahedra(part, [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { add_tetrahedron(whole, e, {a, b, c, d}, places[e]); });
      }
    }
    for (const auto& p : places[e]) filled += p.volume;
    keep[e] = filled > kNothing * box.extent().prod() ? 1 : 0;
    found += filled;
  }
  if (!(found >= (1.0 - kMissing) * wanted)) {
    throw_input("embedded shape: {:.3g} of its volume lies outside the mesh: enlarge the mesh (ROUGH_HEX encloses a shape)", 1.0 - found / wanted);
  }
  Embedding result;
  result.mesh = make_finite_mesh(kept_elements(coarse, keep), order);
  for (int e = 0; e < whole.elements(); ++e) {
    if (!keep[e]) continue;
    result.rule.points.insert(result.rule.points.end(), places[e].begin(), places[e].end());
    result.rule.start.push_back(static_cast<int>(result.rule.points.size()));
  }
  return result;
}

}  // namespace scree::elastic
