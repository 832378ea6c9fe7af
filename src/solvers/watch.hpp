/// The one watch over a solve: it measures iterates, keeps the best of them, counts the work, and says when to end.
///
/// A solve ends when the best value is at or below the tolerance, when the count or the clock has run out, or when the process is
/// asked to stop (core/interrupt.hpp). Values are those of the stop rule's yardstick at impulses R (N s), dimensionless.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "core/timer.hpp"
#include "core/vec.hpp"
#include "solvers/report.hpp"

namespace scree::solvers {

class Watch {
 public:
  /// `best` holds the guess and receives the best iterate. It and the problem must outlive the watch; `memory`, where given, is
  /// used for velocities, so that nothing is allocated.
  Watch(const ContactProblem& problem, const StopRule& stop, std::span<double> best, std::vector<double>* memory = nullptr);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// @name Measuring
  /// @{
  /// Measure R, forming U = W R + B (one product), and note it. The value, infinite when it is not a number.
  double offer(std::span<const double> R);
  /// The same with U known; a value at or below the tolerance is measured again from the impulses alone.
  double offer(std::span<const double> R, std::span<const double> U);
  /// Measure and note the guess. One worse than none is dropped for zero, which needs no product.
  double offer_guess();
  /// W R + B of the last iterate that was offered without it.
  [[nodiscard]] std::span<const double> velocity() const { return *U_; }
  /// @}

  /// @name The best iterate
  /// @{
  /// Note an iterate of this value. Where it is the best, write(best) is called to store it; true then.
  template <std::invocable<std::span<double>> Write>
  bool note(double value, Write&& write) {
    record(value);
    value_ = value;
    if (!(value < best_value_)) return false;
    write(best_);
    improve(value);
    return true;
  }
  bool note(double value, std::span<const double> R);
  /// The guess is known to have this value: no measurement, no entry of the history.
  void begin(double value) { best_value_ = value_ = value; }
  /// An entry of the history alone.
  void record(double value) {
    if (stop_.history) report_.history.push_back(value);
  }
  [[nodiscard]] double value() const { return value_; }             ///< of the iterate noted last
  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] std::span<double> best() const { return best_; }
  /// @}

  /// @name Progress
  /// @{
  /// Begin to count anew; progress means that the best value falls below `gain` times what it is now.
  void be_patient(double gain);
  /// Iterations since such progress, or since be_patient().
  [[nodiscard]] int stalled() const { return iterations() - marked_; }
  /// Iterations since the best iterate, or since be_patient().
  [[nodiscard]] int since_best() const { return iterations() - improved_; }
  /// @}

  /// @name Limits
  /// @{
  /// The stop rule's tolerance until so much more work is done; from then on `tolerance`, where that is looser.
  void ease(double tolerance, double work) {
    eased_ = tolerance;
    ease_at_ = report_.work + work;
  }
  /// The same for a part of the work of another watch: `share` is what a sweep of the part costs there, `scale` relates its tolerance.
  void ease_with(const Watch& whole, double share, double scale = 1.0) { ease(scale * whole.eased_, (whole.ease_at_ - whole.report_.work) / share); }
  [[nodiscard]] bool eased() const { return report_.work >= ease_at_; }
  /// What an iterate must meet now.
  [[nodiscard]] double tolerance() const { return eased() ? std::max(stop_.tolerance, eased_) : stop_.tolerance; }
  /// Iterations of so much work each until the tolerance eases, at least one; as many as anyone likes when it does not.
  [[nodiscard]] int until_eased(double each) const;
  [[nodiscard]] bool solved() const { return best_value_ <= tolerance(); }
  /// True when the count or the clock has run out or a stop was requested; the report says which.
  [[nodiscard]] bool spent();
  [[nodiscard]] bool ended() { return solved() || spent(); }
  [[nodiscard]] const StopRule& stop() const { return stop_; }
  /// What is left of the limits, for a part of the work of at most `most` iterations.
  [[nodiscard]] StopRule rest(int most = 1 << 30) const;
  [[nodiscard]] double seconds() const { return timer_.seconds(); }
  /// @}

  /// @name Counting
  /// @{
  [[nodiscard]] int iterations() const { return report_.iterations; }
  /// Work is counted in sweeps: so many iterations, each as dear as so many sweeps.
  void count(int iterations = 1, double each = 1.0) {
    report_.iterations += iterations;
    report_.work += each * iterations;
  }
  [[nodiscard]] double work() const { return report_.work; }
  void count_products(long products) { report_.products += products; }
  void count_fallback(int fallbacks = 1) { report_.fallbacks += fallbacks; }
  /// Counts and history of a part of the work; `each` is the work of one of its iterations, or of one of its own sweeps where it has counted them.
  void add(const SolveReport& part, double each = 1.0);
  void set_stage(const char* stage) { report_.stage = stage; }
  /// @}

  /// What was done. `otherwise` is the status of a solve that gave up within its limits; `advice` is kept when it did not converge.
  [[nodiscard]] SolveReport report(const char* advice, Status otherwise = Status::max_iterations);

 private:
  void improve(double value);

  const ContactProblem& problem_;
  StopRule stop_;
  std::span<double> best_;
  std::vector<double> own_, *U_;
  Timer timer_;
  double value_ = kInfinity, best_value_ = kInfinity;
  double eased_ = 0.0, ease_at_ = kInfinity;
  double mark_ = kInfinity, gain_ = 1.0;
  int marked_ = 0, improved_ = 0;
  bool spent_ = false;
  SolveReport report_;
};

}  // namespace scree::solvers
