/// Incompatible modes of first-order hexahedra: they bend without locking (theory sec. 5.13).
#pragma once

#include "elastic/body.hpp"

namespace scree::elastic {

/// Stiffness of the undeformed body on body.pattern() in which every hexahedron of eight nodes has its nine incompatible parameters
/// condensed (theory eq. 5.29); other elements as in ElasticBody::tangent. Its elements must be filled entirely.
void incompatible_stiffness(const ElasticBody& body, BlockMatrix& K);

}  // namespace scree::elastic
