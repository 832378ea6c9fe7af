#include "io/read_budget.hpp"

#include <filesystem>
#include <utility>

#include "core/error.hpp"

namespace scree::io {

namespace {

constexpr std::uint64_t kAlways = 32 << 20;  ///< bytes that any file may ask for
constexpr std::uint64_t kShare = 64;         ///< bytes in memory a byte of the file

thread_local ReadBudget* now = nullptr;

}  // namespace

std::uint64_t most_bytes(std::uint64_t file_size) { return kAlways + kShare * file_size; }

ReadBudget::ReadBudget(const std::string& path) : before_(std::exchange(now, this)) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  most_ = most_bytes(missing ? 0 : size);
}

ReadBudget::~ReadBudget() { now = before_; }

void ReadBudget::charge(const std::string& file, const std::string& name, std::uint64_t bytes) {
  if (!now) return;
  now->used_ += bytes;
  if (now->used_ > now->most_)
    throw_file("{}: '{}' would take {} MB with what was read before, far more than a file of this size holds; it is damaged or was made to harm", file, name,
               now->used_ >> 20);
}

}  // namespace scree::io
