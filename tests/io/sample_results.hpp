/// Frames with recognisable numbers, for tests of writers and readers.
#pragma once

#include "geometry/build.hpp"
#include "io/results.hpp"

namespace scree::io {

/// Frame k of a made-up run with the given body rows and contacts; every number depends on k and its place.
inline Frame sample_frame(int k, const std::vector<std::int32_t>& rows, int contacts) {
  Frame frame;
  frame.time = 0.25 * k;
  frame.step = 10 * k;
  frame.energy = {1.0 + k, 2.0 + k, 3.0 + k, 4.0 + k, 5.0 + k, 6.0 + k, 7.0 + k};
  frame.body = rows;
  const auto fill = [&](std::vector<double>& values, std::size_t size, double seed) {
    for (std::size_t i = 0; i < size; ++i) values.push_back(seed + k + 1e-3 * static_cast<double>(i) / 3.0);
  };
  fill(frame.rotation, 9 * rows.size(), 0.1);
  fill(frame.position, 3 * rows.size(), 0.2);
  fill(frame.velocity, 3 * rows.size(), 0.3);
  fill(frame.angular, 3 * rows.size(), 0.4);
  fill(frame.body_energy, 6 * rows.size(), 0.45);
  for (std::size_t i = 0; i < rows.size(); ++i) frame.mises.push_back(1e5f * static_cast<float>(k + 1) + static_cast<float>(i));
  const auto c = static_cast<std::size_t>(contacts);
  fill(frame.point, 3 * c, 0.5);
  fill(frame.axes, 9 * c, 0.6);
  fill(frame.gap, c, -0.7);
  fill(frame.area, c, 0.8);
  fill(frame.force, 3 * c, 0.9);
  fill(frame.relative_velocity, 3 * c, 1.1);
  for (int i = 0; i < contacts; ++i) {
    frame.pair.insert(frame.pair.end(), {rows.empty() ? -1 : rows.front(), i % 2 ? -1 : rows.empty() ? -1 : rows.back()});
    frame.surface.insert(frame.surface.end(), {i, i + 1});
    frame.material.push_back(i - 1);
    frame.contact_kind.push_back(static_cast<std::uint8_t>(i % 3));
    frame.constraint.push_back(i % 3 ? i : -1);
  }
  return frame;
}

inline bool same_frames(const Frame& a, const Frame& b) {
  const EnergyRow &e = a.energy, &f = b.energy;
  bool same = a.time == b.time && a.step == b.step && e.kinetic == f.kinetic && e.internal == f.internal && e.potential == f.potential &&
              e.external == f.external && e.contact == f.contact && e.friction == f.friction && e.damping == f.damping;
  Frame::each_column([&](const FrameColumn&, auto member) { same = same && a.*member == b.*member; });
  return same;
}

inline StepRow sample_step(int k) {
  StepRow row;
  row.step = k, row.time = 0.025 * k, row.h = 0.025;
  row.bodies = 4, row.contacts = 5 + k, row.iterations = 6 + k, row.status = k % 4;
  row.residual = 1e-8 * k, row.penetration_max = 1e-4 / (k + 1), row.penetration_mean = 1e-5 / (k + 1);
  row.integrate = 0.1 * k, row.solve = 0.2 * k;
  return row;
}

inline geometry::Shape cube(const Vec3& corner, double side) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back(corner + side * Vec3(i & 1, (i >> 1) & 1, (i >> 2) & 1));
  return geometry::make_hull(points, 1, 2);
}

}  // namespace scree::io
