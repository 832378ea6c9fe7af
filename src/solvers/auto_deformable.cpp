#include "solvers/auto_deformable.hpp"

#include "core/timer.hpp"
#include "solvers/auto_stages.hpp"
#include "solvers/condense.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

constexpr int kSweeps = 120;        ///< before Newton steps on up to kFewBlocks blocks; the square more on more
constexpr double kFewBlocks = 400.0;
constexpr int kLooseRounds = 3;     ///< in which a few sweeps find more of the set
constexpr int kLooseSweeps = 20;
constexpr int kMostNewtonBlocks = 1000;  ///< beyond, Newton systems are smaller in the space of bodies
constexpr int kFewDofs = 12;        ///< of pseudo-rigid bodies, for which sweeps do well
constexpr int kMostRounds = 30;     ///< of adding blocks
constexpr double kMostRatio = 4.0;  ///< numbers of the explicit form over those of the body form up to which Newton gains

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class WorkingSet {
 public:
  WorkingSet(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& work)
      : problem_(problem), options_(options), R_(R), work_(work), chosen_(at(problem.blocks()), 0), U_(R.size()) {}

  SolveReport run() {
    report_.status = Status::max_iterations;
    bool exact = false;
    for (int round = 0; round < kMostRounds; ++round) {
      relative_velocity(problem_, R_, U_);
      ++report_.products;
      if (measure(options_.yardstick, problem_, R_, U_) <= options_.tolerance) {
        report_.status = Status::converged;
        break;
      }
      const bool grown = grow();
      if ((!grown && exact) || spent()) break;
      exact = !grown || round >= kLooseRounds;
      solve_chosen(exact);
    }
    return report_;
  }

 private:
  [[nodiscard]] bool spent() const { return report_.iterations >= options_.max_iterations || timer_.seconds() >= options_.max_seconds; }

  /// Add what pushes, approaches or is no contact; false when nothing is new.
  bool grow() {
    work_.active.clear();
    bool grown = false;
    for (int a = 0; a < problem_.blocks(); ++a) {
      const bool wanted = problem_.kind[at(a)] != BlockKind::contact || U_[3 * at(a)] <= 0.0 || !Eigen::Map<const Vec3>(R_.data() + 3 * a).isZero(0.0);
      grown = grown || (wanted && !chosen_[at(a)]);
      if (wanted) chosen_[at(a)] = 1;
      if (chosen_[at(a)]) work_.active.push_back(a);
    }
    return grown;
  }

  /// To the tolerance, or with a few sweeps while the set is still to be found.
  void solve_chosen(bool exact) {
    const bool all = work_.active.size() == problem_.kind.size();
    ContactProblem part = all ? problem_ : restrict_to(problem_, work_.active);
    condense(part);
    StopRule stop = options_;
    stop.max_iterations -= report_.iterations;
    stop.max_seconds -= timer_.seconds();
    // What is left out has no error, but belongs to what errors are measured against.
    if (options_.yardstick == Yardstick::residual) part.scale = residual_scale(problem_);
    else stop.tolerance *= merit_reference(problem_) / std::max(merit_reference(part), 1e-300);
    gather_part(R_, work_.active, part_R_);
    AutoStages stages(part, stop, options_.margin, part_R_, -1.0, work_.packed);
    const double size = std::max(1.0, part.blocks() / kFewBlocks);
    const int most = exact ? static_cast<int>(kSweeps * size * size) : kLooseSweeps;
    if (!stages.solved()) stages.sweeps(most, most);
    if (!stages.solved() && exact) stages.newton_and_global(kMostRounds);
    scatter_part(stages.best(), work_.active, R_);
    const SolveReport part_report = stages.report();
    add_costs(report_, part_report);
    report_.stage = part_report.stage;
    report_.history.insert(report_.history.end(), part_report.history.begin(), part_report.history.end());
  }

  void condense(ContactProblem& part) {
    const auto& form = static_cast<const BodyForm&>(*part.W);
    if (!condensing_pays(form, form.blocks() <= kMostNewtonBlocks ? kMostRatio : 1.0)) return;
    if (!work_.condensed) work_.condensed = std::make_shared<ExplicitForm>();
    work_.condensed->condense(form);
    part.W = work_.condensed;
  }

  const ContactProblem& problem_;
  const AutoOptions& options_;
  std::span<double> R_;
  AutoWorkspace& work_;
  std::vector<char> chosen_;
  std::vector<double> U_, part_R_;
  Timer timer_;
  SolveReport report_;
};

}  // namespace

bool suits_working_set(const ContactProblem& problem, const AutoOptions& options) {
  const auto* form = dynamic_cast<const BodyForm*>(problem.W.get());
  return options.newton && form && form->dofs() > kFewDofs * form->bodies() && (options.yardstick == Yardstick::residual || options.yardstick == Yardstick::merit);
}

SolveReport solve_working_set(const ContactProblem& problem, const AutoOptions& options, std::span<double> R, AutoWorkspace& workspace) {
  return WorkingSet(problem, options, R, workspace).run();
}

}  // namespace scree::solvers
