/// Meshes the tests of finite elements share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "elastic/body.hpp"
#include "geometry/build.hpp"
#include "geometry/element.hpp"

namespace scree::elastic::testing {

enum class Cells { hexahedra, wedges, pyramids, tetrahedra, mixed };

inline void add_element(geometry::Mesh& mesh, std::initializer_list<int> nodes, int volume = 0) {
  mesh.element_nodes.insert(mesh.element_nodes.end(), nodes);
  mesh.element_start.push_back(static_cast<int>(mesh.element_nodes.size()));
  mesh.element_volume.push_back(volume);
}

/// Replace one hexahedron by elements of the kind asked for; neighbours of the same kind fit.
inline void split_cell(geometry::Mesh& mesh, const std::array<int, 8>& h, Cells cells, bool split_bottom) {
  switch (cells) {
    case Cells::hexahedra: add_element(mesh, {h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]}); return;
    case Cells::wedges:
      add_element(mesh, {h[0], h[1], h[2], h[4], h[5], h[6]});
      add_element(mesh, {h[0], h[2], h[3], h[4], h[6], h[7]});
      return;
    case Cells::tetrahedra:
      // Six tetrahedra around the diagonal 0-6.
      for (const auto& [a, b] : {std::array{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}}) add_element(mesh, {h[0], h[a], h[b], h[6]});
      return;
    default: break;
  }
  Vec3 middle = Vec3::Zero();
  for (int n : h) middle += 0.125 * mesh.nodes[n];
  const int apex = static_cast<int>(mesh.nodes.size());
  mesh.nodes.push_back(middle);
  for (const auto& f : geometry::element_faces(8)) {
    const int a = h[f.node[0]], b = h[f.node[1]], c = h[f.node[2]], d = h[f.node[3]];
    // Seen from the apex the face turns counter-clockwise the other way round.
    if (split_bottom && f.node[0] == 0 && f.node[1] == 3) {
      add_element(mesh, {a, d, c, apex});
      add_element(mesh, {a, c, b, apex});
    } else {
      add_element(mesh, {a, d, c, b, apex});
    }
  }
}

/// Box of i x j x k cells of a kind; `shake` moves interior nodes by up to that fraction of a cell. In a mixed mesh columns
/// of wedges, hexahedra and pyramids stand side by side, with tetrahedra at the bottom.
inline geometry::Mesh box_mesh(const Vec3& low, const Vec3& high, int i, int j, int k, Cells cells, double shake = 0.0) {
  const Vec3 c[2] = {low, high};
  std::array<Vec3, 8> corners;
  constexpr int sx[8] = {0, 1, 1, 0, 0, 1, 1, 0}, sy[8] = {0, 0, 1, 1, 0, 0, 1, 1}, sz[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  for (int n = 0; n < 8; ++n) corners[n] = Vec3(c[sx[n]].x(), c[sy[n]].y(), c[sz[n]].z());
  const std::array<int, 6> surfaces{1, 2, 3, 4, 5, 6};
  geometry::Mesh hexes = geometry::make_hex(corners, i, j, k, 0, surfaces);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> move(-shake, shake);
  const Vec3 cell = (high - low).cwiseQuotient(Vec3(i, j, k));
  for (Vec3& x : hexes.nodes) {
    const bool inside = ((x - low).array() > 1e-9 * cell.array()).all() && ((high - x).array() > 1e-9 * cell.array()).all();
    if (inside) x += Vec3{move(random) * cell.x(), move(random) * cell.y(), move(random) * cell.z()};
  }
  if (cells == Cells::hexahedra) return hexes;
  geometry::Mesh mesh;
  mesh.nodes = hexes.nodes;
  for (int e = 0; e < hexes.elements(); ++e) {
    const auto nodes = geometry::element(hexes, e);
    std::array<int, 8> h;
    std::copy(nodes.begin(), nodes.end(), h.begin());
    Cells kind = cells;
    if (cells == Cells::mixed) kind = std::array{Cells::wedges, Cells::hexahedra, Cells::pyramids}[(e % i + e / i % j) % 3];
    split_cell(mesh, h, kind, cells == Cells::mixed && e < i * j);
  }
  // Quadrilateral boundary faces keep their surface ids; triangulated ones take the default, 0.
  if (cells == Cells::pyramids) mesh.faces = hexes.faces, mesh.face_surface = hexes.face_surface;
  return mesh;
}

inline ElasticBody make_body(const geometry::Mesh& mesh, int order, double young = 1.0, double poisson = 0.3, double density = 1.0,
                             const char* law = "KIRCHHOFF") {
  const auto shared = make_law(law, young, poisson);
  return ElasticBody(make_finite_mesh(mesh, order), [&](int) { return Material{shared, density}; });
}

inline std::vector<double> mapped(const ElasticBody& body, const Mat3& F, const Vec3& shift) {
  std::vector<double> q = body.mesh().positions();
  for (int n = 0; n < body.nodes(); ++n) Vec3::Map(q.data() + 3 * n) = F * body.mesh().nodes[n] + shift;
  return q;
}

inline std::vector<double> shaken(const ElasticBody& body, double amount, unsigned seed = 1) {
  std::vector<double> q = body.mesh().positions();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> move(-amount, amount);
  for (double& x : q) x += move(random);
  return q;
}

inline Eigen::Map<const VecX> vec(const std::vector<double>& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

}  // namespace scree::elastic::testing
