#include "solvers/gpminres.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/catalogue.hpp"
#include "solvers/half_cylinder.hpp"
#include "solvers/option_reader.hpp"
#include "solvers/outer_iteration.hpp"

namespace scree::solvers {

namespace {

constexpr int kHalvings = 40;
constexpr int kGradientSteps = 20;       // most in one gradient projection phase
constexpr double kLeastEta2 = 1e-8;

void check(const GpminresOptions& options) {
  if (options.formulation == Formulation::convex)
    throw_input("GPMINRES solves coulomb, tresca and frictionless contact; for the convex relaxation take SPG or APGD");
  if (!(options.eta1 > 0.0 && options.eta1 < 1.0)) throw_input("GPMINRES: eta1 = {} is outside (0, 1)", options.eta1);
  if (!(options.eta2 > 0.0 && options.eta2 < 1.0)) throw_input("GPMINRES: eta2 = {} is outside (0, 1)", options.eta2);
  if (!(options.decrease > 0.0 && options.decrease < 0.5)) throw_input("GPMINRES: decrease = {} is outside (0, 1/2)", options.decrease);
  if (options.krylov_iterations < 1) throw_input("GPMINRES: krylov_iterations = {} must be at least 1", options.krylov_iterations);
}

class Gpminres {
 public:
  Gpminres(FirstOrderProblem& problem, ScaledWatch& watch, const GpminresOptions& options)
      : problem_(problem), watch_(watch), options_(options), eta2_(options.eta2), safe_(problem),
        faces_(problem.blocks()), old_faces_(faces_.size()) {
    for (VecX* v : {&x_, &g_, &next_, &g_next_, &d_, &r_, &p_, &Ar_, &Ap_}) v->setZero(problem.size());
  }

  int run();

 private:
  /// Both phases return true when the watch says stop.
  bool gradient_phase();
  bool krylov_phase();
  /// Minimal residual direction on the face, in d_.
  bool krylov_direction();
  /// x <- proj(x + t d), t halved until the objective falls; the gain, or 0 when no step gains.
  double search(double t);
  void find_faces(const VecX& x, const VecX& g);
  void product_on_face(const VecX& v, VecX& q);

  FirstOrderProblem& problem_;
  ScaledWatch& watch_;
  const GpminresOptions& options_;
  double eta2_;
  SafeStep safe_;
  std::vector<Face> faces_, old_faces_;
  VecX x_, g_, next_, g_next_, d_, r_, p_, Ar_, Ap_;
  int iteration_ = 0, fallbacks_ = 0;
};

void Gpminres::find_faces(const VecX& x, const VecX& g) {
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    faces_[a] = face_of(problem_, a, x.segment<3>(3 * a), g.segment<3>(3 * a));
  });
}

void Gpminres::product_on_face(const VecX& v, VecX& q) {
  problem_.product(v, q);
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    const Face& face = faces_[a];
    Vec3 value = q.segment<3>(3 * a);
    value.tail<2>() += face.curvature * v.segment<2>(3 * a + 1);
    q.segment<3>(3 * a) = along(face, value);
  });
}

double Gpminres::search(double t) {
  for (int k = 0; k < kHalvings; ++k, t *= 0.5) {
    parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
      next_.segment<3>(3 * a) = problem_.project(a, x_.segment<3>(3 * a) + t * d_.segment<3>(3 * a));
    });
    problem_.gradient(next_, g_next_);
    // Work of the mean gradient: the exact change of a quadratic.
    const double slope = parallel_sum(x_.size(), [&](std::ptrdiff_t i) { return g_[i] * (next_[i] - x_[i]); });
    const double end = parallel_sum(x_.size(), [&](std::ptrdiff_t i) { return g_next_[i] * (next_[i] - x_[i]); });
    if (!(slope < 0.0)) return 0.0;
    if (0.5 * (slope + end) <= options_.decrease * slope) {
      x_.swap(next_);
      g_.swap(g_next_);
      return -0.5 * (slope + end);
    }
  }
  return 0.0;
}

bool Gpminres::gradient_phase() {
  double greatest = 0.0;
  find_faces(x_, g_);
  for (int step = 0; step < kGradientSteps; ++step) {
    // The exact minimiser along the projected gradient starts the search along the arc.
    parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
      p_.segment<3>(3 * a) = projected_gradient(problem_, a, faces_[a], g_.segment<3>(3 * a));
    });
    problem_.product(p_, Ap_);
    const double pp = dot(p_, p_), pAp = dot(p_, Ap_);
    d_ = -g_;
    const double gain = search(pAp > 0.0 && std::isfinite(pp / pAp) ? pp / pAp : 1.0);
    if (gain <= 0.0) {
      ++fallbacks_;
      safe_.take(x_, g_);
    }
    if (watch_.finished(x_, g_, ++iteration_)) return true;
    faces_.swap(old_faces_);
    find_faces(x_, g_);
    if (faces_ == old_faces_ || gain <= options_.eta1 * greatest) break;
    greatest = std::max(greatest, gain);
  }
  return false;
}

bool Gpminres::krylov_direction() {
  parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
    r_.segment<3>(3 * a) = -along(faces_[a], g_.segment<3>(3 * a));
  });
  // Minimal residuals in the form of conjugate residuals: d and its residual r are always at hand.
  d_.setZero();
  p_ = r_;
  product_on_face(r_, Ar_);
  Ap_ = Ar_;
  double rAr = dot(r_, Ar_), greatest = 0.0, q_old = 0.0;
  const double start = dot(r_, r_);
  VecX& r0 = next_;
  r0 = r_;
  for (int k = 0; k < options_.krylov_iterations; ++k) {
    const double length = dot(Ap_, Ap_);
    if (!(rAr > 0.0) || !(length > 0.0)) return k > 0;
    add_scaled(rAr / length, p_, d_);
    add_scaled(-rAr / length, Ap_, r_);
    ++iteration_;
    const double q = -0.5 * (dot(d_, r0) + dot(d_, r_)), gain = q_old - q;
    q_old = q;
    if (gain <= eta2_ * greatest || dot(r_, r_) <= 1e-28 * start) return true;
    if (watch_.out_of_budget(iteration_)) return true;
    greatest = std::max(greatest, gain);
    product_on_face(r_, Ar_);
    const double next = dot(r_, Ar_), beta = next / rAr;
    rAr = next;
    p_ = r_ + beta * p_;
    Ap_ = Ar_ + beta * Ap_;
  }
  return true;
}

bool Gpminres::krylov_phase() {
  if (!krylov_direction() || search(1.0) <= 0.0) return watch_.out_of_budget(iteration_);
  const bool over = watch_.finished(x_, g_, iteration_);
  // On a face that has settled the subproblem deserves more accuracy.
  faces_.swap(old_faces_);
  find_faces(x_, g_);
  eta2_ = faces_ == old_faces_ ? std::max(kLeastEta2, 0.1 * eta2_) : options_.eta2;
  return over;
}

int Gpminres::run() {
  if (watch_.certified(x_, g_)) return 0;
  while (!gradient_phase() && !krylov_phase()) {
  }
  return fallbacks_;
}

}  // namespace

SolveReport solve_gpminres(const ContactProblem& problem, const GpminresOptions& options, std::span<double> R) {
  check(options);
  if (options.formulation == Formulation::coulomb) {
    OuterOptions outer;
    static_cast<StopRule&>(outer) = options;
    outer.law = OuterLaw::tresca;
    GpminresOptions inner = options;
    inner.formulation = Formulation::tresca;
    return solve_outer(problem, outer, [&](const ContactProblem& part, const StopRule& stop, std::span<double> trial) {
      static_cast<StopRule&>(inner) = stop;
      return solve_gpminres(part, inner, trial);
    }, R);
  }
  FirstOrderProblem scaled(problem, options.formulation, R, options.preconditioner);
  ScaledWatch watch(scaled, options, R);
  Gpminres solver(scaled, watch, options);
  const int fallbacks = solver.run();
  return watch.report(fallbacks, "raise krylov_iterations, or try APGD or AUTO");
}

SolverInfo gpminres_info() {
  return {"GPMINRES",
          "Gradient projection with minimal residuals on the face found: for frictionless and Tresca contact; Coulomb friction by "
          "an accelerated fixed point on the thresholds. Degrades least when heavy bodies rest on light ones.",
          {std::begin(kBoundFormulations), std::end(kBoundFormulations)},
          {{"formulation", std::string("coulomb"), "law: coulomb (Tresca with fixed point), tresca (thresholds mu R_N of the guess) or frictionless"},
           {"preconditioner", std::string("diagonal"), "'diagonal' (unknowns scaled block by block) or 'none' (as in the paper)"},
           {"eta1", 0.1, "share of the best gain below which gradient projection is left, between 0 and 1"},
           {"eta2", 0.1, "share of the best gain below which the Krylov phase is left, between 0 and 1"},
           {"decrease", 1e-4, "sufficient decrease of line searches, between 0 and 1/2"},
           {"krylov_iterations", 50, "most iterations of one Krylov phase"}},
          [](const ContactProblem& problem, const StopRule& stop, const OptionValues& values, std::span<double> R) {
            const OptionReader read(find_solver("GPMINRES"), values);
            GpminresOptions options;
            static_cast<StopRule&>(options) = stop;
            options.formulation = formulation_from(read.text("formulation"), kBoundFormulations);
            options.preconditioner = scaling_from("GPMINRES", read.text("preconditioner"));
            options.eta1 = read.real("eta1");
            options.eta2 = read.real("eta2");
            options.decrease = read.real("decrease");
            options.krylov_iterations = read.integer("krylov_iterations");
            return solve_gpminres(problem, options, R);
          }};
}

}  // namespace scree::solvers
