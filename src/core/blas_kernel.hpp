/// Which of its kernels OpenBLAS computes with.
///
/// OpenBLAS holds kernels for many processors and picks one by the processor's family and model when it is loaded. A model it does not know gets
/// its oldest kernels, three to six times slower in dense products. What a processor can do is in its features, not in its model.
#pragma once

#include <string>

namespace scree {

/// The kernels in use and who chose them.
struct BlasKernel {
  std::string library;  ///< e.g. "OpenBLAS 0.3.21", empty with another BLAS: nothing is known or chosen then
  std::string name;     ///< OpenBLAS' name of the kernels in use, e.g. "Haswell"
  std::string instead;  ///< the kernels OpenBLAS had fallen back to, empty when they were left alone
  bool by_user = false; ///< the environment variable OPENBLAS_CORETYPE was set: its choice stands
};

/// Gives OpenBLAS the kernels that fit the processor's features where it fell back to kernels older than those, and answers with what is in use.
///
/// Done once, by the first call; later calls answer the same. OneBlasThread calls it before the engine's first dense product, the Python module when it is
/// imported. Other threads of the program must not be inside BLAS during the first call.
const BlasKernel& choose_blas_kernel();

/// True once this process has computed with BLAS: before, no result depends on its kernels.
[[nodiscard]] bool blas_used() noexcept;

}  // namespace scree
