/// The team of ranks, as Python sees it, and how a simulation's work is divided among them.
#include "engine.hpp"

#include <optional>

#include "core/hash.hpp"
#include "io/fclib.hpp"
#include "parallel/scaling_run.hpp"
#include "parallel/shared_part.hpp"
#include "solvers/islands.hpp"
#include "stepping/packing.hpp"

namespace scree::python {

namespace {

parallel::Launched launched{&alone(), nullptr};

Team& ranks() { return *launched.team; }

void join_team(const py::capsule& capsule) {
  if (std::string(capsule.name()) != "scree.team") throw_input("join_team: this is no team");
  launched = *capsule.get_pointer<parallel::Launched>();
}

std::vector<py::bytes> meet(const std::string& what, const std::string& place, const std::string& mine) {
  const Brought all = released([&] {
    ranks().set_place(place);
    return ranks().meet(what, std::as_bytes(std::span(mine)));
  });
  std::vector<py::bytes> texts;
  for (const std::span<const std::byte> part : all) texts.emplace_back(reinterpret_cast<const char*>(part.data()), part.size());
  return texts;
}

StateHash hash_of(const Archive& archive) {
  StateHash hash;
  for (const auto& [name, value] : archive.values()) {
    if (const auto* reals = std::get_if<Archive::Reals>(&value)) hash.add(*reals);
    if (const auto* integers = std::get_if<Archive::Integers>(&value))
      for (const std::int64_t k : *integers) hash.add(static_cast<std::uint64_t>(k));
    if (const auto* text = std::get_if<std::string>(&value))
      for (const char c : *text) hash.add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  return hash;
}

/// Hash of everything a checkpoint would hold.
std::uint64_t fingerprint(const Engine& engine) {
  Archive archive;
  engine.simulation.save(archive);
  return hash_of(archive).value();
}

/// Hash of what a script can change besides the state: settings, materials, loads, constraints, and what bodies weigh. Bodies' shapes cannot be changed.
std::uint64_t rules(Engine& engine) {
  stepping::Simulation& sim = engine.simulation;
  Archive archive;
  stepping::write_rules(archive, sim.model(), sim.settings(), sim.solver());
  StateHash hash = hash_of(archive);
  const model::Bodies& bodies = sim.model().bodies;
  for (const auto& list : {bodies.mass, bodies.damping}) hash.add(list);
  for (const int material : bodies.material) hash.add(static_cast<std::uint64_t>(material));
  return hash.value();
}

py::dict traffic() {
  const Traffic& sent = ranks().traffic();
  return py::dict(py::arg("rounds") = sent.rounds, py::arg("messages") = sent.messages, py::arg("bytes") = sent.bytes,
                  py::arg("reductions") = sent.reductions);
}

parallel::SharedWork& work_of(Engine& engine) {
  if (!engine.work) throw_input("this simulation's work is not divided among ranks");
  return *engine.work;
}

void divide(Engine& engine) {
  const auto borrowed = std::shared_ptr<parallel::Partitioner>(std::shared_ptr<void>(), launched.partitioner);
  engine.work = std::make_shared<parallel::SharedWork>(ranks(), borrowed);
  engine.simulation.divide(engine.work);
}

int owner(Engine& engine, int id) {
  const int index = engine.bodies().index(id);
  if (!engine.bodies().moves(index)) return -1;
  return engine.work ? std::max(0, engine.work->owner(id)) : 0;
}

/// Change what is given, leave the rest.
void set_division(Engine& engine, std::optional<double> imbalance, std::optional<int> least_bodies, std::optional<long> least_steps,
                  std::optional<bool> gathered, std::optional<bool> migrate_always, std::optional<int> most_gathered) {
  parallel::SharedWorkOptions& options = work_of(engine).options;
  options.imbalance = imbalance.value_or(options.imbalance);
  options.least_bodies = least_bodies.value_or(options.least_bodies);
  options.least_steps = least_steps.value_or(options.least_steps);
  options.gathered = gathered.value_or(options.gathered);
  options.migrate_always = migrate_always.value_or(options.migrate_always);
  options.most_gathered = most_gathered.value_or(options.most_gathered);
}

py::dict division_figures(Engine& engine) {
  const parallel::SharedWork& work = work_of(engine);
  const auto& ledger = work.ledger();
  return py::dict(py::arg("parts") = work.parts(), py::arg("imbalance") = work.imbalance(), py::arg("migrations") = work.migrations(),
                  py::arg("cuts") = work.cuts(), py::arg("detected") = work.detected(), py::arg("steps") = ledger.steps, py::arg("rounds") = ledger.traffic.rounds,
                  py::arg("messages") = ledger.traffic.messages, py::arg("bytes") = ledger.traffic.bytes, py::arg("reductions") = ledger.traffic.reductions,
                  py::arg("balance") = ledger.balance, py::arg("balance_sum") = ledger.balance_sum, py::arg("balance_max") = ledger.balance_max);
}

/// A problem solved by a team of threads as by that many ranks; what ranks would send each other.
py::dict solve_on_ranks(const io::FclibProblem& given, const std::vector<Vec3>& places, int count, const std::string& solver, double tolerance, const std::string& yardstick,
                        int max_iterations, const py::dict& options) {
  solvers::StopRule stop;
  stop.tolerance = tolerance;
  stop.yardstick = solvers::yardstick_from(yardstick);
  stop.max_iterations = max_iterations;
  const solvers::OptionValues values = to_options(options);
  const std::vector<double> zero(given.problem.B.size(), 0.0);
  const parallel::ScalingFigures f =
      released([&] { return parallel::solve_on_ranks(given.problem, places, count, solver, stop, values, given.guesses.empty() ? zero : given.guesses.front()); });
  py::dict figures = to_dict(f.report);
  for (const auto& [name, value] : {std::pair<const char*, long>("ranks", f.ranks), {"blocks", f.blocks}, {"most_blocks", f.most_blocks}, {"most_neighbours", f.most_neighbours},
                                    {"phases", f.phases}, {"rounds", f.rounds}, {"reductions", f.reductions}, {"bytes", f.bytes}, {"most_bytes", f.most_bytes},
                                    {"product_bytes", f.product_bytes}, {"product_rounds", f.product_rounds}})
    figures[name] = value;
  return figures;
}

/// W R and the diagonal blocks of W of the last step's problem, from the form that ranks share: all blocks, on every rank.
std::pair<std::vector<double>, std::vector<double>> shared_product(Engine& engine, const std::vector<double>& R) {
  const stepping::ContactStage& stage = engine.simulation.stage();
  if (R.size() != stage.problem.B.size()) throw_input("{} impulses, but the problem has {}", R.size(), stage.problem.B.size());
  const std::vector<int> rank = stage.block_ranks(work_of(engine), engine.simulation.model());
  const parallel::SharedPart part(stage.problem, rank, ranks());
  std::vector<double> mine, U, product(R.size(), 0.0), diagonal(3 * R.size(), 0.0);
  solvers::gather_part(R, part.mine(), mine);
  U.resize(mine.size());
  const solvers::Operator& W = *part.problem().W;
  W.apply(mine, U);
  for (std::size_t k = 0; k < part.mine().size(); ++k) {
    const Mat3& block = W.diagonal()[k];
    const std::size_t a = part.mine()[k];
    for (std::size_t i = 0; i < 3; ++i) product[3 * a + i] = U[3 * k + i];
    for (std::size_t i = 0; i < 9; ++i) diagonal[9 * a + i] = block(static_cast<int>(i / 3), static_cast<int>(i % 3));
  }
  ranks().sum(product);
  ranks().sum(diagonal);
  return {product, diagonal};
}

/// Centres of the bodies of the last step's problem, in its order.
std::vector<Vec3> problem_places(Engine& engine) {
  std::vector<Vec3> places;
  for (const int body : engine.simulation.stage().scaling.body) places.push_back(engine.simulation.motion().position[static_cast<std::size_t>(body)]);
  return places;
}

}  // namespace

void bind_ranks(py::module_& module) {
  py::register_exception<RankFailure>(module, "RankFailure", PyExc_RuntimeError);
  module.def("join_team", &join_team);
  module.def("team_rank", [] { return ranks().rank(); });
  module.def("team_size", [] { return ranks().size(); });
  module.def("team_meet", &meet, py::arg("what"), py::arg("place"), py::arg("mine"));
  module.def("team_fail", [](const std::string& message) { return released([&] { return ranks().fail(message); }); }, py::arg("message"));
  module.def("team_patience", [](double seconds, const std::string& last_words) { ranks().set_patience(seconds, last_words); });
  module.def("team_traffic", &traffic);
  module.def("solve_on_ranks", &solve_on_ranks, py::arg("problem"), py::arg("places"), py::arg("ranks"), py::arg("solver"), py::arg("tolerance"), py::arg("yardstick"),
             py::arg("max_iterations"), py::arg("options"));
  module.def("problem_places", &problem_places);
}

void bind_division(EngineClass& engine) {
  engine.def("divide", &divide)
      .def("owner", &owner)
      .def("division", &division_figures)
      .def("shared_product", [](Engine& e, const std::vector<double>& R) { return released([&] { return shared_product(e, R); }); }, py::arg("impulses"))
      .def("fingerprint", [](Engine& e) { return fmt::format("{:016x}", released([&] { return fingerprint(e); })); })
      .def("rules", [](Engine& e) { return fmt::format("{:016x}", released([&] { return rules(e); })); })
      .def("set_division", &set_division, py::arg("imbalance") = py::none(), py::arg("least_bodies") = py::none(), py::arg("least_steps") = py::none(),
           py::arg("gathered") = py::none(), py::arg("migrate_always") = py::none(), py::arg("most_gathered") = py::none());
}

}  // namespace scree::python
