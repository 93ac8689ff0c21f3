#include "projections/rows/lists/ranked_list.h"

namespace tilth {
namespace {

std::string order_prefix(std::string_view prefix, std::size_t sort) {
  std::string longer;
  longer.reserve(prefix.size() + 2);
  longer.append(prefix).append(1, static_cast<char>(sort));
  return longer;
}

}  // namespace

RankedList::RankedList(const RowReader& store, std::string prefix, bool fingerprinted)
    : store_(store), prefix_(std::move(prefix)), fingerprinted_(fingerprinted) {
  const auto bytes = store_.get(prefix_);
  if (!bytes) return;
  for (std::string_view rest = *bytes; !rest.empty();) {
    totals_.push_back(RankedTotals::take_from(rest));
  }
}

std::string RankedList::entries_prefix(std::string_view prefix, std::size_t sort) {
  return order_prefix(prefix, sort) + RankedIndex::kEntries;
}

RankedIndex RankedList::sorted_by(std::size_t sort, ListPartsCache* known) {
  while (sort >= totals_.size()) totals_.emplace_back().fingerprinted = fingerprinted_;
  return {store_, order_prefix(prefix_, sort), totals_[sort], known};
}

void RankedList::insert(RowStore& store, std::size_t sort, const RankedKey& key,
                        std::string value) {
  sorted_by(sort).insert(store, key, std::move(value));
}

void RankedList::erase(RowStore& store, std::size_t sort, const RankedKey& key,
                       std::string_view value) {
  sorted_by(sort).erase(store, key, value);
}

void RankedList::set(RowStore& store, std::size_t sort, const RankedKey& key,
                     std::string_view old_value, std::string value) {
  sorted_by(sort).set(store, key, old_value, std::move(value));
}

void RankedList::save(RowStore& store) const {
  if (size() == 0) return store.erase(prefix_);
  std::string bytes;
  for (const auto& totals : totals_) totals.append_to(bytes);
  store.put(prefix_, std::move(bytes));
}

}  // namespace tilth
