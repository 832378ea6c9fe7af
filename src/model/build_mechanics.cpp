#include "model/build_mechanics.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "model/finite_element.hpp"
#include "model/pseudo_rigid.hpp"

namespace scree::model {

namespace {

const BulkMaterial& material_of(const Model& model, int own, const Deformation& deformation, int volume) {
  static const BulkMaterial fallback;
  const auto found = deformation.materials.find(volume);
  const int index = found == deformation.materials.end() ? own : found->second;
  if (index < 0) return fallback;
  if (index >= static_cast<int>(model.bulk.size())) throw_input("BODY: bulk material {} does not exist; there are {}", index, model.bulk.size());
  return model.bulk[static_cast<std::size_t>(index)];
}

std::shared_ptr<const elastic::Law> law_of(const BulkMaterial& material) { return elastic::make_law(material.model, material.young, material.poisson); }

/// Distance of the farthest point from the mass centre.
double farthest(const geometry::Shape& shape, const Vec3& center) {
  const Box box = shape.bounds();
  return (box.high - center).cwiseAbs().cwiseMax((box.low - center).cwiseAbs()).norm();
}

std::shared_ptr<const Mechanics> pseudo_rigid(const Model& model, const geometry::Shape& shape, const geometry::MassProperties& mass, int material,
                                              const Deformation& deformation) {
  std::map<int, double> volumes;
  double sum = 0.0;
  for (const geometry::Piece& piece : shape.pieces) {
    const double volume = geometry::mass_properties(piece, 1.0).volume;
    volumes[piece.volume_id] += volume;
    sum += volume;
  }
  std::vector<PseudoRigidPart> parts;
  for (const auto& [id, volume] : volumes) parts.push_back({volume * mass.volume / sum, law_of(material_of(model, material, deformation, id))});
  return std::make_shared<PseudoRigid>(mass.mass, mass.center, mass.euler, farthest(shape, mass.center), std::move(parts));
}

std::shared_ptr<const Mechanics> finite_element(const Model& model, const geometry::Shape& shape, int material, const Deformation& deformation) {
  const bool embedded = deformation.mesh != nullptr;
  const bool whole = shape.meshes.size() == 1 && std::ranges::all_of(shape.piece_mesh, [](int m) { return m == 0; });
  if (!embedded && !whole)
    throw_input("BODY: a finite element body needs one mesh as its shape, or a mesh around its shape (argument mesh); this shape has {} meshes and {} pieces",
                shape.meshes.size(), shape.pieces.size());
  if (deformation.order != 1 && deformation.order != 2) throw_input("BODY: finite elements of order {} do not exist; use 1 or 2", deformation.order);
  if (deformation.form != "TL") throw_input("BODY: form '{}' is unknown; known: TL", deformation.form);
  const elastic::Materials materials = [&](int volume) {
    const BulkMaterial& bulk = material_of(model, material, deformation, volume);
    return elastic::Material{law_of(bulk), bulk.density};
  };
  elastic::FiniteMesh mesh = elastic::make_finite_mesh(embedded ? *deformation.mesh : shape.meshes.front(), deformation.order);
  return std::make_shared<FiniteElement>(elastic::ElasticBody(std::move(mesh), materials), shape, embedded);
}

}  // namespace

std::shared_ptr<const Mechanics> build_mechanics(const Model& model, BodyKind kind, const std::shared_ptr<const geometry::Shape>& shape,
                                                 const geometry::MassProperties& mass, int material, const Deformation& deformation) {
  if (!shape || shape->empty()) throw_input("BODY: the shape is empty");
  if (kind == BodyKind::pseudo_rigid) return pseudo_rigid(model, *shape, mass, material, deformation);
  if (kind == BodyKind::finite_element) return finite_element(model, *shape, material, deformation);
  throw_input("BODY: kind {} has no mechanics", static_cast<int>(kind));
}

}  // namespace scree::model
