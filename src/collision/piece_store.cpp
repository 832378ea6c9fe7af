#include "collision/piece_store.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "collision/faces.hpp"
#include "core/error.hpp"

namespace scree::collision {

namespace {

/// The factor s with F^T F = s^2 I, or 0 when F stretches unequally.
double isotropic_scale(const Mat3& F) {
  const Mat3 C = F.transpose() * F;
  const double square = C.trace() / 3.0;
  const double off = (C - square * Mat3::Identity()).cwiseAbs().maxCoeff();
  return off <= 1e-12 * square ? std::sqrt(square) : 0.0;
}

void check_piece(int id, int local, const geometry::Piece& piece) {
  if (const auto* polyhedron = std::get_if<geometry::Polyhedron>(&piece.form)) {
    Box extent;
    for (const Vec3& x : polyhedron->vertices) {
      if (!is_finite(x)) throw_input("body {}, piece {}: a vertex is not finite", id, local);
      extent.add(x);
    }
    if (polyhedron->vertices.size() < 4 || polyhedron->faces() < 4 || extent.extent().maxCoeff() <= 0.0)
      throw_input("body {}, piece {}: a polyhedron needs an extent, four vertices and four faces; it has {} and {}", id,
                  local, polyhedron->vertices.size(), polyhedron->faces());
    return;
  }
  Vec3 center = Vec3::Zero(), radii = Vec3::Ones();
  if (const auto* sphere = std::get_if<geometry::Sphere>(&piece.form)) {
    center = sphere->center;
    radii.setConstant(sphere->radius);
  } else {
    center = std::get<geometry::Ellipsoid>(piece.form).center;
    radii = std::get<geometry::Ellipsoid>(piece.form).radii;
  }
  if (!is_finite(center)) throw_input("body {}, piece {}: the centre is not finite", id, local);
  if (!is_finite(radii) || radii.minCoeff() <= 0.0)
    throw_input("body {}, piece {}: radii {}, {}, {} must be positive and finite", id, local, radii.x(), radii.y(),
                radii.z());
}

/// Axes and radii of the image of the unit ball under a map: by one-sided Jacobi rotations, which make the columns
/// of map V orthogonal. Small radii come out as accurately as large ones.
void principal_axes(Mat3 map, EllipsoidView& to) {
  for (int sweep = 0; sweep < 30; ++sweep) {
    double worst = 0.0;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      const double a = map.col(p).squaredNorm(), b = map.col(q).squaredNorm(), c = map.col(p).dot(map.col(q));
      if (c == 0.0) continue;
      worst = std::max(worst, std::abs(c) / std::sqrt(a * b));
      const double zeta = (b - a) / (2.0 * c);
      const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
      const double cosine = 1.0 / std::sqrt(1.0 + t * t), sine = cosine * t;
      const Vec3 u = map.col(p), v = map.col(q);
      map.col(p) = cosine * u - sine * v;
      map.col(q) = sine * u + cosine * v;
    }
    if (worst < 1e-15) break;
  }
  to.radii = map.colwise().norm().transpose();
  for (int i = 0; i < 3; ++i) to.axes.col(i) = map.col(i) / to.radii[i];
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, int first, int count) {
  to.insert(to.end(), from.begin() + first, from.begin() + first + count);
}

}  // namespace

int PieceStore::add(int id, const geometry::Shape& shape, bool moving) {
  const int first = pieces();
  const int count = static_cast<int>(shape.pieces.size());
  for (int local = 0; local < count; ++local) check_piece(id, local, shape.pieces[local]);
  const int slot = bodies();
  bodies_.push_back({.id = id, .first = first, .count = count, .moving = moving});
  for (int local = 0; local < count; ++local) {
    add_piece(shape.pieces[local]);
    slot_.push_back(slot);
    costly_ += moving && kind_.back() != Kind::sphere;
    if (local < static_cast<int>(shape.adjacent.size()))
      adjacent_.insert(adjacent_.end(), shape.adjacent[local].begin(), shape.adjacent[local].end());
    std::sort(adjacent_.begin() + adjacent_start_.back(), adjacent_.end());
    adjacent_start_.push_back(static_cast<int>(adjacent_.size()));
  }
  place(slot, Mat3::Identity(), Vec3::Zero(), Vec3::Zero());
  return slot;
}

void PieceStore::add_piece(const geometry::Piece& piece) {
  surface_.push_back(piece.surface_id);
  box_.emplace_back();
  ball_.emplace_back();
  range_.emplace_back();
  ellipsoid_.emplace_back();
  if (const auto* polyhedron = std::get_if<geometry::Polyhedron>(&piece.form)) {
    add_polyhedron(*polyhedron);
    return;
  }
  // A sphere is kept as an ellipsoid too: an affine map may stretch it.
  const auto* sphere = std::get_if<geometry::Sphere>(&piece.form);
  EllipsoidView form;
  if (sphere) {
    form.center = sphere->center;
    form.radii = Vec3::Constant(sphere->radius);
  } else {
    const auto& ellipsoid = std::get<geometry::Ellipsoid>(piece.form);
    form = {ellipsoid.center, ellipsoid.axes, ellipsoid.radii};
  }
  const Kind kind = sphere ? Kind::sphere : Kind::ellipsoid;
  kind_.push_back(kind);
  now_.push_back(kind);
  exposed_.push_back(1);
  open_.push_back(0);
  warp_.push_back(0.0);
  reference_warp_.push_back(0.0);
  width_.push_back(2.0 * form.radii.minCoeff());
  reference_ball_.push_back({form.center, form.radii.maxCoeff()});
  reference_ellipsoid_.push_back(form);
}

void PieceStore::add_polyhedron(const geometry::Polyhedron& polyhedron) {
  const std::vector<ContactFace> faces = contact_faces(polyhedron);
  Range range;
  range.vertex = static_cast<int>(vertices_.size());
  range.vertices = static_cast<int>(polyhedron.vertices.size());
  range.face = static_cast<int>(offsets_.size());
  range.faces = static_cast<int>(faces.size());
  range.edge = static_cast<int>(edges_.size());
  range.slot = static_cast<int>(face_vertices_.size());
  range.starts = static_cast<int>(face_start_.size());
  reference_vertices_.insert(reference_vertices_.end(), polyhedron.vertices.begin(), polyhedron.vertices.end());
  vertices_.resize(reference_vertices_.size());

  // Faces.
  bool exposed = false, open = false;
  face_start_.push_back(0);
  for (const ContactFace& face : faces) {
    const int count = static_cast<int>(face.corners.size());
    reference_normals_.push_back(polygon_normal(polyhedron.vertices.data(), face.corners.data(), count));
    face_interior_.push_back(face.interior ? 1 : 0);
    face_surface_.push_back(face.surface);
    face_vertices_.insert(face_vertices_.end(), face.corners.begin(), face.corners.end());
    face_start_.push_back(face_start_.back() + count);
    exposed = exposed || !face.interior;
    open = open || face.interior;
  }
  range.slots = static_cast<int>(face_vertices_.size()) - range.slot;
  normals_.resize(reference_normals_.size());
  offsets_.resize(reference_normals_.size());

  add_edges(range);
  add_vertex_faces(range);

  kind_.push_back(Kind::polyhedron);
  now_.push_back(Kind::polyhedron);
  exposed_.push_back(exposed ? 1 : 0);
  open_.push_back(open ? 1 : 0);
  reference_ball_.emplace_back();
  reference_ellipsoid_.emplace_back();
  range_.back() = range;
  std::copy(polyhedron.vertices.begin(), polyhedron.vertices.end(), vertices_.begin() + range.vertex);
  std::copy(reference_normals_.begin() + range.face, reference_normals_.end(), normals_.begin() + range.face);
  finish_polyhedron(pieces() - 1);
  warp_.push_back(measured_warp(pieces() - 1));
  reference_warp_.push_back(warp_.back());
  width_.push_back(measured_width(pieces() - 1));
}

/// Edges: every pair of neighbouring corners, met once in each direction. The first of its faces is the one
/// that runs from the lower to the higher vertex.
void PieceStore::add_edges(Range& range) {
  const int* start = face_start_.data() + range.starts;
  const int* corners = face_vertices_.data() + range.slot;
  std::map<std::array<int, 2>, int> numbers;
  for (int f = 0; f < range.faces; ++f) {
    for (int k = start[f]; k < start[f + 1]; ++k) {
      const int a = corners[k], b = corners[k + 1 < start[f + 1] ? k + 1 : start[f]];
      const std::array<int, 2> ends{std::min(a, b), std::max(a, b)};
      const auto [found, fresh] = numbers.emplace(ends, static_cast<int>(numbers.size()));
      if (fresh) {
        edges_.push_back(ends);
        edge_faces_.push_back({f, f});
      } else {
        edge_faces_[range.edge + found->second][a < b ? 0 : 1] = f;
      }
      face_edges_.push_back(found->second);
    }
  }
  range.edges = static_cast<int>(numbers.size());
}

void PieceStore::add_vertex_faces(Range& range) {
  const int* start = face_start_.data() + range.starts;
  const int* corners = face_vertices_.data() + range.slot;
  range.vertex_starts = static_cast<int>(vertex_start_.size());
  std::vector<std::vector<std::array<int, 2>>> around(range.vertices);
  for (int f = 0; f < range.faces; ++f)
    for (int k = start[f]; k < start[f + 1]; ++k) around[corners[k]].push_back({f, corners[k + 1 < start[f + 1] ? k + 1 : start[f]]});
  int count = 0;
  for (const auto& faces : around) {
    vertex_start_.push_back(count);
    count += static_cast<int>(faces.size());
    for (const auto& [face, next] : faces) {
      vertex_faces_.push_back(face);
      vertex_next_.push_back(next);
    }
  }
  vertex_start_.push_back(count);
}

void PieceStore::remove(int slot) { bodies_[slot].id = -1; }

void PieceStore::sort() {
  // Nothing to do when ids already rise and no body was removed.
  const auto by_id = [](const BodyEntry& a, const BodyEntry& b) { return a.id < b.id; };
  const bool gaps = std::any_of(bodies_.begin(), bodies_.end(), [](const BodyEntry& b) { return b.id < 0; });
  if (!gaps && std::is_sorted(bodies_.begin(), bodies_.end(), by_id)) return;

  std::vector<BodyEntry> order;
  for (const BodyEntry& entry : bodies_)
    if (entry.id >= 0) order.push_back(entry);
  std::sort(order.begin(), order.end(), by_id);

  // Copy the live bodies in order into a fresh store.
  PieceStore fresh;
  for (BodyEntry entry : order) {
    const int first = entry.first;
    entry.first = fresh.pieces();
    for (int local = 0; local < entry.count; ++local) {
      fresh.copy_piece(*this, first + local);
      fresh.slot_.push_back(fresh.bodies());
      fresh.costly_ += entry.moving && fresh.kind_.back() != Kind::sphere;
    }
    fresh.bodies_.push_back(entry);
  }
  *this = std::move(fresh);
}

void PieceStore::copy_piece(const PieceStore& from, int piece) {
  kind_.push_back(from.kind_[piece]);
  now_.push_back(from.now_[piece]);
  exposed_.push_back(from.exposed_[piece]);
  open_.push_back(from.open_[piece]);
  warp_.push_back(from.warp_[piece]);
  reference_warp_.push_back(from.reference_warp_[piece]);
  width_.push_back(from.width_[piece]);
  surface_.push_back(from.surface_[piece]);
  ball_.push_back(from.ball_[piece]);
  reference_ball_.push_back(from.reference_ball_[piece]);
  box_.push_back(from.box_[piece]);
  ellipsoid_.push_back(from.ellipsoid_[piece]);
  reference_ellipsoid_.push_back(from.reference_ellipsoid_[piece]);
  const int first = from.adjacent_start_[piece];
  append(adjacent_, from.adjacent_, first, from.adjacent_start_[piece + 1] - first);
  adjacent_start_.push_back(static_cast<int>(adjacent_.size()));

  const Range& old = from.range_[piece];
  Range range = old;
  range.vertex = static_cast<int>(vertices_.size());
  range.face = static_cast<int>(offsets_.size());
  range.edge = static_cast<int>(edges_.size());
  range.slot = static_cast<int>(face_vertices_.size());
  range.starts = static_cast<int>(face_start_.size());
  range.vertex_starts = static_cast<int>(vertex_start_.size());
  range_.push_back(range);
  if (from.kind_[piece] != Kind::polyhedron) return;
  append(vertices_, from.vertices_, old.vertex, old.vertices);
  append(reference_vertices_, from.reference_vertices_, old.vertex, old.vertices);
  append(normals_, from.normals_, old.face, old.faces);
  append(reference_normals_, from.reference_normals_, old.face, old.faces);
  append(offsets_, from.offsets_, old.face, old.faces);
  append(face_surface_, from.face_surface_, old.face, old.faces);
  append(face_interior_, from.face_interior_, old.face, old.faces);
  append(face_start_, from.face_start_, old.starts, old.faces + 1);
  append(face_vertices_, from.face_vertices_, old.slot, old.slots);
  append(face_edges_, from.face_edges_, old.slot, old.slots);
  append(vertex_start_, from.vertex_start_, old.vertex_starts, old.vertices + 1);
  append(vertex_faces_, from.vertex_faces_, old.slot, old.slots);
  append(vertex_next_, from.vertex_next_, old.slot, old.slots);
  append(edges_, from.edges_, old.edge, old.edges);
  append(edge_faces_, from.edge_faces_, old.edge, old.edges);
}

void PieceStore::place(int slot, const Mat3& F, const Vec3& reference, const Vec3& position) {
  const BodyEntry& entry = bodies_[slot];
  const double scale = isotropic_scale(F);
  const Vec3 shift = position - F * reference;
  Mat3 cofactor = F;
  if (scale == 0.0) {
    cofactor.col(0) = F.col(1).cross(F.col(2));
    cofactor.col(1) = F.col(2).cross(F.col(0));
    cofactor.col(2) = F.col(0).cross(F.col(1));
  }
  for (int piece = entry.first; piece < entry.first + entry.count; ++piece) {
    if (kind_[piece] == Kind::polyhedron) {
      place_polyhedron(piece, F, cofactor, shift);
    } else {
      ball_[piece].center = F * reference_ball_[piece].center + shift;
      if (entry.round_spheres && kind_[piece] == Kind::sphere) place_curved(piece, Mat3::Identity(), 1.0);
      else place_curved(piece, F, scale);
    }
  }
}

void PieceStore::place_polyhedron(int piece, const Mat3& F, const Mat3& cofactor, const Vec3& shift) {
  const Range& range = range_[piece];
  const Vec3* from = reference_vertices_.data() + range.vertex;
  Vec3* to = vertices_.data() + range.vertex;
  for (int v = 0; v < range.vertices; ++v) to[v] = F * from[v] + shift;
  for (int f = range.face; f < range.face + range.faces; ++f)
    normals_[f] = (cofactor * reference_normals_[f]).normalized();
  warp_[piece] = reference_warp_[piece] * F.norm();
  finish_polyhedron(piece);
}

void PieceStore::place_curved(int piece, const Mat3& F, double scale) {
  if (kind_[piece] == Kind::sphere && scale > 0.0) {
    now_[piece] = Kind::sphere;
    ball_[piece].radius = scale * reference_ball_[piece].radius;
  } else {
    now_[piece] = Kind::ellipsoid;
    const EllipsoidView& from = reference_ellipsoid_[piece];
    EllipsoidView& to = ellipsoid_[piece];
    if (scale > 0.0) {
      to.axes = F * from.axes / scale;
      to.radii = from.radii * scale;
    } else {
      principal_axes(F * from.axes * from.radii.asDiagonal(), to);
    }
    to.center = ball_[piece].center;
    ball_[piece].radius = to.radii.maxCoeff();
  }
  finish_curved(piece);
}

void PieceStore::finish_curved(int piece) {
  const Ball& ball = ball_[piece];
  Vec3 half = Vec3::Constant(ball.radius);
  if (now_[piece] == Kind::ellipsoid) {
    const EllipsoidView& form = ellipsoid_[piece];
    half = (form.axes * form.radii.asDiagonal()).rowwise().norm();
  }
  box_[piece] = {ball.center - half, ball.center + half};
}

void PieceStore::finish_polyhedron(int piece) {
  const Range& range = range_[piece];
  const Vec3* vertices = vertices_.data() + range.vertex;
  // Planes through the mean of each face's corners.
  const int* start = face_start_.data() + range.starts;
  const int* corners = face_vertices_.data() + range.slot;
  for (int f = 0; f < range.faces; ++f) {
    Vec3 sum = Vec3::Zero();
    for (int k = start[f]; k < start[f + 1]; ++k) sum += vertices[corners[k]];
    offsets_[range.face + f] = normals_[range.face + f].dot(sum) / (start[f + 1] - start[f]);
  }
  // Box and bounding ball about the mean vertex.
  Vec3 low = vertices[0], high = vertices[0], sum = vertices[0];
  for (int v = 1; v < range.vertices; ++v) {
    low = low.cwiseMin(vertices[v]);
    high = high.cwiseMax(vertices[v]);
    sum += vertices[v];
  }
  const Vec3 center = sum / range.vertices;
  double square = 0.0;
  for (int v = 0; v < range.vertices; ++v) square = std::max(square, (vertices[v] - center).squaredNorm());
  box_[piece] = {low, high};
  ball_[piece] = {center, std::sqrt(square)};
}

double PieceStore::measured_width(int piece) const {
  const PolyhedronView p = polyhedron(piece);
  if (p.open) return kInfinity;
  double least = kInfinity;
  for (int f = 0; f < p.face_count; ++f) least = std::min(least, p.extent(p.normals[f]) + p.extent(-p.normals[f]));
  return least;
}

double PieceStore::extent(int piece, const Vec3& n) const {
  switch (kind(piece)) {
    case Kind::sphere: return n.dot(ball(piece).center) + ball(piece).radius * n.norm();
    case Kind::ellipsoid: {
      const EllipsoidView& e = ellipsoid(piece);
      return n.dot(e.center) + e.extent(n);
    }
    default: return polyhedron(piece).extent(n);
  }
}

double PieceStore::measured_warp(int piece) const {
  const Range& range = range_[piece];
  const Vec3* vertices = vertices_.data() + range.vertex;
  const int* start = face_start_.data() + range.starts;
  const int* corners = face_vertices_.data() + range.slot;
  double most = 0.0;
  for (int f = 0; f < range.faces; ++f)
    for (int k = start[f]; k < start[f + 1]; ++k)
      most = std::max(most, std::abs(normals_[range.face + f].dot(vertices[corners[k]]) - offsets_[range.face + f]));
  return most;
}

int PieceStore::points(int slot) const {
  const BodyEntry& entry = bodies_[slot];
  int count = 0;
  for (int piece = entry.first; piece < entry.first + entry.count; ++piece)
    count += kind_[piece] == Kind::polyhedron ? range_[piece].vertices : 1;
  return count;
}

void PieceStore::place_points(int slot, std::span<const Vec3> points) {
  const BodyEntry& entry = bodies_[slot];
  const Vec3* next = points.data();
  for (int piece = entry.first; piece < entry.first + entry.count; ++piece) {
    if (kind_[piece] != Kind::polyhedron) {
      ball_[piece].center = *next++;
      place_curved(piece, Mat3::Identity(), 1.0);
      continue;
    }
    const Range& range = range_[piece];
    Vec3* vertices = vertices_.data() + range.vertex;
    for (int v = 0; v < range.vertices; ++v) vertices[v] = *next++;
    const int* start = face_start_.data() + range.starts;
    const int* corners = face_vertices_.data() + range.slot;
    for (int f = 0; f < range.faces; ++f)
      normals_[range.face + f] = polygon_normal(vertices, corners + start[f], start[f + 1] - start[f]);
    finish_polyhedron(piece);
    warp_[piece] = measured_warp(piece);
  }
}

PolyhedronView PieceStore::polyhedron(int piece) const {
  const Range& range = range_[piece];
  PolyhedronView view;
  view.vertices = vertices_.data() + range.vertex;
  view.normals = normals_.data() + range.face;
  view.offsets = offsets_.data() + range.face;
  view.face_start = face_start_.data() + range.starts;
  view.face_vertices = face_vertices_.data() + range.slot;
  view.face_edges = face_edges_.data() + range.slot;
  view.face_surface = face_surface_.data() + range.face;
  view.face_interior = face_interior_.data() + range.face;
  view.vertex_start = vertex_start_.data() + range.vertex_starts;
  view.vertex_faces = vertex_faces_.data() + range.slot;
  view.vertex_next = vertex_next_.data() + range.slot;
  view.edges = edges_.data() + range.edge;
  view.edge_faces = edge_faces_.data() + range.edge;
  view.vertex_count = range.vertices;
  view.face_count = range.faces;
  view.edge_count = range.edges;
  view.center = ball_[piece].center;
  view.size = size(piece);
  view.warp = warp_[piece];
  view.open = open_[piece] != 0;
  return view;
}

std::span<const int> PieceStore::adjacent(int piece) const {
  return {adjacent_.data() + adjacent_start_[piece], adjacent_.data() + adjacent_start_[piece + 1]};
}

bool PieceStore::are_adjacent(int piece_a, int piece_b) const {
  if (slot_[piece_a] != slot_[piece_b]) return false;
  const auto list = adjacent(piece_a);
  return std::binary_search(list.begin(), list.end(), local(piece_b));
}

bool PieceStore::contains(int piece, const Vec3& point) const {
  if (kind_[piece] != Kind::polyhedron) {
    const EllipsoidView& form = reference_ellipsoid_[piece];
    const Vec3 local = form.axes.transpose() * (point - form.center);
    return local.cwiseQuotient(form.radii).squaredNorm() < 1.0;
  }
  const Range& range = range_[piece];
  const Vec3* vertices = reference_vertices_.data() + range.vertex;
  const int* start = face_start_.data() + range.starts;
  const int* corners = face_vertices_.data() + range.slot;
  for (int f = 0; f < range.faces; ++f) {
    Vec3 mean = Vec3::Zero();
    for (int k = start[f]; k < start[f + 1]; ++k) mean += vertices[corners[k]];
    mean /= start[f + 1] - start[f];
    if (reference_normals_[range.face + f].dot(point - mean) >= 0.0) return false;
  }
  return true;
}

}  // namespace scree::collision
