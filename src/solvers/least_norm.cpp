#include "solvers/least_norm.hpp"

#include <algorithm>
#include <vector>

#include "solvers/body_space.hpp"
#include "solvers/scaled_problem.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/yardstick.hpp"

namespace scree::solvers {

namespace {

constexpr int kMostSteps = 60;
constexpr int kMostHalvings = 20;
constexpr double kAtRest = 0.1;        ///< velocities below this share of what the tolerance allows a block count as none
constexpr double kEnough = 0.1;        ///< share of the tolerance that the bodies' impulses may miss
constexpr double kDamping = 1e-3;      ///< of a Newton step, relative to what is missing
constexpr double kRounding = 1e-15;     ///< of the dual function, relative
constexpr double kLeastNormDamping = 1e-10;

/// min |x|^2 / 2,  A^T x = y,  x_a in the cone, on the ray or zero;  A = s Hs, x = R / s. Dual: x = P(A l), F(l) = A^T P(A l) - y = 0.
class LeastNorm {
 public:
  LeastNorm(const ContactProblem& problem, const BodyForm& form, double tolerance, std::span<const double> R)
      : scaled_(problem), form_(form), tolerance_(tolerance), x_(scaled_.size()), u_(scaled_.size()), y_(form.dofs()),
        l_(y_.size(), 0.0), step_(y_.size()), F_(y_.size()), image_(y_.size()), G_(problem.kind.size()) {
    scaled_.from_impulses(R, x_);
    scaled_.velocity(x_, u_);
    form_.scatter(R, y_);
    choose_sets();
  }

  bool solve() {
    space_.analyse(form_);
    const double size = norm(y_), goal = kEnough * tolerance_ * scaled_.reference();
    double value = evaluate(l_);
    for (int step = 0; step < kMostSteps; ++step) {
      const double missing = norm(F_);
      if (missing <= goal) return true;
      if (!newton_step(std::max(kLeastNormDamping, kDamping * missing / size))) return false;
      double t = 1.0, next = evaluate_at(t);
      // Near the end the function changes by less than its rounding; the gradient still tells.
      const double slope = dot(last_, step_), rounding = kRounding * std::abs(value);
      for (int k = 0; k < kMostHalvings && !(next <= value + 1e-4 * t * slope + rounding); ++k) next = evaluate_at(t *= 0.5);
      if (!(next < value - rounding) && !(norm(F_) < missing)) return norm(F_) <= goal;
      add_scaled(t, step_, l_);
      value = next;
    }
    return false;
  }

  void impulses(std::span<double> R) const { scaled_.to_impulses(x_, R); }

 private:
  enum class Set : char { none, ray, block };

  /// What moves keeps the direction of its impulse, what rests may take any.
  void choose_sets() {
    const double rest = kAtRest * tolerance_ * scaled_.reference() / std::sqrt(std::max(1.0, static_cast<double>(scaled_.blocks())));
    set_.resize(G_.size());
    ray_.assign(G_.size(), Vec3::Zero());
    for (std::size_t a = 0; a < set_.size(); ++a) {
      const Vec3 x = Eigen::Map<const Vec3>(x_.data() + 3 * a), u = Eigen::Map<const Vec3>(u_.data() + 3 * a);
      const bool moves = frictional(scaled_.problem().kind[a]) && u.norm() > rest;
      set_[a] = !moves ? Set::block : x.isZero(0.0) ? Set::none : Set::ray;
      if (set_[a] == Set::ray) ray_[a] = x.normalized();
    }
  }

  /// x = P(A l), the derivative in G_, F; the dual function |x|^2 / 2 - l.y.
  double evaluate(std::span<const double> l) {
    form_.gather(l, x_);
    scaled_.from_velocities(x_, x_);
    const ContactProblem& p = scaled_.problem();
    for (std::size_t a = 0; a < set_.size(); ++a) {
      Eigen::Map<Vec3> x(x_.data() + 3 * a);
      G_[a].setZero();
      if (set_[a] == Set::block) {
        const LawPoint point = projection_point(x, p.kind[a], scaled_.parameter()[a]);
        x = point.value;
        G_[a] = point.derivative;
      } else {
        const double along = set_[a] == Set::ray ? ray_[a].dot(x) : 0.0;
        if (along > 0.0) G_[a] = ray_[a] * ray_[a].transpose();
        x = std::max(0.0, along) * ray_[a];
      }
    }
    scaled_.to_impulses(x_, u_);
    form_.scatter(u_, F_);
    const double value = 0.5 * dot(x_, x_) - dot(l, y_);
    add_scaled(-1.0, y_, F_);
    return value;
  }

  double evaluate_at(double t) {
    image_ = l_;
    add_scaled(t, step_, image_);
    return evaluate(image_);
  }

  /// (damping I + A^T D A) step = -F
  bool newton_step(double damping) {
    last_ = F_;
    for (std::size_t a = 0; a < G_.size(); ++a) G_[a] *= scaled_.scale()[a] * scaled_.scale()[a] / damping;
    if (!space_.factor(G_)) return false;
    for (std::size_t k = 0; k < F_.size(); ++k) image_[k] = -F_[k] / damping;
    space_.solve(image_, step_);
    return std::isfinite(norm(step_));
  }

  ScaledProblem scaled_;
  const BodyForm& form_;
  double tolerance_;
  std::vector<double> x_, u_, y_, l_, step_, F_, last_, image_;
  std::vector<Mat3> G_;
  std::vector<Set> set_;
  std::vector<Vec3> ray_;
  BodySpace space_;
};

double squared_norm(const ContactProblem& problem, std::span<const double> R) {
  double sum = 0.0;
  for (std::size_t a = 0; a < problem.kind.size(); ++a) sum += Eigen::Map<const Vec3>(R.data() + 3 * a).squaredNorm() / block_rho(problem.W->diagonal()[a]);
  return sum;
}

}  // namespace

bool take_least_norm(const ContactProblem& problem, double tolerance, std::span<double> R) {
  const BodyForm* form = problem.W->rigid_rows();
  if (!form || !std::ranges::all_of(problem.kind, built_in)) return false;
  LeastNorm least(problem, *form, tolerance, R);
  if (!least.solve()) return false;
  std::vector<double> smaller(R.size());
  least.impulses(smaller);
  if (!(squared_norm(problem, smaller) < squared_norm(problem, R)) || !(measure(Yardstick::residual, problem, smaller) <= tolerance)) return false;
  std::copy(smaller.begin(), smaller.end(), R.begin());
  return true;
}

}  // namespace scree::solvers
