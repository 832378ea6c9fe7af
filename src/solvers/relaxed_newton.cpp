#include "solvers/relaxed_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/threads.hpp"
#include "solvers/body_network.hpp"
#include "solvers/law.hpp"
#include "solvers/operator.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/watch.hpp"

namespace scree::solvers {

namespace {

constexpr double kFirst = 1e-2;     ///< alpha at the start, relative to the diagonal of W
constexpr double kLeast = 1e-5;     ///< least alpha: networks grow stiff as 1 / alpha
constexpr double kLargest = 1.0;    ///< alpha at which steps that fail are given up
constexpr int kEasy = 8;            ///< Newton steps up to which a proximal step came easily
constexpr int kHard = 25;           ///< those from which on it came hard
constexpr int kMostNewton = 60;     ///< Newton steps of a proximal step
constexpr int kHalvings = 12;
constexpr int kProducts = 5000;     ///< of one Newton step
constexpr int kPatience = 400;      ///< Newton steps without progress before it is given up
constexpr double kWorthwhile = 0.7;
constexpr double kForcing = 0.1;    ///< residual of a Newton step's system, relative
constexpr double kInner = 0.3;      ///< gradient at the end of a proximal step, relative to what its regularisation still holds back

class RelaxedNewton {
 public:
  RelaxedNewton(const ContactProblem& problem, std::span<const double> R)
      : scaled_(problem), network_(scaled_, *problem.W->body_rows()), D_(problem.blocks()) {
    for (auto* v : {&x_, &last_, &X_, &trial_X_, &u_}) v->resize(scaled_.size());
    for (auto* v : {&z_, &trial_, &gradient_, &dz_}) v->resize(problem.W->body_rows()->dofs());
    scaled_.from_impulses(R, x_);
    project(x_);
    last_ = x_;
    return_to_centre();
  }

  /// One proximal step; false when it failed. New impulses are then in last().
  bool step(int most);
  [[nodiscard]] bool exhausted() const { return alpha_ > kLargest; }
  [[nodiscard]] int newton_steps() const { return newton_steps_; }
  [[nodiscard]] long linear_iterations() const { return network_.products(); }
  [[nodiscard]] long products() const { return products_ + network_.products(); }
  void impulses(std::span<double> R) const { scaled_.to_impulses(last_, R); }

 private:
  /// The function to be minimised at z, with X there; D_ too where asked for.
  double value(std::span<const double> z, std::span<double> X, bool derivative);
  /// Minimise it from z_; whether that ended well.
  bool minimise(int most);
  bool search_line(double& f);
  /// gradient_ = z - Hs^T X
  void find_gradient();
  void extrapolate();
  void project(std::span<double> x) const;
  void return_to_centre() {
    u_ = x_;
    network_.to_bodies(u_, z_);
  }

  ScaledProblem scaled_;
  BodyNetwork network_;
  double alpha_ = kFirst;
  std::vector<double> x_, last_;                 ///< proximal centre, impulses of the last step
  std::vector<double> X_, trial_X_, u_;
  std::vector<double> z_, trial_, gradient_, dz_;
  std::vector<Mat3> D_;                          ///< derivatives of the projection over alpha
  int newton_steps_ = 0, in_a_row_ = 0;
  long products_ = 0;
};

void RelaxedNewton::project(std::span<double> x) const {
  const ContactProblem& p = scaled_.problem();
  parallel_for(p.blocks(), [&](std::ptrdiff_t a) {
    Eigen::Map<Vec3> part(x.data() + 3 * a);
    part = project_on_block(part, p.kind[a], scaled_.parameter()[a]);
  });
}

double RelaxedNewton::value(std::span<const double> z, std::span<double> X, bool derivative) {
  const ContactProblem& p = scaled_.problem();
  network_.to_contacts(z, u_);
  ++products_;
  const double sum = parallel_sum(p.blocks(), [&](std::ptrdiff_t a) {
    const auto part = [a](std::span<const double> v) { return Eigen::Map<const Vec3>(v.data() + 3 * a); };
    const Vec3 y = part(x_) - (part(u_) + part(scaled_.b())) / alpha_;
    Eigen::Map<Vec3> result(X.data() + 3 * a);
    if (derivative) {
      const LawPoint point = projection_point(y, p.kind[a], scaled_.parameter()[a]);
      result = point.value;
      D_[a] = point.derivative / alpha_;
    } else {
      result = project_on_block(y, p.kind[a], scaled_.parameter()[a]);
    }
    return result.squaredNorm();
  });
  return 0.5 * dot(z, z) + 0.5 * alpha_ * sum;
}

void RelaxedNewton::find_gradient() {
  u_ = X_;
  network_.to_bodies(u_, gradient_);
  ++products_;
  combine(z_, -1.0, gradient_, gradient_);
}

bool RelaxedNewton::search_line(double& f) {
  const double slope = dot(gradient_, dz_);
  double t = 1.0;
  for (int halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
    combine(z_, t, dz_, trial_);
    const double next = value(trial_, trial_X_, false);
    if (!(next <= f + 1e-4 * t * slope + 1e-14 * std::abs(f))) continue;
    z_.swap(trial_);
    f = next;
    return true;
  }
  return false;
}

bool RelaxedNewton::minimise(int most) {
  double f = value(z_, X_, true);
  for (newton_steps_ = 0;; ++newton_steps_) {
    find_gradient();
    combine(X_, -1.0, x_, u_);
    const double size = norm(gradient_);
    if (size <= kInner * alpha_ * norm(u_) || size <= 1e-14 * norm(z_)) return true;
    if (newton_steps_ >= std::min(kMostNewton, most)) return false;
    network_.set(D_);
    for (double& g : gradient_) g = -g;
    network_.solve(gradient_, kForcing * network_.size(gradient_), kProducts, dz_);
    for (double& g : gradient_) g = -g;
    if (!search_line(f)) return false;
    f = value(z_, X_, true);
  }
}

void RelaxedNewton::extrapolate() {
  // A step against the last one: what carried it on has turned.
  double turned = 0.0;
  for (std::size_t k = 0; k < x_.size(); ++k) turned += (x_[k] - X_[k]) * (X_[k] - last_[k]);
  in_a_row_ = turned > 0.0 ? 0 : in_a_row_ + 1;
  const double share = in_a_row_ > 0 ? (in_a_row_ - 1.0) / (in_a_row_ + 2.0) : 0.0;
  combine(X_, -1.0, last_, x_);
  last_ = X_;
  combine(last_, share, x_, x_);
  project(x_);
}

bool RelaxedNewton::step(int most) {
  if (!minimise(most)) {
    alpha_ *= 10.0;
    in_a_row_ = 0;
    x_ = last_;
    return_to_centre();
    return false;
  }
  extrapolate();
  // The network's stiffness is what makes steps dear.
  if (newton_steps_ <= kEasy) alpha_ = std::max(0.5 * alpha_, kLeast);
  else if (newton_steps_ >= kHard) alpha_ *= 2.0;
  return true;
}

}  // namespace

bool suits_relaxed_newton(const ContactProblem& problem) {
  const BodyForm* W = problem.W->body_rows();
  return W != nullptr && BodyNetwork::suits(*W, problem);
}

SolveReport solve_relaxed_newton(const ContactProblem& problem, const StopRule& stop, std::span<double> R) {
  Watch watch(problem, stop, R);
  watch.offer(R);
  RelaxedNewton newton(problem, R);
  std::vector<double> trial(R.size());
  watch.be_patient(kWorthwhile);
  while (!watch.ended() && !newton.exhausted() && watch.stalled() < kPatience) {
    const bool done = newton.step(stop.max_iterations - watch.iterations());
    watch.count(std::max(1, newton.newton_steps()));
    if (!done) continue;
    newton.impulses(trial);
    watch.offer(trial);
  }
  SolveReport report = watch.report("");
  report.linear_iterations = newton.linear_iterations();
  report.products += newton.products();
  return report;
}

}  // namespace scree::solvers
