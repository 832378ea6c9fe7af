/// The inertia operator of finite element bodies: diagonal for the explicit scheme, dense for small meshes, a sparse factor with
/// the held nodes last for others.
#include <algorithm>

#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/timer.hpp"
#include "elastic/factor.hpp"
#include "model/finite_element.hpp"

namespace scree::model {

namespace {

constexpr int kDenseDofs = 192;  ///< below this many a dense factor of everything is faster than a sparse one

class FiniteElementInertia final : public Inertia {
 public:
  explicit FiniteElementInertia(const FiniteElement& mechanics)
      : mechanics_(mechanics), body_(mechanics.body()), K_(body_.make_matrix()), A_(body_.make_matrix()), dense_(body_.dofs() <= kDenseDofs),
        place_(body_.nodes(), -1) {}

  void update(std::span<const double> q, double a, double b, bool lumped, std::span<const int> expected) override {
    diagonal_ = lumped && b == 0.0;
    system_ = &A_;
    if (const elastic::Corotation* corotation = mechanics_.corotation()) {
      // A turns with the body: one factor serves while its coefficients stay.
      R_ = corotation->rotation(q);
      const bool same = ready_ && a == mass_scale_ && b == stiffness_scale_ && lumped == lumped_;
      mass_scale_ = a, stiffness_scale_ = b, lumped_ = lumped;
      if (diagonal_ || (same && (dense_ || std::ranges::equal(sparse_.last_nodes(), expected)))) return;
      K_ = corotation->stiffness();
      form(a, b, lumped);
      factorise(expected);
      ready_ = true;
      return;
    }
    mass_scale_ = a;
    if (diagonal_) return;
    body_.tangent(q, K_);
    form(a, b, lumped);
    try {
      factorise(expected);
    } catch (const SolveError&) {
      // The material has lost its stiffness: use that of the undeformed body in its present mean place.
      std::vector<double> rigid(q.size());
      const MeanMotion motion = mechanics_.mean(q, q);
      mechanics_.place(motion.gradient, motion.position, rigid);
      body_.tangent(rigid, K_);
      form(a, b, lumped);
      factorise(expected);
    }
  }

  void update_supported(std::span<const double> q, double a, double b, bool lumped, std::span<const int> expected, std::span<const Support> supports) override {
    const elastic::Corotation* corotation = mechanics_.corotation();
    if ((corotation && supports.empty()) || (lumped && b == 0.0)) {
      update(q, a, b, lumped, expected);
      return;
    }
    diagonal_ = ready_ = false;
    system_ = &A_;
    mass_scale_ = a;
    if (corotation) {
      R_ = corotation->rotation(q);
      K_ = corotation->stiffness();
    } else {
      body_.tangent(q, K_);
    }
    form(a, b, lumped);
    add_supports(supports);
    factorise(expected);
  }

  [[nodiscard]] Cost cost() const override { return cost_; }

  void solve(std::span<double> x) const override {
    if (diagonal_) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] /= mass_scale_ * body_.lumped_mass()[k / 3];
      return;
    }
    if (turns()) elastic::rotate(R_.transpose(), x);
    if (dense_) {
      const OneBlasThread guard(false);
      const int dofs = body_.dofs(), one = 1;
      int info = 0;
      dpotrs_("L", &dofs, &one, full_.data(), &dofs, x.data(), &dofs, &info);
    } else {
      sparse_.solve(x, x);
    }
    if (turns()) elastic::rotate(R_, x);
  }

  void choose(std::span<const int> nodes) override {
    chosen_.assign(nodes.begin(), nodes.end());
    if (diagonal_) {
      for (std::size_t k = 0; k < chosen_.size(); ++k) place_[chosen_[k]] = static_cast<int>(k);
    } else if (!dense_ && !sparse_.covers(nodes)) {
      sparse_.analyse(system_->pattern, nodes);
      factorise_sparse();
    }
  }

  [[nodiscard]] int scaled_dofs() const override {
    if (diagonal_) return 3 * static_cast<int>(chosen_.size());
    return dense_ ? body_.dofs() : sparse_.last_dofs();
  }

  void add_rows(const Mat3& frame, std::span<const Weight> weights, double sign, std::span<double> rows) const override {
    Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> H(rows.data(), 3, scaled_dofs());
    const Mat3 turned = turns() && !diagonal_ ? (frame * R_).eval() : frame;
    for (const Weight& w : weights) H.middleCols<3>(3 * column_of(w.node)) += sign * w.value * turned;
  }

  void scale_rows(std::span<double> rows, int count) const override {
    const int dofs = scaled_dofs();
    if (diagonal_) {
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < dofs; ++i)
          rows[static_cast<std::size_t>(k) * static_cast<std::size_t>(dofs) + static_cast<std::size_t>(i)] /=
              std::sqrt(mass_scale_ * body_.lumped_mass()[chosen_[i / 3]]);
    } else if (dense_) {
      const OneBlasThread guard(false);
      const double one = 1.0;
      dtrsm_("L", "L", "N", "N", &dofs, &count, &one, full_.data(), &dofs, rows.data(), &dofs);
    } else {
      sparse_.scale(rows, count);
    }
  }

 private:
  [[nodiscard]] bool turns() const { return mechanics_.corotation() != nullptr; }
  /// Place of a node among the columns of a scaled row.
  [[nodiscard]] int column_of(int node) const {
    if (diagonal_) return place_[node];
    return dense_ ? node : sparse_.last_index(node);
  }

  void form(double a, double b, bool lumped) {
    if (lumped) A_.combine(a, body_.lumped_mass(), b, K_);
    else A_.combine(a, body_.mass(), b, K_);
  }

  void add_supports(std::span<const Support> supports) {
    // A support couples all nodes of its weights, also those that share no element.
    std::vector<std::vector<int>> groups;
    for (const Support& support : supports) {
      groups.emplace_back();
      for (const Weight& w : support.weights) groups.back().push_back(w.node);
    }
    auto pattern_of_all = elastic::with_groups(A_.pattern, groups);
    if (!held_.pattern || held_.pattern->columns != pattern_of_all->columns) held_ = elastic::BlockMatrix(std::move(pattern_of_all));
    held_.copy(A_);
    system_ = &held_;
    const elastic::NodePattern& pattern = *held_.pattern;
    const auto block = [&](int entry) { return Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(held_.values.data() + 9 * entry); };
    double largest = 0.0;
    for (int i = 0; i < pattern.rows(); ++i) largest = std::max(largest, block(pattern.find(i, i)).diagonal().maxCoeff());
    for (const Support& support : supports) {
      const Mat3 stiffness = support.stiffness * largest * (turns() ? (R_.transpose() * support.directions * R_).eval() : support.directions);
      for (const Weight& i : support.weights)
        for (const Weight& j : support.weights) block(pattern.find(i.node, j.node)) += i.value * j.value * stiffness;
    }
  }

  void factorise(std::span<const int> expected) {
    if (!dense_) {
      if (analysed_ != system_->pattern || !std::ranges::equal(sparse_.last_nodes(), expected)) sparse_.analyse(system_->pattern, expected);
      analysed_ = system_->pattern;
      factorise_sparse();
      return;
    }
    const Timer timer;
    full_.setZero(body_.dofs(), body_.dofs());
    const elastic::NodePattern& pattern = *system_->pattern;
    for (int row = 0; row < pattern.rows(); ++row)
      for (int e = pattern.row_start[row]; e < pattern.row_start[row + 1]; ++e)
        full_.block<3, 3>(3 * row, 3 * pattern.columns[e]) =
            Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(system_->values.data() + 9 * e);
    const int dofs = body_.dofs();
    int info = 0;
    {
      const OneBlasThread guard(false);
      dpotrf_("L", &dofs, full_.data(), &dofs, &info);
    }
    count(timer);
    // Optimised kernels let NaN through.
    const bool sound = info == 0 && full_.diagonal().allFinite() && full_.diagonal().minCoeff() > 0.0;
    if (!sound) throw_solve("finite elements: the system matrix is not positive definite; use a smaller step");
  }

  void factorise_sparse() {
    const Timer timer;
    sparse_.factorise(*system_);
    count(timer);
  }
  void count(const Timer& timer) {
    ++cost_.factorisations;
    cost_.seconds += timer.seconds();
  }

  const FiniteElement& mechanics_;
  const elastic::ElasticBody& body_;
  Cost cost_;
  elastic::BlockMatrix K_, A_, held_;                    ///< A_ with supports in held_
  const elastic::BlockMatrix* system_ = &A_;             ///< the one that is factorised
  std::shared_ptr<const elastic::NodePattern> analysed_;  ///< pattern of the sparse factor
  bool dense_, diagonal_ = false, ready_ = false, lumped_ = false;
  double mass_scale_ = 1.0, stiffness_scale_ = 0.0;
  Mat3 R_ = Mat3::Identity();  ///< of co-rotational formulations
  MatX full_;   ///< its lower triangle holds the factor of small meshes
  elastic::Factor sparse_;
  std::vector<int> chosen_, place_;
};

/// A small dense matrix among the motions that a reduced body has (theory eq. 5.35).
class ReducedInertia final : public Inertia {
 public:
  ReducedInertia(const elastic::Reduction& reduction, int nodes) : reduction_(reduction), place_(nodes, -1) {}

  void update(std::span<const double> q, double a, double b, bool, std::span<const int>) override {
    form(q, a, b);
    factorise();
  }

  void update_supported(std::span<const double> q, double a, double b, bool, std::span<const int>, std::span<const Support> supports) override {
    form(q, a, b);
    const double largest = factor_.diagonal().tail(reduction_.modes()).maxCoeff();
    for (const Support& support : supports) {
      Rows rows = Rows::Zero(3, reduction_.dofs());
      for (const Weight& w : support.weights) reduction_.add_motion(shape_, w.node, w.value * pose_.R, rows);
      factor_ += support.stiffness * largest * rows.transpose() * support.directions * rows;
    }
    factorise();
  }

  void solve(std::span<double> x) const override {
    VecX velocities = reduction_.work(pose_, x);
    apply(velocities);
    reduction_.motion(pose_, velocities, x);
  }

  std::optional<double> step_change(std::span<const double> q0, std::span<const double> q1, std::span<const double> r, std::span<double> change) const override {
    const VecX work = reduction_.step_work(q0, q1, r);
    VecX velocities = work;
    apply(velocities);
    reduction_.motion(reduction_.pose(q1), velocities, change);
    return work.dot(velocities);
  }

  void choose(std::span<const int> nodes) override {
    chosen_ = static_cast<int>(nodes.size());
    for (int k = 0; k < chosen_; ++k) place_[nodes[k]] = k;
  }
  [[nodiscard]] int scaled_dofs() const override { return reduction_.dofs() + 3 * chosen_; }

  void add_rows(const Mat3& frame, std::span<const Weight> weights, double sign, std::span<double> rows) const override {
    Eigen::Map<Rows> H(rows.data(), 3, scaled_dofs());
    const Mat3 turned = sign * frame * pose_.R;
    for (const Weight& w : weights) {
      reduction_.add_motion(shape_, w.node, w.value * turned, H.leftCols(reduction_.dofs()));
      H.middleCols<3>(reduction_.dofs() + 3 * place_[w.node]) += w.value * compliance_ * turned;
    }
  }

  void scale_rows(std::span<double> rows, int count) const override {
    const OneBlasThread guard(false);
    const int dofs = reduction_.dofs(), length = scaled_dofs();
    const double one = 1.0;
    dtrsm_("L", "L", "N", "N", &dofs, &count, &one, factor_.data(), &dofs, rows.data(), &length);
  }

 private:
  /// Points of a reduced body give way by this share of the body's own mobility, squared, besides its modes (theory eq. 5.36): what hardly moves them would
  /// need impulses beyond all bounds to hold them.
  static constexpr double kGive = 1e-2;
  using Rows = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;

  void form(std::span<const double> q, double a, double b) {
    pose_ = reduction_.pose(q);
    shape_.resize(q.size());
    reduction_.shape(pose_.eta, shape_);
    factor_ = reduction_.system(pose_.eta, a, b);
    compliance_ = kGive / std::sqrt(factor_(0, 0));
  }
  void factorise() {
    const OneBlasThread guard(false);
    const int dofs = reduction_.dofs();
    int info = 0;
    dpotrf_("L", &dofs, factor_.data(), &dofs, &info);
    const bool sound = info == 0 && factor_.diagonal().allFinite() && factor_.diagonal().minCoeff() > 0.0;
    if (!sound) throw_solve("finite elements: the system matrix of a reduced body is not positive definite; use a smaller step");
  }
  /// velocities <- A^-1 velocities.
  void apply(VecX& velocities) const {
    const OneBlasThread guard(false);
    const int dofs = reduction_.dofs(), one = 1;
    int info = 0;
    dpotrs_("L", &dofs, &one, factor_.data(), &dofs, velocities.data(), &dofs, &info);
  }

  const elastic::Reduction& reduction_;
  elastic::Reduction::Pose pose_;
  std::vector<double> shape_;  ///< y there
  MatX factor_;                ///< its lower triangle
  double compliance_ = 0.0;    ///< square root
  int chosen_ = 0;
  std::vector<int> place_;     ///< of a node among the chosen
};

}  // namespace

std::unique_ptr<Inertia> FiniteElement::make_inertia() const {
  if (reduction_) return std::make_unique<ReducedInertia>(*reduction_, nodes());
  return std::make_unique<FiniteElementInertia>(*this);
}

}  // namespace scree::model
