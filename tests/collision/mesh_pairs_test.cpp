/// Meshes against meshes and hulls: the least gap of all pairs of elements is the distance of the bodies, convex or not, and the depth of a shallow
/// overlap is that of the block an element belongs to, not of the element.
#include <fmt/format.h>

#include <array>

#include "geometry/build.hpp"
#include "oracle.hpp"
#include "pair_run.hpp"

namespace scree::collision {
namespace {

using namespace testing;

/// A grid of cells, some left out, of hexahedra or of tetrahedra.
struct Cells {
  Shape shape;
  bool whole = true;        // no cell is left out
  bool tetrahedra = false;
};

Cells random_cells(Random& random, bool whole) {
  Cells cells;
  cells.tetrahedra = random.integer(2);
  std::array<int, 3> n;
  for (int& k : n) k = 1 + random.integer(3);
  std::vector<Vec3> nodes;
  const auto node = [&](int i, int j, int k) { return i + (n[0] + 1) * (j + (n[1] + 1) * k); };
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) nodes.push_back(Vec3(2.0 * i / n[0] - 1, 2.0 * j / n[1] - 1, 2.0 * k / n[2] - 1));
  std::vector<int> elements;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        // The first cell of each row stays: no hole is left without a mesh around it.
        if (!whole && i > 0 && random.integer(3) == 0) {
          cells.whole = false;
          continue;
        }
        const int h[8] = {node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
                          node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        if (!cells.tetrahedra) {
          elements.push_back(8);
          elements.insert(elements.end(), h, h + 8);
          elements.push_back(0);
          continue;
        }
        for (const auto& [a, b] : {std::array{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}}) elements.insert(elements.end(), {4, h[0], h[a], h[b], h[6], 0});
      }
  // Nodes of cells left out are not part of the mesh.
  std::vector<int> number(nodes.size(), -1);
  std::vector<Vec3> used;
  for (std::size_t at = 0; at < elements.size(); at += static_cast<std::size_t>(elements[at]) + 2)
    for (int c = 1; c <= elements[at]; ++c) {
      int& v = elements[at + static_cast<std::size_t>(c)];
      if (number[v] < 0) number[v] = static_cast<int>(used.size()), used.push_back(nodes[v]);
      v = number[v];
    }
  const int surfaces[] = {0};
  cells.shape = geometry::make_shape(geometry::make_mesh(used, elements, surfaces));
  return cells;
}

/// A box, sheared and stretched.
Mat3 random_map(Random& random) {
  const Mat3 turn = random.rotation();
  Mat3 shear = random.vector(0.3, 1.0).asDiagonal();
  shear(0, 1) = random.uniform(-0.3, 0.3);
  return turn * shear;
}

std::vector<Solid> solids_of(const Shape& shape, const Mat3& F, const Vec3& x) {
  std::vector<Solid> solids;
  for (const Piece& piece : shape.pieces) solids.emplace_back(std::get<Polyhedron>(piece.form), F, x);
  return solids;
}

double detected_gap(const Shape& a, const Mat3& Fa, const Shape& b, const Mat3& Fb, const Vec3& x, double margin) {
  World world;
  world.add_body(0, a, true);
  world.add_body(1, b, true);
  world.place(0, Fa, Vec3::Zero(), Vec3::Zero(), 0.0);
  world.place(1, Fb, Vec3::Zero(), x, 0.0);
  return least_gap(detect(world, margin, 0.0));
}

// Apart, any two bodies are as far from each other as their nearest elements.
TEST(mesh_pairs, distance_of_bodies_that_need_not_be_convex) {
  Judge judge;
  run_pairs(71, 150, 40, [&](int trial, Random& random, const std::vector<Polyhedron>& pool) {
    const Cells first = random_cells(random, false);
    const bool hull = random.integer(3) == 0;
    const Cells second = hull ? Cells{shape_of(pool[random.integer(40)])} : random_cells(random, false);
    const Mat3 Fa = random_map(random), Fb = random_map(random);
    Vec3 x = 3.0 * random.direction();
    const auto closest = [&] {
      const std::vector<Solid> p = solids_of(first.shape, Fa, Vec3::Zero()), q = solids_of(second.shape, Fb, x);
      std::pair<double, Vec3> least{kInfinity, Vec3::Zero()};
      for (const Solid& a : p)
        for (const Solid& b : q)
          if (const ExactGap exact(a, b); exact.gap < least.first) least = {exact.gap, exact.normal};
      return least;
    };
    // Come near: along the normal of the nearest elements the bodies part, so that the way is no longer than the gap.
    const double wanted = random.power(-9, -1);
    auto [gap, normal] = closest();
    for (int k = 0; k < 20 && gap > 2.0 * wanted; ++k) {
      x -= (gap - wanted) * normal;
      std::tie(gap, normal) = closest();
    }
    const double found = detected_gap(first.shape, Fa, second.shape, Fb, x, 1.1 * gap + 1e-8);
    judge.check(trial, found - gap, {"all", hull ? "mesh and hull" : first.whole && second.whole ? "convex meshes" : "meshes with notches", gap < 1e-6 ? "touching" : "apart"},
                fmt::format("exact gap {}, reported {}", gap, found));
  });
}

// A block of elements is the convex block it fills. A little sunk in, hexahedra have its depth among themselves. At corners of meshes that are cut otherwise elements
// see less of the block than it is: all that holds there is that the overlap is found, and not as one of another order.
TEST(mesh_pairs, depth_of_meshed_blocks) {
  Judge judge;
  const Polyhedron whole = box({1, 1, 1});
  run_pairs(73, 1500, 40, [&](int trial, Random& random, const std::vector<Polyhedron>& pool) {
    const Cells first = random_cells(random, true);
    const bool hull = random.integer(2);
    const Polyhedron& form = hull ? pool[random.integer(40)] : whole;
    const Cells second = hull ? Cells{shape_of(form)} : random_cells(random, true);
    const Mat3 Fa = random_map(random), Fb = random_map(random);
    Vec3 x = 3.0 * random.direction();
    const Solid block(whole, Fa, Vec3::Zero());
    const ExactGap thrown(block, {form, Fb, x});
    x += (-random.power(-9, -2.5) - thrown.gap) * thrown.normal;
    const double exact = ExactGap(block, {form, Fb, x}).gap;
    if (exact > -1e-9) return;
    const double found = detected_gap(first.shape, Fa, second.shape, Fb, x, 1e-8), error = std::abs(found - exact);
    const bool regular = !hull && !first.tetrahedra && !second.tetrahedra;
    const std::string kinds = fmt::format("{} and {}", first.tetrahedra ? "tetrahedra" : "hexahedra", hull ? "hull" : second.tetrahedra ? "tetrahedra" : "hexahedra");
    judge.check(trial, regular || !(error <= 1.1 * std::abs(exact)) ? error : 0.0, {"all", kinds, exact > -1e-6 ? "touching" : "shallow"},
                fmt::format("{}: exact gap {}, reported {}", kinds, exact, found));
  });
}

}  // namespace
}  // namespace scree::collision
