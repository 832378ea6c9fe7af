#include "solvers/gmres.hpp"

#include <algorithm>

namespace scree::solvers {

void Gmres::resize(std::size_t size, int restart) {
  if (size == size_ && restart == restart_) return;
  size_ = size;
  restart_ = restart;
  const std::size_t m = restart;
  basis_.resize(size * (m + 1));
  hessenberg_.resize((m + 1) * m);
  cosine_.resize(m);
  sine_.resize(m);
  rotated_.resize(m + 1);
  coefficients_.resize(m + 1);
  preconditioned_.resize(size);
}

void Gmres::start_cycle(double beta) {
  VectorMap(basis_.data(), static_cast<Eigen::Index>(size_)) /= beta;
  std::fill(rotated_.begin(), rotated_.end(), 0.0);
  rotated_[0] = beta;
}

std::pair<double, double> Gmres::project_in_turn(int k, double* h) {
  const std::span<double> w = basis(k + 1);
  const double before = norm(w);
  for (int i = 0; i <= k; ++i) {
    const double overlap = dot(basis(i), w);
    h[i] += overlap;
    add_scaled(-overlap, basis(i), w);
  }
  return {before, norm(w)};
}

std::pair<double, double> Gmres::project_at_once(int k, double* h) {
  const std::span<double> w = basis(k + 1);
  std::vector<double> overlap(static_cast<std::size_t>(k) + 2);
  for (int i = 0; i <= k + 1; ++i) overlap[i] = local_dot(basis(i), w);
  team().sum(overlap);
  const double before = overlap.back();
  double left = before;
  for (int i = 0; i <= k; ++i) {
    const double part = overlap[i];
    h[i] += part;
    left -= part * part;
    add_scaled(-part, basis(i), w);
  }
  // By Pythagoras; where digits are lost, the second pass measures what is left.
  return {std::sqrt(before), std::sqrt(std::max(0.0, left))};
}

bool Gmres::orthogonalise(int k) {
  const std::size_t column = k;
  double* h = hessenberg_.data() + column * static_cast<std::size_t>(restart_ + 1);
  const std::span<double> w = basis(k + 1);
  std::fill(h, h + k + 2, 0.0);

  // A second pass only when the first one lost digits.
  const auto project = [&] { return team().size() > 1 ? project_at_once(k, h) : project_in_turn(k, h); };
  auto [before, after] = project();
  if (!(after > 0.7 * before)) after = project().second;
  h[k + 1] = after;
  const bool more = after > 1e-14 * before && std::isfinite(after);
  if (more) VectorMap(w.data(), static_cast<Eigen::Index>(size_)) /= after;

  // Earlier rotations, then the one that annihilates h[k + 1].
  for (std::size_t i = 0; i < column; ++i) {
    const double upper = h[i];
    h[i] = cosine_[i] * upper + sine_[i] * h[i + 1];
    h[i + 1] = -sine_[i] * upper + cosine_[i] * h[i + 1];
  }
  const double length = std::hypot(h[k], h[k + 1]);
  cosine_[column] = length > 0.0 ? h[k] / length : 1.0;
  sine_[column] = length > 0.0 ? h[k + 1] / length : 0.0;
  h[k] = length;
  rotated_[column + 1] = -sine_[column] * rotated_[column];
  rotated_[column] *= cosine_[column];
  return more;
}

bool Gmres::finish_cycle(int columns) {
  // Back substitution; directions without a pivot (singular systems) are left out.
  double largest = 0.0;
  const std::size_t stride = restart_ + 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i)
    largest = std::max(largest, std::abs(hessenberg_[i * stride + i]));
  for (int i = columns - 1; i >= 0; --i) {
    const std::size_t row = i;
    double sum = rotated_[row];
    for (std::size_t j = row + 1; j < static_cast<std::size_t>(columns); ++j)
      sum -= hessenberg_[j * stride + row] * coefficients_[j];
    const double pivot = hessenberg_[row * stride + row];
    coefficients_[row] = std::abs(pivot) > 1e-15 * largest ? sum / pivot : 0.0;
    if (!std::isfinite(coefficients_[row])) return false;
  }

  // V y overwrites the last vector, which no longer serves as a basis.
  const std::span<double> sum = basis(restart_);
  std::fill(sum.begin(), sum.end(), 0.0);
  for (int i = 0; i < columns; ++i) add_scaled(coefficients_[i], basis(i), sum);
  return true;
}

}  // namespace scree::solvers
