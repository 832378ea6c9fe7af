/// Pictures of frames of a results file.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/render.hpp"
#include "io/results.hpp"

namespace scree::pictures {

/// What the colour of a moving body says.
enum class Quantity {
  none,          ///< one colour for all
  body,          ///< a colour of its own
  velocity,      ///< speed of the mass centre, m/s
  displacement,  ///< distance of the mass centre from its reference place, m
  force          ///< sum of the magnitudes of the contact forces on it (constraints left out), N
};

/// InputError lists the known names.
[[nodiscard]] Quantity quantity(std::string_view name);

/// The quantity of each body of a frame (none and body: zeros), in the frame's order.
[[nodiscard]] std::vector<double> body_values(const io::ResultsReader& reader, const io::Frame& frame, Quantity quantity);

/// How frames are drawn, beyond RenderOptions.
struct FrameStyle {
  Quantity quantity = Quantity::velocity;
  ColourMap map = ColourMap::dusk;
  double low = 0.0, high = 0.0;  ///< of the colours; high <= low: from the frames' values
  std::vector<std::int32_t> bodies;  ///< rows of the body table to draw; empty: all
  bool chains = false;           ///< contact forces as coloured tubes inside bodies of glass, areas in proportion; the legend is theirs
};

/// What was drawn and the line that says what it shows.
struct Picture {
  Image image;
  std::string caption;
};

/// Frames of one file as bodies to draw. Keeps the reader by reference.
class FrameRenderer {
 public:
  explicit FrameRenderer(const io::ResultsReader& reader);

  /// Camera, colour range and legend shared by the given frames (at most 60 of them, evenly chosen, are read).
  /// A camera or range that is given stays. InputError when `frames` is empty or one does not exist.
  void prepare(const std::vector<std::int64_t>& frames, RenderOptions& options, FrameStyle& style);

  /// Picture of one frame without its lettering; an empty caption becomes the time and the number of moving bodies.
  [[nodiscard]] Picture picture(std::int64_t frame, RenderOptions options, const FrameStyle& style);

 private:
  [[nodiscard]] std::vector<RenderBody> place(const io::Frame& frame);
  const geometry::Shape* deformed(const io::StoredShape& stored, const double* points);
  [[nodiscard]] std::vector<RenderTube> chains(const io::Frame& frame) const;
  void colour(const io::Frame& frame, const FrameStyle& style, std::vector<RenderBody>& bodies) const;

  const io::ResultsReader& reader_;
  std::vector<geometry::Shape> shapes_;      ///< of the file, as far as they were known
  std::list<geometry::Shape> deformed_;      ///< of the frame placed last
  double largest_force_ = 0.0;               ///< of contacts, that sets the width of tubes, N
};

/// A stored shape with its surface alone: mesh elements become polyhedra that keep only their outer faces.
/// `points`: places of vertices and nodes, or null for the stored ones.
[[nodiscard]] geometry::Shape surface_shape(const io::StoredShape& stored, const double* points = nullptr);

}  // namespace scree::pictures
