/// Preconditioned spectral projected gradient with fallback, P-SPG-FB (Krylov/spectral paper sec. 4, theory sec. 4.7).
#pragma once

#include "solvers/first_order.hpp"

namespace scree::solvers {

struct SpgOptions : FirstOrderOptions {
  Scaling preconditioner = Scaling::blocks;  ///< the averaged diagonal of the paper, or none
  int memory = 10;            ///< N_GLL: objective values a step may climb back to, >= 1
  double decrease = 1e-4;     ///< xi: sufficient decrease, in [0, 1)
  double alpha_min = 1e-9, alpha_max = 1e9;  ///< bounds of the spectral step, scaled unknowns
};

/// d = proj(x - alpha F) - x;  x <- x + t d, t by the Grippo-Lampariello-Lucidi rule;  alpha alternates between
/// s.s / s.y and s.y / y.y. Works on cones directly: under Coulomb's law F = Uhat with s = mu |U_T| of the
/// current iterate. The best iterate by the stop rule's yardstick is kept (the paper's fallback).
/// One product an iteration.
SolveReport solve_spg(const ContactProblem& problem, const SpgOptions& options, std::span<double> R);

}  // namespace scree::solvers
