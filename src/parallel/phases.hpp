/// The order in which ranks sweep over the blocks of a shared problem (theory sec. 4.2).
///
/// A body is at home on the rank that has most of its blocks. Blocks whose bodies are all at home on their rank are its interior: nobody else touches
/// these bodies meanwhile. The others lie on the boundary.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/operator.hpp"

namespace scree::parallel {

[[nodiscard]] inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

enum class SweepVariant {
  full,             ///< interiors, then pairs of ranks in coloured phases: no body is acted on by two ranks at once
  middle_jacobi,    ///< interiors, then all of the boundary, with bodies between ranks split
  boundary_jacobi,  ///< all at once, with bodies between ranks split
  simplified        ///< the same, then local sweeps over blocks that are no contacts
};

/// 'FULL', 'MIDDLE_JACOBI', 'BOUNDARY_JACOBI' or 'SIMPLIFIED'.
[[nodiscard]] SweepVariant sweep_variant_from(const std::string& name);

struct Phases {
  std::vector<int> of_block;  ///< of the whole problem
  int count = 1;
};

/// Phases of a sweep over `whole`, whose blocks belong to ranks as `rank` says, -1: to none, they are left out. The same on every rank.
[[nodiscard]] Phases make_phases(const solvers::BodyForm& whole, std::span<const int> rank, SweepVariant variant);

/// Ranks that have a block with a body, ascending.
[[nodiscard]] std::vector<int> ranks_of(const solvers::BodyForm& whole, std::span<const int> rank, int body);

}  // namespace scree::parallel
