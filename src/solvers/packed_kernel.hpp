/// The arithmetic of packed sweeps, compiled once for each instruction set. Include it inside a file that has
/// included packed_groups.hpp, <cmath> and <cstring>, with SCREE_KERNEL_NAMESPACE naming the variant.

namespace scree::solvers::packed::SCREE_KERNEL_NAMESPACE {

using Pack = double __attribute__((vector_size(32)));
using Mask = long long __attribute__((vector_size(32)));

[[gnu::always_inline]] static inline Pack load(const double* p) {
  Pack x;
  std::memcpy(&x, p, sizeof(Pack));
  return x;
}
[[gnu::always_inline]] static inline Pack load(const float* p) {
  using Four = float __attribute__((vector_size(16)));
  Four x;
  std::memcpy(&x, p, sizeof(Four));
  return __builtin_convertvector(x, Pack);
}
[[gnu::always_inline]] static inline void store(double* p, const Pack& x) { std::memcpy(p, &x, sizeof(Pack)); }
[[gnu::always_inline]] static inline Pack all(double x) { return Pack{x, x, x, x}; }
[[gnu::always_inline]] static inline bool any(const Mask& m) {
#ifdef __AVX__
  return _mm256_movemask_pd(reinterpret_cast<Pack>(m)) != 0;
#else
  return (m[0] | m[1] | m[2] | m[3]) != 0;
#endif
}
[[gnu::always_inline]] static inline Pack root(const Pack& x) {
#ifdef __AVX__
  return _mm256_sqrt_pd(x);
#else
  return Pack{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}
[[gnu::always_inline]] static inline Pack larger(const Pack& a, const Pack& b) { return a > b ? a : b; }
[[gnu::always_inline]] static inline Pack magnitude(const Pack& a) { return a < 0.0 ? -a : a; }
[[gnu::always_inline]] static inline double total(const Pack& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/// Four rows of four become four columns.
[[gnu::always_inline]] static inline void transpose(const Pack& a, const Pack& b, const Pack& c, const Pack& d, Pack& x, Pack& y, Pack& z, Pack& w) {
  const Pack ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Pack cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  x = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  y = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  z = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  w = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/// What the rows of a group multiply: velocity of side 1 minus side 0, then both angular velocities.
struct Motion {
  Pack x[9];
  Pack weight[2];
};

[[gnu::always_inline]] static inline void gather(const Slot* slots, const Group& g, Motion& m) {
  Pack linear[2][3], unused;
  for (int side = 0; side < 2; ++side) {
    const Slot &s0 = slots[g.body[side][0]], &s1 = slots[g.body[side][1]], &s2 = slots[g.body[side][2]], &s3 = slots[g.body[side][3]];
    transpose(load(s0.linear), load(s1.linear), load(s2.linear), load(s3.linear), linear[side][0], linear[side][1], linear[side][2], m.weight[side]);
    transpose(load(s0.angular), load(s1.angular), load(s2.angular), load(s3.angular), m.x[3 + 3 * side], m.x[4 + 3 * side], m.x[5 + 3 * side], unused);
  }
  for (int d = 0; d < 3; ++d) m.x[d] = m.weight[1] * linear[1][d] - m.weight[0] * linear[0][d];
}

[[gnu::always_inline]] static inline Pack row_times(const Group& g, int row, const Motion& m) {
  Pack linear = load(g.B[row]) + load(g.rows[row][0]) * m.x[0];
  Pack first = load(g.rows[row][3]) * m.x[3], second = load(g.rows[row][6]) * m.x[6];
  for (int d = 1; d < 3; ++d) {
    linear += load(g.rows[row][d]) * m.x[d];
    first += load(g.rows[row][3 + d]) * m.x[3 + d];
    second += load(g.rows[row][6 + d]) * m.x[6 + d];
  }
  return linear + (first + second);
}

[[gnu::always_inline]] static inline void add_to_slots(Slot* slots, const std::int32_t* body, const Pack* linear, const Pack* angular) {
  Pack push[4], turn[4];
  transpose(linear[0], linear[1], linear[2], all(0.0), push[0], push[1], push[2], push[3]);
  transpose(angular[0], angular[1], angular[2], all(0.0), turn[0], turn[1], turn[2], turn[3]);
  for (int l = 0; l < 4; ++l) {
    Slot& slot = slots[body[l]];
    store(slot.linear, load(slot.linear) + push[l]);
    store(slot.angular, load(slot.angular) + turn[l]);
  }
}

/// Both bodies of every lane feel the changes at once.
[[gnu::always_inline]] static inline void scatter(Slot* slots, const Group& g, const Motion& m, const Pack& dN, const Pack& d1, const Pack& d2) {
  Pack push[9];
  for (int j = 0; j < 9; ++j) push[j] = load(g.rows[0][j]) * dN + (load(g.rows[1][j]) * d1 + load(g.rows[2][j]) * d2);
  const Pack first[3] = {-m.weight[0] * push[0], -m.weight[0] * push[1], -m.weight[0] * push[2]};
  const Pack second[3] = {m.weight[1] * push[0], m.weight[1] * push[1], m.weight[1] * push[2]};
  add_to_slots(slots, g.body[0], first, push + 3);
  add_to_slots(slots, g.body[1], second, push + 6);
}

/// Coefficients of the local problems of a group (local_solve.hpp has the theory).
struct Local {
  Pack mu, c1, c2, a1, a2, b1, b2, s;
};

/// Slip multipliers of the lanes in `slipping`: Newton on cone / |v| - 1 from the stored guesses; lanes that
/// misbehave go to the guarded search.
[[gnu::always_inline]] static inline Pack slip(const Local& p, const Mask& slipping, const Pack& guess) {
  constexpr int kQuickNewtons = 8;
  const Pack trace = p.a1 + p.a2, cb = p.c1 * p.b1 + p.c2 * p.b2;
  Pack lambda = guess;
  Mask open = slipping;
  if (any(slipping & (guess <= 0.0))) {
    // Exact for isotropic blocks without normal coupling.
    const Pack isotropic = larger(all(0.0), root(p.b1 * p.b1 + p.b2 * p.b2) / (p.mu * p.s) - 0.5 * trace);
    lambda = guess > 0.0 ? guess : isotropic;
  }
  for (int newton = 0; newton < kQuickNewtons; ++newton) {
    const Pack l1 = lambda + p.a1, l2 = lambda + p.a2;
    const Pack v1 = l2 * p.b1, v2 = l1 * p.b2;
    const Pack length2 = v1 * v1 + v2 * v2;
    const Pack cone = p.mu * (p.s * l1 * l2 + p.c1 * v1 + p.c2 * v2);
    const Pack slope = p.mu * (p.s * (l1 + l2) + cb) * length2 - cone * (v1 * p.b1 + v2 * p.b2);
    const Pack step = (cone - root(length2)) * length2 / slope;
    lambda -= step;
    const Mask done = (magnitude(step) <= 1e-8 * (lambda + trace)) & (lambda >= 0.0) & (slope > 0.0);
    open &= ~done;
    if (!any(open)) return lambda;
  }
  for (int l = 0; l < 4; ++l)
    if (open[l])
      lambda[l] = slip_multiplier({p.b1[l], p.b2[l], p.a2[l] * p.b1[l], p.a1[l] * p.b2[l], p.c1[l], p.c2[l], trace[l], p.a1[l] * p.a2[l],
                                   p.s[l], p.mu[l]}, guess[l]);
  return lambda;
}

/// New impulses of a group.
struct Impulse {
  Pack N, T1, T2, multiplier;
};

[[gnu::always_inline]] static inline Impulse solve(const Group& g, const Impulse& r, const Pack& U_N, const Pack& U_1, const Pack& U_2) {
  const Pack zero = all(0.0), inverse_NN = load(g.inverse_NN);
  Local p{load(g.mu), load(g.c1), load(g.c2), load(g.a1), load(g.a2), zero, zero, zero};
  p.s = r.N + p.c1 * r.T1 + p.c2 * r.T2 - U_N * inverse_NN;
  p.b1 = U_1 - p.a1 * r.T1 - p.c1 * U_N;
  p.b2 = U_2 - p.a2 * r.T2 - p.c2 * U_N;
  const Mask pressed = (inverse_NN > 0.0) & ((p.s > kFaint) | (p.mu < 0.0));
  const Mask frictional = p.mu > 0.0;

  // Stick, kept by bilateral blocks and inside the cone.
  const Pack t1 = -p.b1 * load(g.inverse_a1), t2 = -p.b2 * load(g.inverse_a2);
  const Pack n = p.s - p.c1 * t1 - p.c2 * t2;
  const Pack radius = p.mu * n;
  const Mask inside = (n >= 0.0) & (t1 * t1 + t2 * t2 <= radius * radius);
  const Mask sticks = pressed & ((frictional & inside) | (p.mu == kBilateral));
  Impulse next{sticks ? n : (pressed ? p.s : zero), sticks ? t1 : zero, sticks ? t2 : zero, zero};

  const Mask slipping = pressed & frictional & ~inside;
  if (any(slipping)) {
    const Pack lambda = slip(p, slipping, r.multiplier);
    const Pack u1 = -p.b1 / (p.a1 + lambda), u2 = -p.b2 / (p.a2 + lambda);
    next.N = slipping ? larger(zero, p.s - p.c1 * u1 - p.c2 * u2) : next.N;
    next.T1 = slipping ? u1 : next.T1;
    next.T2 = slipping ? u2 : next.T2;
    next.multiplier = slipping ? lambda : next.multiplier;
  }
  return next;
}

/// r + omega (next - r), contacts back on the cone along the tangents.
[[gnu::always_inline]] static inline void relax(const Group& g, const Impulse& r, double omega, Impulse& next) {
  const Pack mu = load(g.mu), zero = all(0.0);
  next.N = r.N + omega * (next.N - r.N);
  next.T1 = r.T1 + omega * (next.T1 - r.T1);
  next.T2 = r.T2 + omega * (next.T2 - r.T2);
  const Mask contact = mu >= 0.0;
  next.N = contact ? larger(next.N, zero) : next.N;
  const Pack length = root(next.T1 * next.T1 + next.T2 * next.T2), radius = mu * next.N;
  const Pack shrink = (contact & (length > radius)) ? radius / length : all(1.0);
  next.T1 *= shrink;
  next.T2 *= shrink;
}

template <bool kMomentum>
static SweepSums sweep_groups(const View& view, int first, int last, const SweepRule& rule) {
  Pack change = all(0.0), size = all(0.0), uphill = all(0.0);
  const int step = rule.backward ? -1 : 1;
  for (int i = rule.backward ? last - 1 : first, left = last - first; left > 0; --left, i += step) {
    const Group& g = view.groups[i];
    GroupState& state = view.impulses[i];
    const Impulse base{load(state.N), load(state.T1), load(state.T2), load(state.multiplier)};
    Impulse r = base;
    if constexpr (kMomentum) {
      GroupState& P = view.before[i];
      r.N += rule.momentum * (base.N - load(P.N));
      r.T1 += rule.momentum * (base.T1 - load(P.T1));
      r.T2 += rule.momentum * (base.T2 - load(P.T2));
      store(P.N, base.N);
      store(P.T1, base.T1);
      store(P.T2, base.T2);
    }
    Motion m;
    gather(view.slots, g, m);
    const Pack U_N = row_times(g, 0, m);
    // Nothing to do when all four are open and stay so.
    const Mask busy = (r.N != 0.0) | (r.T1 != 0.0) | (r.T2 != 0.0) | (U_N < 0.0) | (load(g.mu) < 0.0);
    if (!any(busy)) continue;
    Impulse next = solve(g, r, U_N, row_times(g, 1, m), row_times(g, 2, m));
    if (rule.relaxation != 1.0) relax(g, r, rule.relaxation, next);
    store(state.N, next.N);
    store(state.T1, next.T1);
    store(state.T2, next.T2);
    store(state.multiplier, next.multiplier);

    const Pack dN = next.N - r.N, d1 = next.T1 - r.T1, d2 = next.T2 - r.T2;
    scatter(view.slots, g, m, dN, d1, d2);
    const Pack weight = load(g.weight);
    change += weight * (dN * dN + d1 * d1 + d2 * d2);
    size += weight * (next.N * next.N + next.T1 * next.T1 + next.T2 * next.T2);
    if constexpr (kMomentum) uphill -= weight * (dN * (next.N - base.N) + d1 * (next.T1 - base.T1) + d2 * (next.T2 - base.T2));
  }
  SweepSums sums;
  sums.change = total(change);
  sums.size = total(size);
  sums.uphill = total(uphill);
  return sums;
}

static SweepSums sweep(const View& view, int first, int last, const SweepRule& rule, bool momentum) {
  return momentum ? sweep_groups<true>(view, first, last, rule) : sweep_groups<false>(view, first, last, rule);
}

/// sum weight_a |R - law(R - rho U)|^2 over some groups (law.hpp, squared_error).
static double squared_residual(const View& view, int first, int last) {
  Pack sum = all(0.0);
  const Pack zero = all(0.0), one = all(1.0);
  for (int i = first; i < last; ++i) {
    const Group& g = view.groups[i];
    const GroupState& state = view.impulses[i];
    const Impulse r{load(state.N), load(state.T1), load(state.T2), zero};
    Motion m;
    gather(view.slots, g, m);
    const Pack U_N = row_times(g, 0, m), U_1 = row_times(g, 1, m), U_2 = row_times(g, 2, m);
    const Pack mark = load(g.mu), weight = load(g.weight);
    const Pack rho = weight > 0.0 ? one / weight : zero;
    const Pack mu = larger(mark, zero);
    const Pack n = r.N - rho * U_N, t1 = r.T1 - rho * U_1, t2 = r.T2 - rho * U_2;
    const Mask pressed = n > 0.0;
    const Pack length = root(t1 * t1 + t2 * t2), radius = pressed ? mu * n : zero;
    const Pack shrink = length > radius ? radius / length : one;
    Pack e_N = pressed ? r.N - n : r.N;
    Pack e_1 = r.T1 - shrink * t1;
    Pack e_2 = r.T2 - shrink * t2;
    // Bilateral blocks want U = 0, directions U_N = 0 and no tangential impulse.
    const Mask special = mark < 0.0, bilateral = mark == kBilateral;
    e_N = special ? rho * U_N : e_N;
    e_1 = special ? (bilateral ? rho * U_1 : r.T1) : e_1;
    e_2 = special ? (bilateral ? rho * U_2 : r.T2) : e_2;
    const Pack size = root(r.N * r.N + r.T1 * r.T1 + r.T2 * r.T2), error = root(e_N * e_N + e_1 * e_1 + e_2 * e_2) - kRounding * size;
    const Pack beyond = error < 0.0 ? zero : error;
    sum += load(view.measure + 4 * i) * beyond * beyond;
  }
  return total(sum);
}

/// Rows of W in runs of neighbouring columns (packed_groups.hpp). Two sums a row hide the latency of additions.
static void add_runs(const RowRun* first, const RowRun* last, const float* values, const double* x, double* U) {
  Pack even[3] = {all(0.0), all(0.0), all(0.0)}, odd[3] = {all(0.0), all(0.0), all(0.0)};
  for (const RowRun* run = first; run != last; ++run) {
    const double* from = x + run->start;
    int quad = 0;
    for (; quad + 1 < run->quads; quad += 2, values += 24, from += 8) {
      const Pack here = load(from), next = load(from + 4);
      for (int i = 0; i < 3; ++i) {
        even[i] += load(values + 4 * i) * here;
        odd[i] += load(values + 12 + 4 * i) * next;
      }
    }
    if (quad == run->quads) continue;
    const Pack here = load(from);
    for (int i = 0; i < 3; ++i) even[i] += load(values + 4 * i) * here;
    values += 12;
  }
  for (int i = 0; i < 3; ++i) U[i] += total(even[i] + odd[i]);
}

}  // namespace scree::solvers::packed::SCREE_KERNEL_NAMESPACE
