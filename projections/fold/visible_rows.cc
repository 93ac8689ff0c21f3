#include "projections/fold/visible_rows.h"

#include <algorithm>
#include <utility>

#include "projections/fold/row_list.h"

namespace tilth {
namespace {

constexpr std::size_t kMostRemembered = 20'000;

std::string_view stream_of(std::string_view key) { return key.substr(0, key.find('\0')); }

std::string key_of(std::string_view stream, char kind, std::string_view table, const Uuid& of) {
  std::string key;
  key.reserve(stream.size() + table.size() + of.key().size() + 3);
  key.append(stream).append(1, '\0').append(1, kind).append(table).append(1, '\0');
  key.append(of.key());
  return key;
}

}  // namespace

std::optional<std::string> VisibleRows::get(std::string_view key) const {
  auto value = rows_->get(key);
  if (value && is_hidden(key, *value)) value.reset();
  return value;
}

std::vector<std::optional<std::string>> VisibleRows::get_many(
    const std::vector<std::string>& keys) const {
  auto values = rows_->get_many(keys);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] && is_hidden(keys[i], *values[i])) values[i].reset();
  }
  return values;
}

bool VisibleRows::is_hidden(std::string_view key, std::string_view value) const {
  const auto stream = swept_->find(stream_of(key));
  if (stream == swept_->end()) return false;
  const auto parts = row_key_parts(key);
  if (!parts) return false;
  const auto above = hidden_below(parts->table);
  if (above.empty()) return false;
  const bool is_row = parts->kind == kRowKey;
  return is_gone(stream, above, is_row ? find_row_type(parts->table)->parent_of(value) : parts->of);
}

// Whether that row was removed, or is hidden. Rows whose parent was never there are not.
bool VisibleRows::is_gone(SweptStreams::const_iterator stream, std::string_view table,
                          const Uuid& id) const {
  const auto key = key_of(stream->first, kRowKey, table, id);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = gone_.find(key); known != gone_.end()) return known->second;
  }
  const auto row = rows_->get(key);
  const bool gone = row ? is_hidden(key, *row) : stream->second.contains(id);
  const std::lock_guard lock(mutex_);
  if (gone_.size() >= kMostRemembered) gone_.clear();
  gone_.emplace(key, gone);
  return gone;
}

void LeftoverGuard::put(std::string key, std::string value) {
  met_leftovers_ = met_leftovers_ || has_leftovers(key);
  rows_.put(std::move(key), std::move(value));
}

bool LeftoverGuard::has_leftovers(std::string_view key) const {
  const auto parts = row_key_parts(key);
  if (!parts || parts->kind != kRowKey) return false;
  if (stored_.get(key)) return !visible_.get(key);
  const auto below = dependents_of(parts->table);
  return std::ranges::any_of(below, [&](const Dependent& each) {
    if (each.link->filter != CascadeStep::kOwnList) return false;
    if (hidden_below(each.type->table).empty()) return false;
    const auto list = key_of(stream_of(key), kListKey, each.type->table, parts->of);
    const auto cursor = stored_.cursor_within(list);
    cursor->seek(list);
    return cursor->valid() && cursor->key().starts_with(list);
  });
}

}  // namespace tilth
