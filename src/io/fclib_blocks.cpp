#include "io/fclib_blocks.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace scree::io {

using solvers::BlockKind;
using solvers::ExplicitForm;
using solvers::RowMat3;

namespace {

int components(BlockKind kind, int dimension) {
  return solvers::frictional(kind) ? dimension : solvers::equations(kind);
}

// Absent components take the last present diagonal entry, or 1 when that is zero.
void fill_absent(RowMat3& block, int present) {
  if (present == 3) return;
  const double last = block(present - 1, present - 1);
  for (int c = present; c < 3; ++c) block(c, c) = last > 0.0 ? last : 1.0;
}

}  // namespace

BlockLayout make_layout(std::vector<BlockKind> kind, int dimension) {
  BlockLayout layout;
  layout.dimension = dimension;
  layout.kind = std::move(kind);
  for (const BlockKind k : layout.kind)
    if (!solvers::built_in(k)) throw_input("FCLIB files hold contacts and equalities; a block of the law '{}' has no place in them", solvers::to_string(k));
  // Contacts first, equalities after them, each in the order of the blocks.
  for (const bool contacts : {true, false}) {
    for (int a = 0; a < layout.blocks(); ++a) {
      const BlockKind k = layout.kind[a];
      if (solvers::frictional(k) != contacts) continue;
      for (int c = 0; c < components(k, dimension); ++c) layout.scalar.push_back(3 * a + c);
    }
    if (contacts) layout.contact_scalars = layout.scalars();
  }
  return layout;
}

std::vector<double> spread(const BlockLayout& layout, std::span<const double> scalars) {
  std::vector<double> blocks(layout.kind.size() * 3, 0.0);
  for (std::size_t k = 0; k < scalars.size(); ++k) blocks[layout.scalar[k]] = scalars[k];
  return blocks;
}

std::vector<double> gather(const BlockLayout& layout, std::span<const double> blocks) {
  std::vector<double> scalars(layout.scalar.size());
  for (std::size_t k = 0; k < scalars.size(); ++k) scalars[k] = blocks[layout.scalar[k]];
  return scalars;
}

ExplicitForm make_blocks(const BlockLayout& layout, const SparseRows& matrix) {
  // Scalar rows of each block, in ascending component.
  const auto blocks = static_cast<std::size_t>(layout.blocks());
  std::vector<int> scalar_of(3 * blocks, -1);
  for (int k = 0; k < layout.scalars(); ++k) scalar_of[layout.scalar[k]] = k;

  std::vector<int> row_start{0}, columns, touched, place(blocks, -1);
  std::vector<RowMat3> values;
  for (std::size_t a = 0; a < blocks; ++a) {
    // Block columns of this row; the diagonal always.
    touched.assign(1, static_cast<int>(a));
    place[a] = 0;
    for (int c = 0; c < 3; ++c) {
      const int row = scalar_of[3 * a + static_cast<std::size_t>(c)];
      if (row < 0) continue;
      for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry) {
        const int column = layout.scalar[entry.col()] / 3;
        if (place[column] < 0) {
          place[column] = 0;
          touched.push_back(column);
        }
      }
    }
    std::sort(touched.begin(), touched.end());
    const std::size_t base = values.size();
    for (std::size_t k = 0; k < touched.size(); ++k) place[touched[k]] = static_cast<int>(k);
    columns.insert(columns.end(), touched.begin(), touched.end());
    values.resize(base + touched.size(), RowMat3::Zero());

    // Values.
    int present = 0;
    for (int c = 0; c < 3; ++c) {
      const int row = scalar_of[3 * a + static_cast<std::size_t>(c)];
      if (row < 0) continue;
      present = c + 1;
      for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry) {
        const int target = layout.scalar[entry.col()];
        values[base + static_cast<std::size_t>(place[target / 3])](c, target % 3) = entry.value();
      }
    }
    fill_absent(values[base + static_cast<std::size_t>(place[a])], present);
    for (const int column : touched) place[column] = -1;
    row_start.push_back(static_cast<int>(columns.size()));
  }
  return {std::move(row_start), std::move(columns), std::move(values)};
}

}  // namespace scree::io
