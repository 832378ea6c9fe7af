/// Things as flat arrays of an Archive, and back.
#pragma once

#include <bit>
#include <limits>

#include "core/archive.hpp"
#include "solvers/registry.hpp"
#include "stepping/parts.hpp"
#include "stepping/settings.hpp"

namespace scree::stepping {

/// Packs numbers in the order they are given; the arrays are put into the archive at the end.
class Packer {
 public:
  Packer(Archive& archive, std::string prefix) : archive_(archive), prefix_(std::move(prefix)) {}
  ~Packer() {
    archive_.put(prefix_ + "/reals", std::move(reals_));
    archive_.put(prefix_ + "/integers", std::move(integers_));
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void operator()(const char*, const auto& value) { (*this)(value); }

  void operator()(double value) { reals_.push_back(value); }
  void operator()(std::int64_t value) { integers_.push_back(value); }
  void operator()(std::uint64_t value) { integers_.push_back(std::bit_cast<std::int64_t>(value)); }
  void operator()(int value) { integers_.push_back(value); }
  void operator()(bool value) { integers_.push_back(value ? 1 : 0); }
  template <class E> requires std::is_enum_v<E>
  void operator()(E value) { integers_.push_back(static_cast<std::int64_t>(value)); }
  template <int R, int C>
  void operator()(const Eigen::Matrix<double, R, C>& m) { reals_.insert(reals_.end(), m.data(), m.data() + m.size()); }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::int64_t>(text.size()));
    for (char c : text) integers_.push_back(static_cast<unsigned char>(c));
  }
  template <class T, std::size_t N>
  void operator()(const std::array<T, N>& values) { for (const T& v : values) (*this)(v); }
  void operator()(const model::TimeSeries& series) {
    (*this)(static_cast<std::int64_t>(series.times().size()));
    for (double t : series.times()) (*this)(t);
    for (double v : series.values()) (*this)(v);
  }
  void operator()(const solvers::OptionValues& options) {
    (*this)(static_cast<std::int64_t>(options.size()));
    for (const auto& [name, value] : options) {
      (*this)(name), (*this)(static_cast<int>(value.index()));
      std::visit([&](const auto& v) { (*this)(v); }, value);
    }
  }
  template <HasParts T>
  void operator()(const T& thing) { each_part(thing, *this); }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<std::int64_t>(values.size()));
    for (const T& value : values) (*this)(value);
  }

 private:
  Archive& archive_;
  std::string prefix_;
  Archive::Reals reals_;
  Archive::Integers integers_;
};

/// Reads what Packer wrote; every size is checked against what is left before anything is allocated.
class Unpacker {
 public:
  Unpacker(const Archive& archive, const std::string& prefix)
      : prefix_(prefix), reals_(archive.reals(prefix + "/reals")), integers_(archive.integers(prefix + "/integers")) {}

  void operator()(const char*, auto& value) { (*this)(value); }

  void operator()(double& value) {
    if (real_ >= reals_.size()) fail();
    value = reals_[real_++];
  }
  void operator()(std::int64_t& value) {
    if (integer_ >= integers_.size()) fail();
    value = integers_[integer_++];
  }
  void operator()(std::uint64_t& value) {
    std::int64_t bits = 0;
    (*this)(bits);
    value = std::bit_cast<std::uint64_t>(bits);
  }
  void operator()(int& value) {
    std::int64_t wide = 0;
    (*this)(wide);
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) fail();
    value = static_cast<int>(wide);
  }
  void operator()(bool& value) {
    int number = 0;
    (*this)(number);
    value = number != 0;
  }
  template <class E> requires std::is_enum_v<E> || std::is_same_v<E, std::uint8_t>
  void operator()(E& value) {
    int number = 0;
    (*this)(number);
    if (number < 0 || number > 255) fail();
    value = static_cast<E>(number);
  }
  template <int R, int C>
  void operator()(Eigen::Matrix<double, R, C>& m) {
    for (Eigen::Index k = 0; k < m.size(); ++k) (*this)(m.data()[k]);
  }
  void operator()(std::string& text) {
    text.resize(count());
    for (char& c : text) {
      int code = 0;
      (*this)(code);
      c = static_cast<char>(code);
    }
  }
  template <class T, std::size_t N>
  void operator()(std::array<T, N>& values) { for (T& v : values) (*this)(v); }
  void operator()(model::TimeSeries& series) {
    std::vector<double> times(count()), values(times.size());
    for (double& t : times) (*this)(t);
    for (double& v : values) (*this)(v);
    series = model::TimeSeries(std::move(times), std::move(values));
  }
  void operator()(solvers::OptionValues& options) {
    options.clear();
    for (std::size_t k = count(); k > 0; --k) {
      std::string name;
      int kind = 0;
      (*this)(name), (*this)(kind);
      options[name] = option(kind);
    }
  }
  template <HasParts T>
  void operator()(T& thing) { each_part(thing, *this); }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.clear();
    values.resize(count());
    for (T& value : values) (*this)(value);
  }
  /// A count that cannot exceed what the arrays still hold.
  std::size_t count() {
    std::int64_t n = 0;
    (*this)(n);
    const std::size_t left = reals_.size() - real_ + integers_.size() - integer_;
    if (n < 0 || static_cast<std::size_t>(n) > left) fail();
    return static_cast<std::size_t>(n);
  }

 private:
  template <class T>
  T take() {
    T value{};
    (*this)(value);
    return value;
  }
  solvers::OptionValue option(int kind) {
    switch (kind) {
      case 0: return take<bool>();
      case 1: return take<int>();
      case 2: return take<double>();
      case 3: return take<std::string>();
      default: fail();
    }
  }
  [[noreturn]] void fail() const { throw_file("checkpoint: '{}' is damaged or of another version", prefix_); }

  std::string prefix_;
  const Archive::Reals& reals_;
  const Archive::Integers& integers_;
  std::size_t real_ = 0, integer_ = 0;
};

/// What holds for all bodies: settings and the model without its bodies, as checkpoints hold them.
void write_rules(Archive& archive, const model::Model& model, const StepSettings& settings, const SolverSettings& solver);

}  // namespace scree::stepping
