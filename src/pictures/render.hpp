/// Pictures of bodies without a screen: a ray caster in plain C++.
///
/// Spheres, ellipsoids and polyhedra, each placed by  x = F (X - reference) + position, are lit by a sun with soft
/// shadows and by a sky whose light is hindered by what is near. The picture depends on the input alone, never on
/// the number of threads. Lengths in metres; z points up.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "core/vec.hpp"
#include "geometry/shape.hpp"
#include "pictures/image.hpp"
#include "pictures/render_colours.hpp"

namespace scree::pictures {

/// One body. `rotation` may be any invertible F (pseudo-rigid bodies).
struct RenderBody {
  const geometry::Shape* shape = nullptr;
  Mat3 rotation = Mat3::Identity();
  Vec3 reference = Vec3::Zero(), position = Vec3::Zero();
  bool obstacle = false;
  Rgb colour{0.45f, 0.58f, 0.70f};
};

/// A rod with round ends: force chains, links.
struct RenderTube {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  double radius = 0.0;
  Rgb colour{0.75f, 0.15f, 0.10f};
};

/// Where the picture is taken from.
struct Camera {
  Vec3 position = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns: right, up, and back (from the scene to the camera)
  Vec3 focus = Vec3::Zero();     ///< middle of what is in view
  double radius = 1.0;           ///< half the diagonal of what is in view, m
  double slope = 0.25;           ///< tangent of half the vertical angle of view
  Vec2 centre = Vec2(0.5, 0.5);  ///< where the axis meets the picture, fraction of width and height (downwards)
};

enum class ObstacleStyle {
  automatic,  ///< pieces that hide moving bodies become glass, the others are solid
  solid,
  faded,  ///< all glass
  hidden
};

/// A colour bar with its ends marked. The picture leaves room for it and for the lines of text; who shows the picture draws them (python/scree/lettering.py).
struct Legend {
  std::string title, unit;
  double low = 0.0, high = 1.0;
  ColourMap map = ColourMap::dusk;
};

struct RenderOptions {
  int width = 1280, height = 720;      ///< pixels; at most 16384 each and 2^25 together
  int samples = 3;                     ///< samples a pixel along x and along y where the picture changes, 1 to 8
  Vec3 view = Vec3::Zero();            ///< direction from the scene to the camera; zero: chosen from the scene
  double zoom = 1.0;                   ///< 1: everything fits; 2: twice as large
  std::optional<Camera> camera;        ///< overrides view and zoom: the same for all frames of a movie
  ObstacleStyle obstacles = ObstacleStyle::automatic;
  bool glass_bodies = false;           ///< moving bodies as glass too, so that tubes inside them show
  bool ground = true;                  ///< catch shadows on a plane under the scene
  bool edges = true;                   ///< draw sharp edges of polyhedra
  bool ambient_occlusion = true;
  std::string title, caption;          ///< two lines for the upper left corner
  std::optional<Legend> legend;
};

/// InputError when an option is out of its range or not finite.
void check(const RenderOptions& options);

/// The picture without its lettering. InputError when a body has no shape or a number is not finite, or an option is wrong.
[[nodiscard]] Image render(std::span<const RenderBody> bodies, const RenderOptions& options, std::span<const RenderTube> tubes = {});

/// Collects what must be in view, over one frame or many, and then places the camera.
///
/// What counts: moving bodies except strays far from all others, and pieces of obstacles that do not make the view
/// much larger (a drum does, a wide floor does not). First `measure` all frames, then `add` all frames.
class ViewFit {
 public:
  explicit ViewFit(const RenderOptions& options) : options_(options) {}
  void measure(std::span<const RenderBody> bodies);
  void add(std::span<const RenderBody> bodies);
  [[nodiscard]] Camera camera() const;

 private:
  void choose_axes();
  template <class Visit>
  void visit_pieces(std::span<const RenderBody> bodies, Visit&& visit) const;

  const RenderOptions& options_;
  Box moving_, all_;                     ///< of moving bodies; of everything in view
  bool aimed_ = false;
  Mat3 axes_ = Mat3::Identity();
  double slope_x_ = 0.0, slope_y_ = 0.0; ///< of the part of the picture that is to be filled
  Vec2 centre_ = Vec2(0.5, 0.5);
  std::array<double, 4> reach_{-kInfinity, -kInfinity, -kInfinity, -kInfinity};
};

/// Support of a piece of a placed body:  max over its points of  direction . x.
[[nodiscard]] double support(const geometry::Piece& piece, const RenderBody& body, const Vec3& direction);

}  // namespace scree::pictures
