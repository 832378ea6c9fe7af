#include "solvers/projected_gradient.hpp"

#include "core/dense.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/option_reader.hpp"

namespace scree::solvers {

namespace {

constexpr int kSafeSteps = 20, kMostSafeSteps = 640;

/// What a contact does at the current iterate, and which of its components the direction may use.
struct Contact {
  bool gap = false;        ///< x_N = 0
  bool pushing = false;    ///< gap, and the gradient keeps it so
  bool fixed = false;      ///< no tangential freedom: radius zero
  bool slip = false;       ///< |x_T| = radius
  bool held = false;       ///< slip, and the gradient pushes outwards: directions stay tangent to the circle
  Vec2 t = Vec2::Zero();   ///< outward unit vector while slipping
  double curvature = 0.0;  ///< of the circle, times the multiplier
};

class Scheme {
 public:
  Scheme(FirstOrderProblem& problem, const ProjectedGradientOptions& options);

  /// The direction at x with gradient g; `fresh` forgets the previous direction.
  void direction(const VecX& x, const VecX& g, bool fresh);
  /// Step along the direction and correct: x becomes the next admissible iterate. False when there is nowhere to go.
  bool advance(VecX& x, const VecX& g);
  /// Statuses of an iterate that did not come from advance().
  void classify(const VecX& x);

 private:
  void correct(std::ptrdiff_t a, Eigen::Ref<Vec3> x);
  void project_gradient(std::ptrdiff_t a, const VecX& x, const VecX& g);
  [[nodiscard]] double radius(std::ptrdiff_t a, double normal) const {
    return problem_.formulation() == Formulation::tresca ? problem_.threshold(a) : problem_.mu(a) * normal;
  }
  /// <v, (W + circles) p>, W p being known.
  [[nodiscard]] double curved(const VecX& v) const {
    return total_sum(problem_.blocks(), [&](std::ptrdiff_t a) {
      return v.segment<3>(3 * a).dot(Wp_.segment<3>(3 * a)) +
             contacts_[a].curvature * v.segment<2>(3 * a + 1).dot(p_.segment<2>(3 * a + 1));
    });
  }

  FirstOrderProblem& problem_;
  bool conjugate_;
  std::vector<Contact> contacts_;
  std::vector<Mat3> D_;  // the preconditioner's blocks of W, the identity for none
  VecX w_, p_, Wp_;
};

/// The part of a diagonal block the preconditioner keeps; units of the scaled unknowns.
Mat3 preconditioner_block(const Mat3& W, Preconditioner preconditioner) {
  if (preconditioner == Preconditioner::none) return Mat3::Identity();
  Mat3 D = W.diagonal().asDiagonal();
  for (int k = 0; k < 3; ++k)
    if (!(D(k, k) > 0.0)) D(k, k) = 1.0;
  if (preconditioner == Preconditioner::diagonal) return D;
  const Mat3 block = 0.5 * (W + W.transpose());
  const std::optional<Mat3> inverse = inverse_cholesky(block);
  return inverse && block.norm() * inverse->squaredNorm() < 1e12 ? block : D;
}

Scheme::Scheme(FirstOrderProblem& problem, const ProjectedGradientOptions& options)
    : problem_(problem), conjugate_(options.conjugate), contacts_(problem.blocks()),
      D_(contacts_.size()), w_(problem.size()), p_(problem.size()), Wp_(problem.size()) {
  for (std::size_t a = 0; a < D_.size(); ++a) {
    const double s = problem.block_scale(static_cast<std::ptrdiff_t>(a));
    D_[a] = preconditioner_block(s * s * problem.problem().W->diagonal()[a], options.preconditioner);
  }
  p_.setZero();
}

void Scheme::classify(const VecX& x) {
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    Contact& c = contacts_[a];
    c = Contact{};
    if (!frictional(problem_.kind(a))) return;
    c.gap = x[3 * a] <= 0.0;
    const double limit = radius(a, x[3 * a]), length = x.segment<2>(3 * a + 1).norm();
    c.fixed = limit <= 0.0;
    c.slip = !c.fixed && length >= (1.0 - 1e-12) * limit;
    if (c.slip) c.t = x.segment<2>(3 * a + 1) / length;
  });
}

/// Table 6: gap, slip or stick; a contact held on its circle stays there.
void Scheme::correct(std::ptrdiff_t a, Eigen::Ref<Vec3> x) {
  Contact& c = contacts_[a];
  if (!frictional(problem_.kind(a))) {
    x = problem_.project(a, x);
    return;
  }
  c.gap = x.x() <= 0.0;
  if (c.gap) x.x() = 0.0;
  const double limit = radius(a, x.x()), length = x.tail<2>().norm();
  c.fixed = limit <= 0.0;
  c.slip = !c.fixed && length > 0.0 && (length > limit || c.held);
  if (c.fixed) x.tail<2>().setZero();
  if (c.slip) {
    c.t = x.tail<2>() / length;
    x.tail<2>() = limit * c.t;
  }
}

/// Table 7: the gradient on the tangent cone, and the old direction on its face. Multipliers are read from the gradient
/// itself; the preconditioner acts inside the face, where it cannot turn the direction out of it.
void Scheme::project_gradient(std::ptrdiff_t a, const VecX& x, const VecX& g) {
  Contact& c = contacts_[a];
  const Vec3 u = -g.segment<3>(3 * a);
  auto p = p_.segment<3>(3 * a);
  const bool contact = frictional(problem_.kind(a)), tangents = contact ? !c.fixed : !normal_only(problem_.kind(a), 0.0);
  c.pushing = contact && c.gap && u.x() <= 0.0;
  const double outward = c.t.dot(u.tail<2>());
  c.held = tangents && c.slip && outward > 0.0;
  c.curvature = c.held ? outward / radius(a, x[3 * a]) : 0.0;

  // In axes (n, along the circle, outwards) the face is a choice of axes; closed ones get a unit row.
  Mat3 Q = Mat3::Identity();
  if (c.held) Q.bottomRightCorner<2, 2>() << -c.t.y(), c.t.x(), c.t.x(), c.t.y();
  const bool open[3] = {!c.pushing, tangents, tangents && !c.held};
  Mat3 D = D_[a];
  D.bottomRightCorner<2, 2>().diagonal().array() += c.curvature;
  D = (Q.transpose() * D * Q).eval();
  Vec3 force = Q.transpose() * u, old = Q.transpose() * p;
  for (int k = 0; k < 3; ++k) {
    if (open[k]) continue;
    D.row(k).setZero();
    D.col(k).setZero();
    D(k, k) = 1.0;
    force[k] = old[k] = 0.0;
  }
  w_.segment<3>(3 * a) = Q * (D.inverse() * force);
  p = Q * old;
}

void Scheme::direction(const VecX& x, const VecX& g, bool fresh) {
  // beta is conjugate to the old direction before that is projected on the new face.
  const double pWp = dot(p_, Wp_);
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) { project_gradient(a, x, g); });
  const double beta = conjugate_ && !fresh && pWp > 0.0 ? -dot(w_, Wp_) / pWp : 0.0;
  if (std::isfinite(beta) && beta != 0.0)
    p_ = w_ + beta * p_;
  else
    p_ = w_;
  // A direction that climbs is replaced by the projected gradient.
  if (!(dot(p_, g) < 0.0)) p_ = w_;
}

bool Scheme::advance(VecX& x, const VecX& g) {
  problem_.product(p_, Wp_);
  const double slope = -dot(g, p_), curvature = curved(p_);
  if (!(slope > 0.0)) return false;
  const double alpha = curvature > 0.0 ? slope / curvature : 1.0;
  if (!std::isfinite(alpha)) return false;
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    x.segment<3>(3 * a) += alpha * p_.segment<3>(3 * a);
    correct(a, x.segment<3>(3 * a));
  });
  return true;
}

void check(const ProjectedGradientOptions& options) {
  if (options.formulation == Formulation::convex)
    throw_input("PG, CPG and PCPG solve coulomb, tresca and frictionless contact; for the convex relaxation take SPG or APGD");
  if (options.patience < 0) throw_input("PG, CPG, PCPG: patience = {} must not be negative; 0 means automatic", options.patience);
}

}  // namespace

bool is_planar(const ContactProblem& problem) {
  for (std::size_t a = 0; a < problem.kind.size(); ++a)
    if (frictional(problem.kind[a]) && (problem.W->diagonal()[a](2, 2) != 0.0 || problem.B[3 * a + 2] != 0.0)) return false;
  return true;
}

SolveReport solve_projected_gradient(const ContactProblem& problem, const ProjectedGradientOptions& options, std::span<double> R) {
  check(options);
  FirstOrderProblem scaled(problem, options.formulation, R, Scaling::uniform);
  ScaledWatch watch(scaled, options, R);
  VecX x(scaled.size()), g(scaled.size());
  const int patience = options.patience > 0 ? options.patience : std::max(100, static_cast<int>(20.0 * std::sqrt(total(static_cast<double>(scaled.size())))));
  int fallbacks = 0, safe_steps = kSafeSteps;
  const char* advice = "conjugate projected gradients are not proved to converge: try APGD, GAUSS_SEIDEL or AUTO";
  if (watch.certified(x, g)) return watch.report(0, advice);

  Scheme scheme(scaled, options);
  SafeStep safe(scaled);
  VecX resume(scaled.size());
  double resumed_best = kInfinity;
  bool fresh = true;
  for (int iteration = 1;; ++iteration) {
    if (fresh) scheme.classify(x);
    scheme.direction(x, g, fresh);
    fresh = !scheme.advance(x, g);
    scaled.gradient(x, g);
    if (watch.finished(x, g, iteration)) break;
    if (!fresh && watch.stalled() <= patience && std::isfinite(watch.value())) continue;
    // The scheme cycles: take steps that do not, more of them every time. They go on from the best iterate, or from where
    // they ended when nothing better came since: the yardstick may have to rise before it falls.
    ++fallbacks;
    fresh = true;
    if (watch.best_value() < resumed_best) {
      resumed_best = watch.best_value();
      watch.best_iterate(x);
      scaled.project(x);
    } else {
      x = resume;
    }
    scaled.gradient(x, g);
    bool over = false;
    for (int k = 0; k < safe_steps && !over; ++k) {
      safe.take(x, g);
      over = watch.finished(x, g, ++iteration);
    }
    if (over) break;
    resume = x;
    safe_steps = std::min(2 * safe_steps, kMostSafeSteps);
    watch.be_patient();
  }
  SolveReport report = watch.report(fallbacks, advice);
  report.stage = is_planar(problem) ? "planar" : "spatial";
  return report;
}

namespace {

Preconditioner preconditioner_from(const std::string& name) {
  if (name == "diagonal") return Preconditioner::diagonal;
  if (name == "block") return Preconditioner::block;
  throw_input("PCPG: preconditioner '{}' is unknown; choose diagonal or block", name);
}

/// The three names differ in two switches.
SolverInfo describe(const std::string& name, const std::string& text, bool conjugate, bool preconditioned) {
  SolverInfo info{name,
                  text,
                  {std::begin(kBoundFormulations), std::end(kBoundFormulations)},
                  {{"formulation", std::string("coulomb"), "law: coulomb, tresca (thresholds mu R_N of the guess) or frictionless"},
                   {"patience", 0, "iterations without a better iterate before restarting from the best; 0: 20 times the root of the unknowns"}},
                  [=](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
                    const OptionReader read(find_solver(name), values);
                    ProjectedGradientOptions options;
                    static_cast<StopRule&>(options) = stop;
                    options.formulation = formulation_from(read.text("formulation"), kBoundFormulations);
                    options.patience = read.integer("patience");
                    options.conjugate = conjugate;
                    if (preconditioned) options.preconditioner = preconditioner_from(read.text("preconditioner"));
                    return solve_projected_gradient(problem, options, R);
                  }};
  if (preconditioned)
    info.options.push_back({"preconditioner", std::string("diagonal"), "'diagonal' or 'block' (inverse 3 x 3 diagonal blocks of W)"});
  return info;
}

}  // namespace

SolverInfo projected_gradient_info() {
  return describe("PG", "Projected gradient of Renouf and Alart: exact step along the gradient projected on the tangent cone.",
                  false, false);
}

SolverInfo conjugate_projected_gradient_info() {
  return describe("CPG",
                  "Conjugate projected gradient of Renouf and Alart: one loop, the friction thresholds follow the iterate.",
                  true, false);
}

SolverInfo preconditioned_projected_gradient_info() {
  return describe("PCPG",
                  "Conjugate projected gradient with a diagonal or block-diagonal preconditioner: for grains of different size.",
                  true, true);
}

}  // namespace scree::solvers
