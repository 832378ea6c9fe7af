/// From body form to explicit rows: one dense product a body, then sums of blocks.
#include "solvers/condense.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/threads.hpp"

namespace scree::solvers {

namespace {

constexpr double kMostBlocks = 4e6;   ///< of 72 bytes each
constexpr std::size_t kKeptNumbers = 1000000;   ///< larger buffers are given back after use

/// Where the products of each body's rows start, and where each side of a block stands among the rows of its body.
struct Places {
  std::vector<std::size_t> start;
  std::vector<int> of_side;

  explicit Places(const BodyForm& form) : start(1, 0), of_side(2 * static_cast<std::size_t>(form.blocks()), -1) {
    for (int b = 0; b < form.bodies(); ++b) {
      const auto entries = form.incidence(b);
      for (std::size_t k = 0; k < entries.size(); ++k) of_side[entries[k]] = static_cast<int>(k);
      start.push_back(start.back() + 9 * entries.size() * entries.size());
    }
  }
};

/// Lower triangle (columns one after the other) of all rows of a body times all its rows.
void multiply_rows(const BodyForm& form, int body, double* product) {
  const auto entries = form.incidence(body);
  const int dofs = form.body_dofs(body), size = 3 * static_cast<int>(entries.size());
  if (size == 0) return;
  thread_local std::vector<double> stacked;
  stacked.clear();
  for (const int entry : entries) {
    const auto rows = form.rows(entry / 2, entry % 2);
    stacked.insert(stacked.end(), rows.begin(), rows.end());
  }
  const double one = 1.0, zero = 0.0;
  const int stride = std::max(dofs, 1);
  dsyrk_("L", "T", &size, &dofs, &one, stacked.data(), &stride, &zero, product, &size);
  if (stacked.size() > kKeptNumbers) std::vector<double>().swap(stacked);
}

/// Blocks of a row: those of its bodies, ascending, each once.
template <class Visit>
void visit_row(const BodyForm& form, int row, Visit&& visit) {
  const auto& pair = form.bodies_of(row);
  const auto list = [&](int side) { return pair[side] < 0 ? std::span<const int>() : form.incidence(pair[side]); };
  const std::span<const int> first = list(0), second = pair[0] == pair[1] ? std::span<const int>() : list(1);
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    const int a = i < first.size() ? first[i] / 2 : 1 << 30, b = j < second.size() ? second[j] / 2 : 1 << 30, block = std::min(a, b);
    visit(block);
    while (i < first.size() && first[i] / 2 == block) ++i;
    while (j < second.size() && second[j] / 2 == block) ++j;
  }
}

}  // namespace

void ExplicitForm::condense(const BodyForm& form) {
  const int blocks = form.blocks();
  const Places places(form);
  products_.resize(places.start.back());
  {
    const OneBlasThread guard(false);
    parallel_for(form.bodies(), [&](std::ptrdiff_t b) { multiply_rows(form, static_cast<int>(b), products_.data() + places.start[b]); }, 1);
  }

  // Pattern, a block without bodies keeping its diagonal.
  row_start_.assign(1, 0);
  columns_.clear();
  for (int a = 0; a < blocks; ++a) {
    visit_row(form, a, [&](int block) { columns_.push_back(block); });
    if (static_cast<int>(columns_.size()) == row_start_.back()) columns_.push_back(a);
    row_start_.push_back(static_cast<int>(columns_.size()));
  }

  // Every pair of sides on one body adds its product.
  values_.resize(columns_.size());
  diagonal_.resize(blocks);
  parallel_for(blocks, [&](std::ptrdiff_t row) {
    const int a = static_cast<int>(row);
    for (int k = row_start_[a]; k < row_start_[a + 1]; ++k) {
      const int other = columns_[k];
      RowMat3 sum = RowMat3::Zero();
      for (int side = 0; side < 4; ++side) {
        const int body = form.bodies_of(a)[side / 2];
        if (body < 0 || form.bodies_of(other)[side % 2] != body) continue;
        const int i = places.of_side[2 * a + side / 2], j = places.of_side[2 * other + side % 2];
        const auto size = 3 * static_cast<Eigen::Index>(form.incidence(body).size());
        const Eigen::Map<const MatX> product(products_.data() + places.start[body], size, size);
        if (i > j) sum += product.block<3, 3>(3 * i, 3 * j);
        else if (i < j) sum += product.block<3, 3>(3 * j, 3 * i).transpose();
        else sum += Mat3(product.block<3, 3>(3 * i, 3 * i).selfadjointView<Eigen::Lower>());
      }
      values_[k] = sum;
      if (other == a) diagonal_[a] = sum;
    }
  }, 256);
  if (products_.size() > kKeptNumbers) std::vector<double>().swap(products_);
}

bool BodyForm::condense_into(ExplicitForm& rows, double ratio) const {
  if (!condensing_pays(*this, ratio)) return false;
  rows.condense(*this);
  return true;
}

ExplicitForm make_explicit(const BodyForm& form) {
  ExplicitForm rows;
  rows.condense(form);
  return rows;
}

bool condensing_pays(const BodyForm& form, double ratio) {
  // Numbers touched by a sweep: every row twice, or every block of a row once.
  double body_form = 0.0, explicit_form = 0.0;
  for (int a = 0; a < form.blocks(); ++a)
    for (int side = 0; side < 2; ++side) {
      const int body = form.bodies_of(a)[side];
      if (body < 0) continue;
      body_form += 6.0 * form.body_dofs(body);
      explicit_form += 9.0 * static_cast<double>(form.incidence(body).size());
    }
  return explicit_form < ratio * body_form && explicit_form < 9.0 * kMostBlocks;
}

}  // namespace scree::solvers
