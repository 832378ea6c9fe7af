#include "model/mechanics.hpp"

#include "core/dense.hpp"
#include "core/error.hpp"

namespace scree::model {

void Mechanics::add_surface_load(std::span<const double>, const SurfaceTraction& load, std::span<double>) const {
  throw_input("LOAD: surface {}: loads on surfaces act on finite element bodies", load.surface);
}

Mat3 nearest_rotation(const Mat3& F) {
  Svd3 parts = svd(F);
  if ((parts.U * parts.V.transpose()).determinant() < 0.0) parts.U.col(2) = -parts.U.col(2);
  return parts.U * parts.V.transpose();
}

}  // namespace scree::model
