/// What a user should know about the steps made.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace scree::stepping {

enum class Notice { overlaps, spin, springs, parts, no_room, unsolved };

/// Texts for the user. One of each kind is enough for the life of a simulation.
class Notices {
 public:
  [[nodiscard]] bool said(Notice kind) const { return said_.contains(kind); }
  /// The kind counts as said; later texts of it are dropped.
  void say(Notice kind, std::string text) {
    if (said_.insert(kind).second) texts_.push_back(std::move(text));
  }
  /// A text that may be said again.
  void add(std::string text) { texts_.push_back(std::move(text)); }
  /// Nothing needs to be said of this kind any more.
  void leave(Notice kind) { said_.insert(kind); }
  /// Those since the last call.
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(texts_, {}); }

 private:
  std::set<Notice> said_;
  std::vector<std::string> texts_;
};

}  // namespace scree::stepping
