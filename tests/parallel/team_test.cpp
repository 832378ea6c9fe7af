/// Teams: sums in rank order, meetings that cannot hang.
#include "core/team.hpp"

#include <atomic>
#include <cstring>

#include <gtest/gtest.h>

#include "parallel/thread_team.hpp"

namespace scree::parallel {
namespace {

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Bytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Team, AloneIsOneRankThatTalksToItself) {
  EXPECT_EQ(team().size(), 1);
  EXPECT_EQ(team().sum(3.0), 3.0);
  const Brought brought = team().meet("x", bytes_of("abc"));
  ASSERT_EQ(brought.size(), 1u);
  EXPECT_EQ(copy_of(brought[0]), bytes_of("abc"));
  EXPECT_EQ(team().traffic().rounds, 0);
}

TEST(Team, SumsAreMadeInRankOrderAndTheSameEverywhere) {
  // 1e16 + 1 - 1e16: the order decides.
  const std::vector<double> terms{1.0, 1e16, -1e16, 1.0};
  double expected = 0.0;
  for (const double term : terms) expected += term;
  run_team(4, [&](Team& ranks) {
    const auto r = static_cast<std::size_t>(ranks.rank());
    std::vector<double> values{terms[r], static_cast<double>(r)};
    ranks.sum(values);
    EXPECT_EQ(values[0], expected);
    EXPECT_EQ(values[1], 6.0);
    EXPECT_EQ(ranks.max(static_cast<double>(r)), 3.0);
    EXPECT_EQ(ranks.traffic().reductions, 2);
  });
}

TEST(Team, AMeetingBringsEverybodysBytesInRankOrder) {
  run_team(3, [](Team& ranks) {
    const std::string mine(static_cast<std::size_t>(5 * ranks.rank()), static_cast<char>('a' + ranks.rank()));
    const Brought all = ranks.meet("words", bytes_of(mine));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(copy_of(all[0]), Bytes{});
    EXPECT_EQ(copy_of(all[1]), bytes_of("bbbbb"));
    EXPECT_EQ(copy_of(all[2]), bytes_of("cccccccccc"));
  });
}

TEST(Team, AnExchangeGoesFromEachToEach) {
  run_team(3, [](Team& ranks) {
    std::vector<Bytes> out(3), in(3);
    for (int r = 0; r < 3; ++r) out[static_cast<std::size_t>(r)] = bytes_of(fmt::format("{}{}", ranks.rank(), r));
    for (Bytes& part : in) part.resize(2);
    ranks.exchange(out, in);
    for (int r = 0; r < 3; ++r)
      if (r != ranks.rank()) { EXPECT_EQ(in[static_cast<std::size_t>(r)], bytes_of(fmt::format("{}{}", r, ranks.rank()))); }
    EXPECT_EQ(ranks.traffic().messages, 2);
    EXPECT_EQ(ranks.traffic().bytes, 4);
  });
}

TEST(Team, RanksThatDoDifferentThingsAllHearOfIt) {
  std::atomic<int> heard = 0;
  run_team(3, [&](Team& ranks) {
    ranks.set_place(fmt::format("script.py:{}", 10 + ranks.rank()));
    try {
      ranks.meet(ranks.rank() == 1 ? "BARRIER" : "run");
    } catch (const RankFailure& error) {
      EXPECT_NE(std::string(error.what()).find("rank 1 is at BARRIER (script.py:11)"), std::string::npos) << error.what();
      ++heard;
    }
    ranks.meet("again");  // they are in step afterwards
  });
  EXPECT_EQ(heard, 3);
}

TEST(Team, AnErrorOfOneRankReachesTheOthersAndLeavesThemInStep) {
  std::atomic<int> own = 0, others = 0;
  run_team(4, [&](Team& ranks) {
    try {
      together(ranks, [&] {
        if (ranks.rank() == 2) throw_input("seven is not allowed");
        ranks.meet("something");
      });
    } catch (const RankFailure& error) {
      EXPECT_STREQ(error.what(), "rank 2 failed: seven is not allowed");
      ++others;
    } catch (const InputError&) {
      ++own;
    }
    EXPECT_EQ(ranks.sum(1.0), 4.0);
  });
  EXPECT_EQ(own, 1);
  EXPECT_EQ(others, 3);
}

TEST(Team, WhatTheRootCannotMakeNobodyGets) {
  run_team(3, [](Team& ranks) {
    EXPECT_EQ(ranks.from(1, "word", [] { return bytes_of("hello"); }), bytes_of("hello"));
    EXPECT_THROW(ranks.from(0, "word", []() -> Bytes { throw_solve("no"); }), SolveError);
    ranks.meet("end");
  });
}

TEST(Team, ARankThatEndsDoesNotLeaveTheOthersWaiting) {
  EXPECT_THROW(run_team(3, [](Team& ranks) {
    if (ranks.rank() != 1) ranks.meet("for ever");
  }), SolveError);
}

}  // namespace
}  // namespace scree::parallel
