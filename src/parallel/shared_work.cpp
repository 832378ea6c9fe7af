#include "parallel/shared_work.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "core/hash.hpp"
#include "parallel/packing.hpp"
#include "parallel/shared_form.hpp"

namespace scree::parallel {

namespace {

bool chooses(const solvers::OptionValues& options, const char* name, const char* value) {
  const auto found = options.find(name);
  return found != options.end() && found->second == solvers::OptionValue(std::string(value));
}

/// Solvers whose sums are over all ranks and whose W is a product alone, and sweeps with split bodies.
bool shares(const stepping::WholeProblem& whole) {
  static const std::set<std::string> names{"JACOBI", "SPG", "APGD", "PG", "CPG", "PCPG", "NEWTON"};
  return names.count(whole.solver) > 0 || (whole.solver == "GAUSS_SEIDEL" && chooses(whole.options, "variant", "BOUNDARY_JACOBI"));
}

}  // namespace

// --- owners -----------------------------------------------------------------------------------------------

bool SharedWork::begin(const model::Bodies& bodies, const model::Motion& motion, std::span<const assembly::Contact> contacts) {
  weigh(bodies, contacts);
  const bool fresh = cells_.empty() || !known(bodies);
  if (!fresh) imbalance_ = measure_imbalance(bodies);
  if (fresh || (imbalance_ > options.imbalance && steps_ - last_cut_ >= options.least_steps)) cut(bodies, motion);
  ++steps_;
  return assign(bodies, motion) || fresh;
}

void SharedWork::weigh(const model::Bodies& bodies, std::span<const assembly::Contact> contacts) {
  // One for the body, one a contact, one for every six unknowns beyond a rigid body's.
  weight_.assign(bodies.id.size(), 0.0);
  for (int b = 0; b < bodies.size(); ++b) {
    if (!bodies.moves(b)) continue;
    weight_[static_cast<std::size_t>(b)] = 1.0 + (bodies.deforms(b) ? static_cast<double>(bodies.deformable_of(b).size()) / 6.0 : 1.0);
  }
  for (const assembly::Contact& contact : contacts)
    for (const int b : {contact.index_a, contact.index_b})
      if (bodies.moves(b)) weight_[static_cast<std::size_t>(b)] += 1.0;
}

bool SharedWork::known(const model::Bodies& bodies) const {
  for (int b = 0; b < bodies.size(); ++b) {
    const auto id = static_cast<std::size_t>(bodies.id[static_cast<std::size_t>(b)]);
    if (id >= movers_.size() || (movers_[id].owner >= 0) != bodies.moves(b)) return false;
  }
  return true;
}

void SharedWork::cut(const model::Bodies& bodies, const model::Motion& motion) {
  std::vector<Vec3> points;
  std::vector<double> weights;
  std::vector<int> owners;
  for (int b = 0; b < bodies.size(); ++b) {
    if (!bodies.moves(b)) continue;
    const auto i = static_cast<std::size_t>(b);
    points.push_back(motion.position[i]);
    weights.push_back(weight_[i]);
    // Bodies without an owner are spoken for in turn.
    const int now = owner(bodies.id[i]);
    owners.push_back(now >= 0 ? now : b % team_.size());
  }
  const int most = std::max(1, static_cast<int>(points.size()) / std::max(1, options.least_bodies));
  cells_ = partitioner_->cut(points, weights, owners, std::min(team_.size(), most));
  last_cut_ = steps_;
  ++cuts_;
}

bool SharedWork::assign(const model::Bodies& bodies, const model::Motion& motion) {
  bool changed = false;
  if (!bodies.id.empty()) movers_.resize(std::max(movers_.size(), static_cast<std::size_t>(bodies.id.back()) + 1));
  for (int b = 0; b < bodies.size(); ++b) {
    const auto i = static_cast<std::size_t>(b);
    Mover& mover = movers_[static_cast<std::size_t>(bodies.id[i])];
    if (!bodies.moves(b)) continue;
    mover.unknowns = bodies.deforms(b) ? static_cast<int>(bodies.deformable_of(b).size()) : 6;
    int next = locate(cells_, motion.position[i]);
    if (options.migrate_always) next = static_cast<int>((next + steps_ + b) % team_.size());
    if (next == mover.owner) continue;
    if (mover.owner >= 0) ++migrations_;
    mover.owner = next;
    changed = true;
  }
  return changed;
}

double SharedWork::measure_imbalance(const model::Bodies& bodies) const {
  std::vector<double> work(static_cast<std::size_t>(team_.size()), 0.0);
  double total = 0.0;
  for (int b = 0; b < bodies.size(); ++b) {
    const int rank = owner(bodies.id[static_cast<std::size_t>(b)]);
    if (rank < 0) continue;
    work[static_cast<std::size_t>(rank)] += weight_[static_cast<std::size_t>(b)];
    total += weight_[static_cast<std::size_t>(b)];
  }
  return total > 0.0 ? *std::ranges::max_element(work) * static_cast<double>(cells_.size()) / total : 1.0;
}

int SharedWork::owner(int id) const {
  const auto k = static_cast<std::size_t>(id);
  return id >= 0 && k < movers_.size() ? movers_[k].owner : -1;
}

int SharedWork::pair_owner(int id_a, int id_b) const {
  const auto mover = [&](int id) { return id < 0 ? Mover{} : movers_[static_cast<std::size_t>(id)]; };
  const Mover a = mover(id_a), b = mover(id_b);
  if (a.owner < 0 || b.owner < 0) return std::max(a.owner, b.owner);
  if (a.unknowns != b.unknowns) return a.unknowns > b.unknowns ? a.owner : b.owner;
  return (id_a + id_b) % 2 == 0 ? a.owner : b.owner;
}

// --- what ranks tell each other ---------------------------------------------------------------------------

void SharedWork::join(std::vector<collision::ContactPoint>& points) {
  detected_ += static_cast<long>(points.size());
  const std::vector<Bytes> all = team_.meet("detection of contacts", pack_points(points));
  points.clear();
  for (const Bytes& part : all) unpack_points(part, points);
  // All points of a pair come from one rank, in their order.
  std::ranges::stable_sort(points, {}, [](const collision::ContactPoint& p) { return std::pair(p.body_a, p.body_b); });
}

solvers::SolveReport SharedWork::solve(const stepping::WholeProblem& whole, const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses) {
  if (options.gathered || !shares(whole)) return solve_gathered(solve_here, impulses);
  solvers::SolveReport report = solve_shared(whole, impulses);
  if (whole.solver != "NEWTON" || report.status == solvers::Status::converged || chooses(whole.options, "gsflag", "OFF")) return report;
  // Newton's fallback are sweeps: rank 0 goes on from the best iterate.
  solvers::SolveReport rest = solve_gathered(solve_here, impulses);
  rest.iterations += report.iterations;
  rest.products += report.products;
  rest.linear_iterations += report.linear_iterations;
  rest.fallbacks += 1;
  return rest;
}

solvers::SolveReport SharedWork::solve_shared(const stepping::WholeProblem& whole, std::vector<double>& impulses) {
  // Whatever is wrong with the problem is so on all ranks: nobody fails alone later, where others wait for sums.
  whole.problem.validate();
  const auto W = std::make_shared<SharedForm>(whole.form, whole.rank, team_);
  solvers::ContactProblem part{.W = W, .kind = {}, .mu = {}, .B = {}, .weight = {}};
  std::vector<double> R;
  for (const int block : W->mine()) {
    const auto a = static_cast<std::size_t>(block);
    part.kind.push_back(whole.problem.kind[a]);
    part.mu.push_back(whole.problem.mu[a]);
    part.weight.push_back(whole.problem.weight[a]);
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k) part.B.push_back(whole.problem.B[k]), R.push_back(impulses[k]);
  }
  solvers::OptionValues own = whole.options;
  if (whole.solver == "NEWTON") own["gsflag"] = std::string("OFF");
  solvers::SolveReport report;
  {
    const TeamScope scope(team_);
    report = solvers::solve(whole.solver, part, whole.stop, own, R);
  }
  // All impulses on all ranks, and the report of the first.
  const std::vector<Bytes> all = team_.meet("impulses of the contact problem", pack_solution(report, R));
  std::vector<std::size_t> next(all.size(), 0);
  std::vector<std::vector<double>> parts(all.size());
  for (std::size_t r = all.size(); r-- > 0;) report = unpack_solution(all[r], parts[r]);
  for (std::size_t a = 0; a < whole.rank.size(); ++a) {
    const auto r = static_cast<std::size_t>(whole.rank[a]);
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k) impulses[k] = parts[r][next[r]++];
  }
  return report;
}

solvers::SolveReport SharedWork::solve_gathered(const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses) {
  const Bytes answer = team_.from(0, "solution of the contact problem", [&] { return pack_solution(solve_here(), impulses); });
  return unpack_solution(answer, impulses);
}

void SharedWork::compare_loads(std::span<const Vec3> force, std::span<const Vec3> torque) {
  StateHash hash;
  for (const auto& list : {force, torque})
    for (const Vec3& value : list) hash.add(std::span<const double>(value.data(), 3));
  const std::uint64_t mine = hash.value();
  for (const Bytes& other : team_.meet("loads", std::as_bytes(std::span(&mine, 1))))
    if (std::memcmp(other.data(), &mine, sizeof mine) != 0)
      throw RankFailure("force functions gave different forces on the ranks: they must not depend on the rank, a clock or random numbers without a seed");
}

void SharedWork::commit() { team_.meet("end of a step"); }

}  // namespace scree::parallel
