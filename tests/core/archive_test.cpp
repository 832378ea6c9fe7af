/// Archives, hashes and suggestions.
#include "core/archive.hpp"

#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "core/spelling.hpp"
#include "core/vec.hpp"

namespace scree {
namespace {

TEST(Archive, GivesBackWhatWasPutAndNothingElse) {
  Archive archive;
  archive.put("reals", Archive::Reals{1.0, -0.0, kInfinity});
  archive.put("integers", Archive::Integers{1, -2});
  archive.put("text", std::string("a\0b", 3));
  EXPECT_EQ(archive.reals("reals").size(), 3u);
  EXPECT_TRUE(std::signbit(archive.reals("reals")[1]));
  EXPECT_EQ(archive.text("text").size(), 3u);
  EXPECT_EQ(archive.get<Archive::Integers>("integers", 2)[1], -2);
  EXPECT_THROW((void)archive.get<Archive::Integers>("integers", 3), FileError);
  EXPECT_THROW((void)archive.integers("reals"), FileError);
  EXPECT_THROW((void)archive.reals("none"), FileError);
  archive.put("reals", Archive::Reals{});
  EXPECT_TRUE(archive.reals("reals").empty());
}

std::uint64_t hash_of(const std::vector<double>& values) {
  StateHash hash;
  hash.add(std::span<const double>(values));
  return hash.value();
}

TEST(Hash, SeesEveryBitAndTheOrder) {
  const std::vector<double> values{0.1, 2.0, -3.5, 1e300};
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto other = values;
    other[k] = std::nextafter(other[k], 10.0);
    EXPECT_NE(hash_of(values), hash_of(other)) << k;
  }
  EXPECT_NE(hash_of({1.0, 2.0}), hash_of({2.0, 1.0}));
  EXPECT_NE(hash_of({0.0}), hash_of({0.0, 0.0}));
  EXPECT_EQ(hash_of({0.0}), hash_of({-0.0}));
}

TEST(Spelling, NamesTheNearestOrAll) {
  const std::vector<std::string> known{"recovery", "margin", "slack"};
  EXPECT_NE(did_you_mean("recvery", known).find("did you mean 'recovery'"), std::string::npos);
  const std::string all = did_you_mean("xyzzy_plugh_quux", known);
  for (const std::string& name : known) EXPECT_NE(all.find(name), std::string::npos) << all;
}

}  // namespace
}  // namespace scree
