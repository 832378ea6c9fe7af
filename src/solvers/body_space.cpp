#include "solvers/body_space.hpp"

#include <cholmod.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "core/abandon.hpp"
#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"
#include "solvers/elimination_order.hpp"
#include "solvers/panel_factor.hpp"

namespace scree::solvers {

namespace {

constexpr int kFewUnknowns = 12;          ///< of a body: rigid or pseudo-rigid
constexpr double kManyOperations = 5e8;  ///< a factorisation of so many takes longer than a user waits for an answer to Ctrl-C

using ConstRows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstRigidRows = Eigen::Map<const Eigen::Matrix<double, 3, 6, Eigen::RowMajor>>;
using Panel = Eigen::Map<MatX, 0, Eigen::OuterStride<>>;

/// One block of the lower triangle: bodies row >= column, and the contacts that feed it.
struct PairBlock {
  int row, column;
  int first_contact, last_contact;  ///< range of contact entries
  std::ptrdiff_t offset;            ///< of its first entry inside the values
  std::ptrdiff_t stride;            ///< from one column of the matrix to the next
};

/// Contribution H_row^T G H_column of a contact: sides as in the form, 2 * side_row + side_column.
struct ContactEntry {
  int contact;
  int sides;
};

}  // namespace

struct BodySpace::Impl {
  cholmod_common common;
  cholmod_sparse* matrix = nullptr;
  cholmod_factor* factors = nullptr;
  cholmod_dense *solution = nullptr, *work_y = nullptr, *work_e = nullptr;
  cholmod_dense* right_side = nullptr;
  const BodyForm* form = nullptr;
  std::vector<PairBlock> pairs;
  std::vector<ContactEntry> entries;
  bool few = false;   ///< bodies have few unknowns: the factors are ours, and their bits the same on every processor
  PanelFactor panels;
  bool done = false;  ///< the last factorisation

  Impl() {
    cholmod_start(&common);
    common.print = 0;
    common.error_handler = nullptr;
    common.final_ll = 1;
  }
  ~Impl() {
    release();
    cholmod_finish(&common);
  }

  void release() {
    cholmod_free_sparse(&matrix, &common);
    cholmod_free_factor(&factors, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&work_y, &common);
    cholmod_free_dense(&work_e, &common);
    cholmod_free_dense(&right_side, &common);
  }

  void find_pairs();
  void build_pattern();
  [[nodiscard]] cholmod_factor* order();
  [[nodiscard]] cholmod_factor* order_rows();
  [[nodiscard]] bool factor();
  void assemble(const PairBlock& pair, std::span<const Mat3> G) const;
};

void BodySpace::Impl::find_pairs() {
  // Every contact feeds the diagonal blocks of its bodies and the block between them.
  struct Feed {
    int column, row, contact, sides;
  };
  std::vector<Feed> feeds;
  for (int b = 0; b < form->bodies(); ++b) feeds.push_back({b, b, -1, 0});
  for (int a = 0; a < form->blocks(); ++a) {
    const auto& body = form->bodies_of(a);
    for (int side = 0; side < 2; ++side)
      if (body[side] >= 0)
        feeds.push_back({body[side], body[side], a, 3 * side});
    if (body[0] >= 0 && body[1] >= 0) {
      if (body[0] == body[1]) {
        feeds.push_back({body[0], body[0], a, 1});
        feeds.push_back({body[0], body[0], a, 2});
      } else {
        const bool first_is_row = body[0] > body[1];
        feeds.push_back({std::min(body[0], body[1]), std::max(body[0], body[1]), a, first_is_row ? 1 : 2});
      }
    }
  }
  std::sort(feeds.begin(), feeds.end(), [](const Feed& x, const Feed& y) {
    return std::tie(x.column, x.row, x.contact, x.sides) < std::tie(y.column, y.row, y.contact, y.sides);
  });

  pairs.clear();
  entries.clear();
  for (const Feed& feed : feeds) {
    if (pairs.empty() || pairs.back().column != feed.column || pairs.back().row != feed.row) {
      const int start = static_cast<int>(entries.size());
      pairs.push_back({feed.row, feed.column, start, start, 0, 0});
    }
    if (feed.contact >= 0) entries.push_back({feed.contact, feed.sides});
    pairs.back().last_contact = static_cast<int>(entries.size());
  }
}

void BodySpace::Impl::build_pattern() {
  // Columns of one body share their rows: the body's own square first, then its later neighbours.
  const std::size_t n = form->dofs();
  std::size_t count = 0;
  for (const PairBlock& pair : pairs)
    count += static_cast<std::size_t>(form->body_dofs(pair.row)) * static_cast<std::size_t>(form->body_dofs(pair.column));
  matrix = cholmod_allocate_sparse(n, n, count, 1, 1, -1, CHOLMOD_REAL, &common);
  if (!matrix) throw_solve("body-space matrix: no memory for {} entries; use a matrix-free solver", count);
  auto* column_start = static_cast<int*>(matrix->p);
  auto* rows = static_cast<int*>(matrix->i);
  std::ptrdiff_t position = 0;
  for (std::size_t first = 0; first < pairs.size();) {
    const int column = pairs[first].column, width = form->body_dofs(column);
    std::size_t last = first;
    std::ptrdiff_t height = 0;
    for (; last < pairs.size() && pairs[last].column == column; ++last) height += form->body_dofs(pairs[last].row);
    std::ptrdiff_t offset = position;
    for (std::size_t k = first; k < last; ++k) {
      pairs[k].offset = offset;
      pairs[k].stride = height;
      const int size = form->body_dofs(pairs[k].row), start = form->dof_start(pairs[k].row);
      for (int c = 0; c < width; ++c)
        for (int r = 0; r < size; ++r) rows[offset + c * height + r] = start + r;
      offset += size;
    }
    for (int c = 0; c < width; ++c) column_start[form->dof_start(column) + c] = static_cast<int>(position + c * height);
    position += width * height;
    first = last;
  }
  column_start[n] = static_cast<int>(position);
}

/// What CHOLMOD chooses by itself: minimum degree, and nested dissection where that fills in. Not through its default, METIS_NodeND, which takes SIGTERM
/// of the whole process for itself: a signal to another thread then crashes.
cholmod_factor* BodySpace::Impl::order_rows() {
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_AMD;
  cholmod_factor* ordered = cholmod_analyze(matrix, &common);
  if (!ordered || common.fl < 500.0 * common.lnz || common.lnz < 5.0 * common.anz) return ordered;
  const double operations = common.fl;
  common.method[0].ordering = CHOLMOD_NESDIS;
  cholmod_factor* other = cholmod_analyze(matrix, &common);
  if (other && common.fl < operations) std::swap(ordered, other);
  else common.fl = operations;
  cholmod_free_factor(&other, &common);
  return ordered;
}

/// Rigid bodies are ordered as wholes: their six rows have the same neighbours, and a graph of bodies is quickly cut.
cholmod_factor* BodySpace::Impl::order() {
  if (!form->rigid()) return order_rows();
  std::vector<int> row_start(1, 0), columns, rows;
  for (std::size_t k = 0; k < pairs.size();) {
    const int column = pairs[k].column;
    for (; k < pairs.size() && pairs[k].column == column; ++k) columns.push_back(pairs[k].row);
    row_start.push_back(static_cast<int>(columns.size()));
  }
  for (const int body : nested_dissection(row_start, columns))
    for (int r = 0; r < form->body_dofs(body); ++r) rows.push_back(form->dof_start(body) + r);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  return cholmod_analyze_p(matrix, rows.data(), nullptr, 0, &common);
}

void BodySpace::Impl::assemble(const PairBlock& pair, std::span<const Mat3> G) const {
  const int rows = form->body_dofs(pair.row), columns = form->body_dofs(pair.column);
  Panel block(static_cast<double*>(matrix->x) + pair.offset, rows, columns, Eigen::OuterStride<>(pair.stride));
  if (form->rigid()) {
    Eigen::Matrix<double, 6, 6> sum = Eigen::Matrix<double, 6, 6>::Zero();
    if (pair.row == pair.column) sum.setIdentity();
    for (int k = pair.first_contact; k < pair.last_contact; ++k) {
      const ContactEntry& entry = entries[k];
      const ConstRigidRows left(form->rows(entry.contact, entry.sides / 2).data());
      const ConstRigidRows right(form->rows(entry.contact, entry.sides % 2).data());
      const Eigen::Matrix<double, 3, 6> weighted = G[entry.contact] * right;
      sum.noalias() += left.transpose() * weighted;
    }
    block = sum;
    return;
  }
  block.setZero();
  if (pair.row == pair.column) block.diagonal().setOnes();
  for (int k = pair.first_contact; k < pair.last_contact; ++k) {
    const ContactEntry& entry = entries[k];
    const ConstRows left(form->rows(entry.contact, entry.sides / 2).data(), 3, rows);
    const ConstRows right(form->rows(entry.contact, entry.sides % 2).data(), 3, columns);
    block += left.transpose() * (G[entry.contact] * right);
  }
}

/// The numbers of the assembled matrix.
bool BodySpace::Impl::factor() {
  if (few) return panels.factor({static_cast<const double*>(matrix->x), static_cast<std::size_t>(static_cast<const int*>(matrix->p)[matrix->ncol])});
  const OneBlasThread blas;
  return cholmod_factorize(matrix, factors, &common) && common.status == CHOLMOD_OK && factors->minor == factors->n;
}

BodySpace::BodySpace() : impl_(std::make_shared<Impl>()) {}
BodySpace::~BodySpace() = default;
BodySpace::BodySpace(BodySpace&&) noexcept = default;
BodySpace& BodySpace::operator=(BodySpace&&) noexcept = default;

void BodySpace::analyse(const BodyForm& form) {
  Impl& m = *impl_;
  m.release();
  m.form = &form;
  m.find_pairs();
  m.build_pattern();
  m.few = true;
  for (int b = 0; b < form.bodies(); ++b) m.few = m.few && form.body_dofs(b) <= kFewUnknowns;
  m.common.supernodal = m.few ? CHOLMOD_SUPERNODAL : CHOLMOD_AUTO;
  m.factors = m.order();
  m.right_side = cholmod_allocate_dense(static_cast<std::size_t>(form.dofs()), 1, static_cast<std::size_t>(form.dofs()),
                                        CHOLMOD_REAL, &m.common);
  if (!m.factors || !m.right_side)
    throw_solve("body-space matrix: analysis of {} rows failed; use a matrix-free solver", form.dofs());
  if (!m.few) return;
  m.panels.analyse(*m.matrix, *m.factors);
  cholmod_free_factor(&m.factors, &m.common);
}

bool BodySpace::factor(std::span<const Mat3> G) {
  Impl& m = *impl_;
  parallel_for(static_cast<std::ptrdiff_t>(m.pairs.size()),
               [&](std::ptrdiff_t k) { m.assemble(m.pairs[k], G); }, 256);
  if (m.common.fl < kManyOperations) return m.factor();
  // Abandoned, the matrix belongs to the factorisation alone.
  const auto mine = std::exchange(impl_, nullptr);
  run_abandonable([mine] { mine->done = mine->factor(); });
  impl_ = mine;
  return mine->done;
}

void BodySpace::solve(std::span<const double> b, std::span<double> x) {
  Impl& m = *impl_;
  if (m.few) {
    m.panels.solve(b, x);
    return;
  }
  const OneBlasThread blas;
  std::memcpy(m.right_side->x, b.data(), b.size_bytes());
  cholmod_solve2(CHOLMOD_A, m.factors, m.right_side, nullptr, &m.solution, nullptr, &m.work_y, &m.work_e, &m.common);
  std::memcpy(x.data(), m.solution->x, x.size_bytes());
}

int BodySpace::rows() const { return impl_->form ? impl_->form->dofs() : 0; }

}  // namespace scree::solvers
