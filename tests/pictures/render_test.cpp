#include "pictures/render.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "geometry/build.hpp"
#include "pictures/render_paint.hpp"

namespace scree::pictures {
namespace {

using geometry::Shape;

const Rgb kRed{0.8f, 0.1f, 0.1f}, kBlue{0.1f, 0.2f, 0.8f}, kGrey{0.6f, 0.6f, 0.6f};

RenderBody body_at(const Shape& shape, const Vec3& position, const Rgb& colour, bool obstacle = false) {
  RenderBody body;
  body.shape = &shape;
  body.position = position;
  body.colour = colour;
  body.obstacle = obstacle;
  return body;
}

// Small, from the front (-y), without ground, edges or refinement.
RenderOptions plain(int width = 240, int height = 160) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.samples = 1;
  options.ground = options.edges = options.ambient_occlusion = false;
  options.view = -Vec3::UnitY();
  return options;
}

Camera front_camera(double distance) {
  Camera camera;
  camera.position = Vec3(0.0, -distance, 0.0);
  camera.axes << Vec3::UnitX(), Vec3::UnitZ(), -Vec3::UnitY();
  return camera;
}

int count_changed(const Image& a, const Image& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) count += !std::equal(&a.rgb[i], &a.rgb[i] + 3, &b.rgb[i]);
  return count;
}

int luma(const std::uint8_t* p) { return p[0] + p[1] + p[2]; }

// A body of every kind, a floor and a wall in front.
struct Mixture {
  std::vector<Shape> shapes;
  std::vector<RenderBody> bodies;
  Mixture() {
    shapes.push_back(geometry::make_box(Vec3(-5, -5, -1), Vec3(5, 5, 0), 0, 0));
    shapes.push_back(geometry::make_sphere(Vec3::Zero(), 0.3, 0, 0));
    shapes.push_back(geometry::make_ellipsoid(Vec3::Zero(), Vec3(0.2, 0.3, 0.4), 0, 0));
    shapes.push_back(geometry::make_box(Vec3(-0.2, -0.2, -0.2), Vec3(0.2, 0.2, 0.2), 0, 0));
    bodies.push_back(body_at(shapes[0], Vec3::Zero(), kGrey, true));
    for (int i = 0; i < 30; ++i) {
      bodies.push_back(body_at(shapes[static_cast<std::size_t>(1 + i % 3)], Vec3(0.5 * (i % 5), 0.5 * (i / 5 % 3), 0.4 + 0.5 * (i / 15)), palette_colour(i)));
      bodies.back().rotation = Eigen::AngleAxisd(0.7 * i, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    }
  }
};

TEST(Render, SphereCoversItsProjectedArea) {
  const Shape ball = geometry::make_sphere(Vec3::Zero(), 0.5, 0, 0);
  RenderOptions options = plain(400, 400);
  options.camera = front_camera(3.0);
  const std::vector<RenderBody> bodies{body_at(ball, Vec3::Zero(), kRed)};
  const int pixels = count_changed(render(bodies, options), render({}, options));
  // The tangent cone of a sphere on the axis cuts the picture in a circle of slope r / sqrt(d^2 - r^2).
  const double radius = 0.5 / std::sqrt(9.0 - 0.25) / options.camera->slope * 200.0;
  // Lattice points in a circle: the error is far below one pixel per unit of circumference.
  EXPECT_NEAR(pixels, kPi * radius * radius, 0.25 * 2.0 * kPi * radius);
}

TEST(Render, EllipsoidAndBoxCoverTheirProjectedArea) {
  const Shape egg = geometry::make_ellipsoid(Vec3::Zero(), Vec3(0.4, 1e-3, 0.2), 0, 0);
  const Shape box = geometry::make_box(Vec3(-0.4, 0, -0.2), Vec3(0.4, 0.1, 0.2), 0, 0);
  RenderOptions options = plain(400, 400);
  options.camera = front_camera(3.0);
  const double pixel = 2.0 * options.camera->slope * 3.0 / 400.0;
  const Image empty = render({}, options);
  const auto area = [&](const Shape& shape) { return count_changed(render(std::vector<RenderBody>{body_at(shape, Vec3::Zero(), kRed)}, options), empty) * pixel * pixel; };
  EXPECT_NEAR(area(egg), kPi * 0.4 * 0.2, 0.005 * 0.25);
  EXPECT_NEAR(area(box), 0.8 * 0.4, 2.4 * 0.5 * pixel);  // half a pixel all around
}

TEST(Render, NearestSurfaceWins) {
  const Shape ball = geometry::make_sphere(Vec3::Zero(), 0.5, 0, 0);
  RenderOptions options = plain();
  for (const bool red_first : {true, false}) {
    const std::vector<RenderBody> bodies{body_at(ball, Vec3(0, red_first ? -1 : 1, 0), kRed), body_at(ball, Vec3(0, red_first ? 1 : -1, 0), kBlue)};
    const Image image = render(bodies, options);
    const std::uint8_t* p = image.pixel(120, 80);
    EXPECT_EQ(p[0] > p[2], red_first);
  }
}

TEST(Render, ShadowsDarkenTheFloorOnTheRight) {
  const Shape floor = geometry::make_box(Vec3(-3, -3, -1), Vec3(3, 3, 0), 0, 0), ball = geometry::make_sphere(Vec3::Zero(), 0.3, 0, 0);
  RenderOptions options = plain(300, 200);
  options.view = Vec3(0, -1, 1);
  options.camera = [&] {
    ViewFit fit(options);
    const std::vector<RenderBody> bodies{body_at(floor, Vec3::Zero(), kGrey)};
    fit.measure(bodies);
    fit.add(bodies);
    return fit.camera();
  }();
  const std::vector<RenderBody> bodies{body_at(floor, Vec3::Zero(), kGrey, true), body_at(ball, Vec3(0, 0, 0.6), kRed)};
  const Image with = render(bodies, options), without = render(std::span(bodies).first(1), options);
  int darker = 0, lighter = 0;
  double column = 0.0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x) {
      const std::uint8_t *p = with.pixel(x, y), *q = without.pixel(x, y);
      if (p[0] > p[2] + 20) continue;  // the ball itself
      lighter += luma(p) > luma(q);
      if (luma(p) < 0.8 * luma(q)) {
        ++darker;
        column += x;
      }
    }
  EXPECT_GT(darker, 100);
  EXPECT_EQ(lighter, 0);
  EXPECT_GT(column / darker, 155.0);  // the sun stands on the left
}

TEST(Render, CrowdedPlacesGetLessSky) {
  Mixture scene;
  RenderOptions options = plain();
  options.view = Vec3(1, -1, 1);
  const Image open = render(scene.bodies, options);
  options.ambient_occlusion = true;
  const Image crowded = render(scene.bodies, options);
  long before = 0, after = 0;
  for (const auto v : open.rgb) before += v;
  for (const auto v : crowded.rgb) after += v;
  EXPECT_LT(after, before);
}

TEST(Render, SameForAnyNumberOfThreads) {
  Mixture scene;
  RenderOptions options;
  options.width = 200;
  options.height = 120;
  const int before = threads();
  set_threads(1);
  const Image one = render(scene.bodies, options);
  set_threads(2);
  const Image two = render(scene.bodies, options);
  set_threads(before);
  EXPECT_EQ(one.rgb, two.rgb);
}

TEST(Render, ScaledSceneGivesTheSamePicture) {
  // Powers of two: every length is scaled without rounding.
  Mixture scene;
  RenderOptions options = plain(120, 80);
  options.view = Vec3(1, -1, 1);
  const Image metres = render(scene.bodies, options);
  for (RenderBody& body : scene.bodies) {
    body.rotation *= 0x1p-10;
    body.position *= 0x1p-10;
  }
  const Image small = render(scene.bodies, options);
  // Spheres under a stretch take the path of ellipsoids: rounding may flip single pixels at rims.
  EXPECT_LE(count_changed(metres, small), 120 * 80 / 200);
}

TEST(Render, WallsThatHideBodiesBecomeGlass) {
  const Shape ball = geometry::make_sphere(Vec3::Zero(), 0.3, 0, 0);
  const Shape wall = geometry::make_box(Vec3(-1, -1.1, -1), Vec3(1, -1, 1), 0, 0), back = geometry::make_box(Vec3(-1, 1, -1), Vec3(1, 1.1, 1), 0, 0);
  const std::vector<RenderBody> bodies{body_at(ball, Vec3::Zero(), kRed), body_at(wall, Vec3::Zero(), kGrey, true), body_at(back, Vec3::Zero(), kGrey, true)};
  RenderOptions options = plain();
  const auto centre_redness = [&](ObstacleStyle style) {
    options.obstacles = style;
    const Image image = render(bodies, options);
    const std::uint8_t* p = image.pixel(120, 80);
    return p[0] - p[2];
  };
  EXPECT_GT(centre_redness(ObstacleStyle::automatic), 60);
  EXPECT_GT(centre_redness(ObstacleStyle::faded), 60);
  EXPECT_GT(centre_redness(ObstacleStyle::hidden), centre_redness(ObstacleStyle::automatic));
  EXPECT_LT(centre_redness(ObstacleStyle::solid), 20);
}

TEST(Render, FloorStaysSolidWhenOneBodyIsLostBelow) {
  Mixture scene;
  RenderOptions options = plain();
  options.view = Vec3(0.3, -1, 1);
  const Camera camera = [&] {
    ViewFit fit(options);
    fit.measure(scene.bodies);
    fit.add(scene.bodies);
    return fit.camera();
  }();
  scene.bodies.push_back(body_at(scene.shapes[1], Vec3(1, 0.5, -2), kRed));
  options.camera = camera;
  EXPECT_TRUE(build_scene(scene.bodies, {}, options, camera).glass.surfaces().empty());
}

TEST(Render, CameraHoldsEverythingButStraysAndWideFloors) {
  Mixture scene;
  RenderOptions options;
  const auto radius = [&] {
    ViewFit fit(options);
    fit.measure(scene.bodies);
    fit.add(scene.bodies);
    return fit.camera().radius;
  };
  const double normal = radius();
  EXPECT_LT(normal, 3.0);  // the bodies span 2.6 m, the floor 10 m
  scene.bodies.push_back(body_at(scene.shapes[1], Vec3(0, 0, -1e7), kRed));
  EXPECT_EQ(radius(), normal);
}

TEST(Render, EveryCornerIsInsideTheFrame) {
  const Shape box = geometry::make_box(Vec3(-1, -2, -0.5), Vec3(1, 2, 0.5), 0, 0);
  const std::vector<RenderBody> bodies{body_at(box, Vec3(7, 8, 9), kRed)};
  for (const Vec3& view : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(-1, 2, -0.3)}) {
    RenderOptions options = plain();
    options.view = view;
    const Image image = render(bodies, options), empty = render({}, options);
    int rim = 0, inside = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        if (std::equal(image.pixel(x, y), image.pixel(x, y) + 3, empty.pixel(x, y))) continue;
        ++inside;
        rim += x < 2 || y < 2 || x >= image.width - 2 || y >= image.height - 2;
      }
    EXPECT_EQ(rim, 0);
    EXPECT_GT(inside, image.width * image.height / 10);
  }
}

TEST(Render, TreeFindsWhatTryingAllFinds) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  const auto vector = [&] {
    const double z = u(random), y = u(random), x = u(random);  // in this order with every compiler
    return Vec3(x, y, z);
  };
  std::vector<Surface> surfaces(400);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    Surface& s = surfaces[i];
    s.kind = static_cast<SurfaceKind>(i % 4);
    s.origin = vector();
    s.size = 0.02 + 0.05 * std::abs(u(random));
    const double scale = s.kind == SurfaceKind::ellipsoid ? 15.0 : 0.2;
    s.a = scale * vector();
    s.b = scale * vector();
    s.c = s.kind == SurfaceKind::triangle ? Vec3(s.a.cross(s.b).normalized()) : Vec3(scale * vector());
  }
  const SurfaceTree tree(surfaces);
  int hits = 0;
  for (int k = 0; k < 5000; ++k) {
    const Ray ray{2.0 * vector(), vector().normalized()};
    double best = 1e6;
    for (const Surface& s : surfaces) best = std::min(best, meet(s, ray, 0.0, 1e6));
    const RayHit hit = tree.nearest(ray, 0.0, 1e6, [](const Surface&) { return true; });
    ASSERT_EQ(hit.t, best);
    ASSERT_EQ(hit.surface >= 0, best < 1e6);
    if (hit.surface < 0) continue;
    ++hits;
    ASSERT_NEAR(tree[hit.surface].normal(ray.origin + hit.t * ray.direction).norm(), 1.0, 1e-12);
  }
  EXPECT_GT(hits, 500);
}

TEST(Render, TubesAreDrawn) {
  const Shape ball = geometry::make_sphere(Vec3::Zero(), 0.1, 0, 0);
  const std::vector<RenderBody> bodies{body_at(ball, Vec3(-1, 0, 0), kGrey), body_at(ball, Vec3(1, 0, 0), kGrey)};
  const std::vector<RenderTube> tubes{{Vec3(-1, 0, 0), Vec3(1, 0, 0), 0.05, kRed}};
  const RenderOptions options = plain();
  const Image image = render(bodies, options, tubes);
  EXPECT_GT(image.pixel(120, 80)[0], image.pixel(120, 80)[2] + 40);
  // A tube inside a body shows when the body is glass, and only then.
  const Shape shell = geometry::make_box(Vec3(-1.2, -0.3, -0.3), Vec3(1.2, 0.3, 0.3), 0, 0);
  RenderOptions open = options;
  const auto redness = [&](bool glass) {
    open.glass_bodies = glass;
    const Image inside = render(std::vector<RenderBody>{body_at(shell, Vec3::Zero(), kGrey)}, open, tubes);
    return inside.pixel(120, 80)[0] - inside.pixel(120, 80)[2];
  };
  EXPECT_GT(redness(true), 40);
  EXPECT_LT(redness(false), 20);
}

TEST(Render, MapsAreContinuousAndDuskGrowsLighter) {
  for (const ColourMap map : {ColourMap::dusk, ColourMap::spectrum})
    for (int k = 0; k < 256; ++k) {
      const Rgb a = map_colour(map, k / 256.0), b = map_colour(map, (k + 1) / 256.0);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a[c], b[c], 0.05f) << k;
      const auto grey = [](const Rgb& v) { return 0.2126f * srgb_to_linear(v[0]) + 0.7152f * srgb_to_linear(v[1]) + 0.0722f * srgb_to_linear(v[2]); };
      if (map == ColourMap::dusk) {
        EXPECT_LT(grey(a), grey(b));
      }
    }
  EXPECT_EQ(map_colour(ColourMap::dusk, -5.0), map_colour(ColourMap::dusk, 0.0));
  EXPECT_EQ(map_colour(ColourMap::dusk, 7.0), map_colour(ColourMap::dusk, 1.0));
  EXPECT_EQ(map_colour(ColourMap::dusk, std::nan("")), map_colour(ColourMap::dusk, 0.0));
  EXPECT_THROW((void)colour_map("rainbow"), InputError);
}

TEST(Render, RefusesWhatCannotBeDrawn) {
  const Shape ball = geometry::make_sphere(Vec3::Zero(), 0.5, 0, 0);
  std::vector<RenderBody> bodies{body_at(ball, Vec3::Zero(), kRed)};
  const auto refused = [&](auto change) {
    RenderOptions options = plain(8, 8);
    change(options);
    EXPECT_THROW((void)render(bodies, options), InputError);
  };
  refused([](RenderOptions& o) { o.width = 0; });
  refused([](RenderOptions& o) { o.height = -1; });
  refused([](RenderOptions& o) { o.width = 1000000000; });
  refused([](RenderOptions& o) { o.width = o.height = 16000; });
  refused([](RenderOptions& o) { o.samples = 0; });
  refused([](RenderOptions& o) { o.samples = 100; });
  refused([](RenderOptions& o) { o.view = Vec3(0, std::nan(""), 1); });
  refused([](RenderOptions& o) { o.view = Vec3(kInfinity, 0, 1); });
  refused([](RenderOptions& o) { o.zoom = 0.0; });
  refused([](RenderOptions& o) { o.zoom = std::nan(""); });
  refused([](RenderOptions& o) { o.legend = Legend{"x", "m", 1.0, 0.0, ColourMap::dusk}; });
  refused([](RenderOptions& o) { o.legend = Legend{"x", "m", 0.0, std::nan(""), ColourMap::dusk}; });
  refused([](RenderOptions& o) { o.camera = Camera{}, o.camera->slope = 0.0; });
  refused([](RenderOptions& o) { o.camera = Camera{}, o.camera->axes.setZero(); });
  bodies[0].position.x() = std::nan("");
  refused([](RenderOptions&) {});
  bodies[0] = body_at(ball, Vec3::Zero(), kRed);
  bodies[0].shape = nullptr;
  refused([](RenderOptions&) {});
  bodies.clear();
  EXPECT_EQ(render(bodies, plain(8, 8)).rgb.size(), 8u * 8u * 3u);
}

}  // namespace
}  // namespace scree::pictures
