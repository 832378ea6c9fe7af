#include "solvers/first_order.hpp"

#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/cone.hpp"

namespace scree::solvers {

namespace {

constexpr std::ptrdiff_t kScalars = 8192;  // scalars a chunk of vector loops

std::ptrdiff_t chunks_of(const VecX& a) { return (a.size() + kScalars - 1) / kScalars; }

auto chunk(const VecX& a, std::ptrdiff_t c) { return a.segment(c * kScalars, std::min(kScalars, a.size() - c * kScalars)); }
auto chunk(VecX& a, std::ptrdiff_t c) { return a.segment(c * kScalars, std::min(kScalars, a.size() - c * kScalars)); }

/// Only the normal of such a block carries an impulse.
bool normal_only(BlockKind kind, double mu) {
  return kind == BlockKind::direction || (kind == BlockKind::contact && mu == 0.0);
}

/// rho_a: 3 / tr W_aa, or 1 / W_NN where the tangents do not act.
double scaling_of(const Mat3& W, BlockKind kind, double mu) {
  const double inverse = normal_only(kind, mu) ? W(0, 0) : W.trace() / 3.0;
  const double rho = inverse > 0.0 ? 1.0 / inverse : 1.0;
  return std::isfinite(rho) ? rho : 1.0;
}

}  // namespace

Formulation formulation_from(const std::string& name, std::span<const Formulation> allowed) {
  std::string list;
  for (Formulation formulation : allowed) {
    if (name == to_string(formulation)) return formulation;
    list += (list.empty() ? "" : ", ") + to_string(formulation);
  }
  throw_input("formulation '{}': choose one of {}", name, list);
}

Scaling scaling_from(const std::string& solver, const std::string& preconditioner) {
  if (preconditioner == "diagonal") return Scaling::blocks;
  if (preconditioner == "none") return Scaling::uniform;
  throw_input("{}: preconditioner '{}' is unknown; choose diagonal or none", solver, preconditioner);
}

double dot(const VecX& a, const VecX& b) {
  return parallel_sum(chunks_of(a), [&](std::ptrdiff_t c) { return chunk(a, c).dot(chunk(b, c)); }, 1);
}

void add_scaled(VecX& y, double factor, const VecX& x) {
  parallel_for(chunks_of(y), [&](std::ptrdiff_t c) { chunk(y, c) += factor * chunk(x, c); }, 1);
}

FirstOrderProblem::FirstOrderProblem(const ContactProblem& problem, Formulation formulation, std::span<const double> guess,
                             Scaling scaling)
    : problem_(problem), formulation_(formulation), s_(problem.kind.size()), threshold_(problem.kind.size(), 0.0),
      b_(size()), R_(problem.B.size()), U_(problem.B.size()) {
  if (formulation == Formulation::frictionless) std::fill(problem_.mu.begin(), problem_.mu.end(), 0.0);
  double mean = 0.0;
  for (std::size_t a = 0; a < s_.size(); ++a) {
    s_[a] = std::sqrt(scaling_of(problem.W->diagonal()[a], problem_.kind[a], problem_.mu[a]));
    mean += 1.0 / (s_[a] * s_[a]);
  }
  if (scaling == Scaling::uniform) std::fill(s_.begin(), s_.end(), std::sqrt(static_cast<double>(s_.size()) / mean));
  for (std::size_t a = 0; a < s_.size(); ++a) {
    if (formulation == Formulation::tresca && problem_.kind[a] == BlockKind::contact)
      threshold_[a] = problem_.mu[a] * std::max(0.0, guess[3 * a]) / s_[a];
    for (std::size_t k = 3 * a; k < 3 * a + 3; ++k) b_[static_cast<Eigen::Index>(k)] = s_[a] * problem.B[k];
  }
}

void FirstOrderProblem::product(const VecX& d, VecX& q) {
  to_impulses(d, R_);
  problem_.W->apply(R_, U_);
  ++products_;
  parallel_for(blocks(), [&](std::ptrdiff_t a) { q.segment<3>(3 * a) = block_scale(a) * Eigen::Map<const Vec3>(U_.data() + 3 * a); });
}

void FirstOrderProblem::gradient(const VecX& x, VecX& g) {
  product(x, g);
  add_scaled(g, 1.0, b_);
}

void FirstOrderProblem::modified(const VecX& g, VecX& F) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) {
    F.segment<3>(3 * a) = g.segment<3>(3 * a);
    if (formulation_ == Formulation::coulomb && kind(a) == BlockKind::contact)
      F[3 * a] += mu(a) * std::hypot(g[3 * a + 1], g[3 * a + 2]);
  });
}

Vec3 FirstOrderProblem::project(std::ptrdiff_t a, const Vec3& trial) const {
  if (formulation_ != Formulation::tresca || kind(a) != BlockKind::contact) return project_on_block(trial, kind(a), mu(a));
  Vec3 result(std::max(0.0, trial.x()), 0.0, 0.0);
  result.tail<2>() = project_on_disk(trial.tail<2>(), threshold(a));
  return result;
}

void FirstOrderProblem::project(VecX& x) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) { x.segment<3>(3 * a) = project(a, x.segment<3>(3 * a)); });
}

double FirstOrderProblem::measure(Yardstick yardstick, const VecX& x, const VecX& g) {
  if (formulation_ == Formulation::tresca) {
    const double error = parallel_sum(blocks(), [&](std::ptrdiff_t a) {
      return (x.segment<3>(3 * a) - project(a, x.segment<3>(3 * a) - g.segment<3>(3 * a))).squaredNorm();
    });
    const double scale = problem_.scale > 0.0 ? problem_.scale : norm(b_);
    if (error == 0.0) return 0.0;
    return scale > 0.0 ? std::sqrt(error) / scale : kInfinity;
  }
  to_impulses(x, R_);
  parallel_for(blocks(), [&](std::ptrdiff_t a) { Eigen::Map<Vec3>(U_.data() + 3 * a) = g.segment<3>(3 * a) / block_scale(a); });
  return solvers::measure(formulation_ == Formulation::convex ? Yardstick::ccp : yardstick, problem_, R_, U_);
}

void FirstOrderProblem::to_impulses(const VecX& x, std::span<double> R) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) { Eigen::Map<Vec3>(R.data() + 3 * a) = block_scale(a) * x.segment<3>(3 * a); });
}

void FirstOrderProblem::from_impulses(std::span<const double> R, VecX& x) const {
  parallel_for(blocks(), [&](std::ptrdiff_t a) { x.segment<3>(3 * a) = Eigen::Map<const Vec3>(R.data() + 3 * a) / block_scale(a); });
}

double largest_eigenvalue(FirstOrderProblem& problem, int iterations) {
  // A start without symmetry, the same on every run.
  VecX v(problem.size()), q(problem.size());
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = 1.0 + 0.5 * std::sin(12.9898 * static_cast<double>(k));
  double value = 0.0;
  for (int i = 0; i < iterations; ++i) {
    const double length = norm(v);
    if (!(length > 0.0) || !std::isfinite(length)) break;
    v /= length;
    problem.product(v, q);
    value = std::max(value, norm(q));
    v.swap(q);
  }
  return value > 0.0 && std::isfinite(value) ? 1.05 * value : 1.0;
}

void SafeStep::take(VecX& x, VecX& g) {
  problem_.modified(g, F_);
  for (int attempt = 0; attempt < 40; ++attempt) {
    parallel_for(problem_.blocks(), [&](std::ptrdiff_t a) {
      next_.segment<3>(3 * a) = problem_.project(a, x.segment<3>(3 * a) - F_.segment<3>(3 * a) / L_);
    });
    problem_.gradient(next_, g_next_);
    const double curvature = parallel_sum(x.size(), [&](std::ptrdiff_t k) { return (next_[k] - x[k]) * (g_next_[k] - g[k]); });
    const double length = parallel_sum(x.size(), [&](std::ptrdiff_t k) { return (next_[k] - x[k]) * (next_[k] - x[k]); });
    if (!(curvature > L_ * length)) break;
    L_ = std::max(2.0 * L_, curvature / length);
  }
  x.swap(next_);
  g.swap(g_next_);
}

Watch::Watch(FirstOrderProblem& problem, const StopRule& stop, std::span<double> R) : problem_(problem), stop_(stop), R_(R) {
  if (stop.history) history_.reserve(static_cast<std::size_t>(std::min(stop.max_iterations, 1 << 20)) + 1);
}

bool Watch::certified(VecX& x, VecX& g) {
  problem_.from_impulses(R_, x);
  problem_.gradient(x, g);
  value_ = best_ = problem_.measure(stop_.yardstick, x, g);
  if (!std::isfinite(best_)) best_ = kInfinity;
  if (stop_.history) history_.push_back(value_);
  if (value_ <= stop_.tolerance) {
    status_ = Status::converged;
    return true;
  }
  // Zero costs no product; a guess worse than that is dropped.
  const VecX given = x;
  x.setZero();
  const double at_rest = problem_.measure(stop_.yardstick, x, problem_.free_gradient());
  if (!(best_ <= at_rest) || !std::isfinite(best_)) {
    g = problem_.free_gradient();
    value_ = best_ = std::isfinite(at_rest) ? at_rest : kInfinity;
    std::fill(R_.begin(), R_.end(), 0.0);
    status_ = at_rest <= stop_.tolerance ? Status::converged : Status::max_iterations;
    return status_ == Status::converged || stop_.max_iterations == 0;
  }
  x = given;
  problem_.project(x);
  if (x != given) problem_.gradient(x, g);
  status_ = Status::max_iterations;
  return stop_.max_iterations == 0;
}

void Watch::keep(const VecX& x) {
  if (!(value_ < best_) || !x.allFinite()) return;
  best_ = value_;
  problem_.to_impulses(x, R_);
}

bool Watch::finished(const VecX& x, const VecX& g, int iterations) {
  value_ = problem_.measure(stop_.yardstick, x, g);
  if (stop_.history) history_.push_back(value_);
  since_best_ = value_ < best_ ? 0 : since_best_ + 1;
  keep(x);
  if (value_ < 0.99 * mark_)
    be_patient();
  else
    ++stalled_;
  if (best_ <= stop_.tolerance) {
    iterations_ = iterations;
    status_ = Status::converged;
    return true;
  }
  return out_of_budget(iterations);
}

bool Watch::out_of_budget(int iterations) {
  iterations_ = iterations;
  if (status_ == Status::converged) return true;
  if (timer_.seconds() >= stop_.max_seconds)
    status_ = Status::max_seconds;
  else if (iterations >= stop_.max_iterations)
    status_ = Status::max_iterations;
  else
    return false;
  return true;
}

SolveReport Watch::report(int fallbacks, const std::string& advice) {
  SolveReport report;
  report.status = std::isfinite(best_) ? status_ : Status::diverged;
  report.iterations = iterations_;
  report.products = problem_.products();
  report.fallbacks = fallbacks;
  report.seconds = timer_.seconds();
  report.residual = solvers::measure(Yardstick::residual, problem_.problem(), R_);
  report.history = std::move(history_);
  if (report.status != Status::converged) report.advice = advice;
  return report;
}

}  // namespace scree::solvers
