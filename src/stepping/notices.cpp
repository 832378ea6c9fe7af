#include "stepping/notices.hpp"

#include <algorithm>

#include "stepping/simulation.hpp"

namespace scree::stepping {

namespace {

constexpr std::size_t kMostNamed = 5;  ///< pairs that a warning names
constexpr double kCoarseTurn = 1.0;   ///< turn of a body in a step, rad, above which its contacts are not resolved
constexpr double kCoarseSwing = 0.3;  ///< rad: springs that swing farther in a step, about ten steps a contact, gain or lose energy

}  // namespace

void Simulation::warn_of_overlaps() {
  notices_.leave(Notice::overlaps);
  if (solver_.penalty()) return;
  buffers_.cover.speed.assign(model_.bodies.id.size(), 0.0);
  place_bodies(now_.state.motion);
  detect();
  const Overlaps depth = overlaps();
  if (depth.empty()) return;
  std::vector<std::pair<double, std::pair<int, int>>> order;
  for (const auto& [pair, deepest] : depth) order.emplace_back(-deepest, pair);
  std::ranges::sort(order);
  std::string named;
  for (std::size_t k = 0; k < std::min(order.size(), kMostNamed); ++k)
    named += fmt::format("{}{} and {} by {:.3g} m", k ? ", " : "", order[k].second.first, order[k].second.second, -order[k].first);
  if (order.size() > kMostNamed) named += fmt::format(" and {} more", order.size() - kMostNamed);
  notices_.add(fmt::format("bodies overlap at the start: {}; they are pushed apart slowly (contact setting recovery_speed). Move them apart, or exclude the pairs", named));
}

void Simulation::warn_of_spin() {
  if (notices_.said(Notice::spin)) return;
  const model::Bodies& bodies = model_.bodies;
  const auto round = [&](std::size_t i) { return bodies.shape[i]->pieces.size() == 1 && std::holds_alternative<geometry::Sphere>(bodies.shape[i]->pieces.front().form); };
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    const double spin = buffers_.old.angular[i].norm();
    if (bodies.kind[i] != model::BodyKind::rigid || spin * settings_.step <= kCoarseTurn || round(i)) continue;
    notices_.say(Notice::spin, fmt::format("body {} turns at {:.3g} rad/s, by {:.3g} rad in a step of {:.3g} s, and its contacts see one place a step; a step of {:.2g} s would do",
                                    bodies.id[i], spin, spin * settings_.step, settings_.step, 0.1 * kCoarseTurn / spin));
    return;
  }
}

void Simulation::warn_of_springs(const StageInput& in, const ContactStage& stage) {
  if (notices_.said(Notice::springs) || !stage.has_springs()) return;
  const ContactStage::Swing fastest = stage.fastest_spring(in);
  if (fastest.rate * settings_.step <= kCoarseSwing) return;
  const collision::ContactPoint& point = stage.contacts[fastest.contact].point;
  notices_.say(Notice::springs, fmt::format("springs between bodies {} and {} push for {:.2g} s, {:.2g} steps of {:.3g} s, and are evaluated once a step: energy may grow; a step of {:.2g} s would do",
                                  point.body_a, point.body_b, kPi / fastest.rate, kPi / (fastest.rate * settings_.step), settings_.step, 0.5 * kCoarseSwing / fastest.rate));
}

void Simulation::warn_of_parts(long parts) {
  const double h = settings_.step;
  notices_.say(Notice::parts, fmt::format("step {} was made of {} parts: in one of {:.3g} s a body turns too far beside something thin or on what it touches, or impacts find no room; results are those of a step of {:.2g} s there, and cost as much",
                                  steps(), parts, h, h / static_cast<double>(parts)));
}

void Simulation::warn_of_no_room(const ContactStage& stage) {
  if (stage.deepest_left < 0) return;
  const collision::ContactPoint& point = stage.contacts[stage.deepest_left].point;
  notices_.say(Notice::no_room, fmt::format("bodies {} and {} overlap by {:.3g} m, and joints or what is around them leave no room to part them: the overlap is left. Exclude the pair, or move the bodies apart",
                                  point.body_a, point.body_b, -point.gap));
}

}  // namespace scree::stepping
