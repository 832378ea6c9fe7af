/// Named flat arrays: what a checkpoint is made of. Objects write themselves into an Archive and read
/// themselves back; io/ turns an Archive into a file. Plain data only, so it can also be sent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"

namespace scree {

class Archive {
 public:
  using Reals = std::vector<double>;
  using Integers = std::vector<std::int64_t>;
  using Value = std::variant<Reals, Integers, std::string>;

  void put(const std::string& name, Value value) { values_[name] = std::move(value); }

  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) > 0; }

  /// The array of that name and type; FileError when it is missing or of another type.
  template <class T>
  [[nodiscard]] const T& get(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw_file("checkpoint: '{}' is missing; the file is incomplete or of another version", name);
    const T* value = std::get_if<T>(&found->second);
    if (!value) throw_file("checkpoint: '{}' has the wrong type; the file is damaged", name);
    return *value;
  }
  [[nodiscard]] const Reals& reals(const std::string& name) const { return get<Reals>(name); }
  [[nodiscard]] const Integers& integers(const std::string& name) const { return get<Integers>(name); }
  [[nodiscard]] const std::string& text(const std::string& name) const { return get<std::string>(name); }

  /// As above, and the size must be `size`.
  template <class T>
  [[nodiscard]] const T& get(const std::string& name, std::size_t size) const {
    const T& value = get<T>(name);
    if (value.size() != size) throw_file("checkpoint: '{}' has {} entries, {} expected; the file is damaged", name, value.size(), size);
    return value;
  }

  [[nodiscard]] const std::map<std::string, Value>& values() const { return values_; }
  /// All of it, taken out.
  [[nodiscard]] std::map<std::string, Value> take() { return std::exchange(values_, {}); }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace scree
