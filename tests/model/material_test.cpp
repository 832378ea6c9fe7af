/// Which surface material a pair of surfaces gets.
#include "model/material.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/error.hpp"

namespace scree::model {
namespace {

constexpr int kAny = std::numeric_limits<int>::min();

TEST(SurfaceMaterials, LastOfTheMostSpecificKindWins) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    SurfaceMaterials materials;
    std::vector<SurfaceMaterial> list;
    for (int k = 0; k < 8; ++k) {
      SurfaceMaterial m;
      m.label = std::to_string(k);
      m.surface1 = static_cast<int>(random() % 3);
      const auto kind = random() % 3;
      m.is_default = kind == 0;
      m.surface2 = kind == 1 ? kAny : static_cast<int>(random() % 3);
      materials.add(m);
      list.push_back(m);
    }
    // Brute force: a pair of its own, either order; else one of its surfaces with any other; else the default; the last added of a kind.
    const auto expected = [&](int a, int b) {
      int pair = -1, any = -1, otherwise = -1;
      for (int k = 0; k < static_cast<int>(list.size()); ++k) {
        const SurfaceMaterial& m = list[static_cast<std::size_t>(k)];
        if (m.is_default) otherwise = k;
        else if (m.surface2 == kAny) any = m.surface1 == a || m.surface1 == b ? k : any;
        else if ((m.surface1 == a && m.surface2 == b) || (m.surface1 == b && m.surface2 == a)) pair = k;
      }
      return pair >= 0 ? pair : any >= 0 ? any : otherwise;
    };
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        EXPECT_EQ(materials.find(a, b), materials.find(b, a));
        EXPECT_EQ(materials.find(a, b), expected(a, b)) << a << " " << b;
      }
  }
}

TEST(SurfaceMaterials, NoneIsFrictionless) {
  const SurfaceMaterials none;
  EXPECT_EQ(none.find(1, 2), -1);
  EXPECT_EQ(none[-1].friction, 0.0);
}

TEST(SurfaceMaterials, RangesAreChecked) {
  SurfaceMaterial m{.label = "m"};
  m.validate();
  for (double SurfaceMaterial::*field : {&SurfaceMaterial::friction, &SurfaceMaterial::cohesion, &SurfaceMaterial::restitution, &SurfaceMaterial::spring}) {
    SurfaceMaterial wrong = m;
    wrong.*field = -1.0;
    EXPECT_THROW(wrong.validate(), InputError);
    wrong.*field = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(wrong.validate(), InputError);
  }
  m.restitution = 1.5;
  EXPECT_THROW(m.validate(), InputError);
  BulkMaterial bulk{.label = "b"};
  bulk.validate();
  bulk.density = 0.0;
  EXPECT_THROW(bulk.validate(), InputError);
}

}  // namespace
}  // namespace scree::model
