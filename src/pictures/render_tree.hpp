/// Surfaces a ray can hit, and a tree of boxes that finds the nearest one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/vec.hpp"

namespace scree::pictures {

enum class SurfaceKind : std::uint8_t { sphere, ellipsoid, triangle, capsule };

/// One surface, in the scene's own units (what is in view has size 1, about the origin).
struct Surface {
  SurfaceKind kind = SurfaceKind::sphere;
  std::uint8_t edges = 0;      ///< triangle: bit k set when the side from corner k to the next is a sharp edge
  bool obstacle = false;
  bool casts_shadow = true;
  std::int32_t body = 0;       ///< row of the input; tubes follow the bodies
  std::int32_t piece = 0;      ///< counted through all bodies
  double size = 0.0;           ///< radius; of triangles the side of a square as large as the whole face
  Vec3 origin = Vec3::Zero();  ///< centre, first corner or first end
  Vec3 a = Vec3::Zero();       ///< ellipsoid: first row of M with |M (x - origin)| = 1; triangle: first side; capsule: axis
  Vec3 b = Vec3::Zero();       ///< second row; second side
  Vec3 c = Vec3::Zero();       ///< third row; outward unit normal

  [[nodiscard]] Box bounds() const;
  /// Outward unit normal at a point on the surface.
  [[nodiscard]] Vec3 normal(const Vec3& point) const;
};

struct Ray {
  Vec3 origin, direction;  ///< unit direction
};

/// Smallest t in (low, high) where the ray meets the surface, or `high` when there is none.
[[nodiscard]] double meet(const Surface& surface, const Ray& ray, double low, double high);

struct RayHit {
  double t = kInfinity;
  int surface = -1;
};

/// Bounding volume hierarchy, split by the surface area heuristic. Built once; queries are const and thread-safe.
class SurfaceTree {
 public:
  /// Takes the surfaces over and reorders them.
  explicit SurfaceTree(std::vector<Surface> surfaces);

  [[nodiscard]] const std::vector<Surface>& surfaces() const { return surfaces_; }
  [[nodiscard]] const Surface& operator[](int i) const { return surfaces_[i]; }

  /// Nearest hit with accept(surface) true, between low and high.
  template <class Accept>
  [[nodiscard]] RayHit nearest(const Ray& ray, double low, double high, Accept&& accept) const {
    RayHit hit{high, -1};
    walk(ray, [&](int i) {
      const Surface& surface = surfaces_[i];
      if (!accept(surface)) return hit.t;
      const double t = meet(surface, ray, low, hit.t);
      if (t < hit.t) hit = {t, i};
      return hit.t;
    }, high);
    return hit;
  }

  /// visit(surface index, t) for every surface met before `high`, in no particular order.
  template <class Visit>
  void all(const Ray& ray, double low, double high, Visit&& visit) const {
    walk(ray, [&](int i) {
      const double t = meet(surfaces_[i], ray, low, high);
      if (t < high) visit(i, t);
      return high;
    }, high);
  }

 private:
  struct Node {
    float low[3], high[3];
    std::int32_t first = 0;  ///< first surface of a leaf, or the first of two children
    std::int32_t count = 0;  ///< surfaces of a leaf, 0 for an inner node
  };

  void build();
  void split(int node, std::vector<Box>& boxes, std::vector<int>& order, int depth);

  // Distance at which the ray enters a box, or infinity.
  [[nodiscard]] static float enter(const Node& node, const float* origin, const float* inverse, float high) {
    float near = 0.0f, far = high;
    for (int k = 0; k < 3; ++k) {
      const float t0 = (node.low[k] - origin[k]) * inverse[k], t1 = (node.high[k] - origin[k]) * inverse[k];
      near = std::max(near, std::min(t0, t1));
      far = std::min(far, std::max(t0, t1));
    }
    return near <= far ? near : std::numeric_limits<float>::infinity();
  }

  // Nodes from near to far; visit(surface) returns the distance beyond which nothing matters any more.
  template <class Visit>
  void walk(const Ray& ray, Visit&& visit, double high) const {
    if (nodes_.empty()) return;
    float origin[3], inverse[3];
    for (int k = 0; k < 3; ++k) {
      origin[k] = static_cast<float>(ray.origin[k]);
      const double d = ray.direction[k];
      inverse[k] = static_cast<float>(1.0 / (std::abs(d) > 1e-18 ? d : std::copysign(1e-18, d)));
    }
    std::array<std::int32_t, 128> stack;
    std::array<float, 128> at;
    int depth = 0;
    const auto limit = [](double t) { return static_cast<float>(t * (1.0 + 1e-6)); };
    float far = limit(high);
    const float root = enter(nodes_[0], origin, inverse, far);
    if (root > far) return;
    stack[0] = 0;
    at[0] = root;
    depth = 1;
    while (depth > 0) {
      --depth;
      if (at[depth] > far) continue;
      const Node& node = nodes_[stack[depth]];
      if (node.count > 0) {
        for (int i = node.first; i < node.first + node.count; ++i) far = limit(visit(i));
        continue;
      }
      int near_child = node.first, far_child = node.first + 1;
      float t0 = enter(nodes_[near_child], origin, inverse, far);
      float t1 = enter(nodes_[far_child], origin, inverse, far);
      if (t1 < t0) {
        std::swap(t0, t1);
        std::swap(near_child, far_child);
      }
      const auto push = [&](float t, int child) {
        if (t > far) return;
        stack[depth] = child;
        at[depth++] = t;
      };
      push(t1, far_child);
      push(t0, near_child);
    }
  }

  std::vector<Surface> surfaces_;
  std::vector<Node> nodes_;
};

}  // namespace scree::pictures
