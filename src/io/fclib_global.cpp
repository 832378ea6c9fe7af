#include "core/dense.hpp"
#include "core/error.hpp"
#include "io/fclib.hpp"
#include "io/fclib_condense.hpp"

namespace scree::io {

namespace {

// Body by body: T^-1, M = T^-T T^-1 and free velocities.
struct Unscaled {
  std::vector<MatX> inverse;
  std::vector<Triplet> M;
  VecX free;
};

Unscaled unscale(const solvers::BodyForm& form, std::span<const BodyVelocity> bodies) {
  Unscaled result{{}, {}, VecX::Zero(form.dofs())};
  for (int b = 0; b < form.bodies(); ++b) {
    const int first = form.dof_start(b), n = form.body_dofs(b);
    const BodyVelocity body = bodies.empty() ? BodyVelocity{} : bodies[b];
    if ((body.T.size() && (body.T.rows() != n || body.T.cols() != n)) || (body.free.size() && body.free.size() != n))
      throw_input("make_global: body {} has {} degrees of freedom, its velocity has {} x {} and {}", b, n, body.T.rows(), body.T.cols(), body.free.size());
    const MatX inverse = body.T.size() ? scree::inverse(body.T) : MatX();
    const MatX M = body.T.size() ? inverse.transpose() * inverse : MatX(MatX::Identity(n, n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        // Both halves from the upper one, so that M is symmetric to the bit.
        if (const double value = M(std::min(i, j), std::max(i, j)); value != 0.0) result.M.emplace_back(first + i, first + j, value);
    if (body.free.size()) result.free.segment(first, n) = body.free;
    result.inverse.push_back(inverse);
  }
  return result;
}

}  // namespace

std::shared_ptr<const GlobalForm> make_global(const solvers::ContactProblem& problem, int dimension, std::span<const BodyVelocity> bodies) {
  const solvers::BodyForm* form = problem.W->body_rows();
  if (!form) throw_input("make_global: the global form needs a problem in body form; this one has explicit rows of W only, write the local form");
  if (!bodies.empty() && static_cast<int>(bodies.size()) != form->bodies())
    throw_input("make_global: velocities of {} bodies are given, the problem has {}", bodies.size(), form->bodies());
  const BlockLayout layout = make_layout(problem.kind, dimension);
  const Unscaled unscaled = unscale(*form, bodies);

  // Rows J = Hs T^-1 of the scalars a file has.
  std::vector<Triplet> rows;
  for (int k = 0; k < layout.scalars(); ++k) {
    const int scalar = layout.scalar[k];
    for (int side = 0; side < 2; ++side) {
      const int body = form->bodies_of(scalar / 3)[side];
      if (body < 0) continue;
      const int n = form->body_dofs(body);
      const MatX& inverse = unscaled.inverse[body];
      VecX row = Eigen::Map<const VecX>(form->rows(scalar / 3, side).data() + n * (scalar % 3), n);
      if (inverse.size()) row = inverse.transpose() * row;
      for (int i = 0; i < n; ++i)
        if (row[i] != 0.0) rows.emplace_back(k, form->dof_start(body) + i, row[i]);
    }
  }
  auto global = std::make_shared<GlobalForm>();
  global->M.resize(form->dofs(), form->dofs());
  global->M.setFromTriplets(unscaled.M.begin(), unscaled.M.end());
  global->J.resize(layout.scalars(), form->dofs());
  global->J.setFromTriplets(rows.begin(), rows.end());
  const VecX f = global->M * unscaled.free, moved = global->J * unscaled.free;
  global->f.assign(f.begin(), f.end());
  global->w = gather(layout, problem.B);
  for (std::size_t k = 0; k < global->w.size(); ++k) global->w[k] -= moved[static_cast<Eigen::Index>(k)];
  return global;
}

}  // namespace scree::io
