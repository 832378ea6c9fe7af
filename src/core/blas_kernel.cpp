#include "core/blas_kernel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace scree {

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

template <class Function>
Function openblas(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

using Text = char* (*)();
using Action = void (*)();

/// Kernels with AVX2 or more: OpenBLAS knew what it was doing.
bool is_modern(std::string_view kernel) {
  constexpr std::array<std::string_view, 6> modern{"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "Excavator"};
  return std::find(modern.begin(), modern.end(), kernel) != modern.end();
}

/// Kernels for the features of this processor, null where OpenBLAS' own choice is as good.
const char* by_features() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (wide) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

/// "OpenBLAS 0.3.21" of "OpenBLAS 0.3.21 NO_AFFINITY ...".
std::string first_two_words(std::string_view text) {
  const auto end = text.find(' ', std::min(text.size(), text.find(' ') + 1));
  return std::string(text.substr(0, end));
}

/// OpenBLAS reads the variable whenever it sets up its table of kernels.
void take(const char* kernel, Action forget, Action set_up) {
  setenv(kVariable, kernel, 1);
  forget();
  set_up();
  unsetenv(kVariable);
}

BlasKernel choose() {
  const auto name = openblas<Text>("openblas_get_corename");
  const auto library = openblas<Text>("openblas_get_config");
  if (!name || !library) return {};
  BlasKernel kernel;
  kernel.library = first_two_words(library());
  kernel.name = name();
  const char* asked = std::getenv(kVariable);
  kernel.by_user = asked && *asked;
  const char* better = by_features();
  const auto forget = openblas<Action>("gotoblas_dynamic_quit"), set_up = openblas<Action>("gotoblas_dynamic_init");
  if (kernel.by_user || is_modern(kernel.name) || !better || !forget || !set_up) return kernel;
  kernel.instead = kernel.name;
  take(better, forget, set_up);
  kernel.name = name();
  return kernel;
}

}  // namespace

const BlasKernel& choose_blas_kernel() {
  static const BlasKernel kernel = choose();
  return kernel;
}

}  // namespace scree
