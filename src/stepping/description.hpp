/// What a model consists of and how it is run, item by item and field by field, in a fixed order: what a checkpoint keeps of the
/// beginning of its run, so that a model built otherwise is refused by the name of what differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.hpp"
#include "stepping/settings.hpp"
#include "stepping/state.hpp"

namespace scree::stepping {

/// Numbers and texts are kept as they are, longer things by a digest of their bits.
class Description {
 public:
  /// Fields that follow belong to this item: a kind of thing, and its number where there are many.
  void item(std::string_view kind, int number = -1) { add(kind, Kind::item, static_cast<std::uint64_t>(number)); }
  void real(std::string_view field, double value);
  void integer(std::string_view field, std::int64_t value) { add(field, Kind::integer, static_cast<std::uint64_t>(value)); }
  void text(std::string_view field, std::string_view value) { add(field, Kind::text, static_cast<std::uint64_t>(word(value))); }
  void digest(std::string_view field, std::uint64_t value) { add(field, Kind::digest, value); }

  /// The first difference of a model here to the one of a checkpoint, in words; nothing when there is none.
  [[nodiscard]] std::optional<std::string> difference(const Description& checkpoint) const;

  /// Visit all that it holds, to save and load it.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("words", self.words_), visit("heads", self.heads_), visit("values", self.values_);
  }
  /// After loading; FileError when it makes no sense.
  void check() const;

 private:
  enum class Kind : std::int64_t { item, real, integer, text, digest };

  void add(std::string_view name, Kind kind, std::uint64_t value);
  [[nodiscard]] int word(std::string_view text);
  [[nodiscard]] Kind kind(std::size_t entry) const { return static_cast<Kind>(heads_[entry] & 7); }
  [[nodiscard]] const std::string& name(std::size_t entry) const { return words_[heads_[entry] >> 3]; }
  [[nodiscard]] const std::string& word_at(std::size_t entry) const { return words_[values_[entry]]; }
  [[nodiscard]] bool same(std::size_t entry, const Description& other) const;
  /// "body 7 'brick'": the item that an entry belongs to.
  [[nodiscard]] std::string owner(std::size_t entry) const;
  [[nodiscard]] std::string value_text(std::size_t entry) const;

  std::vector<std::string> words_;        ///< names and texts, each once
  std::vector<std::int64_t> heads_;       ///< an entry: 8 times the name's place in words_, plus the kind
  std::vector<std::uint64_t> values_;     ///< its value: bits of a number, place of a text, digest
  std::unordered_map<std::string, int> place_;  ///< of words, while it is made
};

/// How steps are made.
[[nodiscard]] Description describe(const StepSettings& settings, const SolverSettings& solver);
/// The same, then bodies with their present motion, materials, constraints, loads and exclusions.
[[nodiscard]] Description describe(const StepSettings& settings, const SolverSettings& solver, const model::Model& model, const State& state);

}  // namespace scree::stepping
