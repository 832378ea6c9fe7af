#include "solvers/auto_deformable.hpp"

#include "solvers/auto_stages.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

class WorkingSet {
 public:
  WorkingSet(const ContactProblem& problem, const AutoOptions& options, Watch& watch, AutoWorkspace& work)
      : problem_(problem), options_(options), watch_(watch), work_(work), chosen_(problem.blocks(), 0),
        R_(watch.best().begin(), watch.best().end()) {}

  void run() {
    bool exact = false;
    // Ends: a round that adds nothing is exact, and the one after it too.
    for (int round = 0;; ++round) {
      const bool grown = grow();
      if ((!grown && exact) || watch_.spent()) return;
      exact = !grown || round >= options_.parameters.loose_rounds;
      solve_chosen(exact);
      if (watch_.offer(R_) <= watch_.tolerance()) return;
    }
  }

 private:
  /// Add what pushes, approaches or is no contact; false when nothing is new. Velocities are those of the last offer, which was R_.
  bool grow() {
    work_.active.clear();
    bool grown = false;
    for (int a = 0; a < problem_.blocks(); ++a) {
      const bool wanted = !frictional(problem_.kind[a]) || watch_.velocity()[3 * a] <= 0.0 || !Eigen::Map<const Vec3>(R_.data() + 3 * a).isZero(0.0);
      grown = grown || (wanted && !chosen_[a]);
      if (wanted) chosen_[a] = 1;
      if (chosen_[a]) work_.active.push_back(a);
    }
    return grown;
  }

  /// To the tolerance, or with a few sweeps while the set is still to be found.
  void solve_chosen(bool exact) {
    const bool all = work_.active.size() == problem_.kind.size();
    ContactProblem part = all ? problem_ : restrict_to(problem_, work_.active);
    condense(part);
    StopRule stop = watch_.rest();
    stop.history = false;   // values of parts are not those of the whole
    // What is left out has no error, but belongs to what errors are measured against.
    double larger = 1.0;
    if (options_.yardstick == Yardstick::residual) part.weight = part_of(residual_weights(problem_), work_.active);
    else {
      larger = merit_reference(problem_) / std::max(merit_reference(part), 1e-300);
      stop.tolerance *= larger;
      for (double& w : part.weight) w *= larger;
    }
    gather_part(R_, work_.active, part_R_);
    Watch watch(part, stop, part_R_);
    const double share = static_cast<double>(part.blocks()) / problem_.blocks();
    watch.ease_with(watch_, share, larger);
    watch.set_stage("warm start");
    watch.offer(part_R_);
    const AutoParameters& p = options_.parameters;
    AutoStages stages(part, options_, watch, work_.sweepers);
    const double size = std::max(1.0, part.blocks() / p.set_blocks), most = exact ? p.set_sweeps * size * size : p.loose_sweeps;
    if (!watch.ended()) stages.sweeps(most, static_cast<int>(most));
    if (!watch.ended() && exact) stages.newton_and_global(kNoLimit);
    scatter_part(part_R_, work_.active, R_);
    const SolveReport report = watch.report("");
    watch_.add(report, share);
    watch_.set_stage(report.stage.c_str());
  }

  void condense(ContactProblem& part) {
    if (!work_.condensed) work_.condensed = std::make_shared<ExplicitForm>();
    if (part.W->condense_into(*work_.condensed, part.blocks() <= options_.parameters.condense_blocks ? options_.parameters.condense_ratio : 1.0)) part.W = work_.condensed;
  }

  const ContactProblem& problem_;
  const AutoOptions& options_;
  Watch& watch_;
  AutoWorkspace& work_;
  std::vector<char> chosen_;
  std::vector<double> R_, part_R_;
};

}  // namespace

bool suits_working_set(const ContactProblem& problem, const AutoOptions& options) {
  return options.newton && problem.W->dofs_per_body() > options.parameters.set_dofs && (options.yardstick == Yardstick::residual || in_energy(options.yardstick));
}

void solve_working_set(const ContactProblem& problem, const AutoOptions& options, Watch& watch, AutoWorkspace& workspace) {
  WorkingSet(problem, options, watch, workspace).run();
}

}  // namespace scree::solvers
