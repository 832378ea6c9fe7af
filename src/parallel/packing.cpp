#include "parallel/packing.hpp"

#include <cstring>

namespace scree::parallel {

namespace {

/// Appends plain values to bytes.
class Packer {
 public:
  template <class T>
  void operator()(const T& value) requires std::is_arithmetic_v<T> || std::is_enum_v<T> { add(&value, sizeof value); }
  void operator()(const Vec3& v) { add(v.data(), 3 * sizeof(double)); }
  void operator()(const std::string& text) { (*this)(text.size()), add(text.data(), text.size()); }
  void operator()(std::span<const double> values) { (*this)(values.size()), add(values.data(), values.size_bytes()); }
  void operator()(const std::vector<double>& values) { (*this)(std::span<const double>(values)); }

  Bytes bytes;

 private:
  void add(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

/// Takes them out again.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <class T>
  void operator()(T& value) requires std::is_arithmetic_v<T> || std::is_enum_v<T> { take(&value, sizeof value); }
  void operator()(Vec3& v) { take(v.data(), 3 * sizeof(double)); }
  void operator()(std::string& text) { text.resize(size()), take(text.data(), text.size()); }
  void operator()(std::vector<double>& values) { values.resize(size()), take(values.data(), values.size() * sizeof(double)); }

 private:
  std::size_t size() {
    std::size_t n = 0;
    (*this)(n);
    return n;
  }
  void take(void* data, std::size_t size) {
    if (size > rest_.size()) throw_solve("a message between ranks is too short");
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }

  std::span<const std::byte> rest_;
};

/// The same list packs and unpacks.
template <class IO, class Point>
void each(IO& f, Point& p) requires std::is_same_v<std::remove_const_t<Point>, collision::ContactPoint> {
  f(p.piece_a), f(p.piece_b), f(p.body_a), f(p.body_b), f(p.feature), f(p.point), f(p.normal), f(p.gap), f(p.area), f(p.surface_a), f(p.surface_b);
}
template <class IO, class Report>
void each(IO& f, Report& r) requires std::is_same_v<std::remove_const_t<Report>, solvers::SolveReport> {
  f(r.status), f(r.iterations), f(r.products), f(r.linear_iterations), f(r.fallbacks), f(r.residual), f(r.residual_known), f(r.seconds);
  f(r.history), f(r.stage), f(r.advice);
}

}  // namespace

Bytes pack_points(std::span<const collision::ContactPoint> points) {
  Packer pack;
  for (const collision::ContactPoint& point : points) each(pack, point);
  return std::move(pack.bytes);
}

void unpack_points(std::span<const std::byte> bytes, std::vector<collision::ContactPoint>& points) {
  for (Unpacker unpack(bytes); !unpack.empty();) each(unpack, points.emplace_back());
}

Bytes pack_solution(const solvers::SolveReport& report, std::span<const double> impulses) {
  Packer pack;
  each(pack, report);
  pack(impulses);
  return std::move(pack.bytes);
}

solvers::SolveReport unpack_solution(std::span<const std::byte> bytes, std::vector<double>& impulses) {
  Unpacker unpack(bytes);
  solvers::SolveReport report;
  each(unpack, report);
  unpack(impulses);
  return report;
}

}  // namespace scree::parallel
