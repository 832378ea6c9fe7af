#include "solvers/grain_contacts.hpp"

namespace scree::solvers {

void GrainContacts::add(int one, int two, const Vec3& normal, const Vec3& tangent, const Vec3& point, double mu, double bias) {
  const std::array<Vec3, 3> frame{normal, tangent, normal.cross(tangent)};
  const auto sides = form_->add_block(one, two);
  Vec3 U(bias, 0.0, 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    const int body = side == 0 ? one : two;
    if (body < 0) continue;
    const Grain& grain = grains_[body];
    const double sign = side == 0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 arm = (point - grain.center).cross(frame[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        const auto axis = static_cast<int>(d);
        sides[side][6 * i + d] = sign * frame[i][axis] / std::sqrt(grain.mass[axis]);
        sides[side][6 * i + 3 + d] = sign * arm[axis] / std::sqrt(grain.inertia[axis]);
      }
      U[static_cast<int>(i)] += sign * (frame[i].dot(grain.velocity) + arm.dot(grain.spin));
    }
  }
  problem_.kind.push_back(BlockKind::contact);
  problem_.mu.push_back(mu);
  problem_.B.insert(problem_.B.end(), U.data(), U.data() + 3);
}

ContactProblem GrainContacts::finish() {
  form_->finish();
  problem_.W = form_;
  return std::move(problem_);
}

}  // namespace scree::solvers
