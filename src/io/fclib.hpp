/// Frictional contact problems in FCLIB's HDF5 form: the exchange format of the field.
///
/// A file holds /fclib_local (W, q, mu; equalities V, R, s) or /fclib_global (M, H, f, w, mu; equalities
/// G, b), the normal component first:
///   local    u = W r + V l + q,   V^T r + R l + s = 0
///   global   M v = H r + G l + f,   u = H^T v + w,   G^T v + b = 0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/contact_problem.hpp"

namespace scree::io {

struct GlobalForm;

/// A problem with what its file says about it. Vectors of impulses and velocities have three entries a
/// block, like ContactProblem::B.
struct FclibProblem {
  solvers::ContactProblem problem;
  std::shared_ptr<const GlobalForm> global;  ///< M, H, G, f, w, b of the global form; null for the local one
  int dimension = 3;                         ///< of contacts in the file, 2 or 3
  std::string title, description, math_info;
  std::vector<double> solution_r, solution_u;  ///< empty when the file has none (or never wrote them)
  std::vector<double> solution_v;              ///< global velocities; when empty, written as M^-1 (H r + G l + f)
  std::vector<std::vector<double>> guesses;    ///< of r
};

/// Read a problem. FileError when the file is missing, damaged or not FCLIB, a size disagrees, an index is
/// out of range, a number is not finite, mu < 0, or M is not positive definite.
///
/// Local form gives an ExplicitForm with W as stored, symmetric or not. Global form gives a BodyForm: the
/// bodies are the connected parts of M, joined until every contact touches two at most, with only as many scaled
/// degrees of freedom as their contacts can tell apart. It gives an
/// ExplicitForm instead when M is not symmetric or a body has more than 600 degrees of freedom.
///
/// Contacts come first. Each scalar equality becomes a `direction` block after them, unless Scree wrote the
/// file: then kinds and order are those of the written problem. Components that the file does not have (the
/// second tangent in 2-D, tangents of directions) have B = 0, push nothing and get a diagonal entry equal to
/// that of their neighbour, so that their impulse is zero and the block stays regular.
[[nodiscard]] FclibProblem read_fclib(const std::string& path);

/// Write the problem, with /solution when solution_r or solution_u is given and /guesses: the global form where
/// `global` is set, else the local one, any operator as explicit rows. The file replaces an older one only when
/// complete. Reading it back gives the same numbers bit for bit, except what has no place in the format: tangential
/// rows and columns of `direction` blocks, and rows of equalities against contacts where they are not the transposed
/// columns. InputError when a two-dimensional contact moves along its second tangent.
void write_fclib(const std::string& path, const FclibProblem& problem);

/// Velocities behind the scaled ones of a body of a BodyForm: v = free + T y. An empty T is the identity.
struct BodyVelocity {
  MatX T;     ///< L^-T, where A = L L^T
  VecX free;  ///< without impulses, m/s and rad/s; empty: zero
};

/// Global form of a problem in body form: M = T^-T T^-1 a body at a time, H = Hs T^-1 as columns, f = M free and
/// w = B - H^T free. Without `bodies` the unknowns are mass-scaled changes of velocity: M is the identity, f zero.
[[nodiscard]] std::shared_ptr<const GlobalForm> make_global(const solvers::ContactProblem& problem, int dimension = 3,
                                                            std::span<const BodyVelocity> bodies = {});

/// The same for a bare problem and its solution; R and U may be empty.
void write_fclib(const std::string& path, const solvers::ContactProblem& problem, std::span<const double> R,
                 std::span<const double> U, const std::string& title = "", int dimension = 3);

}  // namespace scree::io
