/// Nodes, elements and faces as files list them, turned into a sound mesh.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "geometry/shape.hpp"

namespace scree::io {

class MeshCollector {
 public:
  /// A node under the number the file gives it. False when the number is taken.
  bool add_node(std::int64_t number, const Vec3& place);
  /// An element by the numbers of its corners: 4, 5, 6 or 8.
  void add_element(std::span<const std::int64_t> corners, int volume);
  /// A face by the numbers of its corners: 3 or 4.
  void add_face(std::span<const std::int64_t> corners, int surface);

  [[nodiscard]] std::size_t elements() const { return volume_.size(); }
  /// The mesh: unused nodes dropped, elements turned outside out, faces kept where they are on the boundary (the first of equal ones counts).
  /// FileError naming the file when a node is missing or the mesh is unsound.
  [[nodiscard]] geometry::Mesh finish(const std::string& path) const;

 private:
  struct Face {
    std::int64_t corner[4];
    int size, surface;
  };
  std::unordered_map<std::int64_t, int> index_;
  std::vector<Vec3> places_;
  std::vector<std::int64_t> corners_;
  std::vector<std::size_t> start_{0};
  std::vector<int> volume_;
  std::vector<Face> faces_;
};

}  // namespace scree::io
