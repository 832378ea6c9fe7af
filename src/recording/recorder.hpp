/// Results of a simulation: frames of its state and a row a step, into a file that `scree info` and `scree view` open.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/results.hpp"
#include "stepping/simulation.hpp"

namespace scree::recording {

/// How a file is made.
struct RecordOptions {
  std::string title = "simulation";
  std::int64_t expected_bodies = 0;  ///< sizes the chunks; any value is correct
  bool compress = false;             ///< smaller without loss
};

/// One results file being written. Bodies that come and go are followed from frame to frame.
class Recorder {
 public:
  /// A new file; an old one is replaced. FileError when another process writes it.
  Recorder(const std::string& path, const RecordOptions& options);
  /// Go on with a file after `time`: later frames and steps are dropped.
  static Recorder resume(const std::string& path, double time);

  void add_steps(std::span<const model::StepRow> rows);
  /// The present state, as a frame.
  void add_frame(const stepping::Simulation& simulation);
  /// Everything so far is in the file when this returns.
  void flush() { writer_->flush(); }
  /// Complete the file.
  void close() { writer_->close(); }

  [[nodiscard]] std::int64_t frames() const { return writer_->frames(); }
  /// Time of the last frame, s; before the first, minus infinity.
  [[nodiscard]] double last_time() const { return last_time_; }

 private:
  explicit Recorder(io::ResultsWriter writer) : writer_(std::make_unique<io::ResultsWriter>(std::move(writer))) {}
  void update_bodies(const model::Model& model);

  std::unique_ptr<io::ResultsWriter> writer_;
  std::vector<int> alive_;          ///< ids of the bodies in the last frame, ascending
  double last_time_ = -kInfinity;
};

}  // namespace scree::recording
