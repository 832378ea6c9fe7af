#include "bindings.hpp"

#include <cmath>

#include "core/spelling.hpp"
#include "pictures/render_results.hpp"

namespace scree::python {

namespace {

pictures::ObstacleStyle obstacle_style(const std::string& name) {
  static const std::vector<std::string> names{"automatic", "solid", "faded", "hidden"};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (name == names[k]) return static_cast<pictures::ObstacleStyle>(k);
  throw_input("obstacles = '{}' is unknown{}", name, did_you_mean(name, names));
}

/// Frames of a file under one camera and one scale of colours.
class Renderer {
 public:
  Renderer(const std::string& path, const py::dict& settings) : reader_(path), frames_(reader_) {
    options_.title = reader_.info().title;
    for (const auto& [key, value] : settings) set(py::cast<std::string>(key), value);
    pictures::check(options_);
    if (!std::isfinite(style_.low) || !std::isfinite(style_.high)) throw_input("low = {}, high = {}: both must be finite", style_.low, style_.high);
  }
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  [[nodiscard]] std::int64_t frames() const { return reader_.frames(); }

  /// Choose the camera and the scale for these frames.
  void prepare(const std::vector<std::int64_t>& frames) {
    prepared_options_ = options_;
    prepared_style_ = style_;
    released([&] { frames_.prepare(frames, prepared_options_, prepared_style_); });
  }

  /// (array of pixels, what is to be written on it).
  py::tuple picture(std::int64_t frame) {
    if (!prepared_options_.camera) prepare({frame});
    const pictures::Picture drawn = released([&] { return frames_.picture(frame, prepared_options_, prepared_style_); });
    py::array_t<std::uint8_t> array({drawn.image.height, drawn.image.width, 3});
    std::memcpy(array.mutable_data(), drawn.image.rgb.data(), drawn.image.rgb.size());
    const py::dict text(py::arg("title") = prepared_options_.title, py::arg("caption") = drawn.caption, py::arg("legend") = legend());
    return py::make_tuple(array, text);
  }

 private:
  [[nodiscard]] py::object legend() const {
    if (!prepared_options_.legend) return py::none();
    const pictures::Legend& bar = *prepared_options_.legend;
    return py::dict(py::arg("title") = bar.title, py::arg("unit") = bar.unit, py::arg("low") = bar.low, py::arg("high") = bar.high,
                    py::arg("colour") = py::cpp_function([map = bar.map](double share) { return pictures::map_colour(map, share); }));
  }

  void set(const std::string& name, const py::handle& value) {
    static const std::vector<std::string> names{"width", "height", "samples", "view", "zoom", "obstacles", "ground", "edges", "title", "caption",
                                                "quantity", "map", "low", "high", "bodies", "chains"};
    try {
      if (name == "width") options_.width = py::cast<int>(value);
      else if (name == "height") options_.height = py::cast<int>(value);
      else if (name == "samples") options_.samples = py::cast<int>(value);
      else if (name == "view") options_.view = py::cast<Vec3>(value);
      else if (name == "zoom") options_.zoom = py::cast<double>(value);
      else if (name == "obstacles") options_.obstacles = obstacle_style(py::cast<std::string>(value));
      else if (name == "ground") options_.ground = py::cast<bool>(value);
      else if (name == "edges") options_.edges = py::cast<bool>(value);
      else if (name == "title") options_.title = py::cast<std::string>(value);
      else if (name == "caption") options_.caption = py::cast<std::string>(value);
      else if (name == "quantity") style_.quantity = pictures::quantity(py::cast<std::string>(value));
      else if (name == "map") style_.map = pictures::colour_map(py::cast<std::string>(value));
      else if (name == "low") style_.low = py::cast<double>(value);
      else if (name == "high") style_.high = py::cast<double>(value);
      else if (name == "bodies") style_.bodies = py::cast<std::vector<std::int32_t>>(value);
      else if (name == "chains") style_.chains = py::cast<bool>(value);
      else throw_input("render: unknown setting '{}'{}", name, did_you_mean(name, names));
    } catch (const py::cast_error&) {
      throw_input("{} = {}: a value of another type is expected", name, py::cast<std::string>(py::repr(value)));
    }
  }

  io::ResultsReader reader_;
  pictures::FrameRenderer frames_;
  pictures::RenderOptions options_, prepared_options_;
  pictures::FrameStyle style_, prepared_style_;
};

}  // namespace

void bind_render(py::module_& module) {
  py::class_<Renderer>(module, "Renderer")
      .def(py::init<const std::string&, const py::dict&>())
      .def("frames", &Renderer::frames)
      .def("prepare", &Renderer::prepare)
      .def("picture", &Renderer::picture);
}

}  // namespace scree::python
