/// How packed sweeps store a problem: blocks in groups of four that share no body, one SIMD lane each.
///
/// Tangents are turned so that the reduced tangential matrix A = W_TT - W_TN W_NT / W_NN is diag(a1, a2).
/// Kernels exist for the instruction set of the build and for AVX2; both do the same operations in the same
/// order, so that an unspecialised build gives the same bits whichever runs.
#pragma once

#include <cstdint>

#include "solvers/sweeper.hpp"

namespace scree::solvers::packed {

inline constexpr int kLanes = 4;
inline constexpr double kFaint = 1e-60;   ///< N s: a contact pressed less is open; cubes of its slip multiplier would leave the range of doubles
inline constexpr double kBilateral = -1.0, kDirection = -2.0;   ///< marks in Group::mu

struct alignas(64) Group {
  double rows[3][9][kLanes];   ///< N, T1, T2; columns: shared linear row, angular rows of side 0 and of side 1
  double B[3][kLanes];
  double mu[kLanes];           ///< or the mark of another kind
  double inverse_NN[kLanes], c1[kLanes], c2[kLanes];   ///< 1 / W_NN, W_NT / W_NN
  double a1[kLanes], a2[kLanes], inverse_a1[kLanes], inverse_a2[kLanes];
  double weight[kLanes];       ///< 1 / rho, 0 in empty lanes
  std::int32_t body[2][kLanes];
};
static_assert(sizeof(Group) == 1280);

/// Impulses with the slip multipliers kept as the next guess.
struct alignas(64) GroupState {
  double N[kLanes], T1[kLanes], T2[kLanes], multiplier[kLanes];
};

/// Scaled velocity of a body: linear part, weight 1/sqrt(m) of shared linear rows, angular part.
struct alignas(64) Slot {
  double linear[3], weight, angular[3], unused;
};

/// What a kernel works on.
struct View {
  const Group* groups;
  GroupState* impulses;   ///< R
  GroupState* before;     ///< P, only with momentum
  Slot* slots;
  const double* measure;  ///< weights of the yardstick `residual`, four a group; 0 in empty lanes
};

/// Neighbouring columns of a row of W: entries of a vector from `start` on, four at a time. The values are twelve numbers for every four
/// columns, four of each of the three rows, in single precision.
struct RowRun {
  std::int32_t start, quads;
};

struct Kernel {
  SweepSums (*sweep)(const View& view, int first, int last, const SweepRule& rule, bool momentum);
  double (*squared_residual)(const View& view, int first, int last);
  /// U += rows times x over some runs, sums in double precision; x must be readable up to the end of the last four columns.
  void (*add_runs)(const RowRun* first, const RowRun* last, const float* values, const double* x, double* U);
};

/// The fastest kernel this machine can run.
[[nodiscard]] const Kernel& kernel();

/// One for the build's own instruction set, one for AVX2 (null where it cannot be built).
[[nodiscard]] const Kernel* plain_kernel();
[[nodiscard]] const Kernel* avx2_kernel();

}  // namespace scree::solvers::packed
