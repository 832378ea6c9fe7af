/// Contacts as the step sees them: geometry, material and what is remembered from step to step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "assembly/sides.hpp"
#include "collision/contact_point.hpp"
#include "core/rotation.hpp"
#include "core/vec.hpp"
#include "model/model.hpp"

namespace scree::assembly {

/// One contact point in the current step. Impulses and velocities are in its frame (N, T1, T2).
struct Contact {
  collision::ContactPoint point;
  int index_a = -1, index_b = -1;  ///< places of the two bodies in model::Bodies
  int grip_a = -1, grip_b = -1;    ///< on deformable bodies (assembly::Grips)
  int material = -1;               ///< surface material index, -1 for the built-in
  bool cohesive = false;           ///< still bonded
  bool seen = false;               ///< in the last step too
  std::int8_t across = -1;         ///< axis normal to the plane in which the two bodies move, -1: none
  bool yields = false;             ///< its overlap is left, since joints leave no room to drive it out
  Vec3 arm_a = Vec3::Zero(), arm_b = Vec3::Zero();        ///< from what a rigid side turns about to the point, m: mass centre, pivot of an obstacle
  Vec3 travel_a = Vec3::Zero(), travel_b = Vec3::Zero();  ///< change of the arms since the last step, m; zero for a new contact
  double bond = 0.0;               ///< impulse the bond can pull with in this step, N s
  Vec3 R = Vec3::Zero();           ///< impulse on body b, N s; guess before the solve, answer after it
  Vec3 R_last = Vec3::Zero();      ///< the impulse in the last step, N s, and by how much it was more than in the step before that
  Vec3 trend = Vec3::Zero();
  Vec3 U_old = Vec3::Zero();       ///< relative velocity at the start of the step, m/s
  Vec3 U = Vec3::Zero();           ///< and at its end

  /// Whether neither side deforms.
  [[nodiscard]] bool rigid() const { return grip_a < 0 && grip_b < 0; }
  /// Rows N, T1, T2. Made anew from the normal where it is needed: there are many contacts.
  [[nodiscard]] Mat3 frame() const { return across < 0 ? frame_from_normal(point.normal) : frame_in_plane(point.normal, across); }
};

/// The two sides of a contact.
[[nodiscard]] inline Side side_a(const Contact& contact) { return {contact.index_a, contact.grip_a, contact.point.point}; }
[[nodiscard]] inline Side side_b(const Contact& contact) { return {contact.index_b, contact.grip_b, contact.point.point}; }

/// A constraint of the user in a step: where it acts and how strongly.
struct Reaction {
  Vec3 impulse = Vec3::Zero();      ///< R over the step in (N, T1, T2), N s
  Mat3 frame = Mat3::Identity();    ///< rows N, T1, T2
  std::array<Vec3, 2> place{Vec3::Zero(), Vec3::Zero()};  ///< spatial points, m
};

/// What outlives a step: impulse and arms (spatial, so that frames may change) and bond of every contact,
/// addressed by bodies and feature. Sorted like the contacts.
struct ContactMemory {
  struct Entry {
    int body_a, body_b;
    std::uint64_t feature;
    Vec3 impulse;   ///< spatial, N s
    Vec3 trend;     ///< by how much it was more than in the step before, spatial, N s; zero of a contact new then
    Vec3 arm_a, arm_b;
    bool cohesive;
    bool yields;
  };

  /// Copy remembered impulses and their trend (scaled by `step_ratio`, new step over old one), bonds and the arms' travel (scaled where the step is
  /// shorter) into contacts; a contact not seen before starts with none. Both sides must be sorted by (body_a, body_b).
  void recall(std::vector<Contact>& contacts, double step_ratio) const;
  /// Forget everything and remember these.
  void store(const std::vector<Contact>& contacts);
  /// Forget the contacts of a body.
  void forget(int body);

  std::vector<Entry> entries;
};

}  // namespace scree::assembly
