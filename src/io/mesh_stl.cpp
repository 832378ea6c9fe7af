/// STL surfaces: read, welded, checked to be closed, filled with tetrahedra by an installed mesher.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "geometry/checks.hpp"
#include "io/mesh_collector.hpp"
#include "io/mesh_formats.hpp"
#include "io/mesh_reader.hpp"

extern char** environ;

namespace scree::io {

namespace {

namespace fs = std::filesystem;

struct StlSurface {
  std::vector<Vec3> points;                   ///< three a triangle until welded
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> solid;                     ///< of each triangle
};

void read_text(MeshText& text, StlSurface& surface) {
  int solids = 0;
  while (!text.at_end()) {
    const std::string_view word = text.word();
    if (word.empty()) break;
    if (word == "solid") {
      ++solids;
      text.next_line();
    } else if (word == "vertex") {
      Vec3 x;
      for (int i = 0; i < 3; ++i) x[i] = text.real("a coordinate");
      surface.points.push_back(x);
    } else if (word == "endfacet") {
      const std::size_t count = surface.points.size();
      if (count != 3 * (surface.triangles.size() + 1)) text.fail("a facet has not three vertices: the file is damaged");
      surface.triangles.push_back({static_cast<int>(count) - 3, static_cast<int>(count) - 2, static_cast<int>(count) - 1});
      surface.solid.push_back(std::max(0, solids - 1));
    } else if (word == "endsolid") {
      text.next_line();
    } else if (word == "facet") {
      text.next_line();
    } else if (word != "outer" && word != "loop" && word != "endloop") {
      text.fail("'{}' is not a word of an STL file: it is damaged", shown(word));
    }
  }
  if (surface.points.size() != 3 * surface.triangles.size()) text.fail("the file ends within a facet: it is truncated");
}

void read_binary(MeshText& text, StlSurface& surface) {
  for (int k = 0; k < 80; ++k) (void)text.binary<char>("the header");
  const std::uint32_t count = text.binary<std::uint32_t>("the number of triangles");
  text.check_count("the number of triangles", count, 50);
  for (std::uint32_t t = 0; t < count; ++t) {
    for (int k = 0; k < 3; ++k) (void)text.binary<float>("a normal");
    const int first = static_cast<int>(surface.points.size());
    for (int v = 0; v < 3; ++v) {
      Vec3 x;
      for (int i = 0; i < 3; ++i) x[i] = text.binary<float>("a coordinate");
      if (!is_finite(x)) text.fail("a vertex of triangle {} is not finite: the file is damaged", t);
      surface.points.push_back(x);
    }
    surface.triangles.push_back({first, first + 1, first + 2});
    surface.solid.push_back(0);
    (void)text.binary<std::uint16_t>("an attribute");
  }
}

/// Equal vertices become one; triangles without area vanish.
void weld(StlSurface& surface, const std::string& path) {
  if (surface.triangles.empty()) throw_file("{}: it holds no triangle", path);
  std::vector<int> first;
  try {
    const double size = geometry::check_points(path, "vertex", surface.points);
    first = geometry::coincident_points(surface.points, 1e-7 * size);
  } catch (const InputError& error) {
    throw_file("{}", error.what());
  }
  std::vector<int> number(surface.points.size(), -1);
  std::vector<Vec3> kept;
  const auto of = [&](int v) {
    int& n = number[first[v]];
    if (n < 0) n = static_cast<int>(kept.size()), kept.push_back(surface.points[first[v]]);
    return n;
  };
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> solid;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const std::array<int, 3> welded{of(surface.triangles[t][0]), of(surface.triangles[t][1]), of(surface.triangles[t][2])};
    if (welded[0] == welded[1] || welded[1] == welded[2] || welded[2] == welded[0]) continue;
    triangles.push_back(welded);
    solid.push_back(surface.solid[t]);
  }
  surface = {std::move(kept), std::move(triangles), std::move(solid)};
}

/// Every edge between two triangles that run along it in opposite directions.
void check_closed(const StlSurface& surface, const std::string& path) {
  std::map<std::array<int, 2>, int> balance, uses;
  for (const auto& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
      ++uses[{std::min(a, b), std::max(a, b)}];
    }
  }
  for (const auto& [edge, count] : uses) {
    const Vec3& x = surface.points[edge[0]];
    if (count != 2) throw_file("{}: {} triangles meet along the edge at {}: the surface is not closed; repair it (two triangles at every edge)", path, count, geometry::text(x));
    if (balance[edge] != 0) throw_file("{}: the triangles along the edge at {} are turned against each other: orient them all outwards", path, geometry::text(x));
  }
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "scree_stl_XXXXXX").string();
    if (!mkdtemp(name.data())) throw_file("{}: cannot make a temporary folder", name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

constexpr int kPatience = 600;  ///< s a mesher may take

/// Wait for a child; one that takes too long is ended.
bool finished_well(pid_t child) {
  int status = 0;
  for (int tick = 0; tick < 50 * kPatience; ++tick) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done != 0) return done == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    usleep(20'000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

/// Run a program quietly; false when it is not installed, fails or takes too long.
bool run(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 && finished_well(child);
}

void write_poly(const StlSurface& surface, const std::string& path) {
  std::ofstream out(path);
  out << fmt::format("{} 3 0 0\n", surface.points.size());
  for (std::size_t n = 0; n < surface.points.size(); ++n) out << fmt::format("{} {} {} {}\n", n, surface.points[n].x(), surface.points[n].y(), surface.points[n].z());
  out << fmt::format("{} 1\n", surface.triangles.size());
  // Marker 0 means none to tetgen.
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    out << fmt::format("1 0 {}\n3 {} {} {}\n", surface.solid[t] + 1, surface.triangles[t][0], surface.triangles[t][1], surface.triangles[t][2]);
  }
  out << "0\n0\n";
}

geometry::Mesh read_tetgen(const Folder& folder, const std::string& path) {
  MeshCollector mesh;
  MeshText nodes(folder.file("shape.1.node")), elements(folder.file("shape.1.ele")), faces(folder.file("shape.1.face"));
  const std::size_t node_count = nodes.count("the number of nodes");
  nodes.next_line();
  for (std::size_t n = 0; n < node_count; ++n) {
    const std::int64_t number = nodes.integer("a node's number", 0, 1 << 30);
    Vec3 x;
    for (int i = 0; i < 3; ++i) x[i] = nodes.real("a coordinate");
    (void)mesh.add_node(number, x);
    nodes.next_line();
  }
  const std::size_t element_count = elements.count("the number of elements");
  elements.next_line();
  for (std::size_t e = 0; e < element_count; ++e) {
    (void)elements.integer("an element's number", 0, 1 << 30);
    std::array<std::int64_t, 4> corner;
    for (auto& c : corner) c = elements.integer("a node's number", 0, 1 << 30);
    mesh.add_element(corner, 0);
    elements.next_line();
  }
  const std::size_t face_count = faces.count("the number of faces");
  faces.next_line();
  for (std::size_t f = 0; f < face_count; ++f) {
    (void)faces.integer("a face's number", 0, 1 << 30);
    std::array<std::int64_t, 3> corner;
    for (auto& c : corner) c = faces.integer("a node's number", 0, 1 << 30);
    const std::int64_t marker = faces.integer("a marker", -1, 1 << 30);
    if (marker > 1) mesh.add_face(corner, static_cast<int>(marker) - 1);
    faces.next_line();
  }
  return mesh.finish(path);
}

/// The welded surface for Gmsh, whose STL reader wants single precision and no solids.
void write_stl(const StlSurface& surface, const std::string& path) {
  std::ofstream out(path);
  out << "solid shape\n";
  for (const auto& t : surface.triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (int v : t) out << fmt::format("vertex {} {} {}\n", surface.points[v].x(), surface.points[v].y(), surface.points[v].z());
    out << "endloop\nendfacet\n";
  }
  out << "endsolid shape\n";
}

}  // namespace

geometry::Mesh read_stl(MeshText& text) {
  StlSurface surface;
  // Binary files may start with the word as well: their length tells.
  const std::string_view all = text.all();
  std::uint32_t count = 0;
  if (all.size() >= 84) std::memcpy(&count, all.data() + 80, 4);
  const bool binary = all.size() >= 84 && all.size() == 84 + std::uint64_t{50} * count;
  if (!binary && trimmed(all.substr(0, 100)).substr(0, 5) != "solid") text.fail("it is neither a text STL (which starts with 'solid') nor a binary one of {} triangles: it is truncated or damaged", count);
  binary ? read_binary(text, surface) : read_text(text, surface);
  weld(surface, text.path());
  check_closed(surface, text.path());
  const Folder folder;
  write_poly(surface, folder.file("shape.poly"));
  if (run({"tetgen", "-pq1.414Q", folder.file("shape.poly")}) && fs::exists(folder.file("shape.1.ele"))) return read_tetgen(folder, text.path());
  write_stl(surface, folder.file("shape.stl"));
  std::ofstream(folder.file("shape.geo")) << "Merge \"shape.stl\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n";
  if (run({"gmsh", "-3", "-format", "msh22", "-o", folder.file("shape.msh"), folder.file("shape.geo")}) && fs::exists(folder.file("shape.msh"))) return read_mesh(folder.file("shape.msh"));
  throw_file("{}: the surface is closed, but no installed program filled it with tetrahedra: install tetgen or gmsh (apt-get install tetgen), "
             "or check that the surface does not cross itself", text.path());
}

}  // namespace scree::io
