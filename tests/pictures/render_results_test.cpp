#include "pictures/render_results.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "geometry/build.hpp"
#include "../io/temporary_folder.hpp"

namespace scree::pictures {
namespace {

// A floor, a ball and a deforming cube over two frames; the ball moves with 1 and 3 m/s and presses with 5 N; a support holds the cube with 900 N.
std::string write_run(const io::TemporaryFolder& folder) {
  const std::string path = folder.file("results.h5");
  io::ResultsWriter writer(path, {});
  const auto add = [&](const geometry::Shape& shape, io::StoredKind kind, std::int64_t id, const Vec3& center) {
    io::BodyRow row;
    row.id = id;
    row.kind = kind;
    row.center = center;
    row.radius = 0.5;
    row.shape = writer.add_shape(shape, center);
    return writer.add_body(row);
  };
  const std::array<int, 6> ids{};
  const std::array<Vec3, 8> corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(1, 1, 1), Vec3(0, 1, 1)};
  const geometry::Shape cube = geometry::make_shape(geometry::make_hex(corners, 2, 2, 2, 0, ids));
  const std::int32_t floor = add(geometry::make_box(Vec3(-9, -9, -1), Vec3(9, 9, 0), 0, 0), io::StoredKind::obstacle, 1, Vec3(0, 0, -0.5));
  const std::int32_t ball = add(geometry::make_sphere(Vec3(0, 0, 0.5), 0.5, 0, 0), io::StoredKind::rigid, 2, Vec3(0, 0, 0.5));
  const std::int32_t block = add(cube, io::StoredKind::finite_element, 3, Vec3(0.5, 0.5, 0.5));
  for (int k = 0; k < 2; ++k) {
    io::Frame frame;
    frame.time = k;
    frame.step = k;
    frame.body = {floor, ball, block};
    for (int i = 0; i < 3; ++i) frame.rotation.insert(frame.rotation.end(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
    frame.position = {0, 0, -0.5, -1.0 + 4.0 * k, 0, 0.5, 3, 0.5, 0.5};
    frame.velocity = {0, 0, 0, 1.0 + 2.0 * k, 0, 0, 0, 0, 0};
    frame.angular.assign(9, 0.0);
    frame.body_energy.assign(18, 0.0);
    for (const Vec3& node : cube.meshes[0].nodes) frame.node_position.insert(frame.node_position.end(), {2.5 + node.x(), node.y(), (1.0 + k) * node.z()});
    frame.node_velocity.assign(frame.node_position.size(), 0.0);
    frame.pair = {floor, ball, -1, block, ball, block};  // the last is apart
    frame.point = {-1.0 + 4.0 * k, 0, 0, -1.0 + 4.0 * k, 0, 1, 0, 0, 1};
    for (int c = 0; c < 3; ++c) frame.axes.insert(frame.axes.end(), {0, 0, 1, 1, 0, 0, 0, 1, 0});
    frame.gap = {0, 0, 0.3};
    frame.area.assign(3, 0.0);
    frame.force = {5, 0, 0, 900, 0, 0, 0, 0, 0};
    frame.relative_velocity.assign(9, 0.0);
    frame.surface.assign(6, 0);
    frame.material = {0, -1, 0};
    frame.contact_kind = {0, 1, 0};
    frame.constraint = {-1, 7, -1};
    writer.add_frame(frame);
  }
  writer.close();
  return path;
}

RenderOptions small() {
  RenderOptions options;
  options.width = 160;
  options.height = 90;
  options.samples = 1;
  return options;
}

TEST(RenderResults, ValuesOfBodies) {
  io::TemporaryFolder folder;
  const io::ResultsReader reader(write_run(folder));
  const io::Frame frame = reader.frame(1);
  EXPECT_EQ(body_values(reader, frame, Quantity::velocity), (std::vector<double>{0, 3, 0}));
  EXPECT_EQ(body_values(reader, frame, Quantity::displacement), (std::vector<double>{0, 3, 2.5}));
  EXPECT_EQ(body_values(reader, frame, Quantity::force), (std::vector<double>{5, 5, 0}));
  EXPECT_EQ(body_values(reader, frame, Quantity::body), (std::vector<double>{0, 0, 0}));
  EXPECT_THROW((void)quantity("speed"), InputError);
  EXPECT_EQ(quantity("force"), Quantity::force);
}

TEST(RenderResults, OneCameraAndOneScaleForAllFrames) {
  io::TemporaryFolder folder;
  const io::ResultsReader reader(write_run(folder));
  FrameRenderer renderer(reader);
  RenderOptions options = small();
  FrameStyle style;
  renderer.prepare({0, 1}, options, style);
  ASSERT_TRUE(options.camera && options.legend);
  EXPECT_EQ(style.low, 0.0);
  EXPECT_EQ(style.high, 3.0);
  EXPECT_EQ(options.legend->unit, "m/s");
  // Ball from x = -1.5 on, block up to 3.5 and, stretched in the second frame, 2 high.
  EXPECT_NEAR(options.camera->focus.x(), 1.0, 1e-12);
  EXPECT_NEAR(options.camera->focus.z(), 1.0, 1e-12);
  const Image first = renderer.picture(0, options, style).image, second = renderer.picture(1, options, style).image;
  EXPECT_NE(first.rgb, second.rgb);
  EXPECT_EQ(renderer.picture(0, options, style).image.rgb, first.rgb);
  EXPECT_EQ(renderer.picture(1, options, style).caption, "t = 1 s   2 bodies   1 contact");
}

TEST(RenderResults, RangeGivenStaysAndChainsAppear) {
  io::TemporaryFolder folder;
  const io::ResultsReader reader(write_run(folder));
  FrameRenderer renderer(reader);
  RenderOptions options = small();
  FrameStyle style;
  style.low = 1.0;
  style.high = 2.0;
  renderer.prepare({1}, options, style);
  EXPECT_EQ(options.legend->low, 1.0);
  EXPECT_EQ(options.legend->high, 2.0);
  style.quantity = Quantity::none;
  options.obstacles = ObstacleStyle::hidden;
  const Image without = renderer.picture(1, options, style).image;
  style.chains = true;
  EXPECT_NE(renderer.picture(1, options, style).image.rgb, without.rgb);
  // The contact sets the scale, the support does not.
  renderer.prepare({1}, options, style);
  EXPECT_EQ(options.legend->high, 5.0);
  style = {};
  style.quantity = Quantity::force;
  renderer.prepare({1}, options, style);
  EXPECT_EQ(style.high, 5.0);
  EXPECT_THROW(renderer.prepare({}, options, style), InputError);
  EXPECT_THROW((void)renderer.picture(99, options, style), InputError);
}

TEST(RenderResults, SurfaceOfAMeshIsCutByElements) {
  io::TemporaryFolder folder;
  const io::ResultsReader reader(write_run(folder));
  const geometry::Shape shape = surface_shape(reader.shapes()[static_cast<std::size_t>(reader.bodies()[2].shape)]);
  ASSERT_EQ(shape.pieces.size(), 8u);  // every element of a 2 x 2 x 2 block has three outer faces
  for (const geometry::Piece& piece : shape.pieces) EXPECT_EQ(std::get<geometry::Polyhedron>(piece.form).faces(), 3);
  EXPECT_EQ(shape.bounds().extent(), Vec3::Ones());
}

}  // namespace
}  // namespace scree::pictures
