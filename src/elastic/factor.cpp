#include "elastic/factor.hpp"

#include <cholmod.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/abandon.hpp"
#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/threads.hpp"

namespace scree::elastic {

namespace {

constexpr int kScaleBlock = 32;  ///< right sides a call of the dense solve
constexpr int kManyNodes = 10000;        ///< ordering so many takes longer than a user waits for an answer to Ctrl-C,
constexpr double kManyOperations = 5e8;  ///< and so many operations

}  // namespace

struct Factor::Data {
  mutable cholmod_common common;
  cholmod_sparse* matrix = nullptr;  ///< lower triangle of the permuted A
  cholmod_factor* factor = nullptr;
  mutable cholmod_dense *right = nullptr, *solution = nullptr, *work_y = nullptr, *work_e = nullptr;
  std::shared_ptr<const NodePattern> pattern;
  std::vector<int> order, place;  ///< node at each place of the elimination, and back
  std::vector<int> last, last_of;
  std::vector<int> column_start, slots;  ///< blocks of the permuted lower triangle: entries of the pattern, by column
  std::vector<double> trailing;          ///< L_cc, column-major
  bool done = false, ready = false;

  Data() {
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.final_ll = 1;
    common.quick_return_if_not_posdef = 1;
    common.postorder = 0;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_NATURAL;
    common.try_catch = 1;
  }
  ~Data() {
    release();
    cholmod_finish(&common);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  void release() {
    cholmod_free_sparse(&matrix, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&right, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&work_y, &common);
    cholmod_free_dense(&work_e, &common);
    ready = false;
  }
  void choose_order();
  void lay_out();
  void fill(const BlockMatrix& A);
  void read_trailing();
  [[nodiscard]] bool sound() const;
};

/// Nested dissection of the nodes that are not last, then the last ones as given.
void Factor::Data::choose_order() {
  const int nodes = pattern->rows();
  std::vector<int> inner, number(nodes, -1);
  for (int n = 0; n < nodes; ++n) {
    if (last_of[n] < 0) number[n] = static_cast<int>(inner.size()), inner.push_back(n);
  }
  const int count = static_cast<int>(inner.size());
  std::vector<int> permutation(count);
  std::iota(permutation.begin(), permutation.end(), 0);
  if (count > 1) {
    std::size_t entries = 0;
    for (int n : inner) {
      for (int k = pattern->row_start[n]; k < pattern->row_start[n + 1]; ++k) entries += number[pattern->columns[k]] >= number[n] ? 1 : 0;
    }
    cholmod_sparse* graph = cholmod_allocate_sparse(count, count, entries, 1, 1, -1, CHOLMOD_PATTERN, &common);
    int *start = static_cast<int*>(graph->p), *row = static_cast<int*>(graph->i), at = 0;
    for (int j = 0; j < count; ++j) {
      start[j] = at;
      for (int k = pattern->row_start[inner[j]]; k < pattern->row_start[inner[j] + 1]; ++k) {
        if (number[pattern->columns[k]] >= j) row[at++] = number[pattern->columns[k]];
      }
    }
    start[count] = at;
    // Nested dissection pays from a few hundred nodes on; below minimum degree is as good and faster. Not cholmod_metis: METIS_NodeND takes SIGTERM of the
    // whole process for itself, and a signal to another thread then crashes.
    std::vector<int> parent(count), member(count);
    const bool ordered = count > 300 ? cholmod_nested_dissection(graph, nullptr, 0, permutation.data(), parent.data(), member.data(), &common) >= 0
                                     : cholmod_amd(graph, nullptr, 0, permutation.data(), &common);
    cholmod_free_sparse(&graph, &common);
    if (!ordered) throw_solve("sparse factor: ordering {} nodes failed: not enough memory", count);
  }
  order.clear();
  for (int k : permutation) order.push_back(inner[k]);
  order.insert(order.end(), last.begin(), last.end());
  place.resize(nodes);
  for (int k = 0; k < nodes; ++k) place[order[k]] = k;
}

/// Pattern of the permuted lower triangle, three scalar columns a node column.
void Factor::Data::lay_out() {
  const int nodes = pattern->rows();
  column_start.assign(1, 0);
  slots.clear();
  std::vector<std::pair<int, int>> column;  // (row place, entry of the pattern in row `row`, column `node`)
  std::vector<int> rows;
  for (int j = 0; j < nodes; ++j) {
    column.clear();
    const int node = order[j];
    // The pattern is symmetric: entry (node, other) holds the transposed block of (other, node).
    for (int k = pattern->row_start[node]; k < pattern->row_start[node + 1]; ++k) {
      if (place[pattern->columns[k]] >= j) column.emplace_back(place[pattern->columns[k]], k);
    }
    std::sort(column.begin(), column.end());
    for (const auto& [row, k] : column) rows.push_back(row), slots.push_back(k);
    column_start.push_back(static_cast<int>(slots.size()));
  }
  const std::size_t entries = 9 * slots.size() - 3 * static_cast<std::size_t>(nodes);
  if (entries > 2000000000u) throw_solve("sparse factor: {} nodes have {} couplings: too many for one body; split it", nodes, entries);
  matrix = cholmod_allocate_sparse(3 * nodes, 3 * nodes, entries, 1, 1, -1, CHOLMOD_REAL, &common);
  if (!matrix) throw_solve("sparse factor: no memory for a matrix of {} nodes", nodes);
  int *start = static_cast<int*>(matrix->p), *row = static_cast<int*>(matrix->i), at = 0;
  for (int j = 0; j < nodes; ++j) {
    for (int c = 0; c < 3; ++c) {
      start[3 * j + c] = at;
      for (int k = column_start[j]; k < column_start[j + 1]; ++k) {
        for (int r = k == column_start[j] ? c : 0; r < 3; ++r) row[at++] = 3 * rows[k] + r;
      }
    }
  }
  start[3 * nodes] = at;
}

void Factor::Data::fill(const BlockMatrix& A) {
  double* x = static_cast<double*>(matrix->x);
  const int* start = static_cast<const int*>(matrix->p);
  parallel_for(pattern->rows(), [&](std::ptrdiff_t j) {
    for (int c = 0; c < 3; ++c) {
      double* to = x + start[3 * j + c];
      for (int k = column_start[j]; k < column_start[j + 1]; ++k) {
        // Row c of the block (node, other) is column c of the block (other, node).
        const double* from = A.values.data() + 9 * static_cast<std::size_t>(slots[k]) + 3 * c;
        for (int r = k == column_start[j] ? c : 0; r < 3; ++r) *to++ = from[r];
      }
    }
  }, 256);
}

/// Copy the trailing block out of the supernodes.
void Factor::Data::read_trailing() {
  const std::size_t size = 3 * last.size();
  trailing.assign(size * size, 0.0);
  if (size == 0) return;
  const int n = static_cast<int>(factor->n), first = n - static_cast<int>(size);
  const int *super = static_cast<const int*>(factor->super), *pi = static_cast<const int*>(factor->pi), *px = static_cast<const int*>(factor->px),
            *rows = static_cast<const int*>(factor->s);
  const double* x = static_cast<const double*>(factor->x);
  for (int s = static_cast<int>(factor->nsuper) - 1; s >= 0 && super[s + 1] > first; --s) {
    const int height = pi[s + 1] - pi[s];
    for (int j = std::max(super[s], first); j < super[s + 1]; ++j) {
      const double* column = x + px[s] + static_cast<std::size_t>(j - super[s]) * height;
      for (int k = j - super[s]; k < height; ++k) trailing[static_cast<std::size_t>(j - first) * size + rows[pi[s] + k] - first] = column[k];
    }
  }
}

/// Optimised kernels let NaN through: every pivot must be a positive number.
bool Factor::Data::sound() const {
  const int *super = static_cast<const int*>(factor->super), *pi = static_cast<const int*>(factor->pi), *px = static_cast<const int*>(factor->px);
  const double* x = static_cast<const double*>(factor->x);
  for (std::size_t s = 0; s < factor->nsuper; ++s) {
    const std::size_t height = pi[s + 1] - pi[s];
    for (int j = 0; j < super[s + 1] - super[s]; ++j) {
      const double pivot = x[px[s] + j * (height + 1)];
      if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    }
  }
  return true;
}

/// Call a library with the data; where that takes long, so that a request to stop is answered: the data then stay with the call, and new ones are made.
template <class Data, class Call>
static void long_work(bool takes_long, std::shared_ptr<Data>& data, Call call) {
  if (!takes_long) {
    call(*data);
    return;
  }
  try {
    run_abandonable([data, call] { call(*data); });
  } catch (const Interrupted&) {
    data = std::make_shared<Data>();
    throw;
  }
}

Factor::Factor() : data_(std::make_shared<Data>()) {}
Factor::~Factor() = default;
Factor::Factor(Factor&&) noexcept = default;
Factor& Factor::operator=(Factor&&) noexcept = default;

void Factor::analyse(std::shared_ptr<const NodePattern> pattern, std::span<const int> last) {
  Data& d = *data_;
  d.release();
  d.pattern = std::move(pattern);
  d.last.assign(last.begin(), last.end());
  d.last_of.assign(d.pattern->rows(), -1);
  for (std::size_t k = 0; k < last.size(); ++k) {
    if (last[k] < 0 || last[k] >= d.pattern->rows() || d.last_of[last[k]] >= 0) {
      throw_input("sparse factor: node {} cannot be ordered last: it is listed twice or outside 0..{}", last[k], d.pattern->rows() - 1);
    }
    d.last_of[last[k]] = static_cast<int>(k);
  }
  long_work(d.pattern->rows() > kManyNodes, data_, [](Data& data) {
    data.choose_order();
    data.lay_out();
    data.factor = cholmod_analyze(data.matrix, &data.common);
  });
  if (!d.factor) throw_solve("sparse factor: analysis of {} nodes failed: not enough memory", d.pattern->rows());
}

void Factor::factorise(const BlockMatrix& A) {
  Data& d = *data_;
  d.ready = false;
  d.fill(A);
  long_work(operations() > kManyOperations, data_, [](Data& data) {
    const OneBlasThread guard;
    data.done = cholmod_factorize(data.matrix, data.factor, &data.common);
  });
  if (!d.done || d.common.status != CHOLMOD_OK || d.factor->minor < d.factor->n || !d.sound()) {
    throw_solve("sparse factor: the matrix of {} dofs is not positive definite at dof {}: shorten the step, or the body has left the "
                "range of its law", A.dofs(), d.factor->minor);
  }
  d.read_trailing();
  d.ready = true;
}

bool Factor::ready() const { return data_->ready; }

void Factor::solve(std::span<const double> b, std::span<double> x) const {
  const Data& d = *data_;
  if (!d.ready) throw_solve("sparse factor: solve() before factorise()");
  const int nodes = d.pattern->rows();
  if (!d.right) d.right = cholmod_allocate_dense(3 * nodes, 1, 3 * nodes, CHOLMOD_REAL, &d.common);
  double* permuted = static_cast<double*>(d.right->x);
  for (int k = 0; k < nodes; ++k) Vec3::Map(permuted + 3 * k) = Vec3::Map(b.data() + 3 * d.order[k]);
  const OneBlasThread guard;
  if (!cholmod_solve2(CHOLMOD_A, d.factor, d.right, nullptr, &d.solution, nullptr, &d.work_y, &d.work_e, &d.common)) {
    throw_solve("sparse factor: solve failed: not enough memory");
  }
  const double* solved = static_cast<const double*>(d.solution->x);
  for (int k = 0; k < nodes; ++k) Vec3::Map(x.data() + 3 * d.order[k]) = Vec3::Map(solved + 3 * k);
}

std::span<const int> Factor::last_nodes() const { return data_->last; }
int Factor::last_index(int node) const { return data_->last_of[node]; }

bool Factor::covers(std::span<const int> nodes) const {
  return std::all_of(nodes.begin(), nodes.end(), [&](int n) { return last_index(n) >= 0; });
}

void Factor::scale(std::span<double> columns, int count) const {
  const Data& d = *data_;
  if (!d.ready) throw_solve("sparse factor: scale() before factorise()");
  const int size = last_dofs();
  if (size == 0 || count == 0) return;
  const OneBlasThread guard(false);
  // Leading zeros of a column stay zero: each block of columns starts at its first entry.
  const auto first_entry = [&](const double* column) {
    int k = 0;
    while (k < size && column[k] == 0.0) ++k;
    return k;
  };
  parallel_for((count + kScaleBlock - 1) / kScaleBlock, [&](std::ptrdiff_t block) {
    double* first = columns.data() + static_cast<std::size_t>(block) * kScaleBlock * size;
    const int width = std::min(kScaleBlock, count - static_cast<int>(block) * kScaleBlock);
    int skip = size;
    for (int c = 0; c < width; ++c) skip = std::min(skip, first_entry(first + static_cast<std::size_t>(c) * size));
    const int rest = size - skip;
    const double one = 1.0;
    if (rest > 0) dtrsm_("L", "L", "N", "N", &rest, &width, &one, d.trailing.data() + (static_cast<std::size_t>(size) + 1) * skip, &size, first + skip, &size);
  }, 1);
}

double Factor::stored() const { return data_->factor ? static_cast<double>(data_->factor->xsize) : 0.0; }
double Factor::operations() const { return data_->common.fl; }

}  // namespace scree::elastic
