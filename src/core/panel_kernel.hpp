/// The kernel of panel products,  C = A B^T,  once for every kind of processor: a source names SCREE_KERNEL_NAMESPACE, the lanes of a vector
/// (SCREE_KERNEL_LANES) and the columns of a tile (SCREE_KERNEL_COLUMNS), then includes this.
///
/// Every element is one sum, its terms added one after the other from the first to the last: its bits depend neither on lanes nor on tiles.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace scree::panel::SCREE_KERNEL_NAMESPACE {

typedef double Lanes __attribute__((vector_size(8 * SCREE_KERNEL_LANES)));

constexpr int kLanes = SCREE_KERNEL_LANES;
constexpr int kRows = 2 * kLanes;                ///< of a tile of C
constexpr int kColumns = SCREE_KERNEL_COLUMNS;   ///< of a tile of C
constexpr int kDepth = 256;                      ///< terms between two looks at C: strips of A and B then stay in the nearest cache

/// Rows [first, first + Width) of a panel, term after term; what the panel lacks is 0.
template <int Width>
inline void pack(const double* panel, std::ptrdiff_t stride, int rows, int first, int depth, double* out) {
  const int width = std::min(Width, rows - first);
  for (int k = 0; k < depth; ++k, out += Width) {
    const double* from = panel + k * stride + first;
    int r = 0;
    for (; r < width; ++r) out[r] = from[r];
    for (; r < Width; ++r) out[r] = 0.0;
  }
}

/// tile += strip of A times strip of B; a tile lies by columns, kRows apart.
inline void add_tile(const double* a, const double* b, int depth, double* tile) {
  Lanes sum[kColumns][2];
  std::memcpy(sum, tile, sizeof sum);
  for (int k = 0; k < depth; ++k, a += kRows, b += kColumns) {
    Lanes low, high;
    std::memcpy(&low, a, sizeof low);
    std::memcpy(&high, a + kLanes, sizeof high);
    for (int c = 0; c < kColumns; ++c) {
      sum[c][0] += low * b[c];
      sum[c][1] += high * b[c];
    }
  }
  std::memcpy(tile, sum, sizeof sum);
}

/// C (m x n, dense) = A (m x depth) B (n x depth)^T, panels by columns, each a stride after the one before.
inline void product(const double* a, std::ptrdiff_t a_stride, int m, const double* b, std::ptrdiff_t b_stride, int n, int depth, double* c) {
  static thread_local std::vector<double> strips, strip;
  const int column_strips = (n + kColumns - 1) / kColumns;
  const int longest = std::min(depth, kDepth);
  strips.resize(std::max(strips.size(), static_cast<std::size_t>(column_strips) * kColumns * longest));
  strip.resize(std::max(strip.size(), static_cast<std::size_t>(kRows) * longest));
  if (depth == 0) std::fill(c, c + static_cast<std::size_t>(m) * n, 0.0);
  for (int from = 0; from < depth; from += kDepth) {
    const int terms = std::min(kDepth, depth - from);
    for (int s = 0; s < column_strips; ++s)
      pack<kColumns>(b + from * b_stride, b_stride, n, s * kColumns, terms, strips.data() + static_cast<std::size_t>(s) * kColumns * terms);
    for (int row = 0; row < m; row += kRows) {
      pack<kRows>(a + from * a_stride, a_stride, m, row, terms, strip.data());
      const int rows = std::min(kRows, m - row);
      for (int s = 0; s < column_strips; ++s) {
        const int first = s * kColumns, columns = std::min(kColumns, n - first);
        double tile[kRows * kColumns] = {};
        double* corner = c + static_cast<std::size_t>(first) * m + row;
        if (from > 0)
          for (int j = 0; j < columns; ++j) std::copy_n(corner + static_cast<std::size_t>(j) * m, rows, tile + j * kRows);
        add_tile(strip.data(), strips.data() + static_cast<std::size_t>(s) * kColumns * terms, terms, tile);
        for (int j = 0; j < columns; ++j) std::copy_n(tile + j * kRows, rows, corner + static_cast<std::size_t>(j) * m);
      }
    }
  }
}

}  // namespace scree::panel::SCREE_KERNEL_NAMESPACE
