#include "projections/rows.h"

#include "projections/row_keys.h"

namespace tilth {

// The parent comes first, so that all that is kept under one lies together.
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

}  // namespace tilth
