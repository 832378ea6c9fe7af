#include "zoltan_bisection.hpp"

#include <zoltan.h>

#include "core/error.hpp"

namespace scree::mpi {

namespace {

/// The points that this rank speaks for.
struct Share {
  std::span<const Vec3> points;
  std::span<const double> weights;
  std::vector<int> mine;
};

const Share& share(void* data) { return *static_cast<const Share*>(data); }

int count_points(void* data, int* error) {
  *error = ZOLTAN_OK;
  return static_cast<int>(share(data).mine.size());
}

void list_points(void* data, int, int, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, int, float* weights, int* error) {
  const Share& all = share(data);
  for (std::size_t k = 0; k < all.mine.size(); ++k) {
    global[k] = static_cast<ZOLTAN_ID_TYPE>(all.mine[k]);
    local[k] = static_cast<ZOLTAN_ID_TYPE>(k);
    weights[k] = static_cast<float>(all.weights[static_cast<std::size_t>(all.mine[k])]);
  }
  *error = ZOLTAN_OK;
}

int dimensions(void*, int* error) {
  *error = ZOLTAN_OK;
  return 3;
}

void coordinates(void* data, int, int, int count, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR, int, double* out, int* error) {
  for (int k = 0; k < count; ++k) Eigen::Map<Vec3>(out + 3 * k) = share(data).points[global[k]];
  *error = ZOLTAN_OK;
}

/// A Zoltan object that is destroyed with its scope.
class Zoltan {
 public:
  Zoltan() : handle_(Zoltan_Create(MPI_COMM_WORLD)) {
    if (!handle_) throw_solve("Zoltan: out of memory");
  }
  ~Zoltan() { Zoltan_Destroy(&handle_); }
  Zoltan(const Zoltan&) = delete;
  Zoltan& operator=(const Zoltan&) = delete;

  void set(const char* name, const std::string& value) { check(Zoltan_Set_Param(handle_, name, value.c_str()), name); }
  void check(int status, const char* what) const {
    if (status != ZOLTAN_OK && status != ZOLTAN_WARN) throw_solve("Zoltan: {} failed with status {}", what, status);
  }
  Zoltan_Struct* operator*() const { return handle_; }

 private:
  Zoltan_Struct* handle_;
};

/// Zoltan's outer boxes end at the largest number.
double bound(double x) { return x >= 1e308 ? kInfinity : x <= -1e308 ? -kInfinity : x; }

}  // namespace

std::vector<parallel::Cell> ZoltanBisection::cut(std::span<const Vec3> points, std::span<const double> weights, std::span<const int> owner, int parts) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<parallel::Cell> cells(static_cast<std::size_t>(parts));
  if (parts == 1 || size == 1 || points.empty()) return cells;

  Share mine{points, weights, {}};
  for (std::size_t k = 0; k < owner.size(); ++k)
    if (owner[k] == rank) mine.mine.push_back(static_cast<int>(k));
  Zoltan zoltan;
  // The level comes first: Zoltan prints while other parameters are set. Cuts lie midway between points, and points of one place stay
  // together, so that cells say who owns what. The same answer every time: nothing is reused.
  for (const auto& [name, value] : {std::pair("DEBUG_LEVEL", "0"), std::pair("LB_METHOD", "RCB"), std::pair("NUM_GID_ENTRIES", "1"), std::pair("NUM_LID_ENTRIES", "1"),
                                    std::pair("OBJ_WEIGHT_DIM", "1"), std::pair("KEEP_CUTS", "1"), std::pair("AVERAGE_CUTS", "1"), std::pair("RCB_RECTILINEAR_BLOCKS", "1"),
                                    std::pair("RCB_OUTPUT_LEVEL", "0"), std::pair("RCB_REUSE", "0"), std::pair("CHECK_GEOM", "0"), std::pair("RETURN_LISTS", "NONE"),
                                    std::pair("IMBALANCE_TOL", "1.01")})
    zoltan.set(name, value);
  zoltan.set("NUM_GLOBAL_PARTS", std::to_string(parts));
  Zoltan_Set_Num_Obj_Fn(*zoltan, count_points, &mine);
  Zoltan_Set_Obj_List_Fn(*zoltan, list_points, &mine);
  Zoltan_Set_Num_Geom_Fn(*zoltan, dimensions, &mine);
  Zoltan_Set_Geom_Multi_Fn(*zoltan, coordinates, &mine);

  int changed = 0, ids = 0, locals = 0, in = 0, out = 0;
  ZOLTAN_ID_PTR in_global = nullptr, in_local = nullptr, out_global = nullptr, out_local = nullptr;
  int *in_ranks = nullptr, *in_parts = nullptr, *out_ranks = nullptr, *out_parts = nullptr;
  zoltan.check(Zoltan_LB_Partition(*zoltan, &changed, &ids, &locals, &in, &in_global, &in_local, &in_ranks, &in_parts, &out, &out_global, &out_local, &out_ranks, &out_parts),
               "bisection");
  for (int part = 0; part < parts; ++part) {
    int dimension = 0;
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    zoltan.check(Zoltan_RCB_Box(*zoltan, part, &dimension, low, low + 1, low + 2, high, high + 1, high + 2), "box of a part");
    parallel::Cell& cell = cells[static_cast<std::size_t>(part)];
    for (int axis = 0; axis < 3; ++axis) cell.low[axis] = bound(low[axis]), cell.high[axis] = bound(high[axis]);
  }
  return cells;
}

}  // namespace scree::mpi
