#include "parallel/shared_work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/hash.hpp"
#include "parallel/packing.hpp"
#include "parallel/shared_solve.hpp"

namespace scree::parallel {

// --- owners -----------------------------------------------------------------------------------------------

bool SharedWork::begin(const model::Bodies& bodies, const model::Motion& motion, std::span<const assembly::Contact> contacts) {
  const bool resumed = std::exchange(resumed_, false) && weight_.size() == bodies.id.size();
  if (!resumed) weight_ = weights_of(bodies, contacts);
  const bool fresh = cells_.empty() || !(resumed || known(bodies));
  bool changed = fresh;
  if (!fresh) {
    changed = assign(bodies, motion);
    imbalance_ = measure_imbalance(bodies);
  }
  if (fresh || (imbalance_ > options.imbalance && steps_ - last_cut_ >= options.least_steps)) {
    cut(bodies, motion);
    changed = assign(bodies, motion) || changed;
  }
  ++steps_;
  return changed;
}

std::vector<double> SharedWork::weights_of(const model::Bodies& bodies, std::span<const assembly::Contact> contacts) const {
  // One for the body, one a contact, one for every six unknowns beyond a rigid body's.
  std::vector<double> weight(bodies.id.size(), 0.0);
  for (int b = 0; b < bodies.size(); ++b) {
    if (!bodies.moves(b)) continue;
    weight[b] = 1.0 + bodies.unknowns(b) / 6.0;
  }
  for (const assembly::Contact& contact : contacts)
    for (const int b : {contact.index_a, contact.index_b})
      if (bodies.moves(b)) weight[b] += 1.0;
  return weight;
}

bool SharedWork::known(const model::Bodies& bodies) const {
  for (int b = 0; b < bodies.size(); ++b) {
    const std::size_t id = bodies.id[b];
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
    const std::size_t i = b;
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
    const std::size_t i = b;
    Mover& mover = movers_[bodies.id[i]];
    if (!bodies.moves(b)) continue;
    mover.unknowns = bodies.unknowns(b);
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
  std::vector<double> work(team_.size(), 0.0);
  double total = 0.0;
  for (int b = 0; b < bodies.size(); ++b) {
    const int rank = owner(bodies.id[b]);
    if (rank < 0) continue;
    work[rank] += weight_[b];
    total += weight_[b];
  }
  return total > 0.0 ? *std::ranges::max_element(work) * static_cast<double>(cells_.size()) / total : 1.0;
}

int SharedWork::owner(int id) const {
  const std::size_t k = id;
  return id >= 0 && k < movers_.size() ? movers_[k].owner : -1;
}

int SharedWork::pair_owner(int id_a, int id_b) const {
  const auto side = [&](int id) {
    if (id < 0) return Side{};
    const Mover& mover = movers_[id];
    return Side{mover.owner, mover.unknowns, id};
  };
  return rank_of_pair(side(id_a), side(id_b));
}

// --- checkpoints ------------------------------------------------------------------------------------------

void SharedWork::save(Archive& archive, const model::Bodies& bodies, std::span<const assembly::Contact> contacts) const {
  if (cells_.empty()) return;
  Archive::Reals cells;
  for (const Cell& cell : cells_)
    for (const Vec3& corner : {cell.low, cell.high}) cells.insert(cells.end(), corner.begin(), corner.end());
  archive.put("ranks/cells", cells);
  archive.put("ranks/weights", weights_of(bodies, contacts));
  archive.put("ranks/counts", Archive::Integers{team_.size(), steps_, last_cut_});
}

void SharedWork::load(const Archive& archive) {
  cells_.clear();
  movers_.clear();
  steps_ = last_cut_ = 0;
  if (!archive.has("ranks/counts")) return;
  const auto& counts = archive.get<Archive::Integers>("ranks/counts", 3);
  if (counts[0] != team_.size()) return;
  const Archive::Reals& cells = archive.reals("ranks/cells");
  for (std::size_t k = 0; k + 6 <= cells.size() && cells_.size() < static_cast<std::size_t>(team_.size()); k += 6)
    cells_.push_back({Vec3(cells[k], cells[k + 1], cells[k + 2]), Vec3(cells[k + 3], cells[k + 4], cells[k + 5])});
  weight_ = archive.reals("ranks/weights");
  steps_ = counts[1], last_cut_ = counts[2];
  resumed_ = true;
}

// --- what ranks tell each other ---------------------------------------------------------------------------

void SharedWork::join(std::vector<collision::ContactPoint>& points) {
  detected_ += static_cast<long>(points.size());
  merge_points(team_.meet("detection of contacts", pack_points(points)), points);
}

solvers::SolveReport SharedWork::solve(const stepping::WholeProblem& whole, const std::function<solvers::SolveReport()>& solve_here, std::vector<double>& impulses) {
  measure_balance(whole.rank);
  if (options.gathered || !shares(whole.solver, whole.options)) return solve_gathered(solve_here, impulses);
  return solve_shared({whole.problem, whole.rank, whole.solver, whole.stop, whole.options, options.most_gathered}, team_, impulses);
}

void SharedWork::measure_balance(std::span<const int> rank) {
  std::vector<long> count(team_.size(), 0);
  for (const int r : rank) ++count[r];
  if (!rank.empty()) balance_ = static_cast<double>(*std::ranges::max_element(count)) * static_cast<double>(count.size()) / static_cast<double>(rank.size());
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
  for (const std::span<const std::byte> other : team_.meet("loads", std::as_bytes(std::span(&mine, 1))))
    if (std::memcmp(other.data(), &mine, sizeof mine) != 0)
      throw RankFailure("force functions gave different forces on the ranks: they must not depend on the rank, a clock or random numbers without a seed");
}

void SharedWork::commit() {
  const Traffic mine = team_.traffic() - told_;
  told_ = team_.traffic();
  Traffic step{mine.rounds, 0, 0, mine.reductions};
  for (const std::span<const std::byte> part : team_.meet("end of a step", std::as_bytes(std::span(&mine, 1)))) {
    Traffic sent;
    std::memcpy(&sent, part.data(), sizeof sent);
    step.messages += sent.messages;
    step.bytes += sent.bytes;
  }
  ledger_.add(step, balance_);
}

void SharedWork::Ledger::add(const Traffic& step, double step_balance) {
  ++steps;
  traffic.rounds += step.rounds, traffic.messages += step.messages, traffic.bytes += step.bytes, traffic.reductions += step.reductions;
  balance = step_balance;
  balance_sum += balance;
  balance_max = std::max(balance_max, balance);
}

}  // namespace scree::parallel
