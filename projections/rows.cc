#include "projections/rows.h"

#include <algorithm>

namespace tilth {
namespace {

constexpr char kRow = 'r', kUnique = 'u', kList = 'l';
constexpr std::size_t kNone = 0xFFFF;  // as a length: no value

void append_length(std::string& out, std::size_t length) {
  out.append(1, static_cast<char>(length >> 8)).append(1, static_cast<char>(length));
}

// An entry of a list holds the row's id and its values of all filters, so that a list that is
// filtered twice need not read the rows.
std::string entry_value(const Uuid& id, const RowIndex& index) {
  std::string value(id.key());
  for (const auto& filter : index.filters()) {
    append_length(value, filter ? filter->size() : kNone);
    if (filter) value.append(*filter);
  }
  return value;
}

bool passes(std::string_view entry, const ListFilter& wanted) {
  entry.remove_prefix(16);
  for (std::size_t i = 0; entry.size() >= 2; ++i) {
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(entry[0]) << 8 |
                                                 static_cast<unsigned char>(entry[1]));
    entry.remove_prefix(2);
    if (i == wanted.filter) return length != kNone && entry.substr(0, length) == wanted.value;
    if (length != kNone) entry.remove_prefix(length);
  }
  return false;
}

// The lists that a row stands in: the whole one, and those of its values.
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

}  // namespace

// The parent comes first, so that all that is kept under one lies together.
std::string Rows::table_prefix(char kind, std::string_view table, const Uuid& parent) const {
  std::string key;
  key.reserve(prefix_.size() + table.size() + 64);
  return key.append(prefix_).append(1, kind).append(table).append(1, '\0').append(parent.key());
}

std::string Rows::row_key(std::string_view table, const Uuid& id) const {
  return table_prefix(kRow, table, id);
}

std::string Rows::unique_key(std::string_view table, const Uuid& parent,
                             std::string_view key) const {
  return table_prefix(kUnique, table, parent).append(key);
}

std::string Rows::list_prefix(std::string_view table, const Uuid& parent, const ListFilter& filter,
                              std::size_t sort) const {
  auto prefix = table_prefix(kList, table, parent);
  prefix.append(1, static_cast<char>(filter.filter));
  append_length(prefix, filter.value.size());
  return prefix.append(filter.value).append(1, static_cast<char>(sort));
}

std::vector<std::string> Rows::parent_prefixes(std::string_view table, const Uuid& parent) const {
  return {table_prefix(kList, table, parent), table_prefix(kUnique, table, parent)};
}

std::optional<RowBytes> Rows::find_bytes(std::string_view table, const Uuid& id) const {
  auto bytes = store_.get(row_key(table, id));
  return bytes ? std::optional(RowBytes{std::string(table), std::move(*bytes)}) : std::nullopt;
}

Rows::Ids Rows::list_ids(std::string_view table, const Uuid& parent, const Listing& listing) const {
  const auto list = [&](const ListFilter& filter) {
    return index(list_prefix(table, parent, filter, listing.sort));
  };
  ListFilter smallest;
  auto size = list(smallest).size();
  for (const auto& filter : listing.filters) {
    const auto its_size = list(filter).size();
    if (its_size <= size) smallest = filter, size = its_size;
  }
  Ids found{{}, 0};
  const auto add = [&](std::string_view value) {
    found.row_keys.push_back(row_key(table, Uuid::from_key(value.substr(0, 16))));
  };
  if (listing.filters.size() <= 1) {
    const auto filter = listing.filters.empty() ? ListFilter{} : listing.filters.front();
    found.total = list(filter).size();
    for (const auto& value : list(filter).page(listing.order, listing.offset, listing.limit)) {
      add(value);
    }
    return found;
  }
  constexpr std::uint64_t kAtOnce = 4'096;
  for (std::uint64_t offset = 0; offset < size; offset += kAtOnce) {
    for (const auto& value : list(smallest).page(listing.order, offset, kAtOnce)) {
      const bool wanted = std::all_of(listing.filters.begin(), listing.filters.end(),
                                      [&](const auto& filter) { return passes(value, filter); });
      if (!wanted) continue;
      const auto rank = found.total++;
      if (rank >= listing.offset && rank - listing.offset < listing.limit) add(value);
    }
  }
  return found;
}

void MutableRows::reindex(std::string_view table, const Uuid& id, const Uuid& parent,
                          const RowIndex* before, const RowIndex* after) {
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
    const bool stays = in(new_lists, list);
    for (std::size_t sort = 0; sort < before->sorts().size(); ++sort) {
      const auto& sorted_by = before->sorts()[sort];
      if (stays && after->sorts()[sort] == sorted_by) continue;
      index(list_prefix(table, parent, list, sort)).erase(writes_, {sorted_by, id_key});
    }
  }
  for (const auto& list : new_lists) {
    const bool stood = in(old_lists, list);
    for (std::size_t sort = 0; sort < after->sorts().size(); ++sort) {
      const auto& sorted_by = after->sorts()[sort];
      auto ranked = index(list_prefix(table, parent, list, sort));
      if (!stood || before->sorts()[sort] != sorted_by) {
        ranked.insert(writes_, {sorted_by, id_key}, new_value);
      } else if (old_value != new_value) {
        ranked.set(writes_, {sorted_by, id_key}, new_value);
      }
    }
  }
  const auto old_unique = before ? before->unique() : std::nullopt;
  const auto new_unique = after ? after->unique() : std::nullopt;
  if (old_unique == new_unique) return;
  if (old_unique) writes_.erase(unique_key(table, parent, *old_unique));
  if (new_unique) writes_.put(unique_key(table, parent, *new_unique), id_key);
}

}  // namespace tilth
