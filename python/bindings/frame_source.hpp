/// From a simulation to the rows of a results file.
#pragma once

#include "engine.hpp"
#include "io/results.hpp"

namespace scree::python {

/// Writes frames of a simulation; knows which bodies the file has already.
class FrameSource {
 public:
  explicit FrameSource(io::ResultsWriter& writer) : writer_(writer) {}

  /// Bodies of the last frame of a file that is gone on with.
  void set_alive(std::vector<int> ids) { alive_ = std::move(ids); }
  /// Write the present state; new bodies are added to the body table, missing ones end.
  void write(Engine& engine);

 private:
  void update_bodies(Engine& engine);
  void add_body(Engine& engine, std::size_t i);
  [[nodiscard]] std::int32_t row(int id) const { return id < 0 ? -1 : writer_.row_of(id); }
  void fill_bodies(Engine& engine, io::Frame& frame) const;
  void fill_contacts(Engine& engine, io::Frame& frame) const;
  void fill_constraints(Engine& engine, io::Frame& frame) const;

  io::ResultsWriter& writer_;
  std::vector<int> alive_;  ///< ids in the last frame, ascending
};

}  // namespace scree::python
