/// Shapes, random placements and sampling oracles for the collision tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "collision/world.hpp"
#include "core/rotation.hpp"
#include "geometry/build.hpp"
#include "geometry/shape.hpp"

namespace scree::collision::testing {

using geometry::Piece;
using geometry::Polyhedron;
using geometry::Shape;

inline Polyhedron polyhedron(std::vector<Vec3> vertices, const std::vector<std::vector<int>>& faces, int surface = 0) {
  Polyhedron p;
  p.vertices = std::move(vertices);
  for (const auto& face : faces) {
    p.face_vertices.insert(p.face_vertices.end(), face.begin(), face.end());
    p.face_start.push_back(static_cast<int>(p.face_vertices.size()));
    p.face_surface.push_back(surface);
    p.face_neighbour.push_back(-1);
  }
  return p;
}

/// Box of half extents; faces -z, +z, -y, +x, +y, -x.
inline Polyhedron box(const Vec3& half, const Vec3& center = Vec3::Zero(), int surface = 0) {
  std::vector<Vec3> v;
  for (int k = 0; k < 2; ++k)
    for (const auto& [x, y] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
      v.push_back(center + half.cwiseProduct(Vec3(x, y, 2 * k - 1)));
  return polyhedron(v, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}, surface);
}

/// Octahedron stretched to the given half diagonals.
inline Polyhedron octahedron(const Vec3& half) {
  std::vector<Vec3> v;
  for (int i = 0; i < 3; ++i)
    for (const double s : {1.0, -1.0}) v.push_back(s * half[i] * Vec3::Unit(i));
  return polyhedron(v, {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}});
}

/// Right prism over a regular polygon.
inline Polyhedron prism(int sides, double radius, double half_height) {
  std::vector<Vec3> v;
  for (const double z : {-half_height, half_height})
    for (int i = 0; i < sides; ++i)
      v.push_back({radius * std::cos(2 * kPi * i / sides), radius * std::sin(2 * kPi * i / sides), z});
  std::vector<std::vector<int>> faces(2);
  for (int i = 0; i < sides; ++i) {
    faces[0].push_back(sides - 1 - i);
    faces[1].push_back(sides + i);
    const int j = (i + 1) % sides;
    faces.push_back({i, j, sides + j, sides + i});
  }
  return polyhedron(v, faces);
}

template <class Form>
Shape shape_of(Form form, int surface = 0) {
  Shape shape;
  Piece piece;
  piece.form = std::move(form);
  piece.surface_id = surface;
  shape.pieces.push_back(std::move(piece));
  shape.adjacent.emplace_back();
  return shape;
}

inline Shape sphere(double radius, const Vec3& center = Vec3::Zero()) {
  return shape_of(geometry::Sphere{center, radius});
}
inline Shape ellipsoid(const Vec3& radii) { return shape_of(geometry::Ellipsoid{Vec3::Zero(), radii, Mat3::Identity()}); }

/// Every draw is a statement of its own: the order in which arguments and operands are evaluated is the compiler's.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  /// Ten to a uniform power.
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  int integer(int below) { return static_cast<int>(uniform(0, below)); }
  Vec3 vector(double low, double high) {
    const double x = uniform(low, high), y = uniform(low, high), z = uniform(low, high);
    return {x, y, z};
  }
  Vec3 direction() {
    for (;;) {
      const Vec3 v = vector(-1, 1);
      if (v.norm() > 0.1 && v.norm() <= 1.0) return v.normalized();
    }
  }
  Mat3 rotation() {
    const Vec3 axis = direction();
    return exp_rotation(axis * uniform(0, kPi));
  }
  /// A vector of uniform length, any way.
  Vec3 within(double low, double high) {
    const double length = uniform(low, high);
    return length * direction();
  }
  /// A vector whose length is ten to a uniform power, any way.
  Vec3 of_any_order(double low, double high) {
    const double length = power(low, high);
    return length * direction();
  }

 private:
  std::mt19937 engine_;
};

/// A convex piece in place, through its support function alone.
struct Placed {
  const Piece* piece;
  Mat3 F = Mat3::Identity();
  Vec3 position = Vec3::Zero();

  /// Point farthest along n.
  [[nodiscard]] Vec3 support(const Vec3& n) const {
    const Vec3 local = F.transpose() * n;
    if (const auto* s = std::get_if<geometry::Sphere>(&piece->form)) return F * (s->center + s->radius * local.normalized()) + position;
    if (const auto* e = std::get_if<geometry::Ellipsoid>(&piece->form)) {
      const Vec3 stretched = e->radii.cwiseProduct(e->axes.transpose() * local).normalized();
      return F * (e->center + e->axes * e->radii.cwiseProduct(stretched)) + position;
    }
    const auto& vertices = std::get<Polyhedron>(piece->form).vertices;
    return F * *std::max_element(vertices.begin(), vertices.end(), [&](const Vec3& u, const Vec3& v) { return local.dot(u) < local.dot(v); }) + position;
  }
  [[nodiscard]] double extent(const Vec3& n) const { return n.dot(support(n)); }
};

/// Separation along n:  min_B n.x - max_A n.x.
inline double separation(const Placed& a, const Placed& b, const Vec3& n) { return -b.extent(-n) - a.extent(n); }

/// Normals of all faces and of all pairs of edges, both ways: the extreme directions of overlapping polyhedra.
inline std::vector<Vec3> sharp_directions(const Placed& a, const Placed& b) {
  std::vector<Vec3> directions, edges[2];
  const Placed* both[2] = {&a, &b};
  for (int side = 0; side < 2; ++side) {
    const auto* p = std::get_if<Polyhedron>(&both[side]->piece->form);
    if (!p) continue;
    for (int f = 0; f < p->faces(); ++f) {
      const int count = p->face_size(f);
      for (int k = 0; k < count; ++k) {
        const Vec3 u = both[side]->F * p->vertices[p->face_vertex(f, k)];
        const Vec3 v = both[side]->F * p->vertices[p->face_vertex(f, (k + 1) % count)];
        const Vec3 w = both[side]->F * p->vertices[p->face_vertex(f, (k + 2) % count)];
        edges[side].push_back(v - u);
        if (k == 0) directions.push_back((v - u).cross(w - u).normalized());
      }
    }
  }
  for (const Vec3& d : edges[0])
    for (const Vec3& e : edges[1])
      if (d.cross(e).norm() > 1e-6 * d.norm() * e.norm()) directions.push_back(d.cross(e).normalized());
  const std::size_t count = directions.size();
  for (std::size_t i = 0; i < count; ++i) directions.push_back(-directions[i]);
  return directions;
}

/// Gap by brute force: the best of many directions, the best few refined by shrinking random steps.
inline double sampled_gap(const Placed& a, const Placed& b, Vec3* normal = nullptr, bool fine = true) {
  const int samples = fine ? 1500 : 300, kept = fine ? 6 : 2;
  std::vector<std::pair<double, Vec3>> tried;
  for (int i = 0; i < samples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / samples, r = std::sqrt(1.0 - z * z), t = i * kPi * (3.0 - std::sqrt(5.0));
    const Vec3 n(r * std::cos(t), r * std::sin(t), z);
    tried.push_back({separation(a, b, n), n});
  }
  if (fine) {
    for (const Vec3& n : sharp_directions(a, b)) tried.push_back({separation(a, b, n), n});
  }
  std::partial_sort(tried.begin(), tried.begin() + kept, tried.end(), [](auto& p, auto& q) { return p.first > q.first; });
  Random random(7);
  double best = -kInfinity;
  for (int k = 0; k < kept; ++k) {
    auto [value, n] = tried[k];
    for (double step = 0.1; step > (fine ? 1e-12 : 1e-4); step *= 0.8) {
      for (int trial = 0; trial < 8; ++trial) {
        const Vec3 m = (n + step * random.vector(-1, 1)).normalized();
        const double v = separation(a, b, m);
        if (v > value) value = v, n = m;
      }
    }
    if (value > best) {
      best = value;
      if (normal) *normal = n;
    }
  }
  return best;
}

/// Contacts of a world up to a gap.
inline std::vector<ContactPoint> detect(World& world, double margin = 0.0, double sparsify = 0.01) {
  Settings settings;
  settings.margin = margin;
  settings.sparsify = sparsify;
  std::vector<ContactPoint> contacts;
  world.detect(settings, contacts);
  return contacts;
}

/// Two bodies in a world of their own.
struct Duo {
  Shape a, b;
  Mat3 Fa = Mat3::Identity(), Fb = Mat3::Identity();
  Vec3 xa = Vec3::Zero(), xb = Vec3::Zero();

  [[nodiscard]] Placed placed_a() const { return {&a.pieces[0], Fa, xa}; }
  [[nodiscard]] Placed placed_b() const { return {&b.pieces[0], Fb, xb}; }
  [[nodiscard]] std::vector<ContactPoint> detect(double margin, const Settings& base = {}) const {
    World world;
    world.add_body(0, a, true);
    world.add_body(1, b, true);
    world.place(0, Fa, Vec3::Zero(), xa, 0.0);
    world.place(1, Fb, Vec3::Zero(), xb, 0.0);
    Settings settings = base;
    settings.margin = margin;
    std::vector<ContactPoint> contacts;
    world.detect(settings, contacts);
    return contacts;
  }
};

inline double least_gap(const std::vector<ContactPoint>& contacts) {
  double least = kInfinity;
  for (const auto& c : contacts) least = std::min(least, c.gap);
  return least;
}

}  // namespace scree::collision::testing
