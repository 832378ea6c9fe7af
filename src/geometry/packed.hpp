/// Reader of the packed lists of the input language:  n, i1, ..., in, id, n, i1, ...
#pragma once

#include <span>
#include <string_view>

namespace scree::geometry {

/// Walks over the records of a packed list. Every count and index is checked against the list and the
/// number of nodes before it is used, so a damaged list ends in InputError, never out of range.
class PackedList {
 public:
  /// `record` and `noun` are for messages: "face" of "vertex"es, "element" of "node"s.
  PackedList(std::string_view what, std::string_view record, std::string_view noun, std::span<const int> list, int nodes)
      : what_(what), record_(record), noun_(noun), list_(list), nodes_(nodes) {}

  [[nodiscard]] bool at_end() const { return at_ == list_.size(); }
  /// Indices of the next record, all within range and different from each other.
  [[nodiscard]] std::span<const int> next();
  /// Identifier of the record `next` returned last.
  [[nodiscard]] int identifier() const { return identifier_; }

 private:
  void check_indices(std::span<const int> indices) const;

  std::string_view what_, record_, noun_;
  std::span<const int> list_;
  int nodes_;
  std::size_t at_ = 0;
  int index_ = -1;
  int identifier_ = 0;
};

}  // namespace scree::geometry
