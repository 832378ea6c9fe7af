/// Shapes in a checkpoint: the same to the bit, small, and refused where they are damaged.
#include "stepping/shape_packing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "geometry/build.hpp"
#include "geometry/transform.hpp"

namespace scree::stepping {
namespace {

using geometry::Shape;

Archive packed(const Shape& shape) {
  Archive archive;
  {
    Packer f(archive, "shape");
    write_shape(f, shape);
  }
  return archive;
}

Shape unpacked(const Archive& archive) {
  Unpacker f(archive, "shape");
  return read_shape(f);
}

/// Everything of a shape, what follows from something else included.
std::string digest(const Shape& shape) {
  std::string bytes;
  const auto add = [&](const auto& values) {
    bytes += std::to_string(values.size()) + ":";
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  for (const geometry::Piece& piece : shape.pieces) {
    bytes += fmt::format("{} {} {};", piece.form.index(), piece.volume_id, piece.surface_id);
    if (const auto* p = std::get_if<geometry::Polyhedron>(&piece.form)) {
      add(p->vertices), add(p->face_start), add(p->face_vertices), add(p->face_surface), add(p->face_neighbour);
      add(p->face_normal), add(p->face_offset), add(p->edges), add(p->edge_faces);
    } else if (const auto* s = std::get_if<geometry::Sphere>(&piece.form)) {
      add(std::array{s->center.x(), s->center.y(), s->center.z(), s->radius});
    } else {
      const auto& e = std::get<geometry::Ellipsoid>(piece.form);
      add(std::array<Vec3, 5>{e.center, e.radii, e.axes.col(0), e.axes.col(1), e.axes.col(2)});
    }
  }
  for (const auto& list : shape.adjacent) add(list);
  add(shape.piece_mesh), add(shape.piece_element);
  for (const geometry::Mesh& mesh : shape.meshes) add(mesh.nodes), add(mesh.element_nodes), add(mesh.element_volume);
  return bytes;
}

/// Shapes of every maker, moved, mirrored, cut and joined.
Shape random_shape(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto vector = [&] {
    const double x = unit(random), y = unit(random), z = unit(random);
    return Vec3(x - 0.5, y - 0.5, z - 0.5);
  };
  std::vector<Shape> parts;
  for (int k = 0; k < 3; ++k) {
    const int maker = static_cast<int>(6 * unit(random));
    std::array<Vec3, 8> corners;
    for (int c = 0; c < 8; ++c) corners[c] = Vec3(c % 4 == 1 || c % 4 == 2, c % 4 > 1, c > 3) + 0.1 * vector();
    if (maker == 0) parts.push_back(geometry::make_sphere(vector(), 0.1 + unit(random), 1, 2));
    if (maker == 1) parts.push_back(geometry::make_ellipsoid(vector(), Vec3(0.1, 0.2, 0.3), 1, 2));
    if (maker == 2) parts.push_back(geometry::make_hull(corners, 3, 4));
    if (maker == 3) parts.push_back(geometry::make_box(Vec3(0, 0, 0), Vec3(1, 2, 3), 5, 6));
    if (maker == 4) parts.push_back(geometry::make_shape(geometry::make_hex(corners, 3, 2, 2, 1, std::array{0, 1, 2, 3, 4, 5})));
    if (maker == 5) parts.push_back(geometry::make_shape(geometry::make_pipe(vector(), vector(), 0.5, 0.1, 2, 8, 1, 1, std::array{0, 1, 2, 3})));
  }
  Shape shape = geometry::join(parts);
  if (unit(random) < 0.5) geometry::rotate(shape, vector(), vector(), 3.0 * unit(random));
  if (unit(random) < 0.3) geometry::scale(shape, Vec3(-1.0, 1.0 + unit(random), 2.0));
  if (unit(random) < 0.5) geometry::translate(shape, vector());
  if (unit(random) < 0.3) {
    Shape half = geometry::split(shape, 0.5 * (shape.bounds().low + shape.bounds().high), vector(), 9).first;
    if (!half.empty()) shape = std::move(half);
  }
  return shape;
}

TEST(ShapePacking, ComesBackToTheBit) {
  std::mt19937 random(11);
  for (int k = 0; k < 200; ++k) {
    const Shape shape = random_shape(random);
    EXPECT_EQ(digest(unpacked(packed(shape))), digest(shape)) << k;
  }
}

/// Of a block of hexahedra: its nodes, and of each element 8 nodes, 12 numbers of its faces, at most 26 neighbours and a few numbers.
TEST(ShapePacking, ElementsAreStoredOnce) {
  std::array<Vec3, 8> corners;
  for (int c = 0; c < 8; ++c) corners[c] = Vec3(c % 4 == 1 || c % 4 == 2, c % 4 > 1, c > 3);
  const Archive archive = packed(geometry::make_shape(geometry::make_hex(corners, 8, 8, 8, 1, std::array{0, 1, 2, 3, 4, 5})));
  EXPECT_LE(archive.reals("shape/reals").size(), 3u * 9 * 9 * 9);
  EXPECT_LE(archive.integers("shape/integers").size(), 512u * (8 + 12 + 26 + 8) + 6u * 64 * 6);
}

TEST(ShapePacking, DamagedOnesAreRefusedOrSound) {
  std::mt19937 random(5);
  int refused = 0;
  for (int k = 0; k < 400; ++k) {
    Archive archive = packed(random_shape(random));
    Archive::Integers integers = archive.integers("shape/integers");
    std::uniform_int_distribution<std::size_t> at(0, integers.size() - 1);
    std::uniform_int_distribution<int> value(-3, 40);
    const std::size_t place = at(random);
    integers[place] = value(random);
    archive.put("shape/integers", integers);
    try {
      const Shape shape = unpacked(archive);
      (void)shape.bounds();
      for (const geometry::Piece& piece : shape.pieces) (void)piece.contains(Vec3::Zero());
      (void)packed(shape);
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 40);
}

}  // namespace
}  // namespace scree::stepping
