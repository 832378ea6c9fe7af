#include "io/fclib.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <new>

#include "io/atomic_file.hpp"
#include "io/fclib_condense.hpp"
#include "io/journal_driver.hpp"
#include "io/read_budget.hpp"
#include "io/trial.hpp"

namespace scree::io {

using solvers::BlockKind;
using solvers::ExplicitForm;

namespace {

constexpr int kLargestCount = 1 << 30;
constexpr int kMostGuesses = 1000;


std::vector<double> read_finite(const h5::Node& parent, const std::string& name, std::ptrdiff_t expected = -1) {
  std::vector<double> values = h5::read_reals(parent, name, expected);
  h5::require_finite(parent, name, values);
  return values;
}

int index_within(const h5::Node& node, const char* array, std::int64_t value, int limit) {
  if (value < 0 || value >= limit)
    throw_file("{}: '{}' holds index {}, must be within [0, {})", node.file, node.child(array), value, limit);
  return static_cast<int>(value);
}

// Triplets: files in use have columns in p and rows in i. The other way round is taken when only that fits.
std::vector<Triplet> read_triplets(const h5::Node& node, int rows, int columns, std::size_t count) {
  auto p = h5::read_integers(node, "p");
  auto i = h5::read_integers(node, "i");
  const auto x = h5::read_reals(node, "x");
  if (p.size() < count || i.size() < count || x.size() < count)
    throw_file("{}: '{}' announces {} entries but p, i, x have {}, {}, {}", node.file, node.name, count, p.size(), i.size(), x.size());
  const auto fits = [&](const std::vector<std::int64_t>& values, int limit) {
    return std::all_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), [&](std::int64_t v) { return v < limit; });
  };
  if (!(fits(i, rows) && fits(p, columns)) && fits(p, rows) && fits(i, columns)) std::swap(p, i);
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < count; ++k)
    entries.emplace_back(index_within(node, "i", i[k], rows), index_within(node, "p", p[k], columns), x[k]);
  return entries;
}

// Compressed rows or columns: `outer` starts in p, `inner` indices in i.
std::vector<Triplet> read_compressed(const h5::Node& node, int outer, int inner, bool by_rows) {
  const auto p = h5::read_integers(node, "p", static_cast<std::ptrdiff_t>(outer) + 1);
  const auto i = h5::read_integers(node, "i");
  const auto x = h5::read_reals(node, "x");
  if (p[0] != 0 || !std::is_sorted(p.begin(), p.end()) || p.back() > static_cast<std::int64_t>(std::min(i.size(), x.size())))
    throw_file("{}: '{}' must ascend from 0 to at most {}", node.file, node.child("p"), std::min(i.size(), x.size()));
  std::vector<Triplet> entries;
  for (int a = 0; a < outer; ++a)
    for (auto k = static_cast<std::size_t>(p[a]); k < static_cast<std::size_t>(p[static_cast<std::size_t>(a) + 1]); ++k) {
      const int b = index_within(node, "i", i[k], inner);
      entries.emplace_back(by_rows ? a : b, by_rows ? b : a, x[k]);
    }
  return entries;
}

// Entries of a matrix whose size other data already fix.
std::vector<Triplet> read_matrix(const h5::Node& parent, const std::string& name, std::size_t rows, std::size_t columns) {
  const h5::Node node = h5::open_group(parent, name);
  const std::int64_t m = h5::read_integer(node, "m", 0, kLargestCount), n = h5::read_integer(node, "n", 0, kLargestCount);
  if (m != static_cast<std::int64_t>(rows) || n != static_cast<std::int64_t>(columns))
    throw_file("{}: '{}' is {} x {}, the vectors ask for {} x {}", node.file, node.name, m, n, rows, columns);
  const std::int64_t nz = h5::read_integer(node, "nz", -2, kLargestCount);
  const int r = static_cast<int>(m), c = static_cast<int>(n);
  auto entries = nz >= 0 ? read_triplets(node, r, c, static_cast<std::size_t>(nz))
                         : nz == -1 ? read_compressed(node, c, r, false) : read_compressed(node, r, c, true);
  for (const Triplet& entry : entries)
    if (!std::isfinite(entry.value()))
      throw_file("{}: '{}' entry ({}, {}) is {}, must be finite", node.file, node.name, entry.row(), entry.col(), entry.value());
  return entries;
}

SparseRows assemble(const std::vector<Triplet>& entries, std::size_t rows, std::size_t columns) {
  SparseRows matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Bytes that are not UTF-8 would break every reader of ours further on.
std::string printable(std::string text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    bool good = length > 0 && k + length <= text.size();
    for (std::size_t j = 1; good && j < length; ++j) good = (static_cast<unsigned char>(text[k + j]) & 0xc0) == 0x80;
    if (!good) text[k] = '?';
    k += good ? length : 1;
  }
  return text;
}

std::string read_optional_text(const h5::Node& parent, const char* name) {
  return h5::has(parent, name) ? printable(h5::read_text(parent, name)) : std::string();
}

// Kinds of blocks: as Scree wrote them, or contacts followed by one direction an equality.
BlockLayout read_layout(const h5::Node& root, int dimension, std::size_t contact_scalars, std::size_t equalities) {
  if (contact_scalars % static_cast<std::size_t>(dimension) != 0)
    throw_file("{}: {} contact unknowns are not a multiple of the dimension {}", root.file, contact_scalars, dimension);
  const std::size_t contacts = contact_scalars / static_cast<std::size_t>(dimension);
  if (contacts + equalities > kLargestCount / 3) throw_file("{}: {} contacts are more than can be indexed", root.file, contacts);
  std::vector<BlockKind> kind(contacts, BlockKind::contact);
  kind.resize(contacts + equalities, BlockKind::direction);
  if (h5::has(root, "info")) {
    const h5::Node info = h5::open_group(root, "info");
    if (h5::has(info, "scree_blocks")) {
      kind.clear();
      for (const std::int64_t value : h5::read_integers(info, "scree_blocks")) {
        if (value < 0 || value > 2) throw_file("{}: '{}' holds {}, must be 0, 1 or 2", root.file, info.child("scree_blocks"), value);
        kind.push_back(static_cast<BlockKind>(value));
      }
    }
  }
  BlockLayout layout = make_layout(std::move(kind), dimension);
  if (layout.contact_scalars != static_cast<int>(contact_scalars) || layout.scalars() != static_cast<int>(contact_scalars + equalities))
    throw_file("{}: block kinds describe {} contact and {} other unknowns, the file has {} and {}", root.file, layout.contact_scalars,
               layout.scalars() - layout.contact_scalars, contact_scalars, equalities);
  return layout;
}

// Friction coefficients, one a contact -> one a block.
std::vector<double> read_mu(const h5::Node& vectors, const BlockLayout& layout) {
  const auto contacts = std::ranges::count_if(layout.kind, solvers::frictional);
  const auto mu = read_finite(vectors, "mu", contacts);
  std::vector<double> all(layout.kind.size(), 0.0);
  std::size_t next = 0;
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (!solvers::frictional(layout.kind[a])) continue;
    if (mu[next] < 0.0) throw_file("{}: '{}' entry {} is {}, must be >= 0", vectors.file, vectors.child("mu"), next, mu[next]);
    all[a] = mu[next++];
  }
  return all;
}

BlockLayout read_local(const h5::Node& root, FclibProblem& result) {
  const h5::Node vectors = h5::open_group(root, "vectors");
  std::vector<double> q = read_finite(vectors, "q");
  const std::size_t contact_scalars = q.size();
  auto entries = read_matrix(root, "W", q.size(), q.size());
  // Equalities extend W to [W V; V^T R] and q to [q; s].
  if (h5::has(root, "V") || h5::has(root, "R")) {
    const auto s = read_finite(vectors, "s");
    const int shift = static_cast<int>(contact_scalars);
    for (const Triplet& e : read_matrix(root, "V", contact_scalars, s.size())) {
      entries.emplace_back(e.row(), shift + e.col(), e.value());
      entries.emplace_back(shift + e.col(), e.row(), e.value());
    }
    for (const Triplet& e : read_matrix(root, "R", s.size(), s.size())) entries.emplace_back(shift + e.row(), shift + e.col(), e.value());
    q.insert(q.end(), s.begin(), s.end());
  }
  const BlockLayout layout = read_layout(root, result.dimension, contact_scalars, q.size() - contact_scalars);
  result.problem.mu = read_mu(vectors, layout);
  result.problem.B = spread(layout, q);
  result.problem.W = std::make_shared<ExplicitForm>(make_blocks(layout, assemble(entries, q.size(), q.size())));
  return layout;
}

BlockLayout read_global(const h5::Node& root, FclibProblem& result) {
  const h5::Node vectors = h5::open_group(root, "vectors");
  const auto form = std::make_shared<GlobalForm>();
  GlobalForm& global = *form;
  global.f = read_finite(vectors, "f");
  global.w = read_finite(vectors, "w");
  const std::size_t n = global.f.size(), contact_scalars = global.w.size();
  std::vector<Triplet> rows;
  for (const Triplet& e : read_matrix(root, "H", n, contact_scalars)) rows.emplace_back(e.col(), e.row(), e.value());
  if (h5::has(root, "G")) {
    const auto b = read_finite(vectors, "b");
    for (const Triplet& e : read_matrix(root, "G", n, b.size())) rows.emplace_back(static_cast<int>(contact_scalars) + e.col(), e.row(), e.value());
    global.w.insert(global.w.end(), b.begin(), b.end());
  }
  global.J = assemble(rows, global.w.size(), n);
  global.M = assemble(read_matrix(root, "M", n, n), n, n);
  const BlockLayout layout = read_layout(root, result.dimension, contact_scalars, global.w.size() - contact_scalars);
  result.problem.mu = read_mu(vectors, layout);
  Condensed condensed = condense(global, layout, root.file);
  result.problem.W = std::move(condensed.W);
  result.problem.B = std::move(condensed.B);
  for (const double value : result.problem.B)
    if (!std::isfinite(value)) throw_file("{}: H^T M^-1 f + w is not finite; M is nearly singular", root.file);
  result.global = form;
  return layout;
}

// One vector of a solution or guess: the contacts' part and, for r, the multipliers l.
std::vector<double> read_vector(const h5::Node& node, const char* contacts, const char* equalities, const BlockLayout& layout) {
  std::vector<double> values = read_finite(node, contacts, layout.contact_scalars);
  if (equalities && h5::has(node, equalities)) {
    const auto rest = read_finite(node, equalities, layout.scalars() - layout.contact_scalars);
    values.insert(values.end(), rest.begin(), rest.end());
  }
  return spread(layout, values);
}

void read_solutions(const h5::Node& file, const BlockLayout& layout, FclibProblem& result) {
  if (h5::has(file, "solution")) {
    const h5::Node node = h5::open_group(file, "solution");
    if (h5::is_written(node, "r")) result.solution_r = read_vector(node, "r", "l", layout);
    if (h5::is_written(node, "u")) result.solution_u = read_vector(node, "u", nullptr, layout);
    if (result.global && h5::is_written(node, "v")) result.solution_v = read_finite(node, "v", result.global->M.rows());
  }
  if (h5::has(file, "guesses")) {
    const h5::Node node = h5::open_group(file, "guesses");
    const std::int64_t count = h5::read_integer(node, "number_of_guesses", 0, kMostGuesses);
    for (std::int64_t k = 1; k <= count; ++k) {
      const h5::Node guess = h5::open_group(node, std::to_string(k));
      if (h5::is_written(guess, "r")) result.guesses.push_back(read_vector(guess, "r", "l", layout));
    }
  }
}

FclibProblem read_opened(const h5::Node& file) {
  FclibProblem result;
  const bool local = h5::has(file, "fclib_local");
  if (!local && !h5::has(file, "fclib_global")) throw_file("{}: neither 'fclib_local' nor 'fclib_global' is in it; not an FCLIB file", file.file);
  const h5::Node root = h5::open_group(file, local ? "fclib_local" : "fclib_global");
  result.dimension = static_cast<int>(h5::read_integer(root, "spacedim", 2, 3));
  const BlockLayout layout = local ? read_local(root, result) : read_global(root, result);
  result.problem.kind = layout.kind;
  if (h5::has(root, "info")) {
    const h5::Node info = h5::open_group(root, "info");
    result.title = read_optional_text(info, "title");
    result.description = read_optional_text(info, "description");
    result.math_info = read_optional_text(info, "math_info");
    if (h5::has(info, "scree_weights")) result.problem.weight = read_finite(info, "scree_weights", layout.kind.size());
    if (std::ranges::any_of(result.problem.weight, [](double w) { return w < 0.0; })) throw_file("{}: '{}' must be >= 0", file.file, info.child("scree_weights"));
  }
  read_solutions(file, layout, result);
  return result;
}

}  // namespace

FclibProblem read_fclib(const std::string& path) {
  return read_tried(path, [&] {
    const ReadBudget budget(path);
    try {
      FclibProblem result = read_opened(h5::open_file(path));
      // Finite entries may still condense to a W that is not.
      result.problem.validate();
      return result;
    } catch (const std::bad_alloc&) {
      throw_file("{}: the problem does not fit into memory", path);
    } catch (const InputError& error) {
      throw_file("{}: {}", path, error.what());
    }
  });
}

}  // namespace scree::io
