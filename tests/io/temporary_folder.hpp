/// A folder that lives as long as a test.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace scree::io {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() / ("scree_io_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::vector<char> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const std::string& path, const std::vector<char>& bytes, std::size_t count) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(count));
}

/// Read copies of a file in which a place that looks like an address points nowhere, or beyond all; of those places one in `every`. How many were read or refused.
template <class Read>
int read_with_wrong_addresses(const std::string& path, int every, Read&& read) {
  const auto bytes = read_bytes(path);
  int seen = 0, tried = 0;
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t address = 0;
    std::memcpy(&address, bytes.data() + at, 8);
    if (address < 8 || address % 8 != 0 || address >= bytes.size() || seen++ % every != 0) continue;
    for (const std::uint64_t wrong : {~std::uint64_t{0}, ~std::uint64_t{0} - 100, std::uint64_t{1} << 62}) {
      auto changed = bytes;
      std::memcpy(changed.data() + at, &wrong, 8);
      write_bytes(path + ".wrong", changed, changed.size());
      try {
        read(path + ".wrong");
      } catch (const FileError&) {
      }
      ++tried;
    }
  }
  return tried;
}

}  // namespace scree::io
