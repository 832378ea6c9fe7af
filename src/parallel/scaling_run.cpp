#include "parallel/scaling_run.hpp"

#include <algorithm>
#include <mutex>

#include "core/error.hpp"
#include "parallel/partition.hpp"
#include "parallel/shared_form.hpp"
#include "parallel/shared_part.hpp"
#include "parallel/shared_solve.hpp"
#include "parallel/thread_team.hpp"
#include "solvers/islands.hpp"

namespace scree::parallel {

namespace {

/// Whose each block is, when space is cut by bisection.
std::vector<int> divide_blocks(const solvers::BodyForm& form, std::span<const Vec3> places, int ranks) {
  std::vector<Vec3> points;
  std::vector<double> weights;
  std::vector<int> movers;
  for (int body = 0; body < form.bodies(); ++body) {
    if (form.body_dofs(body) == 0) continue;
    movers.push_back(body);
    points.push_back(places[body]);
    weights.push_back(1.0 + static_cast<double>(form.incidence(body).size()) + form.body_dofs(body) / 6.0);
  }
  const std::vector<Cell> cells = Bisection().cut(points, weights, {}, ranks);
  std::vector<int> owner(at(form.bodies()), -1);
  for (std::size_t k = 0; k < movers.size(); ++k) owner[movers[k]] = locate(cells, points[k]);
  std::vector<int> rank;
  for (int a = 0; a < form.blocks(); ++a) {
    const auto side = [&](int body) { return body < 0 ? Side{} : Side{owner[body], form.body_dofs(body), body}; };
    rank.push_back(std::max(0, rank_of_pair(side(form.bodies_of(a)[0]), side(form.bodies_of(a)[1]))));
  }
  return rank;
}

}  // namespace

ScalingFigures solve_on_ranks(const solvers::ContactProblem& problem, std::span<const Vec3> places, int ranks, const std::string& solver, const solvers::StopRule& stop,
                              const solvers::OptionValues& options, std::span<const double> R) {
  const solvers::BodyForm* form = problem.W->body_rows();
  if (!form || static_cast<int>(places.size()) != form->bodies()) throw_input("a problem in body form is expected, with a place for each of its bodies");
  if (solver == "AUTO" || !shares(solver, options)) throw_input("solver '{}' does not divide one problem among ranks", solver);
  problem.validate();
  const std::vector<int> rank = divide_blocks(*form, places, ranks);
  const SweepVariant variant = variant_of(solver, options);
  ScalingFigures figures;
  figures.ranks = ranks;
  figures.blocks = problem.blocks();
  figures.phases = make_phases(*form, rank, variant).count;
  std::mutex mutex;
  run_team(ranks, [&](Team& team) {
    const SharedPart part(problem, rank, team, variant);
    std::vector<double> mine, U(part.problem().B.size());
    solvers::gather_part(R, part.mine(), mine);
    const Traffic start = team.traffic();
    part.problem().W->apply(mine, U);
    const Traffic product = team.traffic() - start, before = team.traffic();
    const solvers::SolveReport report = part.solve_mine(solvers::find_solver(solver), stop, options, mine);
    const Traffic sent = team.traffic() - before;
    const std::lock_guard lock(mutex);
    if (team.rank() == 0) figures.report = report, figures.rounds = sent.rounds, figures.reductions = sent.reductions, figures.product_rounds = product.rounds;
    figures.most_blocks = std::max(figures.most_blocks, static_cast<int>(mine.size() / 3));
    figures.most_neighbours = std::max(figures.most_neighbours, static_cast<int>(product.messages));
    figures.bytes += sent.bytes;
    figures.most_bytes = std::max(figures.most_bytes, sent.bytes);
    figures.product_bytes += product.bytes;
  });
  return figures;
}

}  // namespace scree::parallel
