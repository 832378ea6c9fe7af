#include "model/build_mechanics.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "elastic/embedding.hpp"
#include "geometry/element.hpp"
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
  return model.bulk[index];
}

std::shared_ptr<const elastic::Law> law_of(const BulkMaterial& material) { return elastic::make_law(material.model, material.young, material.poisson); }

/// Distance from a centre of the farthest corner of the box around a shape.
double box_radius(const geometry::Shape& shape, const Vec3& center) {
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
  return std::make_shared<PseudoRigid>(mass.mass, mass.center, mass.euler, box_radius(shape, mass.center), std::move(parts));
}

/// Meshes of checkpoints are not trusted: every index is checked before elements are made of it.
void check_mesh(const geometry::Mesh& mesh) {
  const auto nodes = static_cast<int>(mesh.nodes.size());
  const bool starts = mesh.element_start.size() == mesh.element_volume.size() + 1 && mesh.element_start.front() == 0 &&
                      std::ranges::is_sorted(mesh.element_start) && mesh.element_start.back() == static_cast<int>(mesh.element_nodes.size());
  bool sound = starts && std::ranges::all_of(mesh.element_nodes, [&](int n) { return n >= 0 && n < nodes; }) &&
               std::ranges::all_of(mesh.nodes, [](const Vec3& x) { return is_finite(x); });
  for (int e = 0; sound && e < mesh.elements(); ++e)
    sound = geometry::is_element_size(mesh.element_start[e + 1] - mesh.element_start[e]);
  for (const auto& face : mesh.faces) sound = sound && std::ranges::all_of(face, [&](int n) { return n >= 0 && n < nodes; });
  if (!sound) throw_input("BODY: the mesh has an element or face of unknown nodes");
}

Formulation formulation_of(const Deformation& deformation) {
  if (deformation.form == "TL") return Formulation::total_lagrangian;
  if (deformation.form == "BC") return Formulation::corotational;
  if (deformation.form == "BC-IM") {
    if (deformation.order != 1) throw_input("BODY: form 'BC-IM' is for elements of order 1; those of order {} bend without it, use 'BC'", deformation.order);
    if (deformation.mesh) throw_input("BODY: form 'BC-IM' needs elements that are filled; use 'BC' for a shape within a mesh");
    return Formulation::incompatible;
  }
  if (deformation.form == "BC-MODAL") {
    if (deformation.modes < 1 && deformation.shapes.empty()) throw_input("BODY: form 'BC-MODAL' with {} modes; give at least one", deformation.modes);
    return Formulation::modal;
  }
  throw_input("BODY: form = '{}'; known: TL, BC, BC-IM, BC-MODAL", deformation.form);
}

/// The given displacements as columns for the nodes of the finite elements: those of the mesh that are left, in the same order.
MatX shape_columns(const Deformation& deformation, const geometry::Mesh& given, const elastic::FiniteMesh& mesh) {
  if (deformation.shapes.empty()) return {};
  if (deformation.order != 1) throw_input("BODY: base: given displacements are for elements of order 1, not {}", deformation.order);
  const std::size_t size = 3 * given.nodes.size();
  if (deformation.shapes.size() % size != 0)
    throw_input("BODY: base: {} numbers are not whole displacements of {} each, three a node of the mesh", deformation.shapes.size(), size);
  const auto count = static_cast<Eigen::Index>(deformation.shapes.size() / size);
  MatX columns(mesh.dofs(), count);
  std::size_t n = 0;
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(mesh.nodes.size()); ++k, ++n) {
    // Elements without matter are left out, and the nodes that only they have.
    while (n < given.nodes.size() && given.nodes[n] != mesh.nodes[k]) ++n;
    if (n == given.nodes.size()) throw_input("BODY: base: the mesh has nodes that its finite elements do not have in the same order");
    for (Eigen::Index j = 0; j < count; ++j)
      columns.block<3, 1>(3 * k, j) = Eigen::Map<const Vec3>(deformation.shapes.data() + static_cast<std::size_t>(j) * size + 3 * n);
  }
  return columns;
}

std::shared_ptr<const Mechanics> finite_element(const Model& model, const geometry::Shape& shape, int material, const Deformation& deformation) {
  const bool embedded = deformation.mesh != nullptr;
  const bool whole = shape.meshes.size() == 1 && std::ranges::all_of(shape.piece_mesh, [](int m) { return m == 0; });
  if (!embedded && !whole)
    throw_input("BODY: a finite element body needs one mesh as its shape, or a mesh around its shape (argument mesh); this shape has {} meshes and {} pieces",
                shape.meshes.size(), shape.pieces.size());
  if (deformation.order != 1 && deformation.order != 2) throw_input("BODY: finite elements of order {} do not exist; use 1 or 2", deformation.order);
  const Formulation formulation = formulation_of(deformation);
  if (!embedded && (shape.piece_element.size() != shape.pieces.size() ||
                    !std::ranges::all_of(shape.piece_element, [&](int e) { return e >= 0 && e < shape.meshes.front().elements(); })))
    throw_input("BODY: the pieces of the shape are not the elements of its mesh");
  check_mesh(embedded ? *deformation.mesh : shape.meshes.front());
  const elastic::Materials materials = [&](int volume) {
    const BulkMaterial& bulk = material_of(model, material, deformation, volume);
    return elastic::Material{law_of(bulk), bulk.density};
  };
  if (!embedded) {
    elastic::FiniteMesh mesh = elastic::make_finite_mesh(shape.meshes.front(), deformation.order);
    const MatX shapes = shape_columns(deformation, shape.meshes.front(), mesh);
    return std::make_shared<FiniteElement>(elastic::ElasticBody(std::move(mesh), materials), shape, false, formulation, deformation.modes, shapes);
  }
  elastic::Embedding embedding = elastic::embed(shape, *deformation.mesh, deformation.order);
  const MatX shapes = shape_columns(deformation, *deformation.mesh, embedding.mesh);
  return std::make_shared<FiniteElement>(elastic::ElasticBody(std::move(embedding.mesh), materials, embedding.rule), shape, true, formulation, deformation.modes, shapes);
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
