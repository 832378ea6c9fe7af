#include "model/material.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace scree::model {

namespace {
constexpr int kAnySurface = std::numeric_limits<int>::min();

void check(const char* object, const std::string& label, const char* field, double value, double low, double high, const char* range) {
  if (!std::isfinite(value) || value < low || value > high)
    throw_input("{} '{}': {} = {} is outside {}", object, label, field, value, range);
}
}  // namespace

void SurfaceMaterial::validate() const {
  constexpr double kHuge = 1e300;
  if (!(friction >= 0.0)) throw_input("SURFACE_MATERIAL '{}': friction = {} is outside [0, inf]", label, friction);
  check("SURFACE_MATERIAL", label, "cohesion", cohesion, 0.0, kHuge, "[0, inf) Pa");
  check("SURFACE_MATERIAL", label, "restitution", restitution, 0.0, 1.0, "[0, 1]");
  check("SURFACE_MATERIAL", label, "spring", spring, 0.0, kHuge, "[0, inf) N/m");
  check("SURFACE_MATERIAL", label, "dashpot", dashpot, -kHuge, kHuge, "(-inf, inf) N s/m");
  check("SURFACE_MATERIAL", label, "power", power, 1.0, 10.0, "[1, 10]; 1 is a linear spring, 1.5 Hertz's");
}

void BulkMaterial::validate() const {
  constexpr double kTiny = 1e-300, kHuge = 1e300;
  if (model != "KIRCHHOFF" && model != "NEO_HOOKEAN")
    throw_input("BULK_MATERIAL '{}': model '{}' is unknown; known: KIRCHHOFF, NEO_HOOKEAN", label, model);
  check("BULK_MATERIAL", label, "young", young, kTiny, kHuge, "(0, inf) Pa");
  check("BULK_MATERIAL", label, "poisson", poisson, -1.0 + 1e-12, 0.5, "(-1, 0.5]");
  check("BULK_MATERIAL", label, "density", density, kTiny, kHuge, "(0, inf) kg/m^3");
}

int SurfaceMaterials::add(SurfaceMaterial material) {
  material.validate();
  list_.push_back(std::move(material));
  return size() - 1;
}

void SurfaceMaterials::update(int index, const SurfaceMaterial& material) {
  material.validate();
  list_[index] = material;
}

int SurfaceMaterials::find(int surface1, int surface2) const {
  int fallback = -1, half = -1;
  for (int i = size() - 1; i >= 0; --i) {
    const SurfaceMaterial& m = list_[i];
    if (m.is_default) {
      if (fallback < 0) fallback = i;
    } else if (m.surface2 == kAnySurface) {
      if (half < 0 && (m.surface1 == surface1 || m.surface1 == surface2)) half = i;
    } else if ((m.surface1 == surface1 && m.surface2 == surface2) || (m.surface1 == surface2 && m.surface2 == surface1)) {
      return i;
    }
  }
  return half >= 0 ? half : fallback;
}

}  // namespace scree::model
