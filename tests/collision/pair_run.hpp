/// Random pairs by number, so that a long run may be made in pieces: SCREE_PAIRS says how many, SCREE_FIRST (a multiple of
/// 10,000) where to begin. Each block of 10,000 has seeds and shapes of its own.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "shapes.hpp"

namespace scree::collision::testing {

inline constexpr int kBlockOfPairs = 10000;

inline int environment_number(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

/// Hull of a random cloud: round, boxy or flat, of 4 to 60 vertices.
inline Polyhedron random_hull(Random& random) {
  const int count = 4 + random.integer(random.integer(3) > 0 ? 12 : 57);
  const int kind = random.integer(3);
  Vec3 stretch = Vec3::Ones();
  if (random.integer(3) == 0)
    for (int i = 1; i < 3; ++i) stretch[i] = random.power(-4, 0);
  std::vector<Vec3> cloud;
  for (int i = 0; i < count; ++i) cloud.push_back(stretch.cwiseProduct(kind == 0 ? random.direction() : random.vector(-1, 1)));
  const Shape shape = geometry::make_hull(cloud, 0, 0);
  return std::get<Polyhedron>(shape.pieces[0].form);
}

inline Polyhedron random_block(Random& random) {
  const Vec3 half = random.vector(0.1, 1.0);
  switch (random.integer(3)) {
    case 0: return box(half);
    case 1: return octahedron(half);
    default: return prism(3 + random.integer(10), half.x(), half.y());
  }
}

inline std::vector<Polyhedron> make_pool(Random& random, int count) {
  std::vector<Polyhedron> pool;
  for (int i = 0; i < count; ++i) pool.push_back(i % 4 == 3 ? random_block(random) : random_hull(random));
  return pool;
}

/// Counts what is off by more than 1e-9 of the size, by class of pair, and says what it found when it ends.
class Judge {
 public:
  static constexpr double kTolerance = 1e-9;

  /// Errors are in units of the size.
  void check(int pair, double error, const std::vector<std::string>& classes, const std::string& what) {
    const bool bad = !(std::abs(error) <= kTolerance);
    for (const std::string& name : classes) {
      Class& c = classes_[name];
      ++c.pairs, c.bad += bad;
      c.worst = std::max(c.worst, std::abs(error));
    }
    if (bad && ++bad_ <= 10) ADD_FAILURE() << "pair " << pair << ": " << what;
  }
  /// A pair that the oracle could not judge.
  void skip() { ++skipped_; }

  ~Judge() {
    EXPECT_EQ(bad_, 0) << "pairs in all";
    if (!std::getenv("SCREE_PAIRS")) return;
    for (const auto& [name, c] : classes_) printf("%-24s %8d pairs, %d off, worst %.2g\n", name.c_str(), c.pairs, c.bad, c.worst);
    if (skipped_) printf("%-24s %8d pairs\n", "not judged", skipped_);
  }

 private:
  struct Class {
    int pairs = 0, bad = 0;
    double worst = 0.0;
  };
  std::map<std::string, Class> classes_;
  int bad_ = 0, skipped_ = 0;
};

/// Calls  pair(number, random, pool)  for the pairs asked for; the pool is that of the block.
template <class Pair>
void run_pairs(unsigned seed, int usual, int pool_size, Pair&& pair) {
  const int first = environment_number("SCREE_FIRST", 0), last = first + environment_number("SCREE_PAIRS", usual);
  for (int block = first / kBlockOfPairs; block * kBlockOfPairs < last; ++block) {
    Random random(seed + 1000u * static_cast<unsigned>(block));
    const std::vector<Polyhedron> pool = make_pool(random, pool_size);
    for (int k = block * kBlockOfPairs; k < std::min(last, (block + 1) * kBlockOfPairs); ++k) pair(k, random, pool);
  }
}

}  // namespace scree::collision::testing
