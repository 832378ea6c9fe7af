/// scree._scree_mpi: the team of an MPI job, loaded only where a launcher has started one.
#include <mpi.h>
#include <pybind11/pybind11.h>
#include <zoltan.h>

#include "mpi_team.hpp"
#include "parallel/shared_work.hpp"
#include "zoltan_bisection.hpp"

namespace py = pybind11;

namespace {

/// Start MPI and return the team with its partitioner, which live to the end of the process.
py::capsule join() {
  int started = 0, level = 0;
  MPI_Initialized(&started);
  if (!started) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    if (level < MPI_THREAD_FUNNELED) throw std::runtime_error("this MPI does not allow threads in a rank");
    float version = 0.0f;
    if (Zoltan_Initialize(0, nullptr, &version) != ZOLTAN_OK) throw std::runtime_error("Zoltan could not be started");
  }
  static scree::mpi::MpiTeam team;
  static scree::mpi::ZoltanBisection bisection;
  static scree::parallel::Launched launched{&team, &bisection};
  return py::capsule(&launched, "scree.team");
}

/// End of MPI, when all ranks have come here.
void finalize() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

}  // namespace

PYBIND11_MODULE(_scree_mpi, module) {
  module.doc() = "The team of an MPI job. Use the package `scree`; this module is its machinery.";
  module.def("join", &join);
  module.def("finalize", &finalize);
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(name, &length);
  module.attr("library") = std::string(name, static_cast<std::size_t>(length));
}
