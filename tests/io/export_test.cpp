#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "core/error.hpp"
#include "core/rotation.hpp"
#include "io/csv.hpp"
#include "io/journal_driver.hpp"
#include "io/vtu.hpp"
#include "io/world_surface.hpp"
#include "io/xdmf.hpp"
#include "sample_results.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

std::string text_of(const std::string& path) {
  const auto bytes = read_bytes(path);
  return {bytes.begin(), bytes.end()};
}

// A cube turned by 90 degrees about z, a sphere and an ellipsoid; three frames.
void write_scene(const std::string& path) {
  ResultsInfo info;
  info.title = "cube & <sphere>";
  ResultsWriter writer(path, info);
  BodyRow row;
  row.radius = 0.5;
  row.shape = writer.add_shape(cube(Vec3::Zero(), 1.0), Vec3::Constant(0.5));
  row.label = "=cube, \"first\"";
  writer.add_body(row);
  row.id = 1;
  row.shape = writer.add_shape(geometry::make_sphere(Vec3::Zero(), 0.5, 1, 7), Vec3::Zero());
  writer.add_body(row);
  row.id = 2;
  row.shape = writer.add_shape(geometry::make_ellipsoid(Vec3::Zero(), Vec3(1, 2, 3), 1, 8), Vec3::Zero());
  writer.add_body(row);
  for (int k = 0; k < 3; ++k) {
    Frame frame = sample_frame(k, {0, 1, 2}, k);
    for (int b = 0; b < 3; ++b) {
      const double turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
      std::copy(turned, turned + 9, frame.rotation.begin() + 9 * b);
      for (int i = 0; i < 3; ++i) {
        frame.position[static_cast<std::size_t>(3 * b + i)] = 10.0 * b + i;
        frame.velocity[static_cast<std::size_t>(3 * b + i)] = i == 0 ? 1.0 : 0.0;
        frame.angular[static_cast<std::size_t>(3 * b + i)] = i == 2 ? 2.0 : 0.0;
      }
    }
    for (int c = 0; c < k; ++c) {
      const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
      std::copy(axes, axes + 9, frame.axes.begin() + 9 * c);
      const double force[3] = {3, 4, 5};
      std::copy(force, force + 3, frame.force.begin() + 3 * c);
    }
    StepRow step = sample_step(k);
    step.solve = 0.5;
    writer.add_step(step);
    writer.add_frame(frame);
  }
}

TEST(Export, SurfacesAreWhereTheBodiesAre) {
  TemporaryFolder folder;
  write_scene(folder.file("results.h5"));
  const ResultsReader reader(folder.file("results.h5"));
  const WorldSurface surface = world_surface(reader, reader.frame(2));
  Box box, ball;
  for (std::size_t p = 0; p < 8; ++p) {
    const Vec3 x(surface.points.data() + 3 * p), v(surface.velocity.data() + 3 * p);
    box.add(x);
    // v = (1,0,0) + 2 e_z x (x - x_c)
    EXPECT_NEAR((v - Vec3(1.0 - 2.0 * (x.y() - 1.0), 2.0 * x.x(), 0.0)).norm(), 0.0, 1e-14);
  }
  for (std::size_t p = 8; p < surface.points.size() / 3; ++p) ball.add(Vec3(surface.points.data() + 3 * p));
  EXPECT_NEAR((box.low - Vec3(-0.5, 0.5, 1.5)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((box.high - Vec3(0.5, 1.5, 2.5)).norm(), 0.0, 1e-14);
  // The ellipsoid's first two radii change places; its poles and equator carry points.
  EXPECT_NEAR((ball.high - ball.low - Vec3(4, 2, 6)).norm(), 0.0, 1e-12);
  EXPECT_EQ(surface.body.front(), 0);
  EXPECT_EQ(surface.body.back(), 2);
  // Spheres appear only when asked for.
  EXPECT_GT(world_surface(reader, reader.frame(2), true).polygons(), surface.polygons());
  // Every polygon looks outward.
  std::int64_t first = 0;
  for (std::size_t f = 0; f < surface.polygons(); ++f) {
    const auto corner = [&](std::int64_t k) { return Vec3(surface.points.data() + 3 * surface.corners[static_cast<std::size_t>(first + k)]); };
    const Vec3 center = surface.body[f] == 0 ? Vec3(0, 1, 2) : Vec3(20, 21, 22);
    EXPECT_GT((corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(corner(0) - center), 0.0) << f;
    first = surface.end[f];
  }
}

TEST(Export, ContactForcesAreInGlobalAxes) {
  TemporaryFolder folder;
  write_scene(folder.file("results.h5"));
  const ResultsReader reader(folder.file("results.h5"));
  EXPECT_EQ(contact_forces(reader.frame(1)), (std::vector<double>{4, 5, 3}));
}

// Every HDF item of an XDMF file must exist with the size it states, and every slab must lie inside.
void check_items(const std::string& folder, const std::string& xdmf) {
  const std::string text = text_of(folder + "/" + xdmf);
  const std::regex item("Format=\"HDF\"[^>]*Dimensions=\"(\\d+)(?: (\\d+))?\">([^:<]+):/([^<]+)<");
  int count = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), item); match != std::sregex_iterator(); ++match, ++count) {
    h5::Node node = h5::open_file(folder + "/" + (*match)[3].str());
    std::string path = (*match)[4];
    if (const auto slash = path.find('/'); slash != std::string::npos) {
      node = h5::open_group(node, path.substr(0, slash));
      path = path.substr(slash + 1);
    }
    const h5::Dataset data = h5::open_dataset(node, path);
    ASSERT_EQ(data.extent.size(), (*match)[2].matched ? 2u : 1u) << path;
    EXPECT_EQ(data.extent[0], std::stoull((*match)[1])) << path;
    if ((*match)[2].matched) {
      EXPECT_EQ(data.extent[1], std::stoull((*match)[2])) << path;
    }
  }
  EXPECT_GT(count, 10);
  const std::regex slab("Format=\"XML\">(\\d+) 0 1 1 (\\d+) (\\d+)</DataItem><DataItem[^>]*Dimensions=\"(\\d+) (\\d+)\"");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), slab); match != std::sregex_iterator(); ++match) {
    EXPECT_LE(std::stoi((*match)[1]) + std::stoi((*match)[2]), std::stoi((*match)[4]));
    EXPECT_EQ((*match)[3], (*match)[5]);
  }
}

TEST(Export, XdmfRefersToWhatIsThere) {
  TemporaryFolder folder;
  write_scene(folder.file("results.h5"));
  const ResultsReader reader(folder.file("results.h5"));
  export_points(reader, folder.file("results.xdmf"));
  check_items(folder.path(), "results.xdmf");
  EXPECT_NE(text_of(folder.file("results.xdmf")).find("cube &amp; &lt;sphere>"), std::string::npos);
  export_xdmf(reader, folder.file("full.xdmf"), {{}, {}, true});
  check_items(folder.path(), "full.xdmf");
  EXPECT_THROW(export_xdmf(reader, folder.file("full.xdmf"), {{99}, {}, true}), InputError);
}

TEST(Export, VtuHoldsTheNumbersItAnnounces) {
  TemporaryFolder folder;
  write_scene(folder.file("results.h5"));
  const ResultsReader reader(folder.file("results.h5"));
  export_vtu(reader, folder.file("vtu"), {{0, 2}, {}, true});
  EXPECT_TRUE(std::filesystem::exists(folder.file("vtu/surfaces_000002.vtu")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("vtu/surfaces_000001.vtu")));
  const std::string pvd = text_of(folder.file("vtu/bodies.pvd"));
  EXPECT_NE(pvd.find("timestep=\"0.5\" part=\"0\" file=\"bodies_000002.vtu\""), std::string::npos);
  // Follow the offset of the points of bodies into the raw block.
  const std::string text = text_of(folder.file("vtu/bodies_000002.vtu"));
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, std::regex("Name=\"Points\"[^>]*offset=\"(\\d+)\"")));
  const std::size_t at = text.find("\n_") + 2 + std::stoull(match[1]);
  std::uint64_t bytes;
  std::memcpy(&bytes, text.data() + at, 8);
  EXPECT_EQ(bytes, 9 * sizeof(double));
  std::vector<double> points(9);
  std::memcpy(points.data(), text.data() + at + 8, bytes);
  EXPECT_EQ(points, reader.frame(2).position);
}

TEST(Export, CsvReadsBackExactly) {
  TemporaryFolder folder;
  write_scene(folder.file("results.h5"));
  const ResultsReader reader(folder.file("results.h5"));
  export_csv(reader, folder.file("csv"));
  std::istringstream contacts(text_of(folder.file("csv/contacts.csv")));
  std::string line;
  std::getline(contacts, line);
  const auto columns = std::count(line.begin(), line.end(), ',');
  std::vector<double> gaps;
  while (std::getline(contacts, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns);
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; k <= 10; ++k) std::getline(cells, cell, ',');
    gaps.push_back(std::stod(cell));
  }
  std::vector<double> expected;
  for (int f = 0; f < 3; ++f)
    for (const double gap : reader.frame(f).gap) expected.push_back(gap);
  EXPECT_EQ(gaps, expected);
  const std::string table = text_of(folder.file("csv/body_table.csv"));
  EXPECT_NE(table.find("\"'=cube, \"\"first\"\"\""), std::string::npos);
  EXPECT_NE(text_of(folder.file("csv/steps.csv")).find("\"solve s\""), std::string::npos);
  EXPECT_EQ(std::ranges::count(text_of(folder.file("csv/bodies.csv")), '\n'), 10);
  EXPECT_THROW(export_csv(reader, folder.file("results.h5")), FileError);
}

}  // namespace
}  // namespace scree::io
