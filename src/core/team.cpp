#include "core/team.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "core/hash.hpp"

namespace scree {

namespace {

class Alone final : public Team {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[noreturn]] void abort(int status) override { std::exit(status); }

 private:
  void gather_bytes(std::span<const std::byte> mine, std::span<const std::size_t>, std::span<std::byte> all) override { std::ranges::copy(mine, all.begin()); }
  void exchange_bytes(std::span<const Bytes>, std::span<Bytes>) override {}
};

thread_local Team* thread_team = nullptr;

std::uint64_t hash_of(const std::string& text) {
  StateHash hash;
  for (const char c : text) hash.add(std::uint64_t{static_cast<unsigned char>(c)});
  return hash.value();
}

}  // namespace

Brought::Brought(Bytes all, std::span<const std::size_t> sizes) : all_(std::move(all)) {
  std::span<const std::byte> rest = all_;
  for (const std::size_t size : sizes) {
    parts_.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
}

Team& alone() {
  static Alone one;
  return one;
}

Team& team() { return thread_team ? *thread_team : alone(); }

TeamScope::TeamScope(Team& team) : before_(thread_team) { thread_team = &team; }
TeamScope::~TeamScope() { thread_team = before_; }

// --- messages ---------------------------------------------------------------------------------------------

void Team::gather(std::span<const std::byte> mine, std::span<const std::size_t> sizes, std::span<std::byte> all) {
  gather_bytes(mine, sizes, all);
  ++traffic_.rounds;
  traffic_.messages += size() - 1;
  traffic_.bytes += static_cast<long>(mine.size()) * (size() - 1);
}

void Team::exchange(std::span<const Bytes> outgoing, std::span<Bytes> incoming) {
  exchange_bytes(outgoing, incoming);
  ++traffic_.rounds;
  for (std::size_t r = 0; r < outgoing.size(); ++r) {
    if (static_cast<int>(r) == rank() || outgoing[r].empty()) continue;
    ++traffic_.messages;
    traffic_.bytes += static_cast<long>(outgoing[r].size());
  }
}

// --- reductions -------------------------------------------------------------------------------------------

template <class Combine>
void Team::combine(std::span<double> values, Combine&& with) {
  if (size() == 1 || values.empty()) return;
  ++traffic_.reductions;
  const auto mine = std::as_bytes(values);
  sizes_.assign(size(), mine.size());
  buffer_.resize(mine.size() * sizes_.size());
  gather_bytes(mine, sizes_, buffer_);
  std::vector<double> others(values.size());
  for (std::size_t r = 0; r < sizes_.size(); ++r) {
    std::memcpy(others.data(), buffer_.data() + r * mine.size(), mine.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = r == 0 ? others[k] : with(values[k], others[k]);
  }
}

void Team::sum(std::span<double> values) {
  combine(values, [](double a, double b) { return a + b; });
}
void Team::min(std::span<double> values) {
  combine(values, [](double a, double b) { return std::min(a, b); });
}
void Team::max(std::span<double> values) {
  combine(values, [](double a, double b) { return std::max(a, b); });
}
double Team::sum(double value) {
  sum(std::span(&value, 1));
  return value;
}
double Team::max(double value) {
  max(std::span(&value, 1));
  return value;
}

// --- meetings ---------------------------------------------------------------------------------------------

/// What a rank says first in a meeting; all ranks send as many bytes.
struct Team::Call {
  std::uint64_t what = 0;    ///< hash of what it does; 0: it has failed
  std::uint64_t size = 0;    ///< bytes it brings
  std::uint64_t text = 0;    ///< length of its text, which is sent when ranks differ
};

struct Team::Meeting {
  std::vector<Call> calls;
  bool together = true;            ///< all do the same
  Brought brought{{}, {}};         ///< or, where they differ, what each does
};

Team::Meeting Team::gather_calls(const Call& mine, std::span<const std::byte> payload, const std::string& text) {
  const std::size_t ranks = size();
  Meeting met;
  met.calls.resize(ranks);
  sizes_.assign(ranks, sizeof(Call));
  gather(std::as_bytes(std::span(&mine, 1)), sizes_, std::as_writable_bytes(std::span(met.calls)));
  met.together = std::ranges::all_of(met.calls, [&](const Call& call) { return call.what != 0 && call.what == met.calls.front().what; });

  // Then what they bring, or, where they differ, what each does.
  std::size_t total = 0;
  for (std::size_t r = 0; r < ranks; ++r) total += sizes_[r] = met.together ? met.calls[r].size : met.calls[r].text;
  Bytes all(total);
  if (total > 0) gather(met.together ? payload : std::as_bytes(std::span(text)), sizes_, all);
  met.brought = Brought(std::move(all), sizes_);
  return met;
}

Brought Team::meet(const std::string& what, std::span<const std::byte> mine) {
  if (size() == 1) return Brought(Bytes(mine.begin(), mine.end()), std::array{mine.size()});
  const std::string text = place_.empty() ? what : what + " (" + place_ + ")";
  Meeting met = gather_calls({std::max<std::uint64_t>(1, hash_of(what)), mine.size(), text.size()}, mine, text);
  if (met.together) return std::move(met.brought);
  const auto said = [&](std::size_t r) { return std::string_view(reinterpret_cast<const char*>(met.brought[r].data()), met.brought[r].size()); };
  for (std::size_t r = 0; r < met.calls.size(); ++r)
    if (met.calls[r].what == 0) throw RankFailure(fmt::format("rank {} failed: {}", r, said(r)));
  std::string all;
  for (std::size_t r = 0; r < met.calls.size(); ++r) all += fmt::format("{}rank {} is at {}", r ? "; " : "", r, said(r));
  throw RankFailure("the ranks do different things: " + all + ". Calls that concern all ranks must be made by all of them, in the same order, not under a condition on RANK()");
}

std::vector<int> Team::fail(const std::string& message) {
  if (size() == 1) return {0};
  const Meeting met = gather_calls({0, 0, message.size()}, {}, message);
  std::vector<int> failed;
  for (std::size_t r = 0; r < met.calls.size(); ++r)
    if (met.calls[r].what == 0) failed.push_back(static_cast<int>(r));
  return failed;
}

}  // namespace scree
