/// Stability limit of explicit steps (theory eq. 5.16).
#pragma once

#include <span>

#include "elastic/body.hpp"

namespace scree::elastic {

/// Upper bound of the largest circular frequency, rad/s, of K with the lumped mass: a Lanczos estimate plus its error bound, within
/// about 1e-3 of the true one. Falls back on element_frequency_bound() where Lanczos does not converge.
[[nodiscard]] double largest_frequency(const ElasticBody& body, const BlockMatrix& K);
/// Guaranteed upper bound: the largest frequency of a single element of the undeformed body with its share of the nodes' masses.
[[nodiscard]] double element_frequency_bound(const ElasticBody& body);
/// Largest stable step 2 / omega at configuration q, s; with stiffness-proportional damping ratio eta (s, C = eta K) it is
/// (sqrt(eta^2 omega^2 + 4) - eta omega) / omega.
[[nodiscard]] double critical_step(const ElasticBody& body, std::span<const double> q, double eta = 0.0);

}  // namespace scree::elastic
