#include <cstring>
#include <numeric>

#include "core/threads.hpp"
#include "solvers/sweep_order.hpp"
#include "solvers/sweeper.hpp"

// Four doubles at a time; internal to this file, so the calling convention does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace scree::solvers {

namespace {

constexpr double kBilateral = -1.0, kDirection = -2.0;   ///< marks in Record::mu
constexpr double kTangentFloor = 1e-14;                  ///< smallest reduced mobility, relative to tr W_aa
constexpr double kSharedFrame = 1e-12;                   ///< agreement of the linear rows of two sides
constexpr int kQuickNewtons = 8;
constexpr std::ptrdiff_t kThreadedBlocks = 3000;         ///< fewer blocks are swept by one thread

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A block as sweeps read it: tangents turned so that the reduced tangential matrix is diag(a1, a2).
struct alignas(64) Record {
  double rows[3][9];            ///< N, T1, T2: shared linear row, angular rows of side 0 and of side 1
  double B[3];
  double mu;                    ///< or the mark of another kind
  double inverse_NN, c1, c2;    ///< 1 / W_NN, W_NT / W_NN
  double a1, a2, inverse_a1, inverse_a2;
  double weight;                ///< 1 / rho
  int body[2];                  ///< slots
};
static_assert(sizeof(Record) == 320);

/// Scaled velocity of a body: linear part, weight 1/sqrt(m) of shared linear rows, angular part.
struct alignas(64) Slot {
  double linear[3], weight, angular[3], unused;
};

/// Impulse with the slip multiplier kept as the next guess.
struct alignas(32) State {
  double N, T1, T2, multiplier;
};

using Pack = double __attribute__((vector_size(32)));

inline Pack load(const double* p) {
  Pack x;
  std::memcpy(&x, p, sizeof(Pack));
  return x;
}
inline void store(double* p, const Pack& x) { std::memcpy(p, &x, sizeof(Pack)); }
inline double sum3(const Pack& x) { return x[0] + x[1] + x[2]; }
inline Pack all(double x) { return Pack{x, x, x, x}; }
/// The first three lanes, 0 in the last.
inline Pack first3(const Pack& x) { return __builtin_shuffle(x, Pack{0.0, 0.0, 0.0, 0.0}, (decltype(x > x)){0, 1, 2, 4}); }

/// Slip: multiplier from the stored guess by a few unguarded Newton steps, else by the guarded search.
inline double slip(const Record& k, double b1, double b2, double s, double guess) {
  const double trace = k.a1 + k.a2;
  const double cb = k.c1 * b1 + k.c2 * b2;
  double lambda = guess > 0.0 ? guess : std::max(0.0, std::sqrt(b1 * b1 + b2 * b2) / (k.mu * s) - 0.5 * trace);
  for (int newton = 0; newton < kQuickNewtons; ++newton) {
    const double l1 = lambda + k.a1, l2 = lambda + k.a2;
    const double v1 = l2 * b1, v2 = l1 * b2;
    const double length2 = v1 * v1 + v2 * v2;
    const double cone = k.mu * (s * l1 * l2 + k.c1 * v1 + k.c2 * v2);
    const double cone_slope = k.mu * (s * (l1 + l2) + cb);
    const double slope = cone_slope * length2 - cone * (v1 * b1 + v2 * b2);
    const double step = (cone - std::sqrt(length2)) * length2 / slope;
    lambda -= step;
    if (!(lambda >= 0.0) || !(slope > 0.0)) break;
    if (std::abs(step) <= 1e-8 * (lambda + trace)) return lambda;
  }
  return slip_multiplier({b1, b2, k.a2 * b1, k.a1 * b2, k.c1, k.c2, trace, k.a1 * k.a2, s, k.mu}, guess);
}

/// Solution of a block that presses (s > 0) or is bilateral, from the velocity U with the present impulse r.
inline State solve_block(const Record& k, const State& r, double U_N, double U_1, double U_2, double s) {
  const double b1 = U_1 - k.a1 * r.T1 - k.c1 * U_N;
  const double b2 = U_2 - k.a2 * r.T2 - k.c2 * U_N;
  if (k.mu > 0.0) {
    // Stick when inside the cone.
    const double t1 = -b1 * k.inverse_a1, t2 = -b2 * k.inverse_a2;
    const double n = s - k.c1 * t1 - k.c2 * t2;
    const double radius = k.mu * n;
    if (n >= 0.0 && t1 * t1 + t2 * t2 <= radius * radius) return {n, t1, t2, 0.0};
    const double lambda = slip(k, b1, b2, s, r.multiplier);
    const double u1 = -b1 / (k.a1 + lambda), u2 = -b2 / (k.a2 + lambda);
    return {std::max(0.0, s - k.c1 * u1 - k.c2 * u2), u1, u2, lambda};
  }
  if (k.mu == kBilateral) {
    const double t1 = -b1 * k.inverse_a1, t2 = -b2 * k.inverse_a2;
    return {s - k.c1 * t1 - k.c2 * t2, t1, t2, 0.0};
  }
  return {s, 0.0, 0.0, 0.0};
}

class PackedSweeper final : public Sweeper {
 public:
  bool begin(const ContactProblem& problem, std::span<const double> R) override;
  void set(std::span<const double> R) override;
  SweepSums sweep(const SweepRule& rule) override;
  void refresh() override;
  double squared_error() override;
  void get(std::span<double> R) const override;

 private:
  /// False when the linear rows of the two sides are not one frame weighted by each body.
  bool pack(int place, int task);
  void velocities_from_impulses();
  template <bool kMomentum, bool kRelaxed>
  SweepSums run_task(int task, const SweepRule& rule);
  template <class Body>
  void over_places(Body&& body) const;

  const ContactProblem* problem_ = nullptr;
  const BodyForm* form_ = nullptr;
  SweepOrder order_;
  std::vector<Record> records_;
  std::vector<State> impulses_, before_;     ///< R and P
  std::vector<Slot> slots_, slots_before_;   ///< bodies in sweep order, then one idle slot a task
  std::vector<std::array<double, 2>> turn_;  ///< cosine and sine of each tangent rotation
  std::vector<double> weight_, plain_, y_;
  std::vector<SweepSums> sums_;
  bool fresh_ = true, momentum_ready_ = false;
};

/// Common factor of the linear rows of a body: their Frobenius norm / sqrt(3).
double linear_weight(const BodyForm& form, int body) {
  const auto touching = form.incidence(body);
  if (touching.empty()) return 1.0;
  const auto rows = form.rows(touching.front() / 2, touching.front() % 2);
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += rows[at(6 * i + j)] * rows[at(6 * i + j)];
  return std::sqrt(sum / 3.0);
}

template <class Body>
void PackedSweeper::over_places(Body&& body) const {
  parallel_for(static_cast<std::ptrdiff_t>(records_.size()), [&](std::ptrdiff_t place) { body(static_cast<int>(place)); });
}

bool PackedSweeper::begin(const ContactProblem& problem, std::span<const double> R) {
  problem_ = &problem;
  form_ = dynamic_cast<const BodyForm*>(problem.W.get());
  if (!form_ || !form_->rigid()) return false;
  order_.update(*form_);
  const auto blocks = at(problem.blocks());
  records_.resize(blocks);
  impulses_.resize(blocks);
  turn_.resize(blocks);
  weight_.resize(at(form_->bodies()));
  slots_.resize(at(form_->bodies() + order_.tasks()));
  parallel_for(form_->bodies(), [&](std::ptrdiff_t b) { weight_[static_cast<std::size_t>(b)] = linear_weight(*form_, static_cast<int>(b)); });
  std::vector<char> good(at(order_.tasks()), 1);
  parallel_for(order_.tasks(), [&](std::ptrdiff_t t) {
    const int task = static_cast<int>(t);
    for (int place = order_.task_start()[at(task)]; place < order_.task_start()[at(task + 1)]; ++place)
      if (!pack(place, task)) good[at(task)] = 0;
  }, 1);
  if (std::find(good.begin(), good.end(), 0) != good.end()) return false;
  set(R);
  return true;
}

bool PackedSweeper::pack(int place, int task) {
  const int block = order_.blocks()[at(place)];
  const BlockKind kind = problem_->kind[at(block)];
  const Mat3& W = form_->diagonal()[at(block)];
  Record& k = records_[at(place)];
  const double total = W.trace();
  k.weight = total > 0.0 ? total / 3.0 : 1.0;
  k.mu = kind == BlockKind::contact ? problem_->mu[at(block)] : kind == BlockKind::bilateral ? kBilateral : kDirection;

  // Reduced tangential matrix and the rotation that makes it diagonal.
  double cosine = 1.0, sine = 0.0;
  k.inverse_NN = k.c1 = k.c2 = 0.0;
  k.a1 = k.a2 = k.inverse_a1 = k.inverse_a2 = 1.0;
  const bool mobile = W(0, 0) > kTangentFloor * total;
  if (mobile) {
    k.inverse_NN = 1.0 / W(0, 0);
    const double a11 = W(1, 1) - W(1, 0) * W(0, 1) * k.inverse_NN;
    const double a22 = W(2, 2) - W(2, 0) * W(0, 2) * k.inverse_NN;
    const double a12 = W(1, 2) - W(1, 0) * W(0, 2) * k.inverse_NN;
    const double half = 0.5 * (a11 - a22);
    const double radius = std::sqrt(half * half + a12 * a12);
    if (kind != BlockKind::direction && radius > 1e-12 * total) {
      const double angle = 0.5 * std::atan2(a12, half);
      cosine = std::cos(angle);
      sine = std::sin(angle);
    }
    const double mean = 0.5 * (a11 + a22), floor = kTangentFloor * total;
    k.a1 = std::max(mean + radius, floor);
    k.a2 = std::max(mean - radius, floor);
    k.inverse_a1 = 1.0 / k.a1;
    k.inverse_a2 = 1.0 / k.a2;
    if (kind != BlockKind::direction) {
      k.c1 = (cosine * W(0, 1) + sine * W(0, 2)) * k.inverse_NN;
      k.c2 = (cosine * W(0, 2) - sine * W(0, 1)) * k.inverse_NN;
    }
  }
  turn_[at(place)] = {cosine, sine};
  const double* B = problem_->B.data() + 3 * block;
  k.B[0] = B[0];
  k.B[1] = cosine * B[1] + sine * B[2];
  k.B[2] = cosine * B[2] - sine * B[1];

  // Rows in turned tangents; the linear part is kept once, as velocity of side 1 minus that of side 0.
  std::memset(k.rows, 0, sizeof k.rows);
  bool linear_done = false;
  for (int side = 1; side >= 0; --side) {
    const int body = form_->bodies_of(block)[at(side)];
    k.body[side] = body >= 0 ? order_.slot_of_body()[at(body)] : form_->bodies() + task;
    if (body < 0) continue;
    const double* from = form_->rows(block, side).data();
    if (!(weight_[at(body)] > 0.0)) return false;
    const double scale = (side == 1 ? 1.0 : -1.0) / weight_[at(body)];
    for (int j = 0; j < 6; ++j) {
      const double turned[3] = {from[j], cosine * from[6 + j] + sine * from[12 + j], cosine * from[12 + j] - sine * from[6 + j]};
      for (int i = 0; i < 3; ++i) {
        if (j >= 3) k.rows[i][3 * side + j] = turned[i];
        else if (!linear_done) k.rows[i][j] = scale * turned[i];
        else if (std::abs(k.rows[i][j] - scale * turned[i]) > kSharedFrame) return false;
      }
    }
    linear_done = true;
  }
  return true;
}

void PackedSweeper::set(std::span<const double> R) {
  over_places([&](int place) {
    const double* r = R.data() + 3 * order_.blocks()[at(place)];
    const auto [cosine, sine] = turn_[at(place)];
    impulses_[at(place)] = {r[0], cosine * r[1] + sine * r[2], cosine * r[2] - sine * r[1], 0.0};
  });
  plain_.assign(R.begin(), R.end());
  velocities_from_impulses();
  momentum_ready_ = false;
}

void PackedSweeper::velocities_from_impulses() {
  y_.resize(at(form_->dofs()));
  form_->scatter(plain_, y_);
  parallel_for(form_->bodies(), [&](std::ptrdiff_t b) {
    const auto body = static_cast<std::size_t>(b);
    const double* y = y_.data() + 6 * body;
    slots_[at(order_.slot_of_body()[body])] = {{y[0], y[1], y[2]}, weight_[body], {y[3], y[4], y[5]}, 0.0};
  });
  for (std::size_t idle = at(form_->bodies()); idle < slots_.size(); ++idle) slots_[idle] = Slot{};
}

void PackedSweeper::refresh() {
  get(plain_);
  velocities_from_impulses();
}

void PackedSweeper::get(std::span<double> R) const {
  over_places([&](int place) {
    double* r = R.data() + 3 * order_.blocks()[at(place)];
    const auto [cosine, sine] = turn_[at(place)];
    const State& state = impulses_[at(place)];
    r[0] = state.N;
    r[1] = cosine * state.T1 - sine * state.T2;
    r[2] = cosine * state.T2 + sine * state.T1;
  });
}

template <bool kMomentum, bool kRelaxed>
SweepSums PackedSweeper::run_task(int task, const SweepRule& rule) {
  SweepSums sums;
  const int first = order_.task_start()[at(task)], last = order_.task_start()[at(task + 1)];
  const int step = rule.backward ? -1 : 1;
  const double beta = rule.momentum;
  for (int place = rule.backward ? last - 1 : first, left = last - first; left > 0; --left, place += step) {
    const Record& k = records_[at(place)];
    State r = impulses_[at(place)];
    State base = r;
    if constexpr (kMomentum) {
      State& P = before_[at(place)];
      r.N += beta * (r.N - P.N);
      r.T1 += beta * (r.T1 - P.T1);
      r.T2 += beta * (r.T2 - P.T2);
      P = base;
    }
    Slot& one = slots_[at(k.body[0])];
    Slot& two = slots_[at(k.body[1])];
    const Pack linear = all(two.weight) * load(two.linear) - all(one.weight) * load(one.linear);
    const Pack spin1 = load(one.angular), spin2 = load(two.angular);
    const Pack N = load(k.rows[0]) * linear + load(k.rows[0] + 3) * spin1 + load(k.rows[0] + 6) * spin2;
    const double U_N = sum3(N) + k.B[0];
    const bool idle = r.N == 0.0 && r.T1 == 0.0 && r.T2 == 0.0;
    if (idle && U_N >= 0.0 && k.mu >= 0.0) continue;

    const Pack T1 = load(k.rows[1]) * linear + load(k.rows[1] + 3) * spin1 + load(k.rows[1] + 6) * spin2;
    const Pack T2 = load(k.rows[2]) * linear + load(k.rows[2] + 3) * spin1 + load(k.rows[2] + 6) * spin2;
    const double s = r.N + k.c1 * r.T1 + k.c2 * r.T2 - U_N * k.inverse_NN;
    State next{0.0, 0.0, 0.0, 0.0};
    if (k.inverse_NN > 0.0 && (s > 0.0 || k.mu < 0.0))
      next = solve_block(k, r, U_N, sum3(T1) + k.B[1], sum3(T2) + k.B[2], s);
    if constexpr (kRelaxed) {
      next.N = r.N + rule.relaxation * (next.N - r.N);
      next.T1 = r.T1 + rule.relaxation * (next.T1 - r.T1);
      next.T2 = r.T2 + rule.relaxation * (next.T2 - r.T2);
      if (k.mu >= 0.0) {
        // Back on the cone along the tangents.
        next.N = std::max(next.N, 0.0);
        const double length = std::sqrt(next.T1 * next.T1 + next.T2 * next.T2), radius = k.mu * next.N;
        const double shrink = length > radius ? radius / length : 1.0;
        next.T1 *= shrink;
        next.T2 *= shrink;
      }
    }
    impulses_[at(place)] = next;

    // Both bodies feel the change at once.
    const double dN = next.N - r.N, d1 = next.T1 - r.T1, d2 = next.T2 - r.T2;
    const Pack n = all(dN), t1 = all(d1), t2 = all(d2);
    const Pack push = first3(load(k.rows[0]) * n + load(k.rows[1]) * t1 + load(k.rows[2]) * t2);
    const Pack turn1 = first3(load(k.rows[0] + 3) * n + load(k.rows[1] + 3) * t1 + load(k.rows[2] + 3) * t2);
    const Pack turn2 = first3(load(k.rows[0] + 6) * n + load(k.rows[1] + 6) * t1 + load(k.rows[2] + 6) * t2);
    store(one.linear, load(one.linear) - all(one.weight) * push);
    store(one.angular, spin1 + turn1);
    store(two.linear, load(two.linear) + all(two.weight) * push);
    store(two.angular, spin2 + turn2);

    sums.change += k.weight * (dN * dN + d1 * d1 + d2 * d2);
    sums.size += k.weight * (next.N * next.N + next.T1 * next.T1 + next.T2 * next.T2);
    if constexpr (kMomentum)
      sums.uphill -= k.weight * (dN * (next.N - base.N) + d1 * (next.T1 - base.T1) + d2 * (next.T2 - base.T2));
  }
  return sums;
}

SweepSums PackedSweeper::sweep(const SweepRule& rule) {
  const bool momentum = rule.momentum != 0.0 || momentum_ready_;
  if (momentum && !momentum_ready_) {
    before_ = impulses_;
    slots_before_ = slots_;
    momentum_ready_ = true;
  }
  if (momentum)
    parallel_for(form_->bodies(), [&](std::ptrdiff_t i) {
      double* now = slots_[static_cast<std::size_t>(i)].linear;
      double* old = slots_before_[static_cast<std::size_t>(i)].linear;
      for (int j = 0; j < 8; ++j) {
        const double kept = now[j];
        now[j] += rule.momentum * (kept - old[j]);
        old[j] = kept;
      }
    });
  sums_.resize(at(order_.tasks()));
  const auto run = [&](int task) {
    SweepSums& sums = sums_[at(task)];
    if (rule.relaxation != 1.0) sums = momentum ? run_task<true, true>(task, rule) : run_task<false, true>(task, rule);
    else sums = momentum ? run_task<true, false>(task, rule) : run_task<false, false>(task, rule);
  };
  const int phases = order_.phases();
  const auto& start = order_.phase_start();
  if (threads() == 1 || problem_->blocks() < kThreadedBlocks || omp_in_parallel()) {
    for (int p = 0; p < phases; ++p) {
      const int phase = rule.backward ? phases - 1 - p : p;
      for (int task = start[at(phase)]; task < start[at(phase + 1)]; ++task) run(task);
    }
  } else {
#pragma omp parallel num_threads(threads())
    for (int p = 0; p < phases; ++p) {
      const int phase = rule.backward ? phases - 1 - p : p;
#pragma omp for schedule(static)
      for (int task = start[at(phase)]; task < start[at(phase + 1)]; ++task) run(task);
    }
  }
  return std::accumulate(sums_.begin(), sums_.end(), SweepSums{}, [](SweepSums total, const SweepSums& part) { return total += part; });
}

double PackedSweeper::squared_error() {
  return parallel_sum(static_cast<std::ptrdiff_t>(records_.size()), [&](std::ptrdiff_t place) {
    const Record& k = records_[static_cast<std::size_t>(place)];
    const State& r = impulses_[static_cast<std::size_t>(place)];
    const Slot& one = slots_[at(k.body[0])];
    const Slot& two = slots_[at(k.body[1])];
    const Pack linear = all(two.weight) * load(two.linear) - all(one.weight) * load(one.linear);
    const Pack spin1 = load(one.angular), spin2 = load(two.angular);
    double U[3];
    for (int i = 0; i < 3; ++i)
      U[i] = sum3(load(k.rows[i]) * linear + load(k.rows[i] + 3) * spin1 + load(k.rows[i] + 6) * spin2) + k.B[i];
    const double rho = 1.0 / k.weight;
    double e[3];
    if (k.mu < 0.0) {
      e[0] = rho * U[0];
      e[1] = k.mu == kBilateral ? rho * U[1] : r.T1;
      e[2] = k.mu == kBilateral ? rho * U[2] : r.T2;
    } else {
      // R - proj(R - rho (U + mu |U_T| n)) on the cone.
      const double slide = std::sqrt(U[1] * U[1] + U[2] * U[2]);
      const double n = r.N - rho * (U[0] + k.mu * slide), t1 = r.T1 - rho * U[1], t2 = r.T2 - rho * U[2];
      const double length = std::sqrt(t1 * t1 + t2 * t2);
      double normal = 0.0, shrink = 0.0;
      if (length <= k.mu * n) {
        normal = n;
        shrink = 1.0;
      } else if (k.mu * length > -n) {
        normal = (n + k.mu * length) / (1.0 + k.mu * k.mu);
        shrink = length > 0.0 ? k.mu * normal / length : 0.0;
      }
      e[0] = r.N - normal;
      e[1] = r.T1 - shrink * t1;
      e[2] = r.T2 - shrink * t2;
    }
    return k.weight * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
  });
}

}  // namespace

std::unique_ptr<Sweeper> make_packed_sweeper() { return std::make_unique<PackedSweeper>(); }

}  // namespace scree::solvers
