// Overlaps that cannot be taken back (theory sec. 3.3).
#include <algorithm>
#include <utility>

#include "stepping/contact_stage.hpp"
#include "stepping/impact.hpp"

namespace scree::stepping {

namespace {

constexpr double kWedges = 1.0;   ///< mu from which on two contacts hold what is between them whatever pushes it
constexpr double kAgainst = 0.5;  ///< share of what impulses are paid for by biases beyond which these are what cannot be met (theory eq. 3.26)
constexpr double kFaster = 10.0;  ///< times the speeds asked for that bodies may reach by taking back overlaps and drift, in the mean square

/// What a group of bodies in touch is asked for.
struct Asked {
  double mass = 0.0;      ///< kg, of its bodies
  double kinetic = 0.0;   ///< J, theirs
  double squares = 0.0;   ///< of the speeds of recovery, summed over blocks, m^2/s^2
  bool overlaps = false;  ///< a contact recovers
  bool joined = false;    ///< there are equalities
};

/// `kept` with the work of two solves.
solvers::SolveReport work_of_both(const solvers::SolveReport& first, solvers::SolveReport kept, const solvers::SolveReport& second) {
  kept.iterations = first.iterations + second.iterations;
  kept.products = first.products + second.products;
  kept.seconds = first.seconds + second.seconds;
  return kept;
}

std::size_t count(std::span<const int> group) { return group.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(group)) + 1; }

}  // namespace

void ContactStage::ease_yielding(const StageInput& in) {
  const std::size_t first = reactions.size();
  const auto hard = [&](std::size_t k) { return contacts[implicit[k]].yields && !eased_[k]; };
  std::vector<double> moved;
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    if (!hard(k)) continue;
    if (moved.empty()) moved = drift_velocities(in);
    eased_[k] = 1;
    leave_overlap(implicit[k]);
    for (std::size_t i = 3 * (first + k); i < 3 * (first + k) + 3; ++i) {
      const double eased = places_[i] + moved[i];
      problem.B[i] -= eased;
      bias_[i] -= eased;
      places_[i] = 0.0;
    }
  }
}

void ContactStage::leave_overlap(int c) {
  contacts[c].yields = true;
  if (deepest_left < 0 || contacts[c].point.gap < contacts[deepest_left].point.gap) deepest_left = c;
}

void ContactStage::give_way(const StageInput& in) {
  const auto contact_places = std::span(places_).subspan(3 * reactions.size());
  if (in.settings.quasi_static || in.level == Level::velocities || std::ranges::all_of(contact_places, [](double p) { return p == 0.0; })) return;
  const std::vector<int> group = groups();
  const std::vector<char> chosen = overdriven(in, group);
  if (std::ranges::none_of(chosen, [](char c) { return c != 0; })) return;

  const solvers::SolveReport asked = report;
  const std::vector<double> R_asked = R, B_asked = problem.B, bias_asked = bias_;
  const int left = deepest_left;
  const std::vector<int> yielding = mark_yielding(group, chosen);
  ease_yielding(in);
  for (std::size_t k = 0; k < R.size(); ++k)
    if (chosen[group[k / 3]]) R[k] = guess[k];
  report = solve_problem(in, R);
  const bool worse = report.status != solvers::Status::converged && report.residual >= asked.residual;
  report = work_of_both(asked, worse ? asked : report, report);
  if (worse) {
    R = R_asked, problem.B = B_asked, bias_ = bias_asked;
    for (const int c : yielding) contacts[c].yields = false;
    deepest_left = left;
  }
}

void ContactStage::loosen_wedged(const StageInput& in) {
  if (report.status == solvers::Status::converged || in.settings.quasi_static) return;
  const std::vector<int> group = groups();
  const std::vector<char> chosen = wedged(in, group);
  if (std::ranges::none_of(chosen, [](char c) { return c != 0; })) return;

  const solvers::SolveReport asked = report;
  const std::vector<double> R_asked = R, B_asked = problem.B, bias_asked = bias_, places_asked = places_;
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    const std::size_t a = reactions.size() + k;
    if (!chosen[group[a]]) continue;
    const bool pushes = R[3 * a] > 0.0 && !bounces_now(in, contacts[implicit[k]]);
    for (std::size_t i = 3 * a; i < 3 * a + 3; ++i) {
      R[i] = guess[i];
      if (!pushes) continue;
      problem.B[i] -= bias_[i];
      bias_[i] = places_[i] = 0.0;
    }
  }
  report = solve_problem(in, R);
  const bool worse = report.status != solvers::Status::converged && report.residual >= asked.residual;
  if (worse) R = R_asked, problem.B = B_asked, bias_ = bias_asked, places_ = places_asked;
  report = work_of_both(asked, worse ? asked : report, report);
}

std::vector<char> ContactStage::wedged(const StageInput& in, std::span<const int> group) const {
  std::vector<double> whole(count(group)), asked(whole.size());
  std::vector<char> hard(whole.size(), 0);
  for (std::size_t k = 3 * reactions.size(); k < R.size(); ++k) {
    const int g = group[k / 3];
    whole[g] -= R[k] * problem.B[k];
    asked[g] -= R[k] * bias_[k];
  }
  const std::size_t first = reactions.size();
  for (std::size_t k = 0; k < implicit.size(); ++k)
    if (problem.mu[first + k] >= kWedges && !bounces_now(in, contacts[implicit[k]])) hard[group[first + k]] = 1;
  std::vector<char> chosen(whole.size(), 0);
  for (std::size_t g = 0; g < whole.size(); ++g) chosen[g] = hard[g] && asked[g] > kAgainst * whole[g];
  return chosen;
}

std::vector<int> ContactStage::mark_yielding(std::span<const int> group, std::span<const char> chosen) {
  std::vector<int> marked;
  for (std::size_t k = 0; k < implicit.size(); ++k) {
    const std::size_t a = reactions.size() + k;
    if (!chosen[group[a]] || places_[3 * a] == 0.0) continue;
    contacts[implicit[k]].yields = true;
    marked.push_back(implicit[k]);
  }
  return marked;
}

std::vector<char> ContactStage::overdriven(const StageInput& in, std::span<const int> group) const {
  const std::size_t first = 3 * reactions.size();
  std::vector<Asked> asked(count(group));
  std::vector<double> U(R.size()), U_free = problem.B;
  solvers::relative_velocity(problem, R, U);
  for (std::size_t k = 0; k < R.size(); ++k) {
    Asked& mine = asked[group[k / 3]];
    const double plain = k < first ? places_[k] : bias_[k];
    U[k] -= plain, U_free[k] -= plain;
    mine.squares += places_[k] * places_[k];
    mine.overlaps = mine.overlaps || (k >= first && places_[k] != 0.0);
    mine.joined = mine.joined || (k < first && solvers::equations(problem.kind[k / 3]) > 0);
  }
  for (int slot = 0; slot < scaling.slots(); ++slot) {
    const auto blocks = form_->incidence(slot);
    if (blocks.empty()) continue;
    Asked& mine = asked[group[blocks.front() / 2]];
    mine.mass += in.model.bodies.mass[scaling.body[slot]];
    if (bouncing) mine.kinetic += model::kinetic_energy(in.model.bodies, in.motion, scaling.body[slot]);
  }
  const std::vector<ImpactWork> work = impact_work(group, U_free, {R, U}, std::vector<double>(asked.size(), 0.0));
  const bool solved = report.status == solvers::Status::converged;
  std::vector<char> chosen(asked.size(), 0);
  for (std::size_t g = 0; g < asked.size(); ++g) {
    const double most = 0.5 * kFaster * kFaster * asked[g].mass * asked[g].squares + asked[g].kinetic;
    const bool fast = !(work[g].sum <= most + accuracy(in) * work[g].size);
    chosen[g] = asked[g].overlaps && (fast || (!solved && asked[g].joined));
  }
  return chosen;
}

std::vector<double> ContactStage::drift_velocities(const StageInput& in) const {
  std::vector<double> impulses(R.size(), 0.0), velocities(R.size(), 0.0);
  std::vector<int> blocks;
  for (int a = 0; a < static_cast<int>(reactions.size()); ++a)
    if (solvers::equations(problem.kind[a]) > 0) blocks.push_back(a);
  const auto drifts = [&](int a) { return !Eigen::Map<const Vec3>(places_.data() + 3 * a).isZero(0.0); };
  if (std::ranges::none_of(blocks, drifts)) return velocities;
  solvers::ContactProblem part;
  part.W = form_->restricted(blocks);
  for (const int a : blocks) {
    part.kind.push_back(problem.kind[a]);
    part.mu.push_back(0.0);
    part.B.insert(part.B.end(), places_.data() + 3 * a, places_.data() + 3 * a + 3);
  }
  std::vector<double> found(part.B.size(), 0.0);
  static_cast<void>(solvers::solve("AUTO", part, in.solver.stop, {}, found));
  for (std::size_t k = 0; k < blocks.size(); ++k) std::copy_n(found.data() + 3 * k, 3, impulses.data() + 3 * blocks[k]);
  form_->apply(impulses, velocities);
  return velocities;
}

}  // namespace scree::stepping
