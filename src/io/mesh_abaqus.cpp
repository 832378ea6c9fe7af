/// Abaqus input files: nodes, solid elements, element sets and surfaces of one part.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "io/mesh_collector.hpp"
#include "io/mesh_formats.hpp"

namespace scree::io {

namespace {

/// Faces S1, S2, ... by local corner.
using Face = std::vector<int>;
const std::vector<Face>& faces_of(std::size_t corners) {
  static const std::vector<Face> tetrahedron{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const std::vector<Face> pyramid{{0, 1, 2, 3}, {0, 4, 1}, {1, 4, 2}, {2, 4, 3}, {3, 4, 0}};
  static const std::vector<Face> wedge{{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
  static const std::vector<Face> hexahedron{{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
  return corners == 4 ? tetrahedron : corners == 5 ? pyramid : corners == 6 ? wedge : hexahedron;
}

std::string upper(std::string_view text) {
  std::string result(trimmed(text));
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> list;
  while (true) {
    const std::size_t comma = line.find(',');
    list.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    line.remove_prefix(comma + 1);
  }
  // A comma at the end of a line only says that it goes on.
  if (list.size() > 1 && list.back().empty()) list.pop_back();
  return list;
}

struct Element {
  std::vector<std::int64_t> corners;
  int volume = 0;
};

class Abaqus {
 public:
  explicit Abaqus(MeshText& text) : text_(text) {}
  geometry::Mesh read();

 private:
  void keyword(std::string_view line);
  void data(std::string_view line);
  void node(const std::vector<std::string_view>& list);
  void element(const std::vector<std::string_view>& list);
  void set(const std::vector<std::string_view>& list);
  void unmoved(const std::vector<std::string_view>& list) const;
  void surface(const std::vector<std::string_view>& list);
  void apply_surfaces();
  [[nodiscard]] std::string parameter(const std::string& name) const;
  std::int64_t integer(std::string_view field, const char* what) const {
    std::int64_t value = 0;
    if (!parse(field, value)) text_.fail("'{}' is not {}, a whole number", shown(field), what);
    return value;
  }

  enum class Section { none, node, element, set, surface, instance };
  MeshText& text_;
  Section section_ = Section::none;
  std::map<std::string, std::string> parameters_;
  std::size_t corners_ = 0, nodes_ = 0;      ///< of the element type at hand
  std::vector<std::int64_t> pending_;        ///< numbers of an element whose lines go on
  int volume_ = 0;
  std::map<std::int64_t, Element> elements_;
  std::map<std::string, std::vector<std::int64_t>> sets_;
  std::vector<std::string> volume_names_;
  struct SurfaceItem {
    std::string where;
    int side, surface;
    int line;
  };
  std::vector<SurfaceItem> surface_items_;
  int surfaces_ = 0, parts_ = 0, instances_ = 0;
  MeshCollector mesh_;
};

std::string Abaqus::parameter(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? "" : found->second;
}

/// Corners and nodes of a solid element type, zero when it is none.
std::pair<std::size_t, std::size_t> solid(const std::string& type) {
  for (const auto& [name, corners, nodes] : {std::tuple{"C3D20", 8, 20}, {"C3D15", 6, 15}, {"C3D13", 5, 13}, {"C3D10", 4, 10}, {"C3D8", 8, 8}, {"C3D6", 6, 6}, {"C3D5", 5, 5}, {"C3D4", 4, 4}}) {
    const std::string_view start(name);
    if (type.compare(0, start.size(), start) != 0) continue;
    // Letters after the number choose integration and formulation.
    if (type.size() == start.size() || !std::isdigit(static_cast<unsigned char>(type[start.size()]))) return {corners, nodes};
  }
  return {0, 0};
}

void Abaqus::keyword(std::string_view line) {
  if (!pending_.empty()) text_.fail("an element has {} nodes of {} when a keyword starts: its lines are cut off", pending_.size() - 1, nodes_);
  auto list = fields(line);
  const std::string name = upper(list[0]);
  parameters_.clear();
  for (std::size_t k = 1; k < list.size(); ++k) {
    const std::size_t equal = list[k].find('=');
    parameters_[upper(list[k].substr(0, equal))] = equal == std::string_view::npos ? "" : upper(list[k].substr(equal + 1));
  }
  section_ = Section::none;
  if (name == "*PART" && ++parts_ > 1) text_.fail("a second *PART starts: one part is read; export the assembly as one part or a file for each");
  if (name == "*INSTANCE" && ++instances_ > 1) text_.fail("a second *INSTANCE starts: one is read; export the assembly as one part or a file for each");
  if (name == "*INSTANCE") section_ = Section::instance;
  if (name == "*NODE") section_ = Section::node;
  if (name == "*ELEMENT") {
    const std::string type = parameter("TYPE");
    std::tie(corners_, nodes_) = solid(type);
    if (corners_ == 0) {
      if (type.rfind("C3D", 0) == 0) text_.fail("element type '{}' is not read: C3D4, C3D5, C3D6, C3D8, C3D10, C3D13, C3D15 and C3D20 are", shown(type));
      return;  // shells, beams and points carry no volume
    }
    section_ = Section::element;
    const std::string set_name = parameter("ELSET");
    const auto found = std::find(volume_names_.begin(), volume_names_.end(), set_name);
    volume_ = static_cast<int>(found - volume_names_.begin()) + 1;
    if (found == volume_names_.end()) volume_names_.push_back(set_name);
  }
  if (name == "*ELSET") section_ = Section::set;
  if (name == "*SURFACE" && (parameter("TYPE").empty() || parameter("TYPE") == "ELEMENT")) section_ = Section::surface, ++surfaces_;
}

void Abaqus::node(const std::vector<std::string_view>& list) {
  if (list.size() < 4) text_.fail("a node has {} fields: its number and three coordinates are expected", list.size());
  Vec3 x;
  for (int i = 0; i < 3; ++i) {
    if (!parse(list[1 + i], x[i])) text_.fail("'{}' is not a coordinate", shown(list[1 + i]));
  }
  if (!mesh_.add_node(integer(list[0], "a node's number"), x)) text_.fail("node {} is listed twice", shown(list[0]));
}

void Abaqus::element(const std::vector<std::string_view>& list) {
  for (const auto& field : list) pending_.push_back(integer(field, "a node's number"));
  if (pending_.size() > nodes_ + 1) text_.fail("element {} has {} nodes: its type has {}", pending_[0], pending_.size() - 1, nodes_);
  if (pending_.size() < nodes_ + 1) return;
  const std::int64_t number = pending_[0];
  Element item{{pending_.begin() + 1, pending_.begin() + 1 + static_cast<std::ptrdiff_t>(corners_)}, volume_};
  if (!elements_.emplace(number, std::move(item)).second) text_.fail("element {} is listed twice", number);
  if (!parameter("ELSET").empty()) sets_[parameter("ELSET")].push_back(number);
  pending_.clear();
}

/// Instances lie where their part is.
void Abaqus::unmoved(const std::vector<std::string_view>& list) const {
  for (const auto& field : list) {
    double value = 0.0;
    if (!parse(field, value) || value != 0.0) text_.fail("an *INSTANCE is moved by '{}': instances at the place of their part are read; move the part itself", shown(field));
  }
}

void Abaqus::set(const std::vector<std::string_view>& list) {
  auto& members = sets_[parameter("ELSET")];
  if (!parameters_.contains("GENERATE")) {
    for (const auto& field : list) {
      std::int64_t number = 0;
      if (parse(field, number)) {
        members.push_back(number);
        continue;
      }
      const auto other = sets_.find(upper(field));
      if (other == sets_.end()) text_.fail("element set '{}' is used before it is defined", shown(field));
      members.insert(members.end(), other->second.begin(), other->second.end());
      if (members.size() > 100'000'000) text_.fail("element set '{}' grows beyond any mesh", shown(parameter("ELSET")));
    }
    return;
  }
  if (list.size() < 2) text_.fail("a generated set needs first, last and step");
  const std::int64_t first = integer(list[0], "the first element"), last = integer(list[1], "the last element"), step = list.size() > 2 ? integer(list[2], "the step") : 1;
  if (step < 1 || last < first || (last - first) / step > 100'000'000) text_.fail("the set from {} to {} in steps of {} is not a range", first, last, step);
  for (std::int64_t k = first; k <= last; k += step) members.push_back(k);
}

void Abaqus::surface(const std::vector<std::string_view>& list) {
  if (list.size() < 2) return;  // free surfaces without a side: every face, which is the default id's business
  const std::string side = upper(list[1]);
  std::int64_t number = 0;
  if (side.size() != 2 || side[0] != 'S' || !parse(std::string_view(side).substr(1), number) || number < 1 || number > 6) {
    text_.fail("'{}' is not a face of a solid: S1 to S6 are", shown(list[1]));
  }
  surface_items_.push_back({upper(list[0]), static_cast<int>(number) - 1, surfaces_, text_.line() - 1});
}

void Abaqus::apply_surfaces() {
  const auto add = [&](std::int64_t number, const SurfaceItem& item) {
    const auto found = elements_.find(number);
    if (found == elements_.end()) return;  // a set may hold elements without volume
    const auto& faces = faces_of(found->second.corners.size());
    if (item.side >= static_cast<int>(faces.size())) throw_file("{}:{}: element {} has no face S{}", text_.path(), item.line, number, item.side + 1);
    std::vector<std::int64_t> nodes;
    for (int c : faces[item.side]) nodes.push_back(found->second.corners[c]);
    mesh_.add_face(nodes, item.surface);
  };
  for (const SurfaceItem& item : surface_items_) {
    std::int64_t number = 0;
    if (parse(item.where, number)) {
      add(number, item);
      continue;
    }
    const auto set = sets_.find(item.where);
    if (set == sets_.end()) throw_file("{}:{}: element set '{}' of a surface is not defined", text_.path(), item.line, shown(item.where));
    for (const std::int64_t member : set->second) add(member, item);
  }
}

void Abaqus::data(std::string_view line) {
  if (section_ == Section::none) return;
  const auto list = fields(line);
  switch (section_) {
    case Section::node: return node(list);
    case Section::element: return element(list);
    case Section::set: return set(list);
    case Section::instance: return unmoved(list);
    default: return surface(list);
  }
}

geometry::Mesh Abaqus::read() {
  while (!text_.at_end()) {
    const std::string_view line = trimmed(text_.next_line());
    if (line.empty() || line.substr(0, 2) == "**") continue;
    if (line.front() == '*') keyword(line);
    else data(line);
  }
  if (!pending_.empty()) text_.fail("the file ends within element {}: it is truncated", pending_[0]);
  for (const auto& [number, element] : elements_) mesh_.add_element(element.corners, element.volume);
  apply_surfaces();
  return mesh_.finish(text_.path());
}

}  // namespace

geometry::Mesh read_abaqus(MeshText& text) { return Abaqus(text).read(); }

}  // namespace scree::io
