/// What is drawn, ready for rays: surfaces of bodies in the scene's own units, sorted into solid and glass.
#pragma once

#include <span>
#include <vector>

#include "pictures/render.hpp"
#include "pictures/render_tree.hpp"

namespace scree::pictures {

struct RenderScene {
  SurfaceTree solid{{}};
  SurfaceTree glass{{}};         ///< what is seen through
  std::vector<Rgb> colours;      ///< linear, a body, then a tube
  Camera camera;                 ///< in the scene's units
  double ground = 0.0;           ///< height of the plane that catches shadows
  double body_size = 0.05;       ///< median radius of moving bodies
};

/// Scene units: the focus of the camera is the origin and what is in view has diagonal 1.
[[nodiscard]] RenderScene build_scene(std::span<const RenderBody> bodies, std::span<const RenderTube> tubes, const RenderOptions& options,
                                      const Camera& camera);

/// Direction of the ray through a point of the picture (pixels, from the upper left corner).
[[nodiscard]] inline Vec3 ray_direction(const Camera& camera, const RenderOptions& options, double x, double y) {
  const double pixel = 2.0 * camera.slope / options.height;
  const Vec3 local((x - camera.centre.x() * options.width) * pixel, (camera.centre.y() * options.height - y) * pixel, -1.0);
  return (camera.axes * local).normalized();
}

/// For each piece (counted through all bodies): does it, as part of an obstacle, hide moving bodies from the camera?
/// Obstacles that hide less than one per cent of what there is to see keep all their pieces.
[[nodiscard]] std::vector<char> hiding_pieces(const std::vector<Surface>& surfaces, int pieces, int bodies, const Camera& camera,
                                              const RenderOptions& options);

}  // namespace scree::pictures
