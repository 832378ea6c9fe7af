#include "solvers/grain_pile.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "solvers/auto.hpp"
#include "solvers/grain_contacts.hpp"

namespace scree::solvers {

namespace {

constexpr double kGravity = 9.81;
constexpr double kAhead = 0.3;         ///< contacts of settling steps have gaps below this share of the radius
constexpr double kLidHeight = 0.5;     ///< m
constexpr double kMostTravel = 0.25;   ///< of the radius, in one settling step: faster grains are slowed down

void check(const GrainPileOptions& o) {
  const auto need = [](bool ok, const char* name, double value, const char* range) {
    if (!ok) throw_input("grain pile: {} = {}; it must be {}", name, value, range);
  };
  need(o.grains >= 1 && o.grains <= 1000000, "grains", o.grains, "between 1 and 1000000");
  need(o.radius > 0.0 && std::isfinite(o.radius), "radius", o.radius, "positive");
  need(o.spread >= 0.0 && o.spread < 1.0, "spread", o.spread, "in [0, 1)");
  need(o.density > 0.0 && std::isfinite(o.density), "density", o.density, "positive");
  need(o.mu >= 0.0 && std::isfinite(o.mu), "mu", o.mu, "finite and not negative");
  need(std::isfinite(o.settling_mu), "settling_mu", o.settling_mu, "finite; negative means mu");
  need(o.step > 0.0, "step", o.step, "positive");
  need(o.settling_step > 0.0, "settling_step", o.settling_step, "positive");
  need(o.settling_steps >= 0, "settling_steps", o.settling_steps, "0 or more");
  need(o.free_steps >= 0, "free_steps", o.free_steps, "0 or more");
  need(o.settling_tolerance > 0.0, "settling_tolerance", o.settling_tolerance, "positive");
  need(o.reach > 0.0 && o.reach < 2.0, "reach", o.reach, "in (0, 2)");
  need(o.across >= 0, "across", o.across, "0 (automatic) or more");
  const double room = 2.0 * (1.0 + o.spread) * o.radius;
  need(o.vessel_radius == 0.0 || 2.0 * o.vessel_radius > room, "vessel_radius", o.vessel_radius, "0 or larger than a grain");
  need(o.vessel_width == 0.0 || o.vessel_width > room, "vessel_width", o.vessel_width, "0 or larger than a grain");
  need(o.across > 0 || o.vessel_radius > 0.0 || o.vessel_width > 0.0, "across", o.across, "given where there is no vessel");
  need(o.settling_lid_mass >= 0.0 && std::isfinite(o.settling_lid_mass), "settling_lid_mass", o.settling_lid_mass, "0 (the same) or positive");
  need(o.lid_mass == 0.0 || (o.lid_mass > 0.0 && o.lid_radius > 0.0), "lid_radius", o.lid_radius, "positive where there is a lid");
}

/// Pairs of grains nearer than a distance, by cells as wide as the widest reach; ascending.
class Neighbours {
 public:
  /// Calls found(i, j) with i < j for grains whose surfaces are nearer than `gap`.
  template <class Found>
  void visit(const std::vector<Grain>& grains, int count, double gap, Found&& found) {
    double widest = 0.0;
    for (int i = 0; i < count; ++i) widest = std::max(widest, grains[i].radius);
    const double cell = 2.0 * widest + gap;
    cells_.clear();
    for (int i = 0; i < count; ++i) cells_.push_back({key(grains[i].center, cell, 0, 0, 0), i});
    std::sort(cells_.begin(), cells_.end());
    for (int i = 0; i < count; ++i) {
      near_.clear();
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dz = -1; dz <= 1; ++dz) collect(key(grains[i].center, cell, dx, dy, dz), i);
      std::sort(near_.begin(), near_.end());
      for (int j : near_) {
        const double distance = (grains[j].center - grains[i].center).norm();
        if (distance > 0.0 && distance < grains[i].radius + grains[j].radius + gap) found(i, j);
      }
    }
  }

 private:
  static std::int64_t key(const Vec3& p, double cell, int dx, int dy, int dz) {
    constexpr std::int64_t kBias = 1 << 20;
    const auto part = [&](double x, int d) { return static_cast<std::int64_t>(std::floor(x / cell)) + d + kBias; };
    return (part(p.x(), dx) << 42) + (part(p.y(), dy) << 21) + part(p.z(), dz);
  }
  void collect(std::int64_t wanted, int i) {
    auto entry = std::lower_bound(cells_.begin(), cells_.end(), std::pair<std::int64_t, int>(wanted, i + 1));
    for (; entry != cells_.end() && entry->first == wanted; ++entry) near_.push_back(entry->second);
  }

  std::vector<std::pair<std::int64_t, int>> cells_;
  std::vector<int> near_;
};

class GrainPile {
 public:
  explicit GrainPile(const GrainPileOptions& options) : o_(options) {
    place_grains();
    if (o_.lid_mass > 0.0) place_lid();
  }

  /// One implicit step.
  void advance() {
    const double h = o_.settling_step;
    fall(h);
    ContactProblem problem = contacts(kAhead * o_.radius, h, o_.settling_mu < 0.0 ? o_.mu : o_.settling_mu);
    R_.assign(problem.B.size(), 0.0);
    AutoOptions options;
    options.tolerance = o_.settling_tolerance;
    options.max_iterations = 500;
    options.newton = false;
    (void)solve_auto(problem, options, R_, workspace_);
    apply(*form_);
    for (Grain& grain : grains_) grain.center += h * grain.velocity;
  }

  /// Take the vessel away and go on with the friction of the problem.
  void release() {
    o_.vessel_radius = o_.vessel_width = 0.0;
    o_.settling_mu = o_.mu;
  }

  /// The problem of the next step.
  ContactProblem problem() {
    if (o_.lid_mass > 0.0) grains_.back().mass = Vec3::Constant(o_.lid_mass);
    fall(o_.step);
    return contacts(o_.reach * o_.radius, o_.step, o_.mu);
  }

 private:
  void place_grains();
  void place_lid();
  [[nodiscard]] bool fits(double x, double y, double radius) const;
  void fall(double h) {
    for (Grain& grain : grains_) grain.velocity.z() -= kGravity * h;
  }
  [[nodiscard]] ContactProblem contacts(double gap, double h, double mu);
  void wall_contacts(GrainContacts& list, int i, double gap, double h, double mu) const;
  void lid_contacts(GrainContacts& list, double gap, double h, double mu) const;
  void apply(const BodyForm& W);
  [[nodiscard]] int count() const { return o_.grains; }

  GrainPileOptions o_;
  std::vector<Grain> grains_;   ///< the lid is the last
  Neighbours neighbours_;
  AutoWorkspace workspace_;
  std::shared_ptr<const BodyForm> form_;   ///< of the last contacts()
  std::vector<double> R_, y_;
};

bool GrainPile::fits(double x, double y, double radius) const {
  if (o_.vessel_radius > 0.0) return std::hypot(x, y) < o_.vessel_radius - radius;
  if (o_.vessel_width > 0.0) return std::max(std::abs(x), std::abs(y)) < 0.5 * o_.vessel_width - radius;
  return true;
}

void GrainPile::place_grains() {
  Random random(o_.seed);
  const double largest = (1.0 + o_.spread) * o_.radius, jitter = 0.05 * o_.radius, pitch = 2.0 * (largest + jitter);
  const double wide = o_.vessel_radius > 0.0 ? 2.0 * o_.vessel_radius : o_.vessel_width;
  const int across = o_.across > 0 ? o_.across : std::max(1, static_cast<int>(wide / pitch));
  for (int layer = 0; static_cast<int>(grains_.size()) < o_.grains; ++layer) {
    const std::size_t before = grains_.size();
    for (int j = 0; j < (o_.planar ? 1 : across); ++j)
      for (int i = 0; i < across && static_cast<int>(grains_.size()) < o_.grains; ++i) {
        const double x = (i - 0.5 * (across - 1)) * pitch, y = o_.planar ? 0.0 : (j - 0.5 * (across - 1)) * pitch;
        if (!fits(x, y, largest + jitter)) continue;
        Grain grain;
        grain.center = Vec3(x, y, largest + jitter + layer * pitch);
        for (int d = 0; d < 3; ++d)
          if (d != 1 || !o_.planar) grain.center[d] += jitter * random.signed_unit();
        grain.radius = o_.radius * (1.0 + o_.spread * random.signed_unit());
        const double r2 = grain.radius * grain.radius;
        const double mass = o_.density * kPi * r2 * (o_.planar ? 1.0 : 4.0 / 3.0 * grain.radius);
        grain.mass = Vec3(mass, o_.planar ? kInfinity : mass, mass);
        if (o_.rotating) grain.inertia = o_.planar ? Vec3(kInfinity, 0.5 * mass * r2, kInfinity) : Vec3(Vec3::Constant(0.4 * mass * r2));
        grains_.push_back(grain);
      }
    if (grains_.size() == before)
      throw_input("grain pile: none of {} x {} grains of the first lattice, {} m apart, fits the vessel; give a wider vessel or another `across`", across, o_.planar ? 1 : across, pitch);
  }
}

void GrainPile::place_lid() {
  double top = 0.0;
  for (const Grain& grain : grains_) top = std::max(top, grain.center.z() + grain.radius);
  Grain lid;
  lid.center = Vec3(0.0, 0.0, top + 0.5 * kLidHeight);
  lid.mass = Vec3::Constant(o_.settling_lid_mass > 0.0 ? o_.settling_lid_mass : o_.lid_mass);
  // Guided along its axis: it neither tilts nor turns.
  grains_.push_back(lid);
}

void GrainPile::wall_contacts(GrainContacts& list, int i, double gap, double h, double mu) const {
  const Grain& grain = grains_[i];
  const auto wall = [&](const Vec3& normal, double distance) {
    const double open = distance - grain.radius;
    if (open >= gap) return;
    const Vec3 point = grain.center - grain.radius * normal;
    if (o_.planar) list.add(-1, i, normal, Vec3(normal.z(), 0.0, -normal.x()), point, mu, open / h);
    else list.add(-1, i, normal, point, mu, open / h);
  };
  wall(Vec3::UnitZ(), grain.center.z());
  const double away = std::hypot(grain.center.x(), grain.center.y());
  if (o_.vessel_radius > 0.0 && away > 0.0) wall(Vec3(-grain.center.x() / away, -grain.center.y() / away, 0.0), o_.vessel_radius - away);
  if (o_.vessel_width > 0.0)
    for (int d = 0; d < (o_.planar ? 1 : 2); ++d) {
      wall(Vec3::Unit(d), 0.5 * o_.vessel_width + grain.center[d]);
      wall(-Vec3::Unit(d), 0.5 * o_.vessel_width - grain.center[d]);
    }
}

void GrainPile::lid_contacts(GrainContacts& list, double gap, double h, double mu) const {
  const Grain& lid = grains_.back();
  for (int i = 0; i < count(); ++i) {
    const Grain& grain = grains_[i];
    const double open = lid.center.z() - 0.5 * kLidHeight - grain.center.z() - grain.radius;
    const double beside = std::hypot(grain.center.x() - lid.center.x(), grain.center.y() - lid.center.y());
    if (open >= gap || beside > o_.lid_radius) continue;
    list.add(i, count(), Vec3::UnitZ(), grain.center + grain.radius * Vec3::UnitZ(), mu, open / h);
  }
}

ContactProblem GrainPile::contacts(double gap, double h, double mu) {
  GrainContacts list(grains_);
  neighbours_.visit(grains_, count(), gap, [&](int i, int j) {
    const Grain &one = grains_[i], &two = grains_[j];
    const Vec3 between = two.center - one.center;
    const double distance = between.norm(), open = distance - one.radius - two.radius;
    const Vec3 normal = between / distance, point = one.center + (one.radius + 0.5 * open) * normal;
    if (o_.planar) list.add(i, j, normal, Vec3(normal.z(), 0.0, -normal.x()), point, mu, open / h);
    else list.add(i, j, normal, point, mu, open / h);
  });
  for (int i = 0; i < count(); ++i) wall_contacts(list, i, gap, h, mu);
  if (o_.lid_mass > 0.0) lid_contacts(list, gap, h, mu);
  form_ = list.form();
  return list.finish();
}

void GrainPile::apply(const BodyForm& W) {
  y_.resize(W.dofs());
  W.scatter(R_, y_);
  const double fastest = kMostTravel * o_.radius / o_.settling_step;
  for (std::size_t i = 0; i < grains_.size(); ++i) {
    Grain& grain = grains_[i];
    for (int d = 0; d < 3; ++d) {
      grain.velocity[d] += y_[6 * i + d] / std::sqrt(grain.mass[d]);
      grain.spin[d] += y_[6 * i + 3 + d] / std::sqrt(grain.inertia[d]);
    }
    const double speed = grain.velocity.norm();
    if (speed > fastest) grain.velocity *= fastest / speed;
  }
}

}  // namespace

ContactProblem make_grain_pile(const GrainPileOptions& options) {
  check(options);
  GrainPile pile(options);
  for (int k = 0; k < options.settling_steps; ++k) pile.advance();
  if (options.free_steps > 0) pile.release();
  for (int k = 0; k < options.free_steps; ++k) pile.advance();
  return pile.problem();
}

}  // namespace scree::solvers
