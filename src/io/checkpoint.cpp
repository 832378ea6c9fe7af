#include "io/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "core/hash.hpp"
#include "io/atomic_file.hpp"
#include "io/journal_driver.hpp"
#include "io/read_budget.hpp"
#include "io/trial.hpp"

namespace scree::io {
namespace {

constexpr int kVersion = 2;
constexpr const char* kCheckpointFormat = "scree-checkpoint";

// The archive as flat arrays. Most integers are small numbers of things: lists of those are kept apart, in half the space.
struct Flat {
  enum Kind : std::int64_t { kReals, kIntegers, kText, kSmall };  // the first three in the order of Archive::Value
  std::string names, text;
  std::vector<std::int64_t> name_end, kind, value_end, integers;
  std::vector<int> small;
  std::vector<double> reals;

  // Of exact bits: -0.0 is not 0.0 here.
  [[nodiscard]] std::int64_t checksum() const {
    StateHash hash;
    const auto add_bytes = [&](const std::string& bytes) {
      hash.add(std::uint64_t{bytes.size()});
      for (std::size_t k = 0; k < bytes.size(); k += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + k, std::min<std::size_t>(8, bytes.size() - k));
        hash.add(word);
      }
    };
    const auto add_integers = [&](const auto& values) {
      hash.add(std::uint64_t{values.size()});
      for (const std::int64_t value : values) hash.add(static_cast<std::uint64_t>(value));
    };
    add_bytes(names);
    add_bytes(text);
    for (const auto* values : {&name_end, &kind, &value_end, &integers}) add_integers(*values);
    add_integers(small);
    hash.add(std::uint64_t{reals.size()});
    for (const double value : reals) hash.add(std::bit_cast<std::uint64_t>(value));
    return std::bit_cast<std::int64_t>(hash.value());
  }
};

/// Whether a list fits in half the space.
const Archive::Integers* small_integers(const Archive::Value& value) {
  const auto* integers = std::get_if<Archive::Integers>(&value);
  return integers && std::ranges::all_of(*integers, [](std::int64_t k) { return std::in_range<int>(k); }) ? integers : nullptr;
}

void reserve(const Archive& archive, Flat& flat) {
  std::size_t reals = 0, integers = 0, small = 0, text = 0;
  for (const auto& [name, value] : archive.values()) {
    if (const auto* numbers = std::get_if<Archive::Reals>(&value)) reals += numbers->size();
    else if (const auto* few = small_integers(value)) small += few->size();
    else if (const auto* list = std::get_if<Archive::Integers>(&value)) integers += list->size();
    else text += std::get<std::string>(value).size();
  }
  flat.reals.reserve(reals), flat.integers.reserve(integers), flat.small.reserve(small), flat.text.reserve(text);
}

/// Values go as they are copied, so that there are never two of all.
Flat flatten(Archive archive) {
  Flat flat;
  reserve(archive, flat);
  for (auto& [name, entry] : archive.take()) {
    const Archive::Value value = std::move(entry);
    flat.names += name;
    flat.name_end.push_back(static_cast<std::int64_t>(flat.names.size()));
    const auto* integers = std::get_if<Archive::Integers>(&value);
    const bool small = small_integers(value) != nullptr;
    flat.kind.push_back(small ? Flat::kSmall : static_cast<std::int64_t>(value.index()));
    const auto add = [&](auto& array, const auto& part) {
      array.insert(array.end(), part.begin(), part.end());
      flat.value_end.push_back(static_cast<std::int64_t>(array.size()));
    };
    if (const auto* reals = std::get_if<Archive::Reals>(&value)) add(flat.reals, *reals);
    else if (small) add(flat.small, *integers);
    else if (integers) add(flat.integers, *integers);
    else add(flat.text, std::get<std::string>(value));
  }
  return flat;
}

// One part of an array after the other; FileError when an end falls or leaves the array.
class Cutter {
 public:
  explicit Cutter(const std::string& file) : file_(file) {}
  template <class Part, class Array>
  Part next(const Array& all, std::int64_t end) {
    if (end < at_ || end > static_cast<std::int64_t>(all.size())) throw_file("{}: the checkpoint's index is damaged", file_);
    Part part(all.begin() + at_, all.begin() + end);
    at_ = end;
    return part;
  }

 private:
  const std::string& file_;
  std::int64_t at_ = 0;
};

Archive unflatten(const Flat& flat, const std::string& file) {
  if (flat.kind.size() != flat.name_end.size() || flat.value_end.size() != flat.name_end.size())
    throw_file("{}: the checkpoint's index is damaged", file);
  Archive archive;
  Cutter names(file), reals(file), integers(file), text(file), small(file);
  for (std::size_t k = 0; k < flat.kind.size(); ++k) {
    const std::string name = names.next<std::string>(flat.names, flat.name_end[k]);
    switch (flat.kind[k]) {
      case Flat::kReals: archive.put(name, reals.next<Archive::Reals>(flat.reals, flat.value_end[k])); break;
      case Flat::kIntegers: archive.put(name, integers.next<Archive::Integers>(flat.integers, flat.value_end[k])); break;
      case Flat::kText: archive.put(name, text.next<std::string>(flat.text, flat.value_end[k])); break;
      case Flat::kSmall: archive.put(name, small.next<Archive::Integers>(flat.small, flat.value_end[k])); break;
      default: throw_file("{}: the checkpoint's index is damaged", file);
    }
  }
  return archive;
}

}  // namespace

void write_checkpoint(const std::string& path, Archive archive) {
  const Flat flat = flatten(std::move(archive));
  AtomicFile target(path);
  {
    const h5::Node file = h5::create_journaled(target.temporary());
    h5::write_text(file, "format", kCheckpointFormat);
    h5::write_integer(file, "version", kVersion);
    const std::int64_t checksum = flat.checksum();
    h5::write_integers(file, "checksum", std::span(&checksum, 1));
    h5::write_bytes(file, "names", flat.names);
    h5::write_integers(file, "name_end", flat.name_end);
    h5::write_integers(file, "kind", flat.kind);
    h5::write_integers(file, "value_end", flat.value_end);
    h5::write_reals(file, "reals", flat.reals);
    h5::write_integers(file, "integers", flat.integers);
    h5::write_integers(file, "small", flat.small);
    h5::write_bytes(file, "text", flat.text);
    h5::commit(file);
  }
  target.commit();
}

namespace {

Archive read_archive(const h5::Node& file) {
  const std::string& path = file.file;
  if (!h5::has(file, "format") || h5::read_text(file, "format") != kCheckpointFormat) throw_file("{}: not a checkpoint of Scree", path);
  const auto version = h5::read_integer(file, "version", 1, 1 << 30);
  if (version != kVersion)
    throw_file("{}: written by {} Scree (format {}, this one knows {}); go on with that one", path, version > kVersion ? "a newer" : "an older", version, kVersion);
  Flat flat;
  flat.names = h5::read_bytes(file, "names");
  flat.name_end = h5::read_integers(file, "name_end");
  flat.kind = h5::read_integers(file, "kind");
  flat.value_end = h5::read_integers(file, "value_end");
  flat.reals = h5::read_reals(file, "reals");
  flat.integers = h5::read_integers(file, "integers");
  flat.small = h5::read_small(file, "small");
  flat.text = h5::read_bytes(file, "text");
  if (h5::read_integers(file, "checksum", 1)[0] != flat.checksum()) throw_file("{}: checksum mismatch, the checkpoint is damaged", path);
  return unflatten(flat, path);
}

}  // namespace

Archive read_checkpoint(const std::string& path) {
  return read_tried(path, [&] {
    const ReadBudget budget(path);
    try {
      return read_archive(h5::open_file(path));
    } catch (const std::bad_alloc&) {
      throw_file("{}: does not fit into memory", path);
    }
  });
}

}  // namespace scree::io
