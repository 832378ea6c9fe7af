#include "model/model.hpp"

#include "core/error.hpp"

namespace scree::model {

void Model::remove_body(int id) {
  bodies.remove(id);
  std::erase_if(forces, [id](const PointForce& f) { return f.body == id; });
  std::erase_if(surface_loads, [id](const SurfaceLoad& l) { return l.body == id; });
  std::erase_if(torques, [id](const Torque& t) { return t.body == id; });
  std::erase_if(user_forces, [id](const UserForce& f) { return f.body == id; });
  std::erase_if(excluded_bodies, [id](const auto& pair) { return pair.first == id || pair.second == id; });
  std::erase_if(excluded_pieces, [id](const PieceExclusion& e) { return e.body1 == id || e.body2 == id; });
}

std::ptrdiff_t Model::remove_constraint(int id) {
  const auto k = static_cast<std::ptrdiff_t>(constraint_index(id));
  constraints.erase(constraints.begin() + k);
  return k;
}

std::size_t Model::constraint_index(int id) const {
  for (std::size_t k = 0; k < constraints.size(); ++k)
    if (constraints[k].id == id) return k;
  throw_input("constraint {}: there is no such constraint; it was deleted before", id);
}

}  // namespace scree::model
