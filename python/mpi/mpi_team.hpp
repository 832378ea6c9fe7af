/// The team of an MPI job.
#pragma once

#include <mpi.h>

#include "core/team.hpp"

namespace scree::mpi {

class MpiTeam final : public Team {
 public:
  /// Of MPI_COMM_WORLD, after MPI_Init.
  MpiTeam();

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[noreturn]] void abort(int status) override;
  void set_patience(double seconds, const std::string& last_words) override;

 private:
  void gather_bytes(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all) override;
  void exchange_bytes(std::span<const Bytes> outgoing, std::span<Bytes> incoming) override;
  void wait(std::span<MPI_Request> requests);

  int rank_ = 0, size_ = 1;
  double patience_ = 1e300;  ///< s
  std::string last_words_;
};

}  // namespace scree::mpi
