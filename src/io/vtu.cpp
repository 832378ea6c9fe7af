#include "io/vtu.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/world_surface.hpp"

namespace scree::io {
namespace {

enum CellType : std::uint8_t { kVertex = 1, kPolygon = 7 };

// An unstructured grid with raw appended arrays.
class Grid {
 public:
  Grid(std::size_t points, std::size_t cells) : points_(points), cells_(cells) {}

  template <class Value>
  void add(std::string& section, const char* name, const char* type, int components, const std::vector<Value>& values) {
    section += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type, name, components, raw_.size());
    const std::uint64_t bytes = values.size() * sizeof(Value);
    raw_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    raw_.append(reinterpret_cast<const char*>(values.data()), bytes);
  }
  void set_points(const std::vector<double>& xyz) { add(geometry_, "Points", "Float64", 3, xyz); }
  void set_cells(const std::vector<std::int32_t>& corners, const std::vector<std::int64_t>& ends, const std::vector<std::uint8_t>& types) {
    add(topology_, "connectivity", "Int32", 1, corners);
    add(topology_, "offsets", "Int64", 1, ends);
    add(topology_, "types", "UInt8", 1, types);
  }
  void point_data(const char* name, int components, const std::vector<double>& values) { add(point_data_, name, "Float64", components, values); }
  void point_data(const char* name, int components, const std::vector<float>& values) { add(point_data_, name, "Float32", components, values); }
  void point_data(const char* name, int components, const std::vector<std::int32_t>& values) { add(point_data_, name, "Int32", components, values); }
  void point_data(const char* name, int components, const std::vector<std::uint8_t>& values) { add(point_data_, name, "UInt8", components, values); }
  /// The columns of a group of a frame that go into VTU files.
  void columns(const Frame& frame, std::string_view group) {
    Frame::each_column([&](const FrameColumn& column, auto member) {
      if (column.group == group && column.vtu) point_data(column.vtu, column.width, frame.*member);
    });
  }
  void cell_integers(const char* name, const std::vector<std::int32_t>& values) { add(cell_data_, name, "Int32", 1, values); }

  void save(const std::string& path) const {
    AtomicFile target(path);
    {
      std::ofstream out(target.temporary(), std::ios::binary);
      out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
          << fmt::format("<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", points_, cells_) << "<PointData>\n" << point_data_
          << "</PointData>\n<CellData>\n" << cell_data_ << "</CellData>\n<Points>\n" << geometry_ << "</Points>\n<Cells>\n" << topology_
          << "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
      out.write(raw_.data(), static_cast<std::streamsize>(raw_.size()));
      out << "\n</AppendedData>\n</VTKFile>\n";
      if (!out.flush()) throw_file("{}: cannot write; is the disk full?", path);
    }
    target.commit(false);
  }

 private:
  std::size_t points_, cells_;
  std::string point_data_, cell_data_, geometry_, topology_, raw_;
};

Grid surface_grid(const WorldSurface& surface) {
  Grid grid(surface.points.size() / 3, surface.polygons());
  grid.point_data("velocity", 3, surface.velocity);
  grid.point_data("mises", 1, surface.mises);
  grid.cell_integers("body", surface.body);
  grid.cell_integers("surface", surface.surface);
  grid.set_points(surface.points);
  grid.set_cells(surface.corners, surface.end, std::vector<std::uint8_t>(surface.polygons(), kPolygon));
  return grid;
}

void set_vertices(Grid& grid, const std::vector<double>& positions) {
  const std::size_t n = positions.size() / 3;
  std::vector<std::int32_t> corners(n);
  std::vector<std::int64_t> ends(n);
  for (std::size_t k = 0; k < n; ++k) {
    corners[k] = static_cast<std::int32_t>(k);
    ends[k] = static_cast<std::int64_t>(k) + 1;
  }
  grid.set_points(positions);
  grid.set_cells(corners, ends, std::vector<std::uint8_t>(n, kVertex));
}

Grid body_grid(const ResultsReader& results, const Frame& frame) {
  std::vector<double> radius;
  for (const std::int32_t row : frame.body) radius.push_back(results.bodies()[row].radius);
  Grid grid(frame.bodies(), frame.bodies());
  grid.point_data("radius", 1, radius);
  grid.columns(frame, "motion");
  set_vertices(grid, frame.position);
  return grid;
}

Grid contact_grid(const Frame& frame) {
  Grid grid(frame.contacts(), frame.contacts());
  grid.columns(frame, "contacts");
  grid.point_data("force", 3, contact_forces(frame));
  set_vertices(grid, frame.point);
  return grid;
}

// Files of one kind in time.
class Series {
 public:
  Series(std::string folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}

  void add(const Grid& grid, std::int64_t frame, double time) {
    const std::string file = fmt::format("{}_{:06d}.vtu", name_, frame);
    grid.save(folder_ + "/" + file);
    entries_ += fmt::format("<DataSet timestep=\"{:.17g}\" part=\"0\" file=\"{}\"/>\n", time, file);
  }
  void save() const {
    AtomicFile target(folder_ + "/" + name_ + ".pvd");
    {
      std::ofstream out(target.temporary(), std::ios::binary);
      out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n" << entries_ << "</Collection>\n</VTKFile>\n";
      if (!out.flush()) throw_file("{}/{}.pvd: cannot write; is the disk full?", folder_, name_);
    }
    target.commit(false);
  }

 private:
  std::string folder_, name_, entries_;
};

}  // namespace

void export_vtu(const ResultsReader& results, const std::string& folder, const Selection& selection) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_file("{}: cannot make this folder: {}", folder, error.message());
  Series surfaces(folder, "surfaces"), bodies(folder, "bodies"), contacts(folder, "contacts");
  for (const std::int64_t k : selected_frames(results, selection)) {
    const Frame frame = selected_frame(results, k, selection);
    surfaces.add(surface_grid(world_surface(results, frame, selection.spheres)), k, frame.time);
    bodies.add(body_grid(results, frame), k, frame.time);
    contacts.add(contact_grid(frame), k, frame.time);
  }
  for (const Series* series : {&surfaces, &bodies, &contacts}) series->save();
}

}  // namespace scree::io
