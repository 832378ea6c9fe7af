#include <libqhull_r/qhull_ra.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "geometry/build.hpp"
#include "geometry/checks.hpp"
#include "geometry/polyhedron.hpp"

namespace scree::geometry {

namespace {

using Polygon = std::vector<int>;

/// A stream that collects what qhull would print, so that nothing reaches the terminal.
class Messages {
 public:
  Messages() : stream_(open_memstream(&text_, &size_)) {}
  ~Messages() {
    if (stream_) std::fclose(stream_);
    std::free(text_);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  [[nodiscard]] FILE* stream() const { return stream_; }
  /// The first line.
  [[nodiscard]] std::string line() const {
    std::fflush(stream_);
    const std::string all(text_, size_);
    return all.substr(0, all.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* stream_;
};

/// One run of qhull, freed on every way out.
class Qhull {
 public:
  /// Qhull's exit code is in status().
  Qhull(std::vector<Vec3> points, const char* options) : points_(std::move(points)) {
    qh_zero(&state_, messages_.stream());
    std::string command = options;
    status_ = qh_new_qhull(&state_, 3, static_cast<int>(points_.size()), points_.front().data(), False, command.data(), nullptr,
                           messages_.stream());
  }
  ~Qhull() {
    int remaining = 0, bytes = 0;
    state_.NOerrexit = True;
    qh_freeqhull(&state_, !qh_ALL);
    qh_memfreeshort(&state_, &remaining, &bytes);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::string message() const { return messages_.line(); }
  /// Facets as polygons of point indices, counter-clockwise seen from outside; empty when one is no simple loop.
  [[nodiscard]] std::vector<Polygon> polygons();

 private:
  [[nodiscard]] int index(const vertexT* vertex) const { return static_cast<int>((vertex->point - state_.first_point) / 3); }
  [[nodiscard]] Polygon loop(const facetT* facet) const;

  std::vector<Vec3> points_;
  Messages messages_;
  qhT state_;
  int status_;
};

/// Chain the ridges of a merged facet (or take the three vertices of a simple one). Only qhull's data are
/// read: its functions may leave through longjmp.
Polygon Qhull::loop(const facetT* facet) const {
  if (facet->simplicial) {
    vertexT *vertex, **vertexp;
    Polygon triangle;
    FOREACHvertex_(facet->vertices) triangle.push_back(index(vertex));
    return triangle;
  }
  std::map<int, std::vector<int>> next;
  ridgeT *ridge, **ridgep;
  FOREACHridge_(facet->ridges) {
    const int a = index(SETfirstt_(ridge->vertices, vertexT)), b = index(SETsecondt_(ridge->vertices, vertexT));
    next[a].push_back(b);
    next[b].push_back(a);
  }
  Polygon polygon;
  if (next.empty()) return polygon;
  int previous = -1, current = next.begin()->first;
  do {
    const auto& links = next[current];
    if (links.size() != 2 || polygon.size() >= next.size()) return {};
    polygon.push_back(current);
    const int following = links[0] == previous ? links[1] : links[0];
    previous = current;
    current = following;
  } while (current != polygon.front());
  return polygon.size() == next.size() ? polygon : Polygon{};
}

std::vector<Polygon> Qhull::polygons() {
  std::vector<Polygon> result;
  qhT* qh = &state_;
  facetT* facet;
  FORALLfacets {
    Polygon polygon = loop(facet);
    if (polygon.size() < 3 || !facet->normal) return {};
    const Vec3 outward(facet->normal[0], facet->normal[1], facet->normal[2]);
    if (fit_plane(points_, polygon).normal.dot(outward) < 0.0) std::reverse(polygon.begin(), polygon.end());
    result.push_back(std::move(polygon));
  }
  return result;
}

/// The hull of scaled points. Many of them keep qhull busy for long, which does not look for requests to stop.
std::shared_ptr<Qhull> run_qhull(const std::vector<Vec3>& points, const char* options) {
  constexpr std::size_t kMany = 5000;
  if (points.size() < kMany) return std::make_shared<Qhull>(points, options);
  const auto made = std::make_shared<std::shared_ptr<Qhull>>();
  run_abandonable([made, points, options] { *made = std::make_shared<Qhull>(points, options); });
  return *made;
}

/// InputError when the points span no volume: farthest point, farthest from it, from their line, from their plane.
void check_spread(std::span<const Vec3> points, double size) {
  const auto farthest = [&](auto&& distance) {
    return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) { return distance(a) < distance(b); });
  };
  const Vec3 a = points.front();
  const Vec3 b = farthest([&](const Vec3& p) { return (p - a).norm(); });
  const Vec3 along = (b - a).normalized();
  const auto from_line = [&](const Vec3& p) { return (p - a).cross(along).norm(); };
  const Vec3 c = farthest(from_line);
  if (from_line(c) <= kFlat * size) {
    throw_input("HULL: all {} points lie on a line from {} to {}: they enclose no volume", points.size(), text(a), text(b));
  }
  const Vec3 normal = along.cross(c - a).normalized();
  const auto from_plane = [&](const Vec3& p) { return std::abs(normal.dot(p - a)); };
  if (from_plane(farthest(from_plane)) <= kFlat * size) {
    throw_input("HULL: all {} points lie in a plane with normal {}: they enclose no volume", points.size(), text(normal));
  }
}

/// Remove vertices that belong to two faces only: they sit inside an edge.
void drop_edge_vertices(std::vector<Polygon>& polygons, int points) {
  std::vector<int> uses(points, 0);
  for (const Polygon& polygon : polygons) {
    for (int v : polygon) ++uses[v];
  }
  for (Polygon& polygon : polygons) std::erase_if(polygon, [&](int v) { return uses[v] < 3; });
}

/// Number the vertices in the order of the points, start every face at its lowest vertex, sort the faces.
Polyhedron ordered_polyhedron(std::span<const Vec3> points, std::vector<Polygon> polygons, int surface_id) {
  std::vector<int> number(points.size(), -1);
  for (const Polygon& polygon : polygons) {
    for (int v : polygon) number[v] = 0;
  }
  Polyhedron polyhedron;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (number[p] < 0) continue;
    number[p] = static_cast<int>(polyhedron.vertices.size());
    polyhedron.vertices.push_back(points[p]);
  }
  for (Polygon& polygon : polygons) {
    for (int& v : polygon) v = number[v];
    std::rotate(polygon.begin(), std::min_element(polygon.begin(), polygon.end()), polygon.end());
  }
  std::sort(polygons.begin(), polygons.end());
  for (const Polygon& polygon : polygons) add_face(polyhedron, polygon, surface_id);
  return polyhedron;
}

/// Build and judge the polyhedron qhull found: convex, closed, of Euler characteristic two, holding every point.
Polyhedron checked_hull(std::span<const Vec3> points, std::vector<Polygon> polygons, double size, int surface_id) {
  drop_edge_vertices(polygons, static_cast<int>(points.size()));
  for (const Polygon& polygon : polygons) {
    if (polygon.size() < 3) throw_input("HULL: a face has collapsed");
  }
  Polyhedron hull = ordered_polyhedron(points, std::move(polygons), surface_id);
  update_planes(hull, "HULL");
  check_convex(hull, size, "HULL");
  update_edges(hull, "HULL");
  if (static_cast<int>(hull.vertices.size()) - static_cast<int>(hull.edges.size()) + hull.faces() != 2) {
    throw_input("HULL: the surface is not that of a ball");
  }
  for (int f = 0; f < hull.faces(); ++f) {
    throw_if_stopped();
    for (const Vec3& p : points) {
      if (hull.face_normal[f].dot(p) - hull.face_offset[f] > kPlanar * size) throw_input("HULL: a point lies outside face {}", f);
    }
  }
  return hull;
}

}  // namespace

Shape make_hull(std::span<const Vec3> points, int volume_id, int surface_id) {
  if (points.size() < 4) throw_input("HULL: {} points given: at least 4 are needed", points.size());
  const double size = check_points("HULL", "point", points);

  // Drop repeated points, then bring the rest to unit size: qhull's options are lengths.
  const std::vector<int> first = coincident_points(points, kCoincident * size);
  std::vector<Vec3> kept;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (first[p] == static_cast<int>(p)) kept.push_back(points[p]);
  }
  if (kept.size() < 4) throw_input("HULL: only {} of the {} points differ: at least 4 are needed", kept.size(), points.size());
  check_spread(kept, size);
  Box box;
  for (const Vec3& p : kept) box.add(p);
  const Vec3 center = box.center();
  std::vector<Vec3> scaled(kept.size());
  for (std::size_t p = 0; p < kept.size(); ++p) scaled[p] = (kept[p] - center) / size;

  // Deviations of 1e-9 of the extent count as rounding: faces of noisy points merge. Then wider, then bare.
  std::string reason;
  for (const char* options : {"qhull Pp E1e-9", "qhull Pp E1e-7", "qhull Pp"}) {
    const std::shared_ptr<Qhull> run = run_qhull(scaled, options);
    if (run->status() != 0) {
      reason = run->message();
      continue;
    }
    try {
      return make_single({checked_hull(kept, run->polygons(), size, surface_id), volume_id, surface_id});
    } catch (const InputError& error) {
      reason = error.what();
    }
  }
  throw_input("HULL: no convex polyhedron found for {} points of extent {:g} m ({}): remove nearly coinciding or nearly flat points",
              points.size(), size, reason);
}

}  // namespace scree::geometry
