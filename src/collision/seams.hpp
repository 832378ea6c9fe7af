/// Contacts at seams: where pieces of one body, or several fixed bodies, join into one surface, the edges and side
/// faces along the joint are not there for what slides across.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/contact_point.hpp"
#include "collision/piece_store.hpp"

namespace scree::collision {

enum class SeamVerdict : std::uint8_t { sound, leaning, inside };

/// Buffers kept from call to call.
struct SeamScratch {
  struct Side {
    int own = 0;    ///< the piece that slides
    int group = 0;  ///< the joined pieces: a moving body, or all fixed ones
    int other = 0;  ///< the touched piece of the group
    int first = 0, last = 0;  ///< its points
    bool own_is_a = true;
    SeamVerdict verdict = SeamVerdict::sound;
  };
  std::vector<Side> sides;
  std::vector<std::uint8_t> removed;
};

/// Drop the points of a pair (piece P, polyhedron Q) that another polyhedron R touched by P and joined to Q makes
/// void. With m the normal from Q to P at the point x:
///  - P is curved: void when R holds x too and reaches farther along m, since x is then not the nearest
///    point of the joint surface;
///  - P is a polyhedron: void when R holds x and the face of R at x looks against m, so that the two
///    pieces meet head on and the face of Q at x is inside the body, unless that face goes on in the open where P leaves
///    R (the floor beside a wall that stands on it); or when R continues a face of Q beyond the
///    edge at x and m leans towards R. If all points lean, the first is turned to the face's normal.
/// `contacts` is sorted by (body_a, body_b, piece_a, piece_b) and stays so.
void drop_seam_contacts(const PieceStore& store, std::vector<ContactPoint>& contacts, SeamScratch& scratch);

}  // namespace scree::collision
