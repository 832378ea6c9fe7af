#include "model/model.hpp"

#include "core/error.hpp"

namespace scree::model {

void Model::remove_body(int id) {
  bodies.remove(id);
  std::erase_if(constraints, [id](const Constraint& c) { return c.body[0] == id || c.body[1] == id; });
  std::erase_if(forces, [id](const PointForce& f) { return f.body == id; });
  std::erase_if(surface_loads, [id](const SurfaceLoad& l) { return l.body == id; });
  std::erase_if(torques, [id](const Torque& t) { return t.body == id; });
  std::erase_if(user_forces, [id](const UserForce& f) { return f.body == id; });
  std::erase_if(excluded_bodies, [id](const auto& pair) { return pair.first == id || pair.second == id; });
  std::erase_if(excluded_pieces, [id](const PieceExclusion& e) { return e.body1 == id || e.body2 == id; });
}

void Model::remove_constraint(int id) {
  if (std::erase_if(constraints, [id](const Constraint& c) { return c.id == id; }) == 0)
    throw_input("constraint {}: there is no such constraint; it was deleted before", id);
}

Constraint& Model::constraint(int id) {
  for (Constraint& c : constraints)
    if (c.id == id) return c;
  throw_input("constraint {}: there is no such constraint; it was deleted", id);
}

}  // namespace scree::model
