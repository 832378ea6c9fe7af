/// Teams: the ranks that run one script together, each with its own memory.
///
/// Collective calls are made by every rank, in the same order. meet() is the one that cannot hang where ranks do different things: it says
/// what is being done, and every rank learns when another does something else, or has failed. alone() is a team of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace scree {

using Bytes = std::vector<std::byte>;

/// Another rank failed, or does something else: thrown on every rank that did not fail itself.
class RankFailure : public SolveError {
 public:
  using SolveError::SolveError;
};

/// What each rank has brought, in rank order: views of one buffer.
class Brought {
 public:
  Brought(Bytes all, std::span<const std::size_t> sizes);
  Brought(Brought&&) = default;
  Brought& operator=(Brought&&) = default;

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t rank) const { return parts_[rank]; }
  [[nodiscard]] auto begin() const { return parts_.begin(); }
  [[nodiscard]] auto end() const { return parts_.end(); }

 private:
  Bytes all_;
  std::vector<std::span<const std::byte>> parts_;
};

/// What a rank has sent. What reductions send is not among messages and bytes: how they travel is up to the machine.
struct Traffic {
  long rounds = 0;      ///< exchanges and gatherings
  long messages = 0;    ///< sent by this rank to another
  long bytes = 0;       ///< in them
  long reductions = 0;  ///< sums, minima, maxima

  Traffic operator-(const Traffic& before) const { return {rounds - before.rounds, messages - before.messages, bytes - before.bytes, reductions - before.reductions}; }
};

class Team {
 public:
  virtual ~Team() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Everybody's bytes on every rank, in rank order: `all` holds sizes[0] bytes of rank 0, then those of rank 1, ... Every rank knows all sizes.
  void gather(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all);
  /// Send outgoing[r] to rank r, and get what others sent here; its sizes are known. Nothing goes to this rank itself.
  void exchange(std::span<const Bytes> outgoing, std::span<Bytes> incoming);
  /// End all ranks at once with this exit status; for failures that the others cannot hear of.
  [[noreturn]] virtual void abort(int status) = 0;

  /// Sums, minima, maxima over all ranks, entry by entry, in rank order: the same bits everywhere.
  void sum(std::span<double> values);
  void min(std::span<double> values);
  void max(std::span<double> values);
  [[nodiscard]] double sum(double value);
  [[nodiscard]] double max(double value);

  /// Everybody's bytes, in rank order. Throws RankFailure on all ranks when they are not all here with the same `what`, or one has called fail().
  Brought meet(const std::string& what, std::span<const std::byte> mine = {});
  /// Take part in the others' next meet() with the error at hand, which they throw as RankFailure. Returns which ranks failed there.
  std::vector<int> fail(const std::string& message);
  /// What `make` returns on rank `root`, on every rank; where it throws, all ranks throw.
  template <class Make>
  Bytes from(int root, const std::string& what, Make&& make);

  /// Should a collective call wait longer than this, s, print `last_words` and end all ranks; for a rank that has failed and that others may not
  /// come to hear.
  virtual void set_patience(double seconds, const std::string& last_words) { (void)seconds, (void)last_words; }

  /// Where this rank is, for messages: a line of the user's script.
  void set_place(std::string place) { place_ = std::move(place); }
  /// Since the team was made.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 protected:
  virtual void gather_bytes(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all) = 0;
  virtual void exchange_bytes(std::span<const Bytes> outgoing, std::span<Bytes> incoming) = 0;

 private:
  struct Call;
  struct Meeting;
  Meeting gather_calls(const Call& mine, std::span<const std::byte> payload, const std::string& text);
  template <class Combine>
  void combine(std::span<double> values, Combine&& with);

  Traffic traffic_;
  std::string place_;
  std::vector<std::byte> buffer_;
  std::vector<std::size_t> sizes_;
};

/// A team of one.
[[nodiscard]] Team& alone();

/// The team that shares the sums of this thread: alone(), unless somebody has set another. Numerics ask for it; a problem that is solved by one
/// rank is solved under alone().
[[nodiscard]] Team& team();

/// Sets the team of this thread while it lives.
class TeamScope {
 public:
  explicit TeamScope(Team& team);
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  Team* before_;
};

/// Run something that all ranks do; an error that the others have not heard of is told to them before it goes on.
template <class Call>
decltype(auto) together(Team& team, Call&& call) {
  try {
    return call();
  } catch (const RankFailure&) {
    throw;
  } catch (const std::exception& error) {
    if (team.size() > 1) team.fail(error.what());
    throw;
  }
}

template <class Make>
Bytes Team::from(int root, const std::string& what, Make&& make) {
  Bytes made;
  if (rank() == root) made = together(*this, make);
  const Brought brought = meet(what, made);
  return Bytes(brought[root].begin(), brought[root].end());
}

}  // namespace scree
