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
// At most this many rows are read and sorted for a page: those of a cut, or those of a link.
constexpr std::uint64_t kMostReadOfACut = 1'024;
constexpr std::size_t kMostReadOfALink = 256;
// A part with several conditions is iterated if it has no more entries than these.
constexpr std::uint64_t kMostIterated = 128;

bool within(const ListCut& cut, const std::optional<std::string_view>& value) {
  return value && (!cut.from || *value >= *cut.from) && (!cut.until || *value < *cut.until);
}

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
  return !listing.cut || within(*listing.cut, value);  // the cut value is the last one
}

bool passes(const RowIndex& row, const Listing& listing) {
  const auto has = [&](const ListFilter& wanted) {
    return row.filters().at(wanted.filter) == wanted.value;
  };
  if (!std::ranges::all_of(listing.filters, has)) return false;
  return !listing.cut || within(*listing.cut, row.cut());
}

Uuid id_of(std::string_view entry) { return Uuid::from_key(entry.substr(0, 16)); }

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
  key.append(prefix_).append(1, kind).append(table).append(1, '\0').append(parent.key());
  return key;
}

std::string Rows::row_key(std::string_view table, const Uuid& id) const {
  return table_prefix(kRowKey, table, id);
}

std::string Rows::unique_key(std::string_view table, const Uuid& parent,
                             std::string_view key) const {
  auto unique = table_prefix(kUniqueKey, table, parent);
  unique.append(key);
  return unique;
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
  auto prefix = own_key(kAgeKey);
  prefix.append(table).append(1, '\0');
  return prefix;
}

std::vector<Uuid> Rows::ids_in_list(std::string_view table, const Uuid& parent,
                                    const ListFilter& filter, std::string& after,
                                    std::size_t at_most) const {
  std::vector<Uuid> ids;
  const auto entries = RankedList::entries_prefix(list_prefix(table, parent, filter), 0);
  const auto cursor = store_.cursor_within(entries);
  for (cursor->seek(after.empty() ? entries : after);
       ids.size() < at_most && cursor->valid() && cursor->key().starts_with(entries);
       cursor->next()) {
    if (cursor->key() == after) continue;
    after = cursor->key();
    ids.push_back(Uuid::from_key(std::string_view(after).substr(after.size() - 16)));
  }
  return ids;
}

bool Rows::has_linked(std::string_view table, const Uuid& parent, const ListFilter& link) const {
  std::string after;
  return !ids_in_list(table, parent, link, after, 1).empty();
}

// The rows that one of the links leads to, if there are few.
std::optional<std::vector<Uuid>> Rows::few_linked(std::string_view table, const Uuid& parent,
                                                  const std::vector<ListFilter>& filters) const {
  for (const auto& filter : filters) {
    if (!filter.is_link) continue;
    std::string after;
    auto ids = ids_in_list(table, parent, filter, after, kMostReadOfALink + 1);
    if (ids.size() <= kMostReadOfALink) return ids;
  }
  return std::nullopt;
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

Rows::Keys Rows::list_keys(const RowKind& kind, const Uuid& parent, const Listing& listing,
                           std::size_t filters_of_a_row) const {
  const auto& cut = listing.cut;
  const bool sorted_by_cut = cut && cut->sort == listing.sort;
  const bool all_pass = listing.filters.empty() && (!cut || sorted_by_cut);
  if (const auto few = few_linked(kind.table, parent, listing.filters)) {
    return sort_rows(kind, *few, listing);
  }

  // Entries that are sorted when they are read, as in BulkRows, are there by value, too. Others are
  // fingerprinted if there are filters.
  RankedList whole(store_, list_prefix(kind.table, parent, {}));
  const bool by_value = !listing.filters.empty() && !whole.sorted_by(listing.sort).fingerprinted();
  auto list = by_value ? RankedList(store_, list_prefix(kind.table, parent, listing.filters[0]))
                       : std::move(whole);
  auto* const known = cache_.scanned != nullptr ? &cache_.scanned->parts : nullptr;
  const auto sorted = list.sorted_by(listing.sort, known);
  const auto part =
      sorted_by_cut ? sorted.part(cut->from, cut->until) : RankedIndex::Part{0, list.size()};
  if (cut && !sorted_by_cut) {
    const auto by_cut = list.sorted_by(cut->sort, known);
    const auto cut_out = by_cut.part(cut->from, cut->until);
    if (cut_out.count <= kMostReadOfACut && cut_out.count * kEntriesOfARow < list.size()) {
      std::vector<Uuid> ids;
      walk(by_cut, cut_out, Order::kAscending, listing,
           [&](std::string_view entry) { ids.push_back(id_of(entry)); });
      return sort_rows(kind, ids, listing);
    }
  }

  Keys keys{{}, part.count};
  const auto add = [&](std::string_view entry) {
    keys.rows.push_back(row_key(kind.table, id_of(entry)));
  };
  if (all_pass) {
    for (const auto& entry : sorted.page(listing.order, listing.offset, listing.limit, part)) {
      add(entry);
    }
  } else if (sorted.fingerprinted() && part.count > kMostIterated) {
    const ListScan scan(store_, sorted, part, listing, filters_of_a_row, cache_.scanned);
    keys.total = scan.total();
    for (const auto& entry : scan.page()) add(entry);
  } else {
    keys.total = 0;
    walk(sorted, part, listing.order, listing, [&](std::string_view entry) {
      const auto rank = keys.total++;
      if (rank >= listing.offset && rank - listing.offset < listing.limit) add(entry);
    });
  }
  return keys;
}

// For a few rows, reading and sorting them is cheaper than scanning a list that is already sorted.
Rows::Keys Rows::sort_rows(const RowKind& kind, const std::vector<Uuid>& ids,
                           const Listing& listing) const {
  std::vector<std::string> read;
  read.reserve(ids.size());
  for (const auto& id : ids) read.push_back(row_key(kind.table, id));
  const auto rows = store_.get_many(read);
  std::vector<std::pair<RankedKey, std::size_t>> sorted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    const auto row = kind.index_of(*rows[i], {});
    if (!passes(row, listing)) continue;
    sorted.emplace_back(RankedKey{row.sorts().at(listing.sort), std::string(ids[i].key())}, i);
  }
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return comes_before(a.first, b.first, listing.order);
  });
  Keys keys{{}, sorted.size()};
  for (auto i = listing.offset; i < sorted.size() && i - listing.offset < listing.limit; ++i) {
    keys.rows.push_back(std::move(read[sorted[i].second]));
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

// Changes the list of all rows of a parent.
void MutableRows::rank(std::string_view table, const Uuid& id, const Uuid& parent,
                       const RowIndex* before, const RowIndex* after) {
  const auto& either = before ? *before : *after;
  const auto old_value = before ? entry_value(id, *before) : std::string();
  const auto new_value = after ? entry_value(id, *after) : std::string();
  const bool same_value = before && after && old_value == new_value;
  if (same_value && before->sorts() == after->sorts()) return;

  RankedList list(store_, list_prefix(table, parent, {}), either.fingerprinted());
  RankedKey key{{}, std::string(id.key())};  // of one order after the other
  const auto key_in = [&](const RowIndex& index, std::size_t sort) -> const RankedKey& {
    key.sort = index.sorts()[sort];
    return key;
  };
  for (std::size_t sort = 0; sort < either.sorts().size(); ++sort) {
    const bool stays = before && after && before->sorts()[sort] == after->sorts()[sort];
    if (!stays) {
      if (before) list.erase(writes_, sort, key_in(*before, sort), old_value);
      if (after) list.insert(writes_, sort, key_in(*after, sort), new_value);
    } else if (!same_value) {
      list.set(writes_, sort, key_in(*after, sort), old_value, new_value);
    }
  }
  list.save(writes_);
}

// The keys under which the records that a row names find it, in the first order of its list.
std::vector<std::string> MutableRows::link_keys(std::string_view table, const Uuid& id,
                                                const Uuid& parent, const RowIndex* index) const {
  std::vector<std::string> keys;
  if (!index || index->links().empty()) return keys;
  const auto entry = ranked_entry({index->sorts().front(), std::string(id.key())});
  for (const auto filter : index->links()) {
    const auto list = list_prefix(table, parent, {filter, *index->filters()[filter]});
    keys.push_back(RankedList::entries_prefix(list, 0) + entry);
  }
  return keys;
}

void MutableRows::reindex(std::string_view table, const Uuid& id, const Uuid& parent,
                          const RowIndex* before, const RowIndex* after) {
  const auto& either = before ? *before : *after;
  if (!either.counted()) return list_uncounted(table, id, parent, before, after);
  if (!either.sorts().empty()) {
    rank(table, id, parent, before, after);
    auto old_links = link_keys(table, id, parent, before);
    auto new_links = link_keys(table, id, parent, after);
    if (old_links != new_links) {
      for (auto& key : old_links) writes_.erase(std::move(key));
      for (auto& key : new_links) writes_.put(std::move(key), {});
    }
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
  if (new_unique) writes_.put(unique_key(table, parent, *new_unique), std::string(id.key()));
}

}  // namespace tilth
