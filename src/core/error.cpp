#include "core/error.hpp"

namespace scree {

void raise_input(fmt::string_view text, fmt::format_args args) { throw InputError(fmt::vformat(text, args)); }
void raise_file(fmt::string_view text, fmt::format_args args) { throw FileError(fmt::vformat(text, args)); }
void raise_solve(fmt::string_view text, fmt::format_args args) { throw SolveError(fmt::vformat(text, args)); }

}  // namespace scree
