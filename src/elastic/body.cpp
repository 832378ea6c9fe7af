#include "elastic/body.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/abandon.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "elastic/kernels.hpp"

namespace scree::elastic {

namespace {

constexpr std::ptrdiff_t kElementChunk = 32;

/// Referential gradients of an element's shape functions at a natural place; returns det of the map.
double map_gradients(const FiniteMesh& mesh, int e, const Vec3& at, double* gradients) {
  const auto nodes = mesh.element(e);
  const int count = static_cast<int>(nodes.size());
  Vec3 dN[kMostNodes];
  shape_gradients(mesh.kinds[e], at, dN);
  Mat3 J = Mat3::Zero();
  for (int a = 0; a < count; ++a) J += mesh.nodes[nodes[a]] * dN[a].transpose();
  const Mat3 inverse = J.inverse();
  for (int a = 0; a < count; ++a) Vec3::Map(gradients + 3 * a) = inverse.transpose() * dN[a];
  return J.determinant();
}

}  // namespace

ElasticBody::ElasticBody(FiniteMesh mesh, const Materials& materials) : mesh_(std::move(mesh)) {
  set_materials(materials);
  mass_.pattern = make_pattern(mesh_);
  set_slots();
  set_colours();
  set_points(nullptr);
  set_mass(nullptr);
}

ElasticBody::ElasticBody(FiniteMesh mesh, const Materials& materials, const VolumeRule& rule) : mesh_(std::move(mesh)) {
  set_materials(materials);
  mass_.pattern = make_pattern(mesh_);
  set_slots();
  set_colours();
  set_points(&rule);
  set_mass(&rule);
}

void ElasticBody::set_materials(const Materials& materials) {
  std::map<int, std::pair<int, double>> known;  // volume id -> law, density
  for (int volume : mesh_.element_volume) {
    auto found = known.find(volume);
    if (found == known.end()) {
      const Material material = materials(volume);
      if (!(material.density > 0.0) || !std::isfinite(material.density)) {
        throw_input("finite elements: the density of volume {} is {:g}: it must be positive", volume, material.density);
      }
      found = known.emplace(volume, std::pair{static_cast<int>(laws_.size()), material.density}).first;
      laws_.push_back(material.law);
    }
    law_of_.push_back(found->second.first);
    density_.push_back(found->second.second);
  }
}

void ElasticBody::set_slots() {
  for (int e = 0; e < mesh_.elements(); ++e) {
    throw_if_stopped();
    slot_start_.push_back(slots_.size());
    const auto nodes = mesh_.element(e);
    for (int a : nodes) {
      for (int b : nodes) slots_.push_back(mass_.pattern->find(a, b));
    }
  }
}

void ElasticBody::set_colours() {
  // Each element takes the lowest colour none of its nodes has met.
  std::vector<std::uint64_t> met(mesh_.nodes.size(), 0);
  std::vector<int> colour(mesh_.elements());
  int colours = 0;
  std::vector<int> left(mesh_.elements());
  for (int e = 0; e < mesh_.elements(); ++e) left[e] = e;
  // 64 colours a round; meshes with more elements at a node take further rounds.
  while (!left.empty()) {
    std::fill(met.begin(), met.end(), 0);
    std::vector<int> next;
    int used = 0;
    for (int e : left) {
      std::uint64_t taken = 0;
      for (int n : mesh_.element(e)) taken |= met[n];
      if (taken == ~std::uint64_t{0}) {
        next.push_back(e);
        continue;
      }
      const int c = std::countr_one(taken);
      for (int n : mesh_.element(e)) met[n] |= std::uint64_t{1} << c;
      colour[e] = colours + c;
      used = std::max(used, c + 1);
    }
    colours += used;
    left.swap(next);
  }
  for (int c = 0; c < colours; ++c) {
    for (int e = 0; e < mesh_.elements(); ++e) {
      if (colour[e] == c) coloured_.push_back(e);
    }
    colour_start_.push_back(static_cast<int>(coloured_.size()));
  }
}

void ElasticBody::set_points(const VolumeRule* rule) {
  for (int e = 0; e < mesh_.elements(); ++e) {
    throw_if_stopped();
    const std::size_t width = 3 * mesh_.element(e).size();
    gradient_start_.push_back(gradients_.size());
    const auto add = [&](const Vec3& at) {
      gradients_.resize(gradients_.size() + width);
      const double det = map_gradients(mesh_, e, at, gradients_.data() + gradients_.size() - width);
      if (!(det > 0.0)) {
        throw_input("finite elements: element {} ({}) folds inside: its map has the determinant {:g} at a quadrature point; move its nodes", e,
                    name(mesh_.kinds[e]), det);
      }
      return det;
    };
    if (rule) {
      for (int p = rule->start[e]; p < rule->start[e + 1]; ++p) {
        (void)add(rule->points[p].at);
        volume_.push_back(rule->points[p].volume);
      }
    } else {
      for (const Point& p : stiffness_rule(mesh_.kinds[e])) volume_.push_back(p.weight * add(p.at));
    }
    point_start_.push_back(static_cast<int>(volume_.size()));
  }
}

/// First order: row sums. Second order: the diagonal scaled to the element's mass, row sums would be negative at corners. In partly filled
/// elements no node gets less than a tenth of an even share, or matter far from it would make it light for its stiffness.
void ElasticBody::add_lumped(const MatX& local, bool partly, std::span<const int> nodes) {
  const double mass = local.sum();
  if (!(mass > 0.0)) return;
  VecX share = mesh_.order == 2 ? VecX(local.diagonal()) : VecX(local.rowwise().sum());
  if (partly) share = share.cwiseMax(0.1 * share.sum() / static_cast<double>(nodes.size()));
  share *= mass / share.sum();
  for (std::size_t a = 0; a < nodes.size(); ++a) lumped_[nodes[a]] += share[static_cast<Eigen::Index>(a)];
}

void ElasticBody::set_mass(const VolumeRule* rule) {
  mass_.values.assign(mass_.pattern->columns.size(), 0.0);
  lumped_.assign(mesh_.nodes.size(), 0.0);
  double N[kMostNodes], unused[3 * kMostNodes];
  MatX local;
  for (int e = 0; e < mesh_.elements(); ++e) {
    throw_if_stopped();
    const auto nodes = mesh_.element(e);
    const int count = static_cast<int>(nodes.size());
    local = MatX::Zero(count, count);
    const auto add = [&](const Vec3& at, double volume) {
      shape_values(mesh_.kinds[e], at, N);
      const auto values = Eigen::Map<const VecX>(N, count);
      local.noalias() += density_[e] * volume * values * values.transpose();
    };
    if (rule) {
      for (int p = rule->start[e]; p < rule->start[e + 1]; ++p) add(rule->points[p].at, rule->points[p].volume);
    } else {
      for (const Point& p : mass_rule(mesh_.kinds[e])) add(p.at, p.weight * map_gradients(mesh_, e, p.at, unused));
    }
    add_lumped(local, rule != nullptr, nodes);
    for (int a = 0; a < count; ++a) {
      for (int b = 0; b < count; ++b) mass_.values[slots_[slot_start_[e] + a * count + b]] += local(a, b);
    }
  }
  // Mass properties are moments of the mass matrix: places are interpolated by the same functions.
  geometry::MassProperties& m = properties_;
  const NodePattern& pattern = *mass_.pattern;
  for (double v : volume_) m.volume += v;
  Vec3 first = Vec3::Zero();
  for (int n = 0; n < pattern.rows(); ++n) {
    for (int k = pattern.row_start[n]; k < pattern.row_start[n + 1]; ++k) m.mass += mass_.values[k], first += mass_.values[k] * mesh_.nodes[n];
  }
  m.center = first / m.mass;
  for (int n = 0; n < pattern.rows(); ++n) {
    for (int k = pattern.row_start[n]; k < pattern.row_start[n + 1]; ++k) {
      m.euler += mass_.values[k] * (mesh_.nodes[n] - m.center) * (mesh_.nodes[pattern.columns[k]] - m.center).transpose();
    }
  }
}

double ElasticBody::kinetic_energy(std::span<const double> u) const {
  const NodePattern& p = *mass_.pattern;
  return 0.5 * parallel_sum(p.rows(), [&](std::ptrdiff_t n) {
    Vec3 sum = Vec3::Zero();
    for (int k = p.row_start[n]; k < p.row_start[n + 1]; ++k) sum += mass_.values[k] * Vec3::Map(u.data() + 3 * p.columns[k]);
    return sum.dot(Vec3::Map(u.data() + 3 * n));
  });
}

/// Colour after colour; within one no two elements touch the same node. Interrupted where a stop is requested.
template <class Work>
void ElasticBody::for_elements(Work&& work) const {
  for (std::size_t c = 0; c + 1 < colour_start_.size(); ++c) {
    throw_if_stopped();
    const int first = colour_start_[c];
    parallel_for(colour_start_[c + 1] - first, [&](std::ptrdiff_t k) { work(coloured_[first + k]); }, kElementChunk);
  }
}

void ElasticBody::internal_force(std::span<const double> q, std::span<double> f) const {
  std::fill(f.begin(), f.end(), 0.0);
  for_elements([&](int e) {
    const Nodal x = gather(mesh_.element(e), q);
    Nodal force = no_force(x.nodes);
    for (int p = first_point(e); p < first_point(e) + points(e); ++p) {
      const Mat3 F = elastic::deformation(x, gradients(e, p));
      add_stress(volume_[p] * F * tensor(law(e).stress(F.transpose() * F)), gradients(e, p), force);
    }
    scatter(mesh_.element(e), force, f);
  });
}

void ElasticBody::step_force(std::span<const double> q0, std::span<const double> q1, double viscosity, std::span<double> f) const {
  std::fill(f.begin(), f.end(), 0.0);
  for_elements([&](int e) {
    const Nodal x0 = gather(mesh_.element(e), q0), x1 = gather(mesh_.element(e), q1);
    Nodal force = no_force(x0.nodes);
    for (int p = first_point(e); p < first_point(e) + points(e); ++p) {
      // The energy-consistent stress and the viscous one of the change of strain (theory eq. 5.13, 6.9).
      const Mat3 F0 = elastic::deformation(x0, gradients(e, p)), F1 = elastic::deformation(x1, gradients(e, p));
      add_stress(0.5 * volume_[p] * (F0 + F1) * tensor(step_stress(law(e), F0.transpose() * F0, F1.transpose() * F1, viscosity)), gradients(e, p), force);
    }
    scatter(mesh_.element(e), force, f);
  });
}

void ElasticBody::viscous_force(std::span<const double> q, std::span<const double> u, std::span<double> f) const {
  std::fill(f.begin(), f.end(), 0.0);
  for_elements([&](int e) {
    const Nodal x = gather(mesh_.element(e), q), v = gather(mesh_.element(e), u);
    Nodal force = no_force(x.nodes);
    for (int p = first_point(e); p < first_point(e) + points(e); ++p) {
      const Mat3 F = elastic::deformation(x, gradients(e, p)), dF = elastic::deformation(v, gradients(e, p));
      add_stress(volume_[p] * F * tensor(viscous_stress(law(e), F, dF)), gradients(e, p), force);
    }
    scatter(mesh_.element(e), force, f);
  });
}

void ElasticBody::tangent(std::span<const double> q, BlockMatrix& K) const {
  std::fill(K.values.begin(), K.values.end(), 0.0);
  for_elements([&](int e) { scatter_matrix(slots_.data() + slot_start_[e], element_tangent(e, q), 1.0, K); });
}

ElementMatrix ElasticBody::element_tangent(int e, std::span<const double> q) const {
  const Nodal x = gather(mesh_.element(e), q);
  ElementMatrix local(x.nodes);
  for (int p = first_point(e); p < first_point(e) + points(e); ++p) {
    const Mat3 F = elastic::deformation(x, gradients(e, p)), C = F.transpose() * F;
    add_stiffness(F, law(e).stress(C), law(e).tangent(C), gradients(e, p), volume_[p], local);
  }
  return local;
}

double ElasticBody::internal_energy(std::span<const double> q) const {
  return parallel_sum(mesh_.elements(), [&](std::ptrdiff_t k) {
    const int e = static_cast<int>(k);
    double sum = 0.0;
    for (int p = first_point(e); p < first_point(e) + points(e); ++p) {
      const Mat3 F = deformation(e, p, q);
      sum += volume_[p] * law(e).energy(F.transpose() * F);
    }
    return sum;
  }, kElementChunk);
}

Mat3 ElasticBody::deformation(int element, int point, std::span<const double> q) const {
  return elastic::deformation(gather(mesh_.element(element), q), gradients(element, point));
}

}  // namespace scree::elastic
