#include "model/mechanics.hpp"

#include "core/error.hpp"

namespace scree::model {

void Mechanics::add_surface_load(std::span<const double>, const SurfaceTraction& load, std::span<double>) const {
  throw_input("LOAD: surface {}: loads on surfaces act on finite element bodies", load.surface);
}

Mat3 nearest_rotation(const Mat3& F) {
  const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0.0) U.col(2) = -U.col(2);
  return U * svd.matrixV().transpose();
}

}  // namespace scree::model
