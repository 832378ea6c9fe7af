#include "parallel/packing.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/reserve.hpp"

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

/// The same list packs and unpacks. Members are named by structured bindings, so that one more does not compile until it travels too.
template <class IO, class Point>
void each(IO& f, Point& p) requires std::is_same_v<std::remove_const_t<Point>, collision::ContactPoint> {
  auto& [piece_a, piece_b, body_a, body_b, feature, point, normal, gap, area, surface_a, surface_b, weighted] = p;
  f(piece_a), f(piece_b), f(body_a), f(body_b), f(feature), f(point), f(normal), f(gap), f(area), f(surface_a), f(surface_b), f(weighted);
}
template <class IO, class Report>
void each(IO& f, Report& r) requires std::is_same_v<std::remove_const_t<Report>, solvers::SolveReport> {
  auto& [status, iterations, work, products, linear_iterations, fallbacks, residual, residual_known, seconds, history, stage, advice] = r;
  f(status), f(iterations), f(work), f(products), f(linear_iterations), f(fallbacks), f(residual), f(residual_known), f(seconds), f(history), f(stage), f(advice);
}

}  // namespace

Bytes pack_points(std::span<const collision::ContactPoint> points) {
  Packer pack;
  pack.bytes.reserve(points.size() * sizeof(collision::ContactPoint));
  for (const collision::ContactPoint& point : points) each(pack, point);
  return std::move(pack.bytes);
}

void merge_points(const Brought& lists, std::vector<collision::ContactPoint>& points) {
  struct Head {
    collision::ContactPoint point;
    std::size_t list;
    [[nodiscard]] std::pair<int, int> pair() const { return {point.body_a, point.body_b}; }
  };
  std::vector<Unpacker> rest;
  std::vector<Head> heads;   // a heap: the first pair is at its front
  const auto later = [](const Head& a, const Head& b) { return a.pair() > b.pair(); };
  const auto advance = [&](std::size_t list) {
    if (rest[list].empty()) return;
    each(rest[list], heads.emplace_back(Head{{}, list}).point);
    std::ranges::push_heap(heads, later);
  };
  std::size_t bytes = 0;
  for (const std::span<const std::byte> list : lists) {
    bytes += list.size();
    rest.emplace_back(list);
    advance(rest.size() - 1);
  }
  static const std::size_t size_of_one = pack_points(std::array<collision::ContactPoint, 1>{}).size();
  reserve_anew(points, bytes / size_of_one);
  while (!heads.empty()) {
    std::ranges::pop_heap(heads, later);
    // All points of a pair come from one rank, in their order.
    Head head = std::move(heads.back());
    heads.pop_back();
    points.push_back(head.point);
    while (!rest[head.list].empty()) {
      each(rest[head.list], head.point);
      if (points.back().body_a != head.point.body_a || points.back().body_b != head.point.body_b) {
        heads.push_back(std::move(head));
        std::ranges::push_heap(heads, later);
        break;
      }
      points.push_back(head.point);
    }
  }
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
