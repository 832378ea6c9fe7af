/// Frictional contact problems in FCLIB's HDF5 form: the exchange format of the field.
///
/// A file holds /fclib_local (W, q, mu; equalities V, R, s) or /fclib_global (M, H, f, w, mu; equalities
/// G, b), the normal component first:
///   local    u = W r + V l + q,   V^T r + R l + s = 0
///   global   M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::io {

/// A problem with what its file says about it. Vectors of impulses and velocities have three entries a
/// block, like ContactProblem::B.
struct FclibProblem {
  solvers::ContactProblem problem;
  bool global = false;  ///< read from the global form
  int dimension = 3;    ///< of contacts in the file, 2 or 3
  std::string title, description, math_info;
  std::vector<double> solution_r, solution_u;  ///< empty when the file has none (or never wrote them)
  std::vector<double> solution_v;              ///< global velocities as in the file
  std::vector<std::vector<double>> guesses;    ///< of r
};

/// Read a problem. FileError when the file is missing, damaged or not FCLIB, a size disagrees, an index is
/// out of range, a number is not finite, mu < 0, or M is not positive definite.
///
/// Local form gives an ExplicitForm with W as stored, symmetric or not. Global form gives a BodyForm: the
/// bodies are the connected parts of M, joined until every contact touches two at most. It gives an
/// ExplicitForm instead when M is not symmetric, a body has more than 600 degrees of freedom, contacts are
/// two-dimensional, or there are equalities.
///
/// Contacts come first. Each scalar equality becomes a `direction` block after them, unless Scree wrote the
/// file: then kinds and order are those of the written problem. Components that the file does not have (the
/// second tangent in 2-D, tangents of directions) are decoupled from the rest, with B = 0 and a diagonal
/// entry equal to that of their neighbour, so that their impulse is zero and the block stays regular.
[[nodiscard]] FclibProblem read_fclib(const std::string& path);

/// Write the local form, with /solution when solution_r or solution_u is given and /guesses. Any operator is
/// written as explicit rows. The file replaces an older one only when complete. Reading it back gives the
/// same numbers bit for bit, except what has no place in the format: tangential rows and columns of
/// `direction` blocks, and rows of equalities against contacts where they are not the transposed columns.
void write_fclib(const std::string& path, const FclibProblem& problem);

/// The same for a bare problem and its solution; R and U may be empty.
void write_fclib(const std::string& path, const solvers::ContactProblem& problem, std::span<const double> R,
                 std::span<const double> U, const std::string& title = "", int dimension = 3);

}  // namespace scree::io
