#include "io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "io/journal_driver.hpp"
#include "temporary_folder.hpp"

namespace scree::io {
namespace {

Archive archive() {
  Archive archive;
  archive.put("time", Archive::Reals{0.1});
  archive.put("bodies/position", Archive::Reals{1.0, -0.0, std::numeric_limits<double>::denorm_min(), 1e308, std::nan("")});
  archive.put("bodies/id", Archive::Integers{0, -1, std::numeric_limits<std::int64_t>::max()});
  archive.put("empty reals", Archive::Reals{});
  archive.put("empty text", std::string());
  archive.put("", std::string("nameless"));
  archive.put("script", std::string("zero \0 inside, \xff\n", 17));
  return archive;
}

bool same(const Archive& a, const Archive& b) {
  if (a.values().size() != b.values().size()) return false;
  for (const auto& [name, value] : a.values()) {
    const auto found = b.values().find(name);
    if (found == b.values().end() || found->second.index() != value.index()) return false;
    if (const auto* reals = std::get_if<Archive::Reals>(&value)) {
      const auto& other = std::get<Archive::Reals>(found->second);
      if (reals->size() != other.size()) return false;
      for (std::size_t k = 0; k < other.size(); ++k)
        if (std::bit_cast<std::uint64_t>((*reals)[k]) != std::bit_cast<std::uint64_t>(other[k])) return false;
    } else if (found->second != value) {
      return false;
    }
  }
  return true;
}

TEST(Checkpoint, EveryBitComesBack) {
  TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), archive());
  EXPECT_TRUE(same(read_checkpoint(folder.file("c.h5")), archive()));
  write_checkpoint(folder.file("c.h5"), Archive());
  EXPECT_TRUE(read_checkpoint(folder.file("c.h5")).values().empty());
}

TEST(Checkpoint, OldOneStaysWhenTheNewOneFails) {
  TemporaryFolder folder;
  const std::string path = folder.file("c.h5");
  write_checkpoint(path, archive());
  // The temporary file cannot be created: its name is taken by a folder.
  std::filesystem::create_directory(path + ".part" + std::to_string(::getpid()));
  EXPECT_THROW(write_checkpoint(path, Archive()), FileError);
  EXPECT_TRUE(same(read_checkpoint(path), archive()));
}

TEST(Checkpoint, CutFilesAreRefused) {
  TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), archive());
  const auto bytes = read_bytes(folder.file("c.h5"));
  for (std::size_t size = 0; size < bytes.size(); size += 61) {
    write_bytes(folder.file("cut.h5"), bytes, size);
    EXPECT_THROW((void)read_checkpoint(folder.file("cut.h5")), FileError) << size;
  }
}

TEST(Checkpoint, AddressesThatPointNowhereDoNoHarm) {
  TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), archive());
  EXPECT_GT(read_with_wrong_addresses(folder.file("c.h5"), 1, [](const std::string& path) { (void)read_checkpoint(path); }), 100);
}

TEST(Checkpoint, AlteredFilesNeverPassAsGood) {
  TemporaryFolder folder;
  write_checkpoint(folder.file("c.h5"), archive());
  const auto bytes = read_bytes(folder.file("c.h5"));
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 23) {
    auto flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_bytes(folder.file("flip.h5"), flipped, flipped.size());
    try {
      // Bytes nobody uses may change; values may not.
      EXPECT_TRUE(same(read_checkpoint(folder.file("flip.h5")), archive())) << at;
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Checkpoint, OtherFilesAreNamedAsSuch) {
  TemporaryFolder folder;
  const std::string path = folder.file("c.h5");
  const auto message = [&] {
    try {
      (void)read_checkpoint(path);
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message().find("no such file"), std::string::npos);
  { const h5::Node file = h5::create_file(path); }
  EXPECT_NE(message().find("not a checkpoint"), std::string::npos);
  {
    const h5::Node file = h5::create_file(path);
    h5::write_text(file, "format", "scree-checkpoint");
    h5::write_integer(file, "version", 7);
  }
  EXPECT_NE(message().find("newer Scree"), std::string::npos);
}

}  // namespace
}  // namespace scree::io
