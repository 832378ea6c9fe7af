#include "collision/pair_rules.hpp"

namespace scree::collision {

namespace {

std::array<int, 4> piece_key(int id_a, int local_a, int id_b, int local_b) {
  if (std::pair{id_a, local_a} <= std::pair{id_b, local_b}) return {id_a, local_a, id_b, local_b};
  return {id_b, local_b, id_a, local_a};
}

}  // namespace

void PairRules::exclude_pieces(int id_a, int local_a, int id_b, int local_b) {
  pieces_.insert(piece_key(id_a, local_a, id_b, local_b));
}

void PairRules::forget_body(int id) {
  std::erase_if(bodies_, [id](const auto& pair) { return pair.first == id || pair.second == id; });
  std::erase_if(pieces_, [id](const auto& key) { return key[0] == id || key[2] == id; });
}

bool PairRules::listed(const PieceStore& store, int a, int b) const {
  const int id_a = store.body(store.slot_of(a)).id, id_b = store.body(store.slot_of(b)).id;
  if (bodies_.count(ordered(id_a, id_b))) return true;
  return !pieces_.empty() && pieces_.count(piece_key(id_a, store.local(a), id_b, store.local(b))) > 0;
}

}  // namespace scree::collision
