/// VTK unstructured grids: arrays as text, base64 or raw appended bytes, plain or zlib-compressed.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <vector>

#include "io/mesh_collector.hpp"
#include "io/mesh_formats.hpp"
#include "io/read_budget.hpp"

namespace scree::io {

namespace {

constexpr std::uint64_t kRatio = 1100;  ///< zlib cannot pack more bytes into one
constexpr const char* kIdNames[] = {"volume", "gmsh:physical", "CellEntityIds", "material"};  ///< of cell arrays that may hold ids, the best first

struct Array {
  std::string type;
  int components = 1;
  std::string bytes;            ///< of binary arrays
  std::vector<double> numbers;  ///< of text arrays
  bool text = false;
};

int size_of(const std::string& type) {
  static const std::map<std::string, int> sizes{{"Int8", 1}, {"UInt8", 1}, {"Int16", 2}, {"UInt16", 2}, {"Int32", 4}, {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}, {"Float32", 4}, {"Float64", 8}};
  const auto found = sizes.find(type);
  return found == sizes.end() ? 0 : found->second;
}

template <class Value>
void widen(const std::string& bytes, std::vector<double>& out) {
  out.resize(bytes.size() / sizeof(Value));
  for (std::size_t k = 0; k < out.size(); ++k) {
    Value value;
    std::memcpy(&value, bytes.data() + k * sizeof(Value), sizeof(Value));
    out[k] = static_cast<double>(value);
  }
}

class Vtu {
 public:
  explicit Vtu(MeshText& text) : text_(text), all_(text.all()) {}
  geometry::Mesh read();

 private:
  [[nodiscard]] std::string head();
  void check_head(const pugi::xml_node& file);
  void data_array(const pugi::xml_node& node, const std::string& name);
  void piece(const pugi::xml_node& node);
  std::string decode(std::string_view encoded, std::size_t& used) const;
  std::string unpack(std::string_view raw, bool base64);
  void charge(std::uint64_t bytes);
  std::vector<std::uint64_t> header(std::string_view raw, bool base64, std::size_t words, std::size_t& used) const;
  std::vector<double> numbers(const std::string& name, bool needed);
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw FileError(fmt::format("{}: {}", text_.path(), fmt::format(format, std::forward<Args>(args)...)));
  }

  MeshText& text_;
  std::string_view all_;
  bool wide_ = false, compressed_ = false, appended_base64_ = true;
  std::size_t appended_ = std::string_view::npos;  ///< first byte after the underscore
  std::map<std::string, Array> arrays_;            ///< of the piece at hand
  std::int64_t points_before_ = 0;
  std::uint64_t unpacked_ = 0;                     ///< bytes of all arrays so far
  MeshCollector mesh_;
};

/// Base64 up to its padding; `used` counts the characters read.
std::string Vtu::decode(std::string_view encoded, std::size_t& used) const {
  const auto value = [](char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::string out;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (used = 0; used < encoded.size(); ++used) {
    const int v = value(encoded[used]);
    if (v < 0) break;
    buffer = (buffer << 6 | static_cast<std::uint32_t>(v)) & 0xffffff;
    bits += 6;
    if (bits >= 8) bits -= 8, out += static_cast<char>(buffer >> bits & 0xff);
  }
  while (used < encoded.size() && encoded[used] == '=') ++used;
  return out;
}

/// The leading words of a binary block; `used` counts the bytes or characters read.
std::vector<std::uint64_t> Vtu::header(std::string_view raw, bool base64, std::size_t words, std::size_t& used) const {
  const std::size_t width = wide_ ? 8 : 4, bytes = words * width;
  std::string plain;
  if (base64) {
    std::size_t unused = 0;
    const std::size_t characters = (bytes + 2) / 3 * 4;
    if (raw.size() < characters) fail("a binary array ends within its header: the file is truncated");
    plain = decode(raw.substr(0, characters), unused);
    used = characters;
  } else {
    plain = std::string(raw.substr(0, bytes));
    used = bytes;
  }
  if (plain.size() < bytes) fail("a binary array ends within its header: the file is truncated");
  std::vector<std::uint64_t> values(words);
  for (std::size_t k = 0; k < words; ++k) {
    if (wide_) {
      std::memcpy(&values[k], plain.data() + 8 * k, 8);
    } else {
      std::uint32_t narrow;
      std::memcpy(&narrow, plain.data() + 4 * k, 4);
      values[k] = narrow;
    }
  }
  return values;
}

/// Count bytes about to be unpacked: arrays may share what is packed, so the limit is one for the whole file.
void Vtu::charge(std::uint64_t bytes) {
  unpacked_ += bytes;
  if (unpacked_ > most_bytes(all_.size())) fail("its arrays unpack to more than {} MB, far more than a file of this size holds: it is damaged or was made to harm", most_bytes(all_.size()) >> 20);
}

/// The bytes of a binary array that starts at `raw`.
std::string Vtu::unpack(std::string_view raw, bool base64) {
  std::size_t used = 0;
  const std::uint64_t first = header(raw, base64, 1, used)[0];
  if (!compressed_) {
    // Length and data are one block: in base64 the length is decoded with the data.
    const std::size_t width = wide_ ? 8 : 4;
    if (first > all_.size()) fail("an array announces {} bytes, more than the file has: it is damaged", first);
    charge(first);
    if (!base64) {
      if (raw.size() < width + first) fail("an array ends after {} of {} bytes: the file is truncated", raw.size() - width, first);
      return std::string(raw.substr(width, first));
    }
    const std::string plain = decode(raw.substr(0, (width + first + 2) / 3 * 4), used);
    if (plain.size() < width + first) fail("an array has {} of {} bytes: the file is truncated", plain.size(), width + first);
    return plain.substr(width, first);
  }
  if (first > all_.size()) fail("an array announces {} compressed blocks: the file is damaged", first);
  if (first == 0) return {};
  const auto sizes = header(raw, base64, 3 + first, used);
  const std::uint64_t block = sizes[1], last = sizes[2];
  std::uint64_t packed = 0;
  for (std::uint64_t k = 0; k < first; ++k) packed += std::min<std::uint64_t>(sizes[3 + k], all_.size() + 1);
  if (packed > all_.size() || block > kRatio * all_.size() || last > block || first * block > kRatio * all_.size()) fail("a compressed array announces more bytes than the file can hold: it is damaged");
  charge(first * block);
  std::string data;
  if (base64) {
    std::size_t unused = 0;
    data = decode(raw.substr(used, (packed + 2) / 3 * 4), unused);
  } else {
    data = std::string(raw.substr(std::min(used, raw.size()), packed));
  }
  if (data.size() < packed) fail("a compressed array ends after {} of {} bytes: the file is truncated", data.size(), packed);
  std::string plain;
  std::size_t at = 0;
  for (std::uint64_t k = 0; k < first; ++k) {
    const std::uint64_t size = k + 1 == first && last > 0 ? last : block;
    const std::size_t before = plain.size();
    plain.resize(before + size);
    uLongf length = static_cast<uLongf>(size);
    if (uncompress(reinterpret_cast<Bytef*>(plain.data() + before), &length, reinterpret_cast<const Bytef*>(data.data() + at), static_cast<uLong>(sizes[3 + k])) != Z_OK || length != size) {
      fail("a compressed array does not unpack: the file is damaged, write it again");
    }
    at += sizes[3 + k];
  }
  return plain;
}

void Vtu::data_array(const pugi::xml_node& node, const std::string& name) {
  Array array;
  array.type = node.attribute("type").value();
  const std::string format = node.attribute("format").value(), columns = node.attribute("NumberOfComponents").value(), place = node.attribute("offset").value();
  std::int64_t components = 1;
  if (!columns.empty() && (!parse(columns, components) || components < 0 || components > 1000)) {
    fail("array '{}' has '{}' components: the file is damaged", shown(name), shown(columns));
  }
  array.components = static_cast<int>(components);
  const int width = size_of(array.type);
  const std::string_view content = node.child_value();
  if (width == 0) return;  // text arrays and the like hold nothing a mesh needs
  if (format == "ascii") {
    array.text = true;
    for (std::string_view rest = trimmed(content); !rest.empty();) {
      const std::size_t length = std::min(rest.find_first_of(" \t\r\n"), rest.size());
      double value = 0.0;
      if (!parse(rest.substr(0, length), value)) fail("'{}' in array '{}' is not a number", shown(rest.substr(0, length)), shown(name));
      array.numbers.push_back(value);
      rest = trimmed(rest.substr(length));
    }
  } else if (format == "binary") {
    array.bytes = unpack(trimmed(content), true);
  } else if (format == "appended") {
    std::int64_t offset = 0;
    if (appended_ == std::string_view::npos || !parse(place, offset) || offset < 0 || static_cast<std::size_t>(offset) >= all_.size() - appended_) {
      fail("array '{}' is appended at '{}', where there is nothing: the file is truncated", shown(name), shown(place));
    }
    array.bytes = unpack(all_.substr(appended_ + static_cast<std::size_t>(offset)), appended_base64_);
  } else {
    fail("array '{}' has the format '{}': ascii, binary and appended are read", shown(name), shown(format));
  }
  arrays_[name] = std::move(array);
}

std::vector<double> Vtu::numbers(const std::string& name, bool needed) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) {
    if (needed) fail("the array '{}' is missing: it is not an unstructured grid", name);
    return {};
  }
  Array& array = found->second;
  if (array.text) return std::move(array.numbers);
  if (array.bytes.size() % static_cast<std::size_t>(size_of(array.type)) != 0) fail("array '{}' ends within a number: the file is damaged", name);
  std::vector<double> out;
  if (array.type == "Int8") widen<std::int8_t>(array.bytes, out);
  else if (array.type == "UInt8") widen<std::uint8_t>(array.bytes, out);
  else if (array.type == "Int16") widen<std::int16_t>(array.bytes, out);
  else if (array.type == "UInt16") widen<std::uint16_t>(array.bytes, out);
  else if (array.type == "Int32") widen<std::int32_t>(array.bytes, out);
  else if (array.type == "UInt32") widen<std::uint32_t>(array.bytes, out);
  else if (array.type == "Int64") widen<std::int64_t>(array.bytes, out);
  else if (array.type == "UInt64") widen<std::uint64_t>(array.bytes, out);
  else if (array.type == "Float32") widen<float>(array.bytes, out);
  else widen<double>(array.bytes, out);
  return out;
}

/// Corners of a cell type; nodes of it are at least as many. Negative: a face. 0: neither.
int corners_of(int type) {
  switch (type) {
    case 10: case 24: return 4;
    case 14: case 27: return 5;
    case 13: case 26: return 6;
    case 12: case 25: case 29: return 8;
    case 5: case 22: return -3;
    case 9: case 23: case 28: return -4;
    default: return 0;
  }
}

void Vtu::piece(const pugi::xml_node& node) {
  arrays_.clear();
  // The points' array may have any name: it is the one inside <Points>.
  if (const pugi::xml_node points = node.child("Points").child("DataArray")) data_array(points, "Points");
  for (const pugi::xml_node& array : node.child("Cells").children("DataArray")) {
    const std::string name = array.attribute("Name").value();
    if (name == "connectivity" || name == "offsets" || name == "types") data_array(array, name);
  }
  // Of the cells' arrays only the one with ids.
  for (const char* name : kIdNames) {
    const pugi::xml_node ids = node.child("CellData").find_child_by_attribute("DataArray", "Name", name);
    if (!ids) continue;
    data_array(ids, name);
    break;
  }
  const std::vector<double> points = numbers("Points", true), connectivity = numbers("connectivity", true), offsets = numbers("offsets", true), types = numbers("types", true);
  if (points.size() % 3 != 0 || offsets.size() != types.size()) fail("the arrays Points, offsets and types do not fit together: the file is damaged");
  std::vector<double> ids;
  for (const char* name : kIdNames) {
    if (ids.empty()) ids = numbers(name, false);
  }
  if (!ids.empty() && ids.size() != types.size()) fail("the cell array of ids has {} values for {} cells: the file is damaged", ids.size(), types.size());
  for (std::size_t k = 0; k < points.size() / 3; ++k) {
    const Vec3 x(points[3 * k], points[3 * k + 1], points[3 * k + 2]);
    if (!is_finite(x)) fail("point {} is not finite", k);
    (void)mesh_.add_node(points_before_ + static_cast<std::int64_t>(k), x);
  }
  std::vector<std::int64_t> list;
  double start = 0.0;
  for (std::size_t c = 0; c < types.size(); ++c) {
    const int type = static_cast<int>(types[c]);
    if (!(offsets[c] >= start && offsets[c] <= static_cast<double>(connectivity.size()))) fail("the offset of cell {} is {}: the file is damaged", c, offsets[c]);
    const std::size_t first = static_cast<std::size_t>(start), size = static_cast<std::size_t>(offsets[c]) - first;
    start = offsets[c];
    const int corners = corners_of(type);
    if (type == 11 || type == 42) fail("cell {} is a {}: convert it to hexahedra or tetrahedra first", c, type == 11 ? "voxel" : "polyhedron");
    if (corners == 0) continue;
    if (size < static_cast<std::size_t>(std::abs(corners))) fail("cell {} of type {} has {} points: the file is damaged", c, type, size);
    list.clear();
    for (int k = 0; k < std::abs(corners); ++k) {
      const double n = connectivity[first + static_cast<std::size_t>(k)];
      if (!(n >= 0 && n < static_cast<double>(points.size() / 3))) fail("cell {} names point {}: 0 to {} exist", c, n, points.size() / 3);
      list.push_back(points_before_ + static_cast<std::int64_t>(n));
    }
    const double id = ids.empty() ? 0.0 : ids[c];
    if (!(std::abs(id) < 2e9)) fail("the id of cell {} is {}: it must fit an integer", c, id);
    if (corners > 0) mesh_.add_element(list, static_cast<int>(id));
    else if (id != 0.0) mesh_.add_face(list, static_cast<int>(id));
  }
  points_before_ += static_cast<std::int64_t>(points.size() / 3);
}

/// The part of the file that is XML. Appended bytes are not: the text ends with their tag, and `appended_` is where they begin.
std::string Vtu::head() {
  const std::size_t tag = all_.find("<AppendedData"), end = all_.find('>', tag);
  if (tag == std::string_view::npos || end == std::string_view::npos) return std::string(all_);
  const std::size_t mark = all_.find('_', end);
  if (mark != std::string_view::npos) appended_ = mark + 1;
  return std::string(all_.substr(0, end + 1)) + "</AppendedData></VTKFile>";
}

void Vtu::check_head(const pugi::xml_node& file) {
  if (!file) fail("there is no <VTKFile type=\"UnstructuredGrid\">: it is not a .vtu file");
  const std::string type = file.attribute("type").value(), compressor = file.attribute("compressor").value();
  if (type != "UnstructuredGrid") fail("it holds a '{}': an UnstructuredGrid is expected", shown(type));
  if (std::string_view(file.attribute("byte_order").value()) == "BigEndian") fail("its bytes are big-endian: write it on a little-endian machine or as ascii");
  wide_ = std::string_view(file.attribute("header_type").value()) == "UInt64";
  compressed_ = !compressor.empty();
  if (compressed_ && compressor != "vtkZLibDataCompressor") fail("the compressor '{}' is not read: use vtkZLibDataCompressor or none", shown(compressor));
  appended_base64_ = std::string_view(file.child("AppendedData").attribute("encoding").value()) != "raw";
}

geometry::Mesh Vtu::read() {
  const std::string text = head();
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  const pugi::xml_node file = document.child("VTKFile");
  check_head(file);
  if (!parsed) {
    const auto line = 1 + std::count(text.begin(), text.begin() + std::min<std::ptrdiff_t>(parsed.offset, static_cast<std::ptrdiff_t>(text.size())), '\n');
    throw FileError(fmt::format("{}:{}: {}: the file is damaged or truncated", text_.path(), line, parsed.description()));
  }
  for (const pugi::xml_node& node : file.child("UnstructuredGrid").children("Piece")) piece(node);
  return mesh_.finish(text_.path());
}

}  // namespace

geometry::Mesh read_vtu_mesh(MeshText& text) { return Vtu(text).read(); }

}  // namespace scree::io
