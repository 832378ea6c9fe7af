#include "io/xdmf.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/journal_driver.hpp"
#include "io/world_surface.hpp"

namespace scree::io {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

// One XDMF document with several collections in time.
class Document {
 public:
  void open_collection(const std::string& name) {
    text_ += fmt::format("<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", name);
  }
  void close_collection() { text_ += "</Grid>\n"; }
  void open_grid(const std::string& name, double time) {
    text_ += fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\"><Time Value=\"{:.17g}\"/>\n", name, time);
  }
  void close_grid() { text_ += "</Grid>\n"; }
  void add(const std::string& text) { text_ += text; }
  void attribute(const char* name, const char* type, const char* center, const std::string& item) {
    text_ += fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">{}</Attribute>\n", name, type, center, item);
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  void save(const std::string& path, const std::string& title) const {
    AtomicFile target(path);
    {
      std::ofstream out(target.temporary(), std::ios::binary);
      out << "<?xml version=\"1.0\" ?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n<Domain Name=\"" << escaped(title) << "\">\n"
          << text_ << "</Domain>\n</Xdmf>\n";
      if (!out.flush()) throw_file("{}: cannot write; is the disk full?", path);
    }
    target.commit(false);
  }

 private:
  std::string text_;
};

std::string dimensions(std::int64_t rows, int width) { return width == 1 ? fmt::format("{}", rows) : fmt::format("{} {}", rows, width); }

// Rows [first, first + count) of a column of the results file.
struct Slab {
  std::string file;
  std::int64_t first, count, total;

  [[nodiscard]] std::string item(const char* dataset, int width, const char* number, int precision) const {
    const std::string select = width == 1 ? fmt::format("{} 1 {}", first, count) : fmt::format("{} 0 1 1 {} {}", first, count, width);
    return fmt::format("<DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"{}\"><DataItem Dimensions=\"3 {}\" Format=\"XML\">{}</DataItem>"
                       "<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}\">{}:{}</DataItem></DataItem>",
                       dimensions(count, width), width == 1 ? 1 : 2, select, number, precision, dimensions(total, width), file, dataset);
  }
  [[nodiscard]] std::string reals(const char* dataset, int width) const { return item(dataset, width, "Float", 8); }
};

void add_points(Document& document, std::int64_t count, const std::string& positions) {
  document.add(fmt::format("<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" NodesPerElement=\"1\"/>\n"
                           "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n", count, positions));
}

// Heavy data of a full export: a numbered dataset each.
class Heavy {
 public:
  explicit Heavy(const std::string& path) : target_(path), name_(file_name(path)), file_(h5::create_journaled(target_.temporary())) {}

  std::string reals(std::span<const double> values, int width) {
    const std::string dataset = next();
    h5::write_reals(file_, dataset, values, width);
    return item(dataset, values.size(), width, "Float", 8);
  }
  std::string integers(std::span<const std::int32_t> values) {
    const std::string dataset = next();
    h5::write_integers(file_, dataset, values);
    return item(dataset, values.size(), 1, "Int", 4);
  }
  void save() {
    h5::commit(file_);
    file_ = {};
    target_.commit(false);
  }

 private:
  std::string next() { return fmt::format("d{}", count_++); }
  [[nodiscard]] std::string item(const std::string& dataset, std::size_t size, int width, const char* number, int precision) const {
    return fmt::format("<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}\">{}:/{}</DataItem>", number, precision,
                       dimensions(static_cast<std::int64_t>(size) / width, width), name_, dataset);
  }
  AtomicFile target_;
  std::string name_;
  h5::Node file_;
  int count_ = 0;
};

// XDMF's mixed topology: [3, n, n corners] for polygons, [4, ...] triangles, [5, ...] quadrilaterals.
std::vector<std::int32_t> mixed_topology(const WorldSurface& surface) {
  std::vector<std::int32_t> cells;
  std::int64_t first = 0;
  for (const std::int64_t end : surface.end) {
    const auto n = static_cast<std::int32_t>(end - first);
    if (n == 3 || n == 4) cells.push_back(n + 1);
    else cells.insert(cells.end(), {3, n});
    cells.insert(cells.end(), surface.corners.begin() + first, surface.corners.begin() + end);
    first = end;
  }
  return cells;
}

void add_surface(Document& document, Heavy& heavy, const WorldSurface& surface, double time) {
  document.open_grid("surfaces", time);
  const auto cells = mixed_topology(surface);
  document.add(fmt::format("<Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\">{}</Topology>\n<Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
                           surface.polygons(), heavy.integers(cells), heavy.reals(surface.points, 3)));
  document.attribute("velocity", "Vector", "Node", heavy.reals(surface.velocity, 3));
  document.attribute("mises", "Scalar", "Node", heavy.reals(surface.mises, 1));
  document.attribute("body", "Scalar", "Cell", heavy.integers(surface.body));
  document.attribute("surface", "Scalar", "Cell", heavy.integers(surface.surface));
  document.close_grid();
}

// Points with explicit connectivity, which every reader accepts.
void add_cloud(Document& document, Heavy& heavy, std::span<const double> positions) {
  std::vector<std::int32_t> order(positions.size() / 3);
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int32_t>(k);
  document.add(fmt::format("<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" NodesPerElement=\"1\">{}</Topology>\n"
                           "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n", order.size(), heavy.integers(order), heavy.reals(positions, 3)));
}

void add_bodies(Document& document, Heavy& heavy, const ResultsReader& results, const Frame& frame) {
  std::vector<double> radius;
  for (const std::int32_t row : frame.body) radius.push_back(results.bodies()[row].radius);
  document.open_grid("bodies", frame.time);
  add_cloud(document, heavy, frame.position);
  document.attribute("body", "Scalar", "Node", heavy.integers(frame.body));
  document.attribute("radius", "Scalar", "Node", heavy.reals(radius, 1));
  document.attribute("velocity", "Vector", "Node", heavy.reals(frame.velocity, 3));
  document.attribute("angular", "Vector", "Node", heavy.reals(frame.angular, 3));
  document.attribute("rotation", "Tensor", "Node", heavy.reals(frame.rotation, 9));
  document.close_grid();
}

void add_contacts(Document& document, Heavy& heavy, const Frame& frame) {
  std::vector<double> normal;
  for (std::size_t c = 0; c < frame.contacts(); ++c) normal.insert(normal.end(), frame.axes.begin() + static_cast<std::ptrdiff_t>(9 * c), frame.axes.begin() + static_cast<std::ptrdiff_t>(9 * c + 3));
  document.open_grid("contacts", frame.time);
  add_cloud(document, heavy, frame.point);
  document.attribute("gap", "Scalar", "Node", heavy.reals(frame.gap, 1));
  document.attribute("normal", "Vector", "Node", heavy.reals(normal, 3));
  document.attribute("force", "Vector", "Node", heavy.reals(contact_forces(frame), 3));
  document.close_grid();
}

}  // namespace

void export_points(const ResultsReader& results, const std::string& path, const Selection& selection) {
  if (!selection.bodies.empty() || selection.spheres) throw_input("points describe the results where they are: all bodies, without shapes; 'xdmf' and 'vtu' choose");
  const std::vector<std::int64_t> frames = selected_frames(results, selection);
  if (frames.empty()) throw_input("{}: there is no frame to describe yet", results.path());
  const auto folder = std::filesystem::absolute(path).parent_path();
  const std::string heavy = std::filesystem::proximate(std::filesystem::absolute(results.path()), folder).string();
  const std::int64_t last = results.frames() - 1;
  const auto total = [&](ResultsReader::Range range) { return range.first + range.count; };
  const std::int64_t body_rows = total(results.body_range(last)), contact_rows = total(results.contact_range(last));
  Document document;
  document.open_collection("bodies");
  for (const std::int64_t k : frames) {
    const auto range = results.body_range(k);
    if (range.count == 0) continue;
    const Slab slab{heavy, range.first, range.count, body_rows};
    document.open_grid("bodies", results.time(k));
    add_points(document, range.count, slab.reals("/motion/position", 3));
    document.attribute("body", "Scalar", "Node", slab.item("/motion/body", 1, "Int", 4));
    document.attribute("radius", "Scalar", "Node", slab.item("/motion/radius", 1, "Float", 4));
    document.attribute("velocity", "Vector", "Node", slab.reals("/motion/velocity", 3));
    document.attribute("angular", "Vector", "Node", slab.reals("/motion/angular", 3));
    document.attribute("rotation", "Tensor", "Node", slab.reals("/motion/rotation", 9));
    document.close_grid();
  }
  document.close_collection();
  document.open_collection("contacts");
  for (const std::int64_t k : frames) {
    const auto range = results.contact_range(k);
    if (range.count == 0) continue;
    const Slab slab{heavy, range.first, range.count, contact_rows};
    document.open_grid("contacts", results.time(k));
    add_points(document, range.count, slab.reals("/contacts/point", 3));
    document.attribute("gap", "Scalar", "Node", slab.reals("/contacts/gap", 1));
    document.attribute("force (N, T1, T2)", "Vector", "Node", slab.reals("/contacts/force", 3));
    document.close_grid();
  }
  document.close_collection();
  document.save(path, results.info().title);
}

void export_xdmf(const ResultsReader& results, const std::string& path, const Selection& selection) {
  Heavy heavy(std::filesystem::path(path).replace_extension(".heavy.h5").string());
  Document surfaces, bodies, contacts;
  surfaces.open_collection("surfaces");
  bodies.open_collection("bodies");
  contacts.open_collection("contacts");
  for (const std::int64_t k : selected_frames(results, selection)) {
    const Frame frame = selected_frame(results, k, selection);
    const WorldSurface surface = world_surface(results, frame, selection.spheres);
    if (surface.polygons() > 0) add_surface(surfaces, heavy, surface, frame.time);
    if (frame.bodies() > 0) add_bodies(bodies, heavy, results, frame);
    if (frame.contacts() > 0) add_contacts(contacts, heavy, frame);
  }
  for (Document* document : {&surfaces, &bodies, &contacts}) document->close_collection();
  heavy.save();
  Document all;
  for (const Document* document : {&surfaces, &bodies, &contacts}) all.add(document->text());
  all.save(path, results.info().title);
}

}  // namespace scree::io
