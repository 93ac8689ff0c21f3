#include "projections/rows/rows.h"

#include <algorithm>
#include <tuple>

#include "projections/rows/lists/entry_values.h"
#include "projections/rows/lists/list_scan.h"
#include "projections/rows/lists/ranked_blocks.h"
#include "projections/rows/lists/wake_list.h"
#include "projections/rows/row_keys.h"

namespace tilth {
namespace {

constexpr std::uint64_t kAtOnce = 4'096;
// Iterating over this many entries costs about what reading a row does.
constexpr std::uint64_t kEntriesOfARow = 16;
// A list with several conditions is iterated if it has no more entries than these, or than this
// part of all. Otherwise all are scanned, run by run.
constexpr std::uint64_t kMostIterated = 1'024;
constexpr std::uint64_t kPartIterated = 128;

// Whether an entry has the values of all filters, and is within the cut.
bool passes(std::string_view entry, const Listing& listing) {
  entry.remove_prefix(16);
  std::size_t matched = 0;
  std::optional<std::string_view> value;
  for (std::size_t i = 0; !entry.empty(); ++i) {
    value = take_entry_value(entry);
    for (const auto& wanted : listing.filters)
      matched += wanted.filter == i && value == wanted.value;
  }
  if (matched != listing.filters.size()) return false;
  const auto& cut = listing.cut;  // the cut value is the last one
  return !cut ||
         (value && (!cut->from || *value >= *cut->from) && (!cut->until || *value < *cut->until));
}

// The lists that a row is in: the whole one, and those of its values.
std::vector<ListFilter> lists_of(const RowIndex& index) {
  std::vector<ListFilter> lists{ListFilter{}};
  for (std::size_t i = 0; i < index.filters().size(); ++i) {
    if (index.filters()[i]) lists.push_back({i, *index.filters()[i]});
  }
  return lists;
}

bool same(const ListFilter& a, const ListFilter& b) {
  return a.filter == b.filter && a.value == b.value;
}

// Visits the entries of a part that pass, in order.
template <class Visit>
void walk(const RankedIndex& list, const RankedIndex::Part& part, Order order,
          const Listing& listing, Visit visit) {
  for (std::uint64_t offset = 0; offset < part.count; offset += kAtOnce) {
    for (const auto& entry : list.page(order, offset, kAtOnce, part)) {
      if (passes(entry, listing)) visit(entry);
    }
  }
}

}  // namespace

// The parent comes first, so that all that is stored under one is together.
std::string Rows::table_prefix(char kind, std::string_view table, const Uuid& parent) const {
  std::string key;
  key.reserve(prefix_.size() + table.size() + 64);
  return key.append(prefix_).append(1, kind).append(table).append(1, '\0').append(parent.key());
}

std::string Rows::row_key(std::string_view table, const Uuid& id) const {
  return table_prefix(kRowKey, table, id);
}

std::string Rows::unique_key(std::string_view table, const Uuid& parent,
                             std::string_view key) const {
  return table_prefix(kUniqueKey, table, parent).append(key);
}

std::string Rows::list_prefix(std::string_view table, const Uuid& parent,
                              const ListFilter& filter) const {
  auto prefix = table_prefix(kListKey, table, parent);
  append_list(prefix, filter.filter, filter.value);
  return prefix;
}

std::vector<std::string> Rows::parent_prefixes(std::string_view table, const Uuid& parent) const {
  return {table_prefix(kListKey, table, parent), table_prefix(kUniqueKey, table, parent)};
}

std::optional<RowBytes> Rows::find_bytes(std::string_view table, const Uuid& id) const {
  auto bytes = store_.get(row_key(table, id));
  return bytes ? std::optional(RowBytes{std::string(table), std::move(*bytes)}) : std::nullopt;
}

std::string Rows::age_prefix(std::string_view table) const {
  return own_key(kAgeKey).append(table).append(1, '\0');
}

std::vector<Uuid> Rows::ids_in_list(std::string_view table, const Uuid& parent,
                                    const ListFilter& filter, std::string& after,
                                    std::size_t at_most) const {
  std::vector<Uuid> ids;
  const auto entries = RankedList::entries_prefix(list_prefix(table, parent, filter), 0);
  const auto cursor = store_.cursor();
  for (cursor->seek(after.empty() ? entries : after);
       ids.size() < at_most && cursor->valid() && cursor->key().starts_with(entries);
       cursor->next()) {
    if (cursor->key() == after) continue;
    ids.push_back(Uuid::from_key(cursor->value().substr(0, 16)));
    after = cursor->key();
  }
  return ids;
}

std::vector<Uuid> Rows::ids_to_age(std::string_view table, Timestamp at,
                                   std::size_t at_most) const {
  std::vector<Uuid> ids;
  const auto all = age_prefix(table), last = all + at.sort_key();
  const auto cursor = store_.cursor();
  for (cursor->seek(all);
       ids.size() < at_most && cursor->valid() && cursor->key().starts_with(all) &&
       cursor->key().substr(0, last.size()) <= last;
       cursor->next()) {
    ids.push_back(Uuid::from_key(cursor->key().substr(last.size())));
  }
  return ids;
}

std::string entry_value(const Uuid& id, const RowIndex& index) {
  std::string value(id.key());
  for (const auto& filter : index.filters()) append_entry_value(value, filter);
  if (index.can_be_cut()) append_entry_value(value, index.cut());
  return value;
}

std::vector<std::string> keys_to_age(std::string_view stream, std::string_view table,
                                     const Uuid& id, const RowIndex& index) {
  std::vector<std::string> keys;
  const auto& at = index.ages_at();
  if (!at) return keys;
  const auto row = std::string(table).append(1, '\0');
  auto& age = keys.emplace_back(stream);
  age.append(1, '\0').append(1, kAgeKey).append(row).append(*at).append(id.key());
  if (index.wakes()) keys.push_back(wake_key(*at, stream, row + std::string(id.key())));
  return keys;
}

Rows::Keys Rows::list_keys(std::string_view table, const Uuid& parent, const Listing& listing,
                           std::size_t filters_of_a_row, const SortKeyOf& sort_key_of) const {
  const auto list = [&](const ListFilter& filter) {
    return RankedList(store_, list_prefix(table, parent, filter));
  };
  const auto& filters = listing.filters;
  auto smallest = std::make_unique<RankedList>(list(filters.empty() ? ListFilter{} : filters[0]));
  for (std::size_t i = 1; i < filters.size(); ++i) {
    auto other = list(filters[i]);
    if (other.size() <= smallest->size()) smallest = std::make_unique<RankedList>(std::move(other));
  }
  const auto size = smallest->size();
  const auto sorted = smallest->sorted_by(listing.sort);
  RankedIndex::Part part{0, size};
  bool all_pass = filters.size() <= 1;
  const auto& cut = listing.cut;
  const bool sorted_by_cut = cut && cut->sort == listing.sort;
  if (sorted_by_cut) {
    part = sorted.part(cut->from, cut->until);
  } else if (cut) {
    all_pass = false;
    const auto by_cut = smallest->sorted_by(cut->sort);
    const auto cut_out = by_cut.part(cut->from, cut->until);
    const auto rows_cost = cut_out.count * kEntriesOfARow;
    if (rows_cost < size && rows_cost <= kMostIterated * kEntriesOfARow) {
      return sort_rows(table, by_cut, cut_out, listing, sort_key_of);
    }
  }
  if (!all_pass && part.count > kMostIterated) {
    RankedList whole(store_, list_prefix(table, parent, {}));
    const auto all = whole.sorted_by(listing.sort);
    if (all.fingerprinted() && part.count > all.size() / kPartIterated) {
      const auto within =
          sorted_by_cut ? all.part(cut->from, cut->until) : RankedIndex::Part{0, all.size()};
      const ListScan scan(store_, all, within, listing, filters_of_a_row, cache_.list_blocks);
      Keys keys{{}, scan.total()};
      for (const auto& entry : scan.page()) {
        keys.rows.push_back(row_key(table, Uuid::from_key(std::string_view(entry).substr(0, 16))));
      }
      return keys;
    }
  }
  Keys keys{{}, part.count};
  const auto add = [&](std::string_view entry) {
    keys.rows.push_back(row_key(table, Uuid::from_key(entry.substr(0, 16))));
  };
  if (all_pass) {
    for (const auto& entry : sorted.page(listing.order, listing.offset, listing.limit, part)) {
      add(entry);
    }
    return keys;
  }
  keys.total = 0;
  walk(sorted, part, listing.order, listing, [&](std::string_view entry) {
    const auto rank = keys.total++;
    if (rank >= listing.offset && rank - listing.offset < listing.limit) add(entry);
  });
  return keys;
}

// For a small part, reading and sorting its rows is cheaper than iterating over a whole list that
// is already sorted.
Rows::Keys Rows::sort_rows(std::string_view table, const RankedIndex& list,
                           const RankedIndex::Part& part, const Listing& listing,
                           const SortKeyOf& sort_key_of) const {
  std::vector<RankedKey> sorted;
  std::vector<std::string> read;
  const auto take = [&] {
    const auto rows = store_.get_many(read);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i]) sorted.push_back({sort_key_of(*rows[i], listing.sort), read[i]});
    }
    read.clear();
  };
  walk(list, part, Order::kAscending, listing, [&](std::string_view entry) {
    read.push_back(row_key(table, Uuid::from_key(entry.substr(0, 16))));
    if (read.size() == kAtOnce) take();
  });
  take();
  std::sort(sorted.begin(), sorted.end(), [&](const RankedKey& a, const RankedKey& b) {
    return comes_before(a, b, listing.order);
  });
  Keys keys{{}, sorted.size()};
  for (auto i = listing.offset; i < sorted.size() && i - listing.offset < listing.limit; ++i) {
    keys.rows.push_back(std::move(sorted[i].id));
  }
  return keys;
}

void MutableRows::list_uncounted(std::string_view table, const Uuid& id, const Uuid& parent,
                                 const RowIndex* before, const RowIndex* after) {
  const auto list = list_prefix(table, parent, {});
  const auto keys_of = [&](const RowIndex& index) {
    std::vector<std::string> keys;
    for (std::size_t sort = 0; sort < index.sorts().size(); ++sort) {
      keys.push_back(RankedList::entries_prefix(list, sort) +
                     ranked_entry({index.sorts()[sort], std::string(id.key())}));
    }
    return keys;
  };
  if (before) {
    for (auto& key : keys_of(*before)) writes_.erase(std::move(key));
  }
  if (after) {
    for (auto& key : keys_of(*after)) writes_.put(std::move(key), entry_value(id, *after));
  }
}

void MutableRows::reindex(std::string_view table, const Uuid& id, const Uuid& parent,
                          const RowIndex* before, const RowIndex* after) {
  if (const auto& either = before ? *before : *after; !either.counted()) {
    return list_uncounted(table, id, parent, before, after);
  }
  const auto old_lists = before ? lists_of(*before) : std::vector<ListFilter>{};
  const auto new_lists = after ? lists_of(*after) : std::vector<ListFilter>{};
  const std::string id_key(id.key());
  const auto old_value = before ? entry_value(id, *before) : std::string();
  const auto new_value = after ? entry_value(id, *after) : std::string();
  const auto in = [](const std::vector<ListFilter>& lists, const ListFilter& list) {
    return std::any_of(lists.begin(), lists.end(),
                       [&](const auto& each) { return same(each, list); });
  };
  for (const auto& list : old_lists) {
    if (in(new_lists, list)) continue;
    RankedList left(store_, list_prefix(table, parent, list));
    for (std::size_t sort = 0; sort < before->sorts().size(); ++sort) {
      left.erase(writes_, sort, {before->sorts()[sort], id_key}, old_value);
    }
    left.save(writes_);
  }
  for (const auto& list : new_lists) {
    const bool stood = in(old_lists, list);
    const bool fingerprinted = list.filter == ListFilter::kAll && after->fingerprinted();
    RankedList ranked(store_, list_prefix(table, parent, list), fingerprinted);
    bool moved = fingerprinted && old_value != new_value;
    for (std::size_t sort = 0; sort < after->sorts().size(); ++sort) {
      const auto& sorted_by = after->sorts()[sort];
      if (!stood || before->sorts()[sort] != sorted_by) {
        if (stood) ranked.erase(writes_, sort, {before->sorts()[sort], id_key}, old_value);
        ranked.insert(writes_, sort, {sorted_by, id_key}, new_value);
        moved = true;
      } else if (old_value != new_value) {
        ranked.set(writes_, sort, {sorted_by, id_key}, old_value, new_value);
      }
    }
    if (moved) ranked.save(writes_);
  }
  if ((before ? before->ages_at() : std::nullopt) != (after ? after->ages_at() : std::nullopt)) {
    if (before) {
      for (auto& key : keys_to_age(stream(), table, id, *before)) writes_.erase(std::move(key));
    }
    if (after) {
      for (auto& key : keys_to_age(stream(), table, id, *after)) writes_.put(std::move(key), {});
    }
  }
  const auto old_unique = before ? before->unique() : std::nullopt;
  const auto new_unique = after ? after->unique() : std::nullopt;
  if (old_unique == new_unique) return;
  if (old_unique) writes_.erase(unique_key(table, parent, *old_unique));
  if (new_unique) writes_.put(unique_key(table, parent, *new_unique), id_key);
}

}  // namespace tilth
