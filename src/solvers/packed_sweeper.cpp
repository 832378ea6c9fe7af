#include <array>
#include <cstring>
#include <numeric>

#include "core/reserve.hpp"
#include "core/thread_choice.hpp"
#include "core/threads.hpp"
#include "core/timer.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/packed_groups.hpp"
#include "solvers/sweep_order.hpp"

namespace scree::solvers {

namespace {

using packed::Group;
using packed::GroupState;
using packed::kLanes;
using packed::Slot;

constexpr double kOnCone = 1.0 - 1e-9;            ///< tangential impulse of a slipping guess, relative to mu R_N
constexpr double kSharedFrame = 1e-12;            ///< agreement of the linear rows of two sides
constexpr std::ptrdiff_t kThreadedBlocks = 3000;  ///< fewer blocks are swept by one thread
constexpr int kWindow = 48;                       ///< blocks looked at to fill a group

/// Common factor of the linear rows of a body: their Frobenius norm / sqrt(3).
double linear_weight(const BodyForm& form, int body) {
  const auto touching = form.incidence(body);
  if (touching.empty()) return 1.0;
  const auto rows = form.rows(touching.front() / 2, touching.front() % 2);
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += rows[6 * i + j] * rows[6 * i + j];
  return std::sqrt(sum / 3.0);
}

/// Reduced local matrix of a lane and the rotation of tangents that makes it diagonal.
void pack_local(const Mat3& W, bool normal_alone, Group& g, std::size_t lane, double& cosine, double& sine) {
  const double trace = W.trace();
  cosine = 1.0;
  sine = 0.0;
  g.weight[lane] = trace > 0.0 ? trace / 3.0 : 1.0;
  g.inverse_NN[lane] = g.c1[lane] = g.c2[lane] = 0.0;
  g.a1[lane] = g.a2[lane] = g.inverse_a1[lane] = g.inverse_a2[lane] = 1.0;
  if (!(W(0, 0) > kTangentFloor * trace)) return;
  const double inverse = 1.0 / W(0, 0);
  g.inverse_NN[lane] = inverse;
  if (normal_alone) return;
  const double a11 = W(1, 1) - W(1, 0) * W(0, 1) * inverse, a22 = W(2, 2) - W(2, 0) * W(0, 2) * inverse;
  const double a12 = W(1, 2) - W(1, 0) * W(0, 2) * inverse;
  const double half = 0.5 * (a11 - a22), radius = std::sqrt(half * half + a12 * a12);
  if (radius > kTangentFloor * trace) {
    // Half-angle formulas: cos 2 phi = half / radius.
    const double twice = half / radius;
    cosine = std::sqrt(0.5 * (1.0 + std::abs(twice)));
    sine = 0.5 * std::abs(a12) / (radius * cosine);
    if (twice < 0.0) std::swap(cosine, sine);
    if (a12 < 0.0) sine = -sine;
  }
  const double mean = 0.5 * (a11 + a22), floor = kTangentFloor * trace;
  g.a1[lane] = std::max(mean + radius, floor);
  g.a2[lane] = std::max(mean - radius, floor);
  g.inverse_a1[lane] = 1.0 / g.a1[lane];
  g.inverse_a2[lane] = 1.0 / g.a2[lane];
  g.c1[lane] = (cosine * W(0, 1) + sine * W(0, 2)) * inverse;
  g.c2[lane] = (cosine * W(0, 2) - sine * W(0, 1)) * inverse;
}

class PackedSweeper final : public Sweeper {
 public:
  bool begin(const ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  SweepSums sweep(const SweepRule& rule) override;
  void refresh() override;
  double squared_residual() override;
  void get(std::span<double> R) const override;

 private:
  void form_groups(std::span<const double> R);
  void fill_groups(int task, std::span<const int> blocks);
  /// False when the linear rows of the two sides are not one frame weighted by each body.
  bool pack(int group, std::size_t lane, int task);
  /// Impulses of groups in the problem's own tangents.
  void read(const std::vector<GroupState>& states, std::span<double> R) const;
  /// Scaled velocities that belong to the impulses in plain_.
  void velocities_from_impulses(std::vector<Slot>& slots);
  template <class Body>
  void over_lanes(Body&& body) const;
  template <class Run>
  void run_phases(bool backward, Run&& run);
  [[nodiscard]] packed::View view() { return {groups_.data(), impulses_.data(), before_.data(), slots_.data(), measure_.data()}; }

  const ContactProblem* problem_ = nullptr;
  const BodyForm* form_ = nullptr;
  SweepOrder order_;
  std::vector<int> lane_block_;              ///< block of each lane, -1: empty
  std::vector<int> group_start_;             ///< first group of each task
  std::vector<Group> groups_;
  std::vector<GroupState> impulses_, before_;
  std::vector<Slot> slots_, slots_before_;   ///< bodies in sweep order, then one idle slot a task
  std::vector<std::array<double, 2>> turn_;  ///< cosine and sine of each tangent rotation, a lane each
  std::vector<double> weight_, plain_, y_, errors_;
  std::vector<double> measure_;              ///< weights of the residual, a lane each
  std::vector<SweepSums> sums_;
  std::vector<int> stamp_, closed_, slipping_, open_;
  int stamps_ = 0;
  bool momentum_ready_ = false;
  ThreadChoice choice_;
};

/// body(group, lane, block) for every occupied lane.
template <class Body>
void PackedSweeper::over_lanes(Body&& body) const {
  parallel_for(static_cast<std::ptrdiff_t>(groups_.size()), [&](std::ptrdiff_t g) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (const int block = lane_block_[kLanes * static_cast<std::size_t>(g) + lane]; block >= 0) body(static_cast<std::size_t>(g), lane, block);
  }, kChunk / kLanes);
}

bool PackedSweeper::begin(const ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  form_ = problem.W->rigid_rows();
  if (!form_) return false;
  order_.update(*form_);
  form_groups(R);
  const std::size_t groups = lane_block_.size() / kLanes;
  resize_anew(groups_, groups);
  resize_anew(impulses_, groups);
  turn_.resize(lane_block_.size());
  weight_.resize(form_->bodies());
  slots_.resize(form_->bodies() + order_.tasks());
  parallel_for(form_->bodies(), [&](std::ptrdiff_t b) { weight_[b] = linear_weight(*form_, static_cast<int>(b)); });
  std::vector<char> good(order_.tasks(), 1);
  parallel_for(order_.tasks(), [&](std::ptrdiff_t t) {
    const int task = static_cast<int>(t);
    for (int g = group_start_[task]; g < group_start_[task + 1]; ++g) {
      std::memset(static_cast<void*>(&groups_[g]), 0, sizeof(Group));
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        if (!pack(g, lane, task)) good[task] = 0;
    }
  }, 1);
  if (std::find(good.begin(), good.end(), 0) != good.end()) return false;
  const std::vector<double> measure = residual_weights(problem);
  measure_.assign(lane_block_.size(), 0.0);
  over_lanes([&](std::size_t g, std::size_t lane, int block) { measure_[kLanes * g + lane] = measure[block]; });
  set(R);
  return true;
}

void PackedSweeper::form_groups(std::span<const double> R) {
  lane_block_.clear();
  group_start_.assign(1, 0);
  stamp_.assign(form_->bodies(), 0);
  stamps_ = 0;
  for (int task = 0; task < order_.tasks(); ++task) {
    // Blocks likely to stay open go together: their groups are skipped as a whole. So do those likely to slip, whose
    // solution takes longest.
    closed_.clear();
    slipping_.clear();
    open_.clear();
    for (int place = order_.task_start()[task]; place < order_.task_start()[task + 1]; ++place) {
      const int a = order_.blocks()[place];
      const double* r = R.data() + 3 * a;
      const bool contact = frictional(problem_->kind[a]);
      const bool idle = contact && problem_->B[3 * a] > 0.0 && r[0] == 0.0;
      const double radius = kOnCone * problem_->mu[a] * r[0];
      const bool slips = contact && r[0] > 0.0 && r[1] * r[1] + r[2] * r[2] >= radius * radius;
      (idle ? open_ : slips ? slipping_ : closed_).push_back(a);
    }
    fill_groups(task, closed_);
    fill_groups(task, slipping_);
    fill_groups(task, open_);
    group_start_.push_back(static_cast<int>(lane_block_.size() / kLanes));
  }
}

void PackedSweeper::fill_groups(int, std::span<const int> blocks) {
  std::array<int, kWindow> window;
  std::size_t read = 0;
  int held = 0;
  while (read < blocks.size() || held > 0) {
    while (held < kWindow && read < blocks.size()) window[held++] = blocks[read++];
    // The first blocks of the window that share no body.
    ++stamps_;
    int filled = 0, kept = 0;
    for (int k = 0; k < held; ++k) {
      const int a = window[k];
      const auto& pair = form_->bodies_of(a);
      const bool free = filled < kLanes && (pair[0] < 0 || stamp_[pair[0]] != stamps_) && (pair[1] < 0 || stamp_[pair[1]] != stamps_);
      if (!free) {
        window[kept++] = a;
        continue;
      }
      for (int body : pair)
        if (body >= 0) stamp_[body] = stamps_;
      lane_block_.push_back(a);
      ++filled;
    }
    held = kept;
    lane_block_.insert(lane_block_.end(), kLanes - filled, -1);
  }
}

bool PackedSweeper::pack(int group, std::size_t lane, int task) {
  Group& g = groups_[group];
  const int idle = form_->bodies() + task;
  g.body[0][lane] = g.body[1][lane] = idle;
  const int block = lane_block_[kLanes * group + lane];
  if (block < 0) {
    g.a1[lane] = g.a2[lane] = g.inverse_a1[lane] = g.inverse_a2[lane] = 1.0;
    return true;
  }
  const ImpulseSet set = impulse_set(problem_->kind[block], problem_->mu[block]);
  if (set == ImpulseSet::other) return false;
  double cosine, sine;
  pack_local(form_->diagonal()[block], set == ImpulseSet::line, g, lane, cosine, sine);
  g.mu[lane] = set == ImpulseSet::space ? packed::kBilateral : set == ImpulseSet::line ? packed::kDirection : problem_->mu[block];
  turn_[kLanes * group + lane] = {cosine, sine};
  const double* B = problem_->B.data() + 3 * block;
  g.B[0][lane] = B[0];
  g.B[1][lane] = cosine * B[1] + sine * B[2];
  g.B[2][lane] = cosine * B[2] - sine * B[1];

  // Rows in turned tangents; the linear part is kept once, as velocity of side 1 minus that of side 0.
  bool linear_done = false;
  for (int side = 1; side >= 0; --side) {
    const int body = form_->bodies_of(block)[side];
    if (body < 0) continue;
    g.body[side][lane] = order_.slot_of_body()[body];
    if (!(weight_[body] > 0.0)) return false;
    const double* from = form_->rows(block, side).data();
    const double scale = (side == 1 ? 1.0 : -1.0) / weight_[body];
    for (int j = 0; j < 6; ++j) {
      const double turned[3] = {from[j], cosine * from[6 + j] + sine * from[12 + j], cosine * from[12 + j] - sine * from[6 + j]};
      for (int i = 0; i < 3; ++i) {
        if (j >= 3) g.rows[i][3 * side + j][lane] = turned[i];
        else if (!linear_done) g.rows[i][j][lane] = scale * turned[i];
        else if (std::abs(g.rows[i][j][lane] - scale * turned[i]) > kSharedFrame) return false;
      }
    }
    linear_done = true;
  }
  return true;
}

void PackedSweeper::set(std::span<const double> R) {
  parallel_for(static_cast<std::ptrdiff_t>(impulses_.size()), [&](std::ptrdiff_t g) { impulses_[g] = GroupState{}; });
  over_lanes([&](std::size_t g, std::size_t lane, int block) {
    const double* r = R.data() + 3 * block;
    const auto [cosine, sine] = turn_[kLanes * g + lane];
    impulses_[g].N[lane] = r[0];
    impulses_[g].T1[lane] = cosine * r[1] + sine * r[2];
    impulses_[g].T2[lane] = cosine * r[2] - sine * r[1];
  });
  plain_.assign(R.begin(), R.end());
  velocities_from_impulses(slots_);
  momentum_ready_ = false;
}

void PackedSweeper::velocities_from_impulses(std::vector<Slot>& slots) {
  y_.resize(form_->dofs());
  form_->scatter(plain_, y_);
  parallel_for(form_->bodies(), [&](std::ptrdiff_t b) {
    const std::size_t body = b;
    const double* y = y_.data() + 6 * body;
    slots[order_.slot_of_body()[body]] = {{y[0], y[1], y[2]}, weight_[body], {y[3], y[4], y[5]}, 0.0};
  });
  for (std::size_t idle = form_->bodies(); idle < slots.size(); ++idle) slots[idle] = Slot{};
}

void PackedSweeper::refresh() {
  read(impulses_, plain_);
  velocities_from_impulses(slots_);
  if (!momentum_ready_) return;
  // The iterate before must be as exact, or momentum would multiply the difference by beta / (1 - beta).
  read(before_, plain_);
  velocities_from_impulses(slots_before_);
}

void PackedSweeper::read(const std::vector<GroupState>& states, std::span<double> R) const {
  over_lanes([&](std::size_t g, std::size_t lane, int block) {
    double* r = R.data() + 3 * block;
    const auto [cosine, sine] = turn_[kLanes * g + lane];
    const GroupState& state = states[g];
    r[0] = state.N[lane];
    r[1] = cosine * state.T1[lane] - sine * state.T2[lane];
    r[2] = cosine * state.T2[lane] + sine * state.T1[lane];
  });
}

void PackedSweeper::get(std::span<double> R) const { read(impulses_, R); }

SweepSums PackedSweeper::sweep(const SweepRule& rule) {
  const bool momentum = rule.momentum != 0.0 || momentum_ready_;
  if (momentum && !momentum_ready_) {
    before_ = impulses_;
    slots_before_ = slots_;
    momentum_ready_ = true;
  }
  if (momentum)
    parallel_for(form_->bodies(), [&](std::ptrdiff_t i) {
      double* now = slots_[i].linear;
      double* old = slots_before_[i].linear;
      for (int j = 0; j < 8; ++j) {
        const double kept = now[j];
        now[j] += rule.momentum * (kept - old[j]);
        old[j] = kept;
      }
    });
  sums_.resize(order_.tasks());
  const packed::Kernel& kernel = packed::kernel();
  const auto run = [&](int task) {
    sums_[task] = kernel.sweep(view(), group_start_[task], group_start_[task + 1], rule, momentum);
  };
  run_phases(rule.backward, run);
  return std::accumulate(sums_.begin(), sums_.end(), SweepSums{}, [](SweepSums total, const SweepSums& part) { return total += part; });
}

/// run(task) for all tasks, phase after phase, by one thread or by many.
template <class Run>
void PackedSweeper::run_phases(bool backward, Run&& run) {
  const int phases = order_.phases();
  const auto& start = order_.phase_start();
  const bool choose = threads() > 1 && problem_->blocks() >= kThreadedBlocks && !omp_in_parallel();
  Timer timer;
  if (choose && choice_.many()) {
#pragma omp parallel num_threads(threads())
    for (int p = 0; p < phases; ++p) {
      const int phase = backward ? phases - 1 - p : p;
#pragma omp for schedule(static)
      for (int task = start[phase]; task < start[phase + 1]; ++task) run(task);
    }
  } else {
    for (int p = 0; p < phases; ++p) {
      const int phase = backward ? phases - 1 - p : p;
      for (int task = start[phase]; task < start[phase + 1]; ++task) run(task);
    }
  }
  if (choose) choice_.took(timer.seconds() / problem_->blocks());
}

double PackedSweeper::squared_residual() {
  errors_.resize(order_.tasks());
  parallel_for(order_.tasks(), [&](std::ptrdiff_t t) {
    const std::size_t task = t;
    errors_[task] = packed::kernel().squared_residual(view(), group_start_[task], group_start_[task + 1]);
  }, 1);
  return std::accumulate(errors_.begin(), errors_.end(), 0.0);
}

}  // namespace

std::unique_ptr<Sweeper> make_packed_sweeper() { return std::make_unique<PackedSweeper>(); }

}  // namespace scree::solvers
