#include "io/fclib_condense.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include <cs.h>

#include "core/dense.hpp"
#include "core/error.hpp"

namespace scree::io {

using solvers::BlockKind;

namespace {

constexpr int kLargestDenseBody = 600;     // dofs; beyond this the sparse factor is cheaper
constexpr int kLargestAsymmetric = 20000;  // dofs of a sparse LU we are ready to wait for
constexpr double kLargestFactor = 3e11;    // operations of a sparse Cholesky, about a minute
constexpr double kLargestRows = 6.7e7;     // numbers in body-form rows, half a gigabyte

// Disjoint sets; the smallest member is the root.
class Sets {
 public:
  explicit Sets(int count) : parent_(static_cast<std::size_t>(count)) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(int i, int j) {
    const int a = root(i), b = root(j);
    parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& parent(int i) { return parent_[i]; }
  std::vector<int> parent_;
};

// Degrees of freedom each block touches.
std::vector<std::vector<int>> touched_dofs(const SparseRows& J, const BlockLayout& layout) {
  std::vector<std::vector<int>> dofs(layout.kind.size());
  for (int k = 0; k < layout.scalars(); ++k)
    for (SparseRows::InnerIterator entry(J, k); entry; ++entry)
      if (entry.value() != 0.0) dofs[layout.scalar[k] / 3].push_back(entry.col());
  return dofs;
}

// Distinct groups a block touches.
void groups_of(const std::vector<int>& dofs, Sets& sets, std::vector<int>& groups) {
  groups.clear();
  for (const int i : dofs) groups.push_back(sets.root(i));
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
}

bool pairs_only(const std::vector<std::vector<int>>& touched, Sets& sets) {
  std::vector<int> groups;
  for (const auto& dofs : touched) {
    groups_of(dofs, sets, groups);
    if (groups.size() > 2) return false;
  }
  return true;
}

bool is_symmetric(const SparseRows& M) {
  const SparseRows transposed = M.transpose();
  const Eigen::VectorXd diagonal = M.diagonal();
  const SparseRows difference = M - transposed;
  for (int i = 0; i < difference.outerSize(); ++i)
    for (SparseRows::InnerIterator entry(difference, i); entry; ++entry)
      if (std::abs(entry.value()) > 1e-13 * std::sqrt(std::abs(diagonal[i] * diagonal[entry.col()]))) return false;
  return true;
}

// Bodies with their dofs, Cholesky factors L and scaled forces y = L^-1 f.
struct Bodies {
  std::vector<std::vector<int>> dofs;
  std::vector<int> body_of, place;  // of each dof: its body and its place there
  std::vector<MatX> L;
  std::vector<VecX> y;
};

Bodies make_bodies(const GlobalForm& global, const std::vector<int>& group, const std::string& file) {
  Bodies bodies;
  bodies.body_of = group;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto b = static_cast<std::size_t>(group[i]);
    if (b >= bodies.dofs.size()) bodies.dofs.resize(b + 1);
    bodies.place.push_back(static_cast<int>(bodies.dofs[b].size()));
    bodies.dofs[b].push_back(static_cast<int>(i));
  }
  for (const auto& dofs : bodies.dofs) {
    const auto n = static_cast<Eigen::Index>(dofs.size());
    MatX dense = MatX::Zero(n, n);
    VecX force(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int row = dofs[i];
      force[i] = global.f[row];
      for (SparseRows::InnerIterator entry(global.M, row); entry; ++entry)
        if (entry.value() != 0.0) dense(i, bodies.place[entry.col()]) = entry.value();
    }
    if (!cholesky(dense.data(), n)) throw_file("{}: M is not positive definite (in the body of degree of freedom {})", file, dofs[0]);
    solve_lower(dense.data(), n, force.data());
    bodies.L.push_back(std::move(dense));
    bodies.y.push_back(std::move(force));
  }
  return bodies;
}

// Two sides of a block: body -> dofs x 3, columns are rows of J, and of Hs once scaled.
using Sides = std::map<int, MatX>;

// The second tangent of a two-dimensional contact moves the last degree of freedom of each body, as easily as the first
// tangent does its own. Directions get tangents across their normal; nothing pushes along them.
void complete_rows(const BlockLayout& layout, BlockKind kind, MatX& columns) {
  if (solvers::frictional(kind) && layout.dimension == 2) columns(columns.rows() - 1, 2) = columns.col(1).norm();
  if (solvers::equations(kind) != 1) return;
  const VecX normal = columns.col(0);
  for (Eigen::Index k = 0, c = 1; c < 3; ++k) {
    VecX tangent = VecX::Unit(normal.size(), k) - normal * (normal[k] / std::max(normal.squaredNorm(), 1e-300));
    if (c == 2) tangent -= columns.col(1) * (columns(k, 1) / std::max(columns.col(1).squaredNorm(), 1e-300));
    // At most two unit vectors lie nearly along what is taken already.
    if (tangent.norm() > 0.5) columns.col(c++) = tangent * (normal.norm() / tangent.norm());
  }
}

// Scaled rows Hs = J L^-T of every block, as columns; B grows by J M^-1 f.
std::vector<Sides> scaled_sides(const GlobalForm& global, const BlockLayout& layout, const Bodies& bodies, std::vector<double>& B) {
  std::vector<Sides> blocks(layout.kind.size());
  for (int k = 0; k < layout.scalars(); ++k) {
    const int scalar = layout.scalar[k];
    for (SparseRows::InnerIterator entry(global.J, k); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const int body = bodies.body_of[entry.col()];
      const auto dofs = static_cast<Eigen::Index>(bodies.dofs[body].size());
      MatX& side = blocks[scalar / 3].try_emplace(body, MatX::Zero(dofs, 3)).first->second;
      side(bodies.place[entry.col()], scalar % 3) = entry.value();
    }
  }
  for (std::size_t a = 0; a < blocks.size(); ++a)
    for (auto& [body, columns] : blocks[a]) {
      const MatX& L = bodies.L[body];
      for (Eigen::Index c = 0; c < 3; ++c) solve_lower(L.data(), L.rows(), &columns(0, c));
      Eigen::Map<Vec3>(B.data() + 3 * a) += columns.transpose() * bodies.y[body];
    }
  return blocks;
}

// A body that fewer rows act on than it has degrees of freedom moves in their span alone: with the rows A of all its blocks,
// A^T = Q R, the rows R^T are fewer numbers of the same products.
void reduce_bodies(std::vector<Sides>& blocks, std::size_t bodies) {
  std::vector<std::vector<MatX*>> rows(bodies);
  for (Sides& sides : blocks)
    for (auto& [body, columns] : sides) rows[body].push_back(&columns);
  for (const auto& of_body : rows) {
    const auto count = static_cast<Eigen::Index>(3 * of_body.size());
    if (of_body.empty() || count >= of_body[0]->rows()) continue;
    MatX all(of_body[0]->rows(), count);
    for (std::size_t k = 0; k < of_body.size(); ++k) all.middleCols<3>(static_cast<Eigen::Index>(3 * k)) = *of_body[k];
    const MatX R = qr_upper(all);
    for (std::size_t k = 0; k < of_body.size(); ++k) *of_body[k] = R.middleCols<3>(static_cast<Eigen::Index>(3 * k));
  }
}

// Degrees of freedom of each body in the operator. Two-dimensional contacts add the motion out of their plane. Small
// bodies are filled up to six, which is what the fast sweeps want and gives directions room for tangents.
std::vector<int> operator_dofs(const std::vector<Sides>& blocks, std::size_t bodies, int dimension) {
  constexpr int kRigid = 6;
  std::vector<int> sizes(bodies, kRigid);
  for (const Sides& sides : blocks)
    for (const auto& [body, columns] : sides)
      sizes[body] = std::max(kRigid, static_cast<int>(columns.rows()) + (dimension == 2 ? 1 : 0));
  return sizes;
}

// Body form and B = J M^-1 f + w.
Condensed make_body_form(const GlobalForm& global, const BlockLayout& layout, const Bodies& bodies) {
  std::vector<double> B = spread(layout, global.w);
  std::vector<Sides> blocks = scaled_sides(global, layout, bodies, B);
  reduce_bodies(blocks, bodies.dofs.size());
  const std::vector<int> sizes = operator_dofs(blocks, bodies.dofs.size(), layout.dimension);
  auto form = std::make_shared<solvers::BodyForm>();
  form->reset(sizes);
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    std::array<int, 2> pair{-1, -1};
    std::size_t count = 0;
    for (const auto& [body, columns] : blocks[a]) pair[count++] = body;
    const auto rows = form->add_block(pair[0], pair[1]);
    for (std::size_t side = 0; side < count; ++side) {
      MatX columns = MatX::Zero(sizes[pair[side]], 3);
      const MatX& given = blocks[a].at(pair[side]);
      columns.topRows(given.rows()) = given;
      complete_rows(layout, layout.kind[a], columns);
      Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>(rows[side].data(), 3, columns.rows()) = columns.transpose();
    }
  }
  form->finish();
  return {form, std::move(B)};
}

/// Sparse factor of M (CXSparse): Cholesky's where M is symmetric, L U with pivots otherwise.
class SparseFactor {
 public:
  SparseFactor(const SparseRows& M, bool symmetric, const std::string& file) : size_(static_cast<int>(M.rows())), work_(M.rows()) {
    // What is stored by rows is the transposed matrix by columns.
    cs_di transposed{static_cast<int>(M.nonZeros()), size_, size_, const_cast<int*>(M.outerIndexPtr()), const_cast<int*>(M.innerIndexPtr()),
                     const_cast<double*>(M.valuePtr()), -1};
    if (symmetric) factor_symmetric(transposed, file);
    else factor_any(transposed, file);
  }

  [[nodiscard]] VecX solve(const VecX& b) const {
    VecX x(size_);
    if (numbers_->U != nullptr) {
      cs_di_ipvec(numbers_->pinv, b.data(), work_.data(), size_);
      cs_di_lsolve(numbers_->L, work_.data());
      cs_di_usolve(numbers_->U, work_.data());
      cs_di_ipvec(pattern_->q, work_.data(), x.data(), size_);
      return x;
    }
    cs_di_ipvec(pattern_->pinv, b.data(), work_.data(), size_);
    cs_di_lsolve(numbers_->L, work_.data());
    cs_di_ltsolve(numbers_->L, work_.data());
    cs_di_pvec(pattern_->pinv, work_.data(), x.data(), size_);
    return x;
  }

 private:
  void factor_symmetric(const cs_di& M, const std::string& file) {
    pattern_.reset(cs_di_schol(kMinimumDegree, &M));
    double operations = 0.0;
    for (int j = 0; pattern_ && j < size_; ++j) {
      const double column = pattern_->cp[j + 1] - pattern_->cp[j];
      operations += column * column;
    }
    if (operations > kLargestFactor)
      throw_file("{}: factoring M ({} rows) would take {:.1e} operations; condense the problem to its local form first", file, size_, operations);
    if (pattern_) numbers_.reset(cs_di_chol(&M, pattern_.get()));
    if (!numbers_) throw_file("{}: M is not positive definite", file);
  }
  void factor_any(const cs_di& transposed, const std::string& file) {
    if (size_ > kLargestAsymmetric)
      throw_file("{}: M has {} rows and is not symmetric, at most {} are handled; condense the problem to its local form first", file, size_, kLargestAsymmetric);
    const std::unique_ptr<cs_di, decltype(&cs_di_spfree)> M(cs_di_transpose(&transposed, 1), cs_di_spfree);
    if (M) pattern_.reset(cs_di_sqr(kColumnOrder, M.get(), 0));
    if (pattern_) numbers_.reset(cs_di_lu(M.get(), pattern_.get(), 1.0));
    if (!numbers_) throw_file("{}: M is singular", file);
  }

  static constexpr int kMinimumDegree = 1, kColumnOrder = 2;  // orderings of CXSparse
  int size_;
  std::unique_ptr<cs_dis, decltype(&cs_di_sfree)> pattern_{nullptr, cs_di_sfree};
  std::unique_ptr<cs_din, decltype(&cs_di_nfree)> numbers_{nullptr, cs_di_nfree};
  mutable VecX work_;
};

// W = J M^-1 J^T column by column.
Condensed make_explicit_form(const GlobalForm& global, const BlockLayout& layout, bool symmetric, const std::string& file) {
  const SparseFactor factor(global.M, symmetric, file);
  std::vector<Triplet> entries;
  VecX column(global.M.rows());
  for (int k = 0; k < layout.scalars(); ++k) {
    column.setZero();
    for (SparseRows::InnerIterator entry(global.J, k); entry; ++entry) column[entry.col()] += entry.value();
    const VecX response = global.J * factor.solve(column);
    for (int i = 0; i < layout.scalars(); ++i)
      if (response[i] != 0.0) entries.emplace_back(i, k, response[i]);
  }
  SparseRows W(layout.scalars(), layout.scalars());
  W.setFromTriplets(entries.begin(), entries.end());
  const VecX v = factor.solve(Eigen::Map<const VecX>(global.f.data(), global.M.rows()));
  VecX q = global.J * v + Eigen::Map<const VecX>(global.w.data(), layout.scalars());
  return {std::make_shared<solvers::ExplicitForm>(make_blocks(layout, W)), spread(layout, {q.data(), global.w.size()})};
}

}  // namespace

std::vector<int> find_bodies(const SparseRows& M, const SparseRows& J, const BlockLayout& layout) {
  const int n = static_cast<int>(M.rows());
  Sets parts(n);
  for (int i = 0; i < n; ++i)
    for (SparseRows::InnerIterator entry(M, i); entry; ++entry)
      if (entry.value() != 0.0) parts.join(i, entry.col());

  // A diagonal M says nothing about bodies: try runs of the usual numbers of dofs as well, rigid ones first.
  const auto touched = touched_dofs(J, layout);
  Sets chosen = parts;
  bool found = false;
  const int rigid = layout.dimension == 3 ? 6 : 3;
  for (const int run : {1, rigid, 3, 7, 12}) {
    if (n % run != 0 || found) continue;
    chosen = parts;
    for (int i = 0; i < n; ++i) chosen.join(i, i - i % run);
    found = pairs_only(touched, chosen);
  }
  // Otherwise join whatever meets in one contact.
  if (!found) chosen = parts;
  std::vector<int> groups;
  for (bool changed = !found; changed;) {
    changed = false;
    for (const auto& dofs : touched) {
      groups_of(dofs, chosen, groups);
      if (groups.size() <= 2) continue;
      for (const int g : groups) chosen.join(groups[0], g);
      changed = true;
    }
  }

  std::vector<int> body(static_cast<std::size_t>(n), -1);
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const auto root = static_cast<std::size_t>(chosen.root(i));
    if (body[root] < 0) body[root] = count++;
    body[i] = body[root];
  }
  return body;
}

VecX global_velocities(const GlobalForm& global, std::span<const double> R, const std::string& file) {
  VecX load = Eigen::Map<const VecX>(global.f.data(), global.M.rows());
  load += global.J.transpose() * Eigen::Map<const VecX>(R.data(), global.J.rows());
  return SparseFactor(global.M, is_symmetric(global.M), file).solve(load);
}

Condensed condense(const GlobalForm& global, const BlockLayout& layout, const std::string& file) {
  if (!is_symmetric(global.M)) return make_explicit_form(global, layout, false, file);
  const std::vector<int> group = find_bodies(global.M, global.J, layout);
  std::vector<int> size(group.size() + 1, 0);
  for (const int g : group) ++size[g];
  const int largest = *std::max_element(size.begin(), size.end());
  if (largest > kLargestDenseBody || 6.0 * std::max(largest, 6) * layout.blocks() > kLargestRows) return make_explicit_form(global, layout, true, file);
  return make_body_form(global, layout, make_bodies(global, group, file));
}

}  // namespace scree::io
