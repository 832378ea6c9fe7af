/// From rays to pixels.
#pragma once

#include "pictures/render_scene.hpp"

namespace scree::pictures {

/// Cast the scene into a picture without lettering.
///
/// Every pixel gets one ray; its light (a sun that is a small disc, a sky dimmed by what is near) is sampled in a
/// pattern that repeats every 4 x 4 pixels and averaged over neighbours on the same surface. Where the picture
/// changes from pixel to pixel, samples x samples rays are cast instead of one.
[[nodiscard]] Image paint(const RenderScene& scene, const RenderOptions& options);

}  // namespace scree::pictures
