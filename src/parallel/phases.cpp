#include "parallel/phases.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"

namespace scree::parallel {

namespace {

/// Bodies of a block that can be moved.
std::vector<int> movers(const solvers::BodyForm& whole, int block) {
  std::vector<int> bodies;
  for (const int body : whole.bodies_of(block))
    if (body >= 0 && whole.body_dofs(body) > 0) bodies.push_back(body);
  return bodies;
}

/// The rank that has most blocks of each body; the lowest of several. -1: a body without blocks.
std::vector<int> find_homes(const solvers::BodyForm& whole, std::span<const int> rank) {
  std::vector<int> home(at(whole.bodies()), -1);
  std::map<int, int> count;
  for (int body = 0; body < whole.bodies(); ++body) {
    count.clear();
    for (const int entry : whole.incidence(body))
      if (rank[entry / 2] >= 0) ++count[rank[entry / 2]];
    int most = 0;
    for (const auto& [r, n] : count)
      if (n > most) most = n, home[body] = r;
  }
  return home;
}

/// Blocks of one rank whose bodies are at home on the same ranks: they are swept over together.
struct Job {
  int rank = -1;
  std::vector<int> blocks;
};

std::vector<Job> find_jobs(const solvers::BodyForm& whole, std::span<const int> rank, std::span<const int> home) {
  std::map<std::vector<int>, Job> jobs;
  for (int a = 0; a < whole.blocks(); ++a) {
    if (rank[a] < 0) continue;
    std::vector<int> key{rank[a]};
    for (const int body : movers(whole, a))
      if (home[body] != key.front()) key.push_back(home[body]);
    if (key.size() == 1) continue;
    std::sort(key.begin() + 1, key.end());
    Job& job = jobs[key];
    job.rank = key.front();
    job.blocks.push_back(a);
  }
  std::vector<Job> list;
  for (auto& [key, job] : jobs) list.push_back(std::move(job));
  return list;
}

/// Colour jobs so that no two ranks act on a body in the same phase, and say the phase of each block.
int colour(const solvers::BodyForm& whole, std::span<const Job> jobs, std::vector<int>& phase) {
  struct Use {
    int colour, rank;
  };
  std::vector<std::vector<Use>> used(at(whole.bodies()));   // of bodies, so far
  int colours = 0;
  std::vector<char> taken;
  for (const Job& job : jobs) {
    taken.assign(at(colours) + 1, 0);
    for (const int a : job.blocks)
      for (const int body : movers(whole, a))
        for (const Use& use : used[body])
          if (use.rank != job.rank) taken[use.colour] = 1;
    const int chosen = static_cast<int>(std::ranges::find(taken, 0) - taken.begin());
    colours = std::max(colours, chosen + 1);
    for (const int a : job.blocks) {
      phase[a] = 1 + chosen;
      for (const int body : movers(whole, a)) {
        auto& uses = used[body];
        if (std::ranges::none_of(uses, [&](const Use& use) { return use.colour == chosen && use.rank == job.rank; })) uses.push_back({chosen, job.rank});
      }
    }
  }
  return colours;
}

}  // namespace

SweepVariant sweep_variant_from(const std::string& name) {
  if (name == "FULL") return SweepVariant::full;
  if (name == "MIDDLE_JACOBI") return SweepVariant::middle_jacobi;
  if (name == "BOUNDARY_JACOBI") return SweepVariant::boundary_jacobi;
  if (name == "SIMPLIFIED") return SweepVariant::simplified;
  throw_input("GAUSS_SEIDEL: variant '{}' is unknown; choose FULL, MIDDLE_JACOBI, BOUNDARY_JACOBI or SIMPLIFIED", name);
}

Phases make_phases(const solvers::BodyForm& whole, std::span<const int> rank, SweepVariant variant) {
  Phases phases;
  phases.of_block.assign(rank.size(), 0);
  if (variant == SweepVariant::boundary_jacobi || variant == SweepVariant::simplified) return phases;
  const std::vector<int> home = find_homes(whole, rank);
  const std::vector<Job> jobs = find_jobs(whole, rank, home);
  if (variant == SweepVariant::full) {
    phases.count = 1 + colour(whole, jobs, phases.of_block);
  } else if (!jobs.empty()) {
    phases.count = 2;
    for (const Job& job : jobs)
      for (const int a : job.blocks) phases.of_block[a] = 1;
  }
  return phases;
}

std::vector<int> ranks_of(const solvers::BodyForm& whole, std::span<const int> rank, int body) {
  std::vector<int> ranks;
  for (const int entry : whole.incidence(body))
    if (rank[entry / 2] >= 0) ranks.push_back(rank[entry / 2]);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace scree::parallel
