#include <array>
#include <numeric>

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/element.hpp"
#include "geometry/mass.hpp"

namespace scree::geometry {

namespace {

constexpr std::int64_t kMostCells = 20'000'000;  ///< one mesh; more is taken for a mistake

void check_cells(std::string_view what, std::array<const char*, 3> names, std::array<int, 3> cells, int least_of_second = 1) {
  for (int a = 0; a < 3; ++a) {
    const int least = a == 1 ? least_of_second : 1;
    if (cells[a] < least) throw_input("{}: {} is {}: at least {} is needed", what, names[a], cells[a], least);
    if (cells[a] > kMostCells) throw_input("{}: {} is {}: at most {} cells make a mesh", what, names[a], cells[a], kMostCells);
  }
  // Pairwise first, so that the product cannot overflow.
  const std::int64_t layer = std::int64_t{cells[0]} * cells[1];
  if (layer > kMostCells || layer * cells[2] > kMostCells) {
    throw_input("{}: {} x {} x {} cells asked for: at most {} make a mesh", what, cells[0], cells[1], cells[2], kMostCells);
  }
}

/// Cell boundaries in [0, 1] from relative cell sizes, uniform when none are given.
std::vector<double> graded(std::string_view what, const char* name, int cells, std::span<const double> sizes) {
  std::vector<double> at(cells + 1);
  if (sizes.empty()) {
    for (int c = 0; c <= cells; ++c) at[c] = static_cast<double>(c) / cells;
    return at;
  }
  if (sizes.size() != static_cast<std::size_t>(cells)) {
    throw_input("{}: {} has {} entries for {} cells: give one relative size a cell", what, name, sizes.size(), cells);
  }
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (!(sizes[c] > 0.0) || !(sizes[c] <= kLongest)) throw_input("{}: {}[{}] is {:g}: cell sizes must be positive", what, name, c, sizes[c]);
  }
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  at[0] = 0.0;
  for (int c = 0; c < cells; ++c) at[c + 1] = at[c] + sizes[c] / total;
  at[cells] = 1.0;
  return at;
}

/// Trilinear blend of the eight corners at (x, y, z) in [0, 1]^3.
Vec3 blend(std::span<const Vec3, 8> corners, double x, double y, double z) {
  const auto layer = [&](int first) -> Vec3 {
    return (1.0 - y) * ((1.0 - x) * corners[first] + x * corners[first + 1]) + y * ((1.0 - x) * corners[first + 3] + x * corners[first + 2]);
  };
  return (1.0 - z) * layer(0) + z * layer(4);
}

/// i x j x k hexahedra over a grid of nodes, x fastest. With `closed` the last row along y is the first one.
/// surfaces as in make_hex; faces along y are left out when closed.
Mesh connect(std::vector<Vec3> nodes, std::array<int, 3> cells, bool closed, int volume_id, std::span<const int, 6> surfaces) {
  const auto [i, j, k] = cells;
  const int rows = closed ? j : j + 1;
  const auto node = [&, i = i](int x, int y, int z) { return (z * rows + y % rows) * (i + 1) + x; };
  Mesh mesh;
  mesh.nodes = std::move(nodes);
  mesh.surface_id = surfaces[0];
  for (int z = 0; z < k; ++z) {
    for (int y = 0; y < j; ++y) {
      for (int x = 0; x < i; ++x) {
        const std::array<int, 8> hex{node(x, y, z),     node(x + 1, y, z),     node(x + 1, y + 1, z),     node(x, y + 1, z),
                                     node(x, y, z + 1), node(x + 1, y, z + 1), node(x + 1, y + 1, z + 1), node(x, y + 1, z + 1)};
        mesh.element_nodes.insert(mesh.element_nodes.end(), hex.begin(), hex.end());
        mesh.element_start.push_back(static_cast<int>(mesh.element_nodes.size()));
        mesh.element_volume.push_back(volume_id);
        const std::array<bool, 6> outer{z == 0, !closed && y == 0, x == i - 1, !closed && y == j - 1, x == 0, z == k - 1};
        for (int f = 0; f < 6; ++f) {
          if (!outer[f]) continue;
          std::vector<int> face;
          for (int n : element_faces(8)[f].nodes()) face.push_back(hex[n]);
          mesh.faces.push_back(std::move(face));
          mesh.face_surface.push_back(surfaces[f]);
        }
      }
    }
  }
  return mesh;
}

Mesh make_grid(std::string_view what, std::span<const Vec3, 8> corners, std::array<int, 3> cells, int volume_id,
               std::span<const int, 6> surfaces, std::array<std::span<const double>, 3> sizes) {
  check_cells(what, {"i", "j", "k"}, cells);
  check_points(what, "corner", corners);
  const std::vector<double> x = graded(what, "dx", cells[0], sizes[0]);
  const std::vector<double> y = graded(what, "dy", cells[1], sizes[1]);
  const std::vector<double> z = graded(what, "dz", cells[2], sizes[2]);

  // The corners as one element first: its message names corners, not nodes of the grid.
  Mesh coarse;
  coarse.nodes.assign(corners.begin(), corners.end());
  coarse.element_nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  coarse.element_start = {0, 8};
  coarse.element_volume = {volume_id};
  check_mesh(coarse, what);

  std::vector<Vec3> nodes;
  nodes.reserve(x.size() * y.size() * z.size());
  for (double c : z) {
    for (double b : y) {
      for (double a : x) nodes.push_back(blend(corners, a, b, c));
    }
  }
  Mesh mesh = connect(std::move(nodes), cells, false, volume_id, surfaces);
  check_mesh(mesh, what);
  return mesh;
}

/// Extent of a piece along the columns of `axes`.
Box extent_along(const Piece& piece, const Mat3& axes) {
  Box box;
  if (const auto* sphere = std::get_if<Sphere>(&piece.form)) {
    box.add(axes.transpose() * sphere->center);
    box.grow(sphere->radius);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&piece.form)) {
    const Vec3 center = axes.transpose() * ellipsoid->center;
    const Vec3 half = (axes.transpose() * ellipsoid->axes * ellipsoid->radii.asDiagonal()).rowwise().norm();
    box.add(Vec3(center - half));
    box.add(Vec3(center + half));
  } else {
    for (const Vec3& v : std::get<Polyhedron>(piece.form).vertices) box.add(Vec3(axes.transpose() * v));
  }
  return box;
}

/// Columns permuted and turned so that each points along its own coordinate axis as nearly as possible.
Mat3 nearest_to_coordinates(const Mat3& axes) {
  constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  Mat3 best = axes;
  double most = -1.0;
  for (const auto& order : kOrders) {
    double alignment = 0.0;
    for (int a = 0; a < 3; ++a) alignment += std::abs(axes(a, order[a]));
    if (alignment <= most + 1e-9) continue;
    most = alignment;
    for (int a = 0; a < 3; ++a) best.col(a) = axes(a, order[a]) < 0.0 ? Vec3(-axes.col(order[a])) : Vec3(axes.col(order[a]));
  }
  if (best.determinant() < 0.0) best.col(2) *= -1.0;
  return best;
}

}  // namespace

Mat3 principal_axes(const Mat3& euler) {
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (euler + euler.transpose()));
  const Vec3 values = eigen.values;
  Mat3 axes = eigen.vectors;
  // Equal moments leave directions free: take those nearest to the coordinate axes.
  const double equal = 1e-9 * values[2];
  const bool low_pair = values[1] - values[0] <= equal, high_pair = values[2] - values[1] <= equal;
  if (low_pair && high_pair) return Mat3::Identity();
  if (low_pair || high_pair) {
    const Vec3 unique = axes.col(low_pair ? 2 : 0);
    int least = 0;
    unique.cwiseAbs().minCoeff(&least);
    axes.col(0) = unique;
    axes.col(1) = (Vec3::Unit(least) - unique[least] * unique).normalized();
    axes.col(2) = unique.cross(axes.col(1));
  }
  return nearest_to_coordinates(axes);
}

Mesh make_hex(std::span<const Vec3, 8> corners, int i, int j, int k, int volume_id, std::span<const int, 6> surfaces,
              std::span<const double> dx, std::span<const double> dy, std::span<const double> dz) {
  return make_grid("HEX", corners, {i, j, k}, volume_id, surfaces, {dx, dy, dz});
}

Mesh make_rough_hex(const Shape& shape, int i, int j, int k, std::span<const double> dx, std::span<const double> dy,
                    std::span<const double> dz) {
  constexpr double kMargin = 0.01;  // of the extent, on either side
  if (shape.empty()) throw_input("ROUGH_HEX: the shape is empty");
  const Mat3 axes = principal_axes(mass_properties(shape, 1.0).euler);
  Box box;
  for (const Piece& piece : shape.pieces) box.add(extent_along(piece, axes));
  const Vec3 margin = kMargin * box.extent();
  box.low -= margin;
  box.high += margin;

  std::array<Vec3, 8> corners;
  for (int c = 0; c < 8; ++c) {
    const bool right = c % 4 == 1 || c % 4 == 2, back = c % 4 >= 2, top = c >= 4;
    corners[c] = axes * Vec3(right ? box.high.x() : box.low.x(), back ? box.high.y() : box.low.y(), top ? box.high.z() : box.low.z());
  }
  const Piece& first = shape.pieces.front();
  const auto* polyhedron = std::get_if<Polyhedron>(&first.form);
  std::array<int, 6> surfaces;
  surfaces.fill(polyhedron ? polyhedron->face_surface.front() : first.surface_id);
  return make_grid("ROUGH_HEX", corners, {i, j, k}, first.volume_id, surfaces, {dx, dy, dz});
}

Mesh make_pipe(const Vec3& point, const Vec3& direction, double inner_radius, double thickness, int ndir, int nrad, int nthi,
               int volume_id, std::span<const int, 4> surfaces) {
  check_finite("PIPE", "point", point);
  check_finite("PIPE", "direction", direction);
  check_length("PIPE", "length of direction", direction.norm());
  check_length("PIPE", "inner radius", inner_radius);
  check_length("PIPE", "thickness", thickness);
  check_cells("PIPE", {"nthi", "nrad", "ndir"}, {nthi, nrad, ndir}, 3);

  // Cylindrical grid: x through the wall, y around (closed), z along the axis.
  const Mat3 frame = frame_from_normal(direction.normalized());
  std::vector<Vec3> nodes;
  nodes.reserve(static_cast<std::size_t>(nthi + 1) * nrad * (ndir + 1));
  for (int z = 0; z <= ndir; ++z) {
    for (int y = 0; y < nrad; ++y) {
      const double angle = 2.0 * kPi * y / nrad;
      const Vec3 outward = std::cos(angle) * frame.row(1).transpose() + std::sin(angle) * frame.row(2).transpose();
      for (int x = 0; x <= nthi; ++x) {
        const double radius = inner_radius + thickness * x / nthi;
        nodes.push_back(point + direction * (static_cast<double>(z) / ndir) + radius * outward);
      }
    }
  }
  const std::array<int, 6> sides{surfaces[2], surfaces[0], surfaces[1], surfaces[0], surfaces[0], surfaces[3]};
  Mesh mesh = connect(std::move(nodes), {nthi, nrad, ndir}, true, volume_id, sides);
  check_mesh(mesh, "PIPE");
  return mesh;
}

}  // namespace scree::geometry
