/// Gmsh .msh files, versions 2.2 and 4.1, text and binary.
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "io/mesh_collector.hpp"
#include "io/mesh_formats.hpp"

namespace scree::io {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 31;

/// Nodes of an element type, and how many of them are corners of an element (4..8) or a face (3, 4); 0 corners: skipped.
struct Type {
  int nodes, corners;
  bool volume;
};

Type type_of(const MeshText& text, std::int64_t number) {
  switch (number) {
    case 1: case 8: case 26: return {number == 1 ? 2 : number == 8 ? 3 : 4, 0, false};
    case 15: return {1, 0, false};
    case 2: return {3, 3, false};
    case 3: return {4, 4, false};
    case 9: return {6, 3, false};
    case 10: return {9, 4, false};
    case 16: return {8, 4, false};
    case 4: return {4, 4, true};
    case 5: return {8, 8, true};
    case 6: return {6, 6, true};
    case 7: return {5, 5, true};
    case 11: return {10, 4, true};
    case 12: return {27, 8, true};
    case 13: return {18, 6, true};
    case 14: return {14, 5, true};
    case 17: return {20, 8, true};
    case 18: return {15, 6, true};
    case 19: return {13, 5, true};
    default: text.fail("element type {} is not read: tetrahedra, pyramids, wedges and hexahedra of first and second order are; export one of them", number);
  }
}

class Gmsh {
 public:
  explicit Gmsh(MeshText& text) : text_(text) {}
  geometry::Mesh read();

 private:
  void header();
  void entities();
  void nodes2();
  void nodes4();
  void elements2();
  void elements4();
  void add(const Type& type, std::span<const std::int64_t> list, int physical);
  void expect_end(std::string_view section);

  std::int64_t integer(const char* what) { return binary_ ? text_.binary<std::int32_t>(what) : text_.integer(what, -kMost, kMost); }
  std::int64_t tag(const char* what) { return binary_ ? checked(text_.binary<std::uint64_t>(what), what) : text_.integer(what, 0, std::int64_t{1} << 40); }
  double real(const char* what) {
    const double value = binary_ ? text_.binary<double>(what) : text_.real(what);
    if (!std::isfinite(value)) text_.fail("{} is not a finite number", what);
    return value;
  }
  std::size_t size(const char* what, std::size_t least) {
    const std::int64_t value = tag(what);
    text_.check_count(what, static_cast<std::uint64_t>(value), least);
    return static_cast<std::size_t>(value);
  }
  std::int64_t checked(std::uint64_t value, const char* what) {
    if (value > (std::uint64_t{1} << 40)) text_.fail("{} is {}: the file is damaged", what, value);
    return static_cast<std::int64_t>(value);
  }

  MeshText& text_;
  bool binary_ = false;
  bool four_ = false;
  std::map<std::pair<int, std::int64_t>, int> physical_;  ///< of entities by dimension and tag (4.1)
  MeshCollector mesh_;
};

void Gmsh::header() {
  const std::string version(text_.word());
  if (version != "2.2" && version != "4.1") text_.fail("format version '{}' is not read: save the mesh as 'msh2' (2.2) or 'msh4' (4.1)", shown(version));
  four_ = version == "4.1";
  binary_ = text_.integer("the file type", 0, 1) == 1;
  const std::int64_t bytes = text_.integer("the data size", 1, 8);
  if (bytes != 8) text_.fail("the data size is {}: 8 is read", bytes);
  text_.next_line();
  if (!binary_) return;
  if (text_.binary<std::int32_t>("the byte order mark") != 1) text_.fail("the binary data have the other byte order: save the mesh on a little-endian machine or as text");
}

/// Physical groups of surfaces and volumes.
void Gmsh::entities() {
  std::array<std::size_t, 4> counts;
  for (auto& c : counts) c = size("the number of entities", 4);
  for (int dimension = 0; dimension < 4; ++dimension) {
    for (std::size_t k = 0; k < counts[dimension]; ++k) {
      const std::int64_t number = integer("an entity's tag");
      for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) (void)real("an entity's bounds");
      const std::size_t groups = size("the number of physical groups", 2);
      for (std::size_t g = 0; g < groups; ++g) {
        const std::int64_t group = integer("a physical group");
        if (g == 0) physical_[{dimension, number}] = static_cast<int>(std::abs(group));
      }
      if (dimension == 0) continue;
      const std::size_t bounding = size("the number of bounding entities", 2);
      for (std::size_t b = 0; b < bounding; ++b) (void)integer("a bounding entity");
    }
  }
}

void Gmsh::nodes2() {
  const std::size_t count = text_.count("the number of nodes", 8);
  if (binary_) text_.next_line();
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t number = integer("a node's number");
    Vec3 x;
    for (int i = 0; i < 3; ++i) x[i] = real("a coordinate");
    if (!mesh_.add_node(number, x)) text_.fail("node {} is listed twice: the file is damaged", number);
  }
}

void Gmsh::nodes4() {
  const std::size_t blocks = size("the number of node blocks", 4);
  for (int i = 0; i < 3; ++i) (void)tag("a node count");
  std::vector<std::int64_t> numbers;
  for (std::size_t b = 0; b < blocks; ++b) {
    (void)integer("an entity's dimension");
    (void)integer("an entity's tag");
    if (integer("the parametric flag") != 0) text_.fail("nodes with parametric coordinates are not read: save the mesh without them");
    numbers.assign(size("the number of nodes in a block", 4), 0);
    for (auto& number : numbers) number = tag("a node's number");
    for (const std::int64_t number : numbers) {
      Vec3 x;
      for (int i = 0; i < 3; ++i) x[i] = real("a coordinate");
      if (!mesh_.add_node(number, x)) text_.fail("node {} is listed twice: the file is damaged", number);
    }
  }
}

void Gmsh::add(const Type& type, std::span<const std::int64_t> list, int physical) {
  if (type.corners == 0) return;
  const auto corners = list.first(static_cast<std::size_t>(type.corners));
  if (type.volume) mesh_.add_element(corners, physical);
  else if (physical != 0) mesh_.add_face(corners, physical);
}

void Gmsh::elements2() {
  const std::size_t count = text_.count("the number of elements", 6);
  if (binary_) text_.next_line();
  std::vector<std::int64_t> list;
  for (std::size_t read = 0; read < count;) {
    std::size_t block = 1;
    std::int64_t kind, tags;
    if (binary_) {
      kind = integer("an element type");
      const std::int64_t in_block = integer("the number of elements in a block");
      tags = integer("the number of tags");
      if (in_block < 1 || static_cast<std::size_t>(in_block) > count - read) text_.fail("a block announces {} elements of {} left: the file is damaged", in_block, count - read);
      block = static_cast<std::size_t>(in_block);
    } else {
      (void)integer("an element's number");
      kind = integer("an element type");
      tags = integer("the number of tags");
    }
    const Type type = type_of(text_, kind);
    if (tags < 0 || tags > 1000) text_.fail("an element has {} tags: the file is damaged", tags);
    for (std::size_t b = 0; b < block; ++b, ++read) {
      if (binary_) (void)integer("an element's number");
      int physical = 0;
      for (std::int64_t t = 0; t < tags; ++t) {
        const std::int64_t value = integer("a tag");
        if (t == 0) physical = static_cast<int>(std::abs(value));
      }
      list.assign(static_cast<std::size_t>(type.nodes), 0);
      for (auto& n : list) n = integer("a node's number");
      add(type, list, physical);
    }
  }
}

void Gmsh::elements4() {
  const std::size_t blocks = size("the number of element blocks", 4);
  for (int i = 0; i < 3; ++i) (void)tag("an element count");
  std::vector<std::int64_t> list;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::int64_t dimension = integer("an entity's dimension"), entity = integer("an entity's tag"), kind = integer("an element type");
    const Type type = type_of(text_, kind);
    const auto group = physical_.find({static_cast<int>(dimension), entity});
    const std::size_t count = size("the number of elements in a block", 4);
    for (std::size_t k = 0; k < count; ++k) {
      (void)tag("an element's number");
      list.assign(static_cast<std::size_t>(type.nodes), 0);
      for (auto& n : list) n = tag("a node's number");
      add(type, list, group == physical_.end() ? 0 : group->second);
    }
  }
}

void Gmsh::expect_end(std::string_view section) {
  const std::string_view word = text_.word();
  const std::string wanted = "$End" + std::string(section);
  if (word != wanted) text_.fail("'{}' is expected, '{}' found: the file is truncated or damaged", wanted, shown(word));
  text_.next_line();
}

geometry::Mesh Gmsh::read() {
  if (text_.word() != "$MeshFormat") text_.fail("the file does not start with $MeshFormat: it is not a Gmsh mesh");
  text_.next_line();
  header();
  expect_end("MeshFormat");
  while (!text_.at_end()) {
    const std::string_view line = trimmed(text_.next_line());
    if (line == "$Nodes" || line == "$Elements" || line == "$Entities") {
      if (line == "$Entities") entities();
      else if (line == "$Nodes") four_ ? nodes4() : nodes2();
      else four_ ? elements4() : elements2();
      expect_end(line.substr(1));
    }
  }
  return mesh_.finish(text_.path());
}

}  // namespace

geometry::Mesh read_gmsh(MeshText& text) { return Gmsh(text).read(); }

}  // namespace scree::io
