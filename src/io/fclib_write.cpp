#include <algorithm>

#include "io/atomic_file.hpp"
#include "io/fclib.hpp"
#include "io/fclib_condense.hpp"
#include "io/journal_driver.hpp"

namespace scree::io {

using solvers::BlockKind;
using solvers::ExplicitForm;

namespace {

// Compressed rows, built row after row.
struct Rows {
  int columns;
  std::vector<int> start{0}, index{};
  std::vector<double> value{};

  void add(int column, double entry) {
    index.push_back(column);
    value.push_back(entry);
  }
  void close_row() { start.push_back(static_cast<int>(index.size())); }
};

void write_matrix(const h5::Node& parent, const char* name, const Rows& rows) {
  const h5::Node node = h5::create_group(parent, name);
  h5::write_integer(node, "nzmax", static_cast<int>(rows.index.size()));
  h5::write_integer(node, "m", static_cast<int>(rows.start.size()) - 1);
  h5::write_integer(node, "n", rows.columns);
  h5::write_integer(node, "nz", -2);
  h5::write_integers(node, "p", rows.start);
  h5::write_integers(node, "i", rows.index);
  h5::write_reals(node, "x", rows.value);
}

// Contact rows into W and V, rows of equalities into R; V^T is implied by the format.
void write_matrices(const h5::Node& root, const BlockLayout& layout, const ExplicitForm& form) {
  std::vector<int> scalar_of(layout.kind.size() * 3, -1);
  for (int k = 0; k < layout.scalars(); ++k) scalar_of[layout.scalar[k]] = k;
  const int contacts = layout.contact_scalars, equalities = layout.scalars() - contacts;
  Rows W{contacts}, V{equalities}, R{equalities};
  for (int k = 0; k < layout.scalars(); ++k) {
    const int row = layout.scalar[k];
    const auto columns = form.columns(row / 3);
    for (std::size_t b = 0; b < columns.size(); ++b)
      for (int c = 0; c < 3; ++c) {
        const int column = scalar_of[3 * columns[b] + c];
        const double entry = form.values(row / 3)[b](row % 3, c);
        if (column < 0) continue;
        if (k >= contacts && column >= contacts) R.add(column - contacts, entry);
        if (k < contacts && column < contacts) W.add(column, entry);
        if (k < contacts && column >= contacts) V.add(column - contacts, entry);
      }
    (k < contacts ? W : R).close_row();
    if (k < contacts) V.close_row();
  }
  write_matrix(root, "W", W);
  if (equalities == 0) return;
  write_matrix(root, "V", V);
  write_matrix(root, "R", R);
}

// Part of a sparse matrix as compressed rows; `first` counts columns of the part.
Rows rows_of(const SparseRows& matrix, int first, int columns) {
  Rows rows{columns};
  for (int i = 0; i < matrix.outerSize(); ++i) {
    for (SparseRows::InnerIterator entry(matrix, i); entry; ++entry)
      if (entry.col() >= first && entry.col() < first + columns) rows.add(entry.col() - first, entry.value());
    rows.close_row();
  }
  return rows;
}

// M, and J^T split into H of contacts and G of equalities.
void write_global_matrices(const h5::Node& root, const BlockLayout& layout, const GlobalForm& global) {
  const int contacts = layout.contact_scalars, equalities = layout.scalars() - contacts;
  const SparseRows columns = global.J.transpose();
  write_matrix(root, "M", rows_of(global.M, 0, static_cast<int>(global.M.cols())));
  write_matrix(root, "H", rows_of(columns, 0, contacts));
  if (equalities > 0) write_matrix(root, "G", rows_of(columns, contacts, equalities));
}

// A vector of three a block as the file's parts for contacts and for equalities.
void write_parts(const h5::Node& node, const BlockLayout& layout, std::span<const double> values, const char* contacts, const char* equalities) {
  const auto scalars = gather(layout, values);
  const auto split = static_cast<std::size_t>(layout.contact_scalars);
  h5::write_reals(node, contacts, std::span(scalars).first(split));
  if (equalities && split < scalars.size()) h5::write_reals(node, equalities, std::span(scalars).subspan(split));
}

void write_info(const h5::Node& root, const FclibProblem& data, const BlockLayout& layout) {
  const h5::Node info = h5::create_group(root, "info");
  h5::write_text(info, "title", data.title);
  h5::write_text(info, "description", data.description);
  h5::write_text(info, "math_info", data.math_info);
  if (!data.problem.weight.empty()) h5::write_reals(info, "scree_weights", data.problem.weight);
  // Kinds and order matter only when not all blocks are contacts.
  if (layout.contact_scalars == layout.scalars()) return;
  std::vector<int> kinds;
  for (const BlockKind kind : data.problem.kind) kinds.push_back(static_cast<int>(kind));
  h5::write_integers(info, "scree_blocks", kinds);
}

void write_local(const h5::Node& root, const solvers::ContactProblem& problem, const BlockLayout& layout) {
  if (const ExplicitForm* form = problem.W->block_rows()) write_matrices(root, layout, *form);
  else if (const solvers::BodyForm* bodies = problem.W->body_rows()) write_matrices(root, layout, solvers::make_explicit(*bodies));
  else throw_input("write_fclib: this kind of operator has no rows to write; use an explicit or body form");
}

void write_problem(const h5::Node& file, const FclibProblem& data, const BlockLayout& layout) {
  const h5::Node root = h5::create_group(file, data.global ? "fclib_global" : "fclib_local");
  h5::write_integer(root, "spacedim", data.dimension);
  const auto& problem = data.problem;
  if (data.global) write_global_matrices(root, layout, *data.global);
  else write_local(root, problem, layout);

  const h5::Node vectors = h5::create_group(root, "vectors");
  if (data.global) {
    const auto split = static_cast<std::size_t>(layout.contact_scalars);
    h5::write_reals(vectors, "f", data.global->f);
    h5::write_reals(vectors, "w", std::span(data.global->w).first(split));
    if (split < data.global->w.size()) h5::write_reals(vectors, "b", std::span(data.global->w).subspan(split));
  } else {
    write_parts(vectors, layout, problem.B, "q", "s");
  }
  std::vector<double> mu;
  for (std::size_t a = 0; a < problem.mu.size(); ++a)
    if (solvers::frictional(problem.kind[a])) mu.push_back(problem.mu[a]);
  h5::write_reals(vectors, "mu", mu);
  write_info(root, data, layout);
}

void write_solution(const h5::Node& file, const FclibProblem& data, const BlockLayout& layout) {
  const h5::Node node = h5::create_group(file, "solution");
  if (!data.solution_u.empty()) write_parts(node, layout, data.solution_u, "u", nullptr);
  if (data.solution_r.empty()) return;
  write_parts(node, layout, data.solution_r, "r", "l");
  if (!data.global) return;
  const VecX v = data.solution_v.empty() ? global_velocities(*data.global, gather(layout, data.solution_r), file.file)
                                         : VecX(Eigen::Map<const VecX>(data.solution_v.data(), static_cast<Eigen::Index>(data.solution_v.size())));
  h5::write_reals(node, "v", {v.data(), static_cast<std::size_t>(v.size())});
}

void require_size(const char* what, std::size_t size, std::size_t expected) {
  if (size != expected) throw_input("write_fclib: {} has {} entries, {} expected", what, size, expected);
}

void check_plane(const FclibProblem& data) {
  for (std::size_t a = 0; data.dimension == 2 && a < data.problem.kind.size(); ++a)
    if (solvers::frictional(data.problem.kind[a]) && data.problem.B[3 * a + 2] != 0.0)
      throw_input("write_fclib: dimension is 2, but contact {} moves at {:g} m/s along its second tangent; write it with dimension 3", a, data.problem.B[3 * a + 2]);
}

}  // namespace

void write_fclib(const std::string& path, const FclibProblem& data) {
  data.problem.validate();
  if (data.dimension != 2 && data.dimension != 3) throw_input("write_fclib: dimension is {}, must be 2 or 3", data.dimension);
  const std::size_t size = 3 * data.problem.kind.size();
  if (!data.solution_r.empty()) require_size("R", data.solution_r.size(), size);
  if (!data.solution_u.empty()) require_size("U", data.solution_u.size(), size);
  for (const auto& guess : data.guesses) require_size("a guess", guess.size(), size);

  const BlockLayout layout = make_layout(data.problem.kind, data.dimension);
  check_plane(data);
  if (data.global) {
    require_size("w of the global form", data.global->w.size(), static_cast<std::size_t>(layout.scalars()));
    if (!data.solution_v.empty()) require_size("v", data.solution_v.size(), data.global->f.size());
  }
  AtomicFile target(path);
  {
    const h5::Node file = h5::create_journaled(target.temporary());
    write_problem(file, data, layout);
    if (!data.solution_r.empty() || !data.solution_u.empty()) write_solution(file, data, layout);
    if (!data.guesses.empty()) {
      const h5::Node node = h5::create_group(file, "guesses");
      h5::write_integer(node, "number_of_guesses", static_cast<int>(data.guesses.size()));
      for (std::size_t k = 0; k < data.guesses.size(); ++k)
        write_parts(h5::create_group(node, std::to_string(k + 1)), layout, data.guesses[k], "r", "l");
    }
    h5::commit(file);
  }
  target.commit();
}

void write_fclib(const std::string& path, const solvers::ContactProblem& problem, std::span<const double> R,
                 std::span<const double> U, const std::string& title, int dimension) {
  FclibProblem data;
  data.problem = problem;
  data.dimension = dimension;
  data.title = title;
  data.solution_r.assign(R.begin(), R.end());
  data.solution_u.assign(U.begin(), U.end());
  write_fclib(path, data);
}

}  // namespace scree::io
