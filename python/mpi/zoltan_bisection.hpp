/// Recursive coordinate bisection by Zoltan.
#pragma once

#include "parallel/partition.hpp"

namespace scree::mpi {

class ZoltanBisection final : public parallel::Partitioner {
 public:
  std::vector<parallel::Cell> cut(std::span<const Vec3> points, std::span<const double> weights, std::span<const int> owner, int parts) override;
};

}  // namespace scree::mpi
