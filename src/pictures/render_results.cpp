#include "pictures/render_results.hpp"
#include "io/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "io/rows.hpp"

namespace scree::pictures {
namespace {

constexpr Rgb kObstacleColour{0.66f, 0.68f, 0.71f};
constexpr Rgb kPlainColour{0.42f, 0.58f, 0.72f};
constexpr std::size_t kRenderedFrames = 60;
constexpr std::string_view kQuantityNames[] = {"none", "body", "velocity", "displacement", "force"};

// A polyhedron with some of the faces; vertices that no face uses are left out.
void add_polyhedron(geometry::Shape& shape, const double* points, const std::vector<io::StoredFace>& faces, std::vector<int>& local) {
  geometry::Polyhedron form;
  std::vector<int> used;
  for (const io::StoredFace& face : faces) {
    for (const int p : face.points) {
      int& place = local[p];
      if (place < 0) {
        place = static_cast<int>(form.vertices.size());
        form.vertices.push_back(Vec3(points + 3 * p));
        used.push_back(p);
      }
      form.face_vertices.push_back(place);
    }
    form.face_start.push_back(static_cast<int>(form.face_vertices.size()));
    form.face_surface.push_back(face.surface);
    form.face_neighbour.push_back(-1);
  }
  for (const int p : used) local[p] = -1;
  shape.pieces.push_back({std::move(form), 0, 0});
}

// Outer faces of a mesh, gathered by the element they belong to.
void add_mesh(geometry::Shape& shape, const io::StoredPiece& piece, const double* points) {
  const auto all = io::elements(piece);
  std::vector<std::vector<int>> at_node(static_cast<std::size_t>(piece.points()));
  for (std::size_t e = 0; e < all.size(); ++e)
    for (const int node : all[e]) at_node[node].push_back(static_cast<int>(e));
  std::vector<std::vector<io::StoredFace>> faces(all.size());
  for (const io::StoredFace& face : boundary_faces(piece))
    for (const int e : at_node[face.points[0]]) {
      const auto& nodes = all[e];
      const bool owns = std::all_of(face.points.begin(), face.points.end(), [&](int p) { return std::find(nodes.begin(), nodes.end(), p) != nodes.end(); });
      if (!owns) continue;
      faces[e].push_back(face);
      break;
    }
  std::vector<int> local(static_cast<std::size_t>(piece.points()), -1);
  for (const auto& own : faces)
    if (!own.empty()) add_polyhedron(shape, points, own, local);
}

std::string unit_of(Quantity q) { return q == Quantity::velocity ? "m/s" : q == Quantity::displacement ? "m" : "N"; }

std::string title_of(Quantity q) { return q == Quantity::velocity ? "speed" : q == Quantity::displacement ? "displacement" : "contact force"; }

bool has_scale(Quantity q) { return q != Quantity::none && q != Quantity::body; }

// At least the n-th part of the values is not above the result.
double quantile(std::vector<double> values, double n) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::ceil(n * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Quantity quantity(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kQuantityNames); ++k)
    if (name == kQuantityNames[k]) return static_cast<Quantity>(k);
  throw_input("colour '{}' is unknown; known: none, body, velocity, displacement, force", name);
}

geometry::Shape surface_shape(const io::StoredShape& stored, const double* points) {
  geometry::Shape shape;
  for (const io::StoredPiece& piece : stored.pieces) {
    const double* own = points ? points : piece.reals.data();
    const auto& r = piece.reals;
    if (piece.kind == io::PieceKind::sphere) {
      shape.pieces.push_back({geometry::Sphere{Vec3(r.data()), r[3]}, piece.volume, piece.surface});
    } else if (piece.kind == io::PieceKind::ellipsoid) {
      const Mat3 axes = io::matrix3(r.data() + 6);
      shape.pieces.push_back({geometry::Ellipsoid{Vec3(r.data()), Vec3(r.data() + 3), axes}, piece.volume, piece.surface});
    } else if (piece.kind == io::PieceKind::polyhedron) {
      std::vector<int> local(static_cast<std::size_t>(piece.points()), -1);
      add_polyhedron(shape, own, boundary_faces(piece), local);
    } else {
      add_mesh(shape, piece, own);
    }
    if (points) points += 3 * piece.points();
  }
  return shape;
}

std::vector<double> body_values(const io::ResultsReader& reader, const io::Frame& frame, Quantity quantity) {
  std::vector<double> values(frame.bodies(), 0.0);
  if (quantity == Quantity::velocity)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = io::row3(frame.velocity, i).norm();
  if (quantity == Quantity::displacement)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (io::row3(frame.position, i) - reader.bodies()[frame.body[i]].center).norm();
  if (quantity == Quantity::force) {
    std::vector<double> by_row(reader.bodies().size(), 0.0);
    for (std::size_t c = 0; c < frame.contacts(); ++c)
      for (std::size_t side = 0; side < 2 && frame.touches(c); ++side)
        if (const std::int32_t row = frame.pair[2 * c + side]; row >= 0) by_row[row] += io::row3(frame.force, c).norm();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = by_row[frame.body[i]];
  }
  return values;
}

FrameRenderer::FrameRenderer(const io::ResultsReader& reader) : reader_(reader) {}

const geometry::Shape* FrameRenderer::deformed(const io::StoredShape& stored, const double* points) {
  deformed_.push_back(surface_shape(stored, points));
  return &deformed_.back();
}

std::vector<RenderBody> FrameRenderer::place(const io::Frame& frame) {
  // A growing file may have more shapes than last time; pointers to the others are renewed below.
  for (std::size_t k = shapes_.size(); k < reader_.shapes().size(); ++k) shapes_.push_back(surface_shape(reader_.shapes()[k]));
  deformed_.clear();
  std::vector<RenderBody> bodies(frame.bodies());
  std::size_t node = 0;
  static const geometry::Shape nothing;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const io::BodyRow& row = reader_.bodies()[frame.body[i]];
    RenderBody& body = bodies[i];
    body.obstacle = row.kind == io::StoredKind::obstacle;
    body.colour = body.obstacle ? kObstacleColour : kPlainColour;
    body.rotation = io::matrix3(&frame.rotation[9 * i]);
    body.position = io::row3(frame.position, i);
    body.shape = row.shape >= 0 ? &shapes_[row.shape] : &nothing;
    if (row.kind != io::StoredKind::finite_element || row.shape < 0) continue;
    // Nodes say where the surface is; without them the mean motion has to do.
    const io::StoredShape& stored = reader_.shapes()[row.shape];
    const std::size_t count = 3 * static_cast<std::size_t>(stored.points());
    if (count > 0 && node + count <= frame.node_position.size()) {
      body.shape = deformed(stored, &frame.node_position[node]);
      body.rotation = Mat3::Identity();
      body.position = Vec3::Zero();
    }
    node += count;
  }
  return bodies;
}

void FrameRenderer::colour(const io::Frame& frame, const FrameStyle& style, std::vector<RenderBody>& bodies) const {
  const std::vector<double> values = body_values(reader_, frame, style.quantity);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].obstacle || style.quantity == Quantity::none) continue;
    if (style.quantity == Quantity::body) {
      bodies[i].colour = palette_colour(reader_.bodies()[frame.body[i]].id);
    } else {
      bodies[i].colour = map_colour(style.map, style.high > style.low ? (values[i] - style.low) / (style.high - style.low) : 0.0);
    }
  }
}

// From the centre of each moving body of a contact to the contact point; what a user prescribes is no part of a chain.
std::vector<RenderTube> FrameRenderer::chains(const io::Frame& frame) const {
  std::vector<RenderTube> tubes;
  if (!(largest_force_ > 0.0)) return tubes;
  std::vector<std::int64_t> index(reader_.bodies().size(), -1);
  for (std::size_t i = 0; i < frame.bodies(); ++i) index[frame.body[i]] = static_cast<std::int64_t>(i);
  const std::vector<char> held = io::held_rows(frame, reader_.bodies().size());
  for (std::size_t c = 0; c < frame.contacts(); ++c) {
    const double share = std::min(1.0, io::row3(frame.force, c).norm() / largest_force_);
    if (share < 1e-3 || !frame.touches(c)) continue;
    // Tubes are thinner than the smaller body; obstacles and what is held have no centre worth showing.
    std::array<std::int64_t, 2> ends{-1, -1};
    double radius = kInfinity;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::int32_t row = frame.pair[2 * c + side];
      if (row < 0 || reader_.bodies()[row].kind == io::StoredKind::obstacle || held[row]) continue;
      ends[side] = index[row];
      radius = std::min(radius, 0.28 * reader_.bodies()[row].radius * std::sqrt(share));
    }
    for (const std::int64_t end : ends)
      if (end >= 0 && radius > 0.0) tubes.push_back({io::row3(frame.position, static_cast<std::size_t>(end)), io::row3(frame.point, c), radius, map_colour(ColourMap::spectrum, share)});
  }
  return tubes;
}

void FrameRenderer::prepare(const std::vector<std::int64_t>& frames, RenderOptions& options, FrameStyle& style) {
  if (frames.empty()) throw_input("render: there is no frame to draw in {}", reader_.path());
  const bool open_range = has_scale(style.quantity) && !(style.high > style.low);
  const std::size_t count = std::min(frames.size(), kRenderedFrames);
  const auto chosen = [&](std::size_t k) { return io::selected_frame(reader_, frames[count < 2 ? 0 : k * (frames.size() - 1) / (count - 1)], {{}, style.bodies}); };

  // Two readings: how large everything gets, then what a camera must see.
  std::vector<double> values, forces;
  if ((style.chains || has_scale(style.quantity)) && !options.legend) options.legend = Legend{title_of(style.quantity), unit_of(style.quantity), style.low, style.high, style.map};
  RenderOptions layout = options;
  if (layout.caption.empty()) layout.caption.push_back('t');  // there will be one
  ViewFit fit(layout);
  for (std::size_t k = 0; k < count; ++k) {
    const io::Frame frame = chosen(k);
    const std::vector<RenderBody> bodies = place(frame);
    fit.measure(bodies);
    const std::vector<double> own = body_values(reader_, frame, open_range ? style.quantity : Quantity::none);
    const bool forces_shown = style.quantity == Quantity::force;
    const std::vector<char> held = forces_shown ? io::held_rows(frame, reader_.bodies().size()) : std::vector<char>(reader_.bodies().size(), 0);
    for (std::size_t i = 0; i < own.size() && open_range; ++i)
      if (!bodies[i].obstacle && !held[frame.body[i]]) values.push_back(own[i]);
    for (std::size_t c = 0; c < frame.contacts(); ++c)
      if (frame.touches(c)) forces.push_back(io::row3(frame.force, c).norm());
  }
  for (std::size_t k = 0; k < count && !options.camera; ++k) fit.add(place(chosen(k)));
  if (!options.camera) options.camera = fit.camera();

  largest_force_ = quantile(std::move(forces), 0.995);
  if (open_range) {
    style.low = 0.0;
    style.high = frames.size() > 1 ? quantile(std::move(values), 0.998) : quantile(std::move(values), 1.0);
  }
  if (style.chains) {
    options.legend = Legend{title_of(Quantity::force), unit_of(Quantity::force), 0.0, largest_force_, ColourMap::spectrum};
  } else if (has_scale(style.quantity)) {
    options.legend->low = style.low;
    options.legend->high = std::max(style.low, style.high);
    options.legend->map = style.map;
  }
}

Picture FrameRenderer::picture(std::int64_t index, RenderOptions options, const FrameStyle& style) {
  const io::Frame frame = io::selected_frame(reader_, index, {{}, style.bodies});
  std::vector<RenderBody> bodies = place(frame);
  if (!style.chains) colour(frame, style, bodies);
  if (options.caption.empty()) {
    const auto moving = std::count_if(bodies.begin(), bodies.end(), [](const RenderBody& b) { return !b.obstacle; });
    const auto touching = io::touching(frame, reader_.bodies());
    options.caption = fmt::format("t = {:.4g} s   {} {}   {} {}", frame.time, moving, moving == 1 ? "body" : "bodies", touching, touching == 1 ? "contact" : "contacts");
  }
  options.glass_bodies = options.glass_bodies || style.chains;
  return {render(bodies, options, style.chains ? chains(frame) : std::vector<RenderTube>{}), options.caption};
}

}  // namespace scree::pictures
