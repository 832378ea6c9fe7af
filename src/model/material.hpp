/// Surface and bulk materials.
#pragma once

#include <string>
#include <vector>

namespace scree::model {

enum class SurfaceModel { signorini_coulomb, spring_dashpot };
inline constexpr int kSurfaceModelCount = static_cast<int>(SurfaceModel::spring_dashpot) + 1;

/// Properties of the interface between two surfaces.
struct SurfaceMaterial {
  int surface1 = 0, surface2 = 0;  ///< the lowest int as surface2: any that has no material of its own with surface1
  bool is_default = false;      ///< used by pairs without a material of their own
  SurfaceModel model = SurfaceModel::signorini_coulomb;
  std::string label;
  double friction = 0.0;        ///< Coulomb coefficient, >= 0
  double cohesion = 0.0;        ///< tensile strength a unit area, Pa, >= 0
  double restitution = 0.0;     ///< Newton's coefficient, in [0, 1]
  double spring = 0.0;          ///< N/m, >= 0
  double dashpot = 0.0;         ///< N s/m; negative: critical damping of each contact
  double power = 1.0;           ///< p >= 1 of the spring's force  spring overlap^p;  spring is then in N/m^p

  /// InputError naming label, field, value and range.
  void validate() const;
};

/// Properties of a volume.
struct BulkMaterial {
  std::string model = "KIRCHHOFF";
  std::string label;
  double young = 1e6;      ///< Pa, > 0
  double poisson = 0.25;   ///< in (-1, 0.5]; below 0.5 for deformable bodies
  double density = 1e3;    ///< kg/m^3, > 0

  void validate() const;
};

/// Surface materials with look-up by surface pair.
class SurfaceMaterials {
 public:
  /// Add one; a second material for the same pair (or a second default) replaces the first in look-ups.
  int add(SurfaceMaterial material);
  void update(int index, const SurfaceMaterial& material);

  /// The material of a pair, that of one of its surfaces with any other, the default one, or a frictionless built-in
  /// when there is none of these. -1 is the built-in's index.
  [[nodiscard]] int find(int surface1, int surface2) const;
  [[nodiscard]] const SurfaceMaterial& operator[](int index) const { return index < 0 ? builtin_ : list_[index]; }
  [[nodiscard]] int size() const { return static_cast<int>(list_.size()); }

 private:
  std::vector<SurfaceMaterial> list_;
  SurfaceMaterial builtin_{.label = "BUILT_IN"};
};

}  // namespace scree::model
