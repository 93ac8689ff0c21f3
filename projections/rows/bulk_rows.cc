#include "projections/rows/bulk_rows.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

namespace tilth {
namespace {

constexpr std::size_t kOfARow = 128;    // bytes in addition to the row's own
constexpr std::size_t kOfAChange = 96;  // in addition to key and value

// Ids end in random bits.
struct IdHash {
  std::size_t operator()(const Uuid& id) const {
    std::size_t hash = 0;
    std::memcpy(&hash, id.bytes.data() + 8, sizeof hash);
    return hash;
  }
};

}  // namespace

struct BulkRows::Parent {
  std::vector<std::pair<Uuid, Row*>> rows;  // all that were ever put
  bool kept_up = false;                     // its lists are in ordered_
};

struct BulkRows::Row {
  std::string bytes;
  Parent* parent = nullptr;
  bool there = false;
  bool followed = false;
};

struct BulkRows::Table {
  const RowKind& kind;
  std::unordered_map<Uuid, Row, IdHash> rows;
  std::unordered_map<Uuid, Parent, IdHash> parents;
};

// Over ordered_. Lists are built when a seek needs them.
class BulkRows::Cursor final : public RowCursor {
 public:
  explicit Cursor(BulkRows& rows) : rows_(rows), at_(rows.ordered_.cursor()) {}
  void seek(std::string_view key) override { prepare(key), at_->seek(key); }
  void seek_for_prev(std::string_view key) override { prepare(key), at_->seek_for_prev(key); }
  void next() override { at_->next(); }
  void prev() override { at_->prev(); }
  bool valid() const override { return at_->valid(); }
  std::string_view key() const override { return at_->key(); }
  std::string_view value() const override { return at_->value(); }

 private:
  void prepare(std::string_view key) {
    const auto parts = row_key_parts(key);
    const auto kind = key.size() > rows_.stream_.size() + 1 ? key[rows_.stream_.size() + 1] : '\0';
    if (parts && kind != kRowKey) return rows_.keep_up(parts->table, parts->of);
    if (parts || kind == kAgeKey || kind == kListKey || kind == kUniqueKey ||
        !key.starts_with(rows_.stream_)) {
      throw std::logic_error("rows that are folded in bulk are not walked");
    }
  }

  BulkRows& rows_;
  const std::unique_ptr<RowCursor> at_;
};

BulkRows::BulkRows(std::string_view stream) : stream_(stream) {}
BulkRows::~BulkRows() = default;

BulkRows::Table* BulkRows::find_table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second.get();
}

BulkRows::Row* BulkRows::find_row(const RowKeyParts& key) const {
  auto* const table = find_table(key.table);
  if (table == nullptr) return nullptr;
  const auto found = table->rows.find(key.of);
  return found == table->rows.end() ? nullptr : &found->second;
}

std::string BulkRows::key_of(char kind, std::string_view table, const Uuid& of) const {
  std::string key;
  key.reserve(stream_.size() + table.size() + 64);
  key.append(stream_).append(1, '\0').append(1, kind).append(table).append(1, '\0');
  return key.append(of.key());
}

std::optional<std::string> BulkRows::get(std::string_view key) const {
  const auto parts = row_key_parts(key);
  if (!parts) return ordered_.get(key);
  if (parts->kind == kRowKey) {
    const auto* const row = find_row(*parts);
    return row != nullptr && row->there ? std::optional(row->bytes) : std::nullopt;
  }
  // Building what follows from the rows has no visible effect.
  const_cast<BulkRows*>(this)->keep_up(parts->table, parts->of);
  return ordered_.get(key);
}

std::vector<std::optional<std::string>> BulkRows::get_many(
    const std::vector<std::string>& keys) const {
  std::vector<std::optional<std::string>> found;
  found.reserve(keys.size());
  for (const auto& key : keys) found.push_back(get(key));
  return found;
}

std::unique_ptr<RowCursor> BulkRows::cursor() const {
  return std::make_unique<Cursor>(const_cast<BulkRows&>(*this));
}

// Of rows, only those of a parent that is kept up get here.
void BulkRows::put(std::string key, std::string value) {
  const auto parts = row_key_parts(key);
  bytes_ += key.size() + value.size() + kOfAChange;
  if (!parts || parts->kind != kRowKey) return ordered_.put(std::move(key), std::move(value));
  auto& row = tables_.at(parts->table)->rows[parts->of];
  row.bytes = std::move(value);
  row.there = true;
}

void BulkRows::erase(std::string key) {
  const auto parts = row_key_parts(key);
  if (!parts || parts->kind != kRowKey) return ordered_.erase(std::move(key));
  if (auto* const row = find_row(*parts)) row->there = false;
}

bool BulkRows::put_row(const RowKind& kind, const Uuid& id, const Uuid& parent,
                       const std::string& bytes) {
  auto& table = tables_[kind.table];
  if (!table) table = std::make_unique<Table>(Table{kind, {}, {}});
  auto& of = table->parents[parent];
  if (of.kept_up) return false;
  auto& row = table->rows[id];
  if (row.parent != &of) {
    row.parent = &of;
    of.rows.emplace_back(id, &row);
    bytes_ += kOfARow;
  }
  bytes_ += bytes.size() - row.bytes.size();
  row.bytes = bytes;
  row.there = true;
  return true;
}

bool BulkRows::erase_row(const RowKind& kind, const Uuid& id, const Uuid& parent) {
  auto* const table = find_table(kind.table);
  if (table == nullptr || table->parents[parent].kept_up) return false;
  if (const auto found = table->rows.find(id); found != table->rows.end()) {
    found->second.there = false;
  }
  return true;
}

// Builds the parent's lists, and adds what else follows from its rows.
ListBuilder BulkRows::follow(Table& table, Parent& parent, Changes& uniques) {
  const auto& [name, index_of] = table.kind;
  ListBuilder lists;
  for (const auto& [id, row] : parent.rows) {
    if (!row->there || row->parent != &parent || std::exchange(row->followed, true)) continue;
    const auto index = index_of(row->bytes);
    for (auto& key : keys_to_age(stream_, name, id, index)) ordered_.put(std::move(key), {});
    if (const auto& unique = index.unique()) {
      uniques.emplace_back(*unique, id.key());
    }
    lists.add(id, index);
  }
  return lists;
}

void BulkRows::keep_up(std::string_view name, const Uuid& of) {
  auto* const table = find_table(name);
  if (table == nullptr) return;
  auto& parent = table->parents[of];
  if (std::exchange(parent.kept_up, true)) return;
  Changes uniques;
  const auto lists = follow(*table, parent, uniques);
  lists.write(key_of(kListKey, name, of), [&](std::string_view key, std::string_view value) {
    put(std::string(key), std::string(value));
  });
  for (auto& [key, id] : uniques) put(key_of(kUniqueKey, name, of) + key, std::move(id));
}

void BulkRows::take(const Each& each) {
  Changes uniques;
  std::vector<std::pair<std::string, ListBuilder>> lists;
  for (const auto& [name, table] : tables_) {
    for (auto& [of, parent] : table->parents) {
      if (parent.kept_up) continue;
      Changes of_parent;
      lists.emplace_back(key_of(kListKey, name, of), follow(*table, parent, of_parent));
      for (auto& [key, id] : of_parent) {
        uniques.emplace_back(key_of(kUniqueKey, name, of) + key, std::move(id));
      }
    }
  }
  std::sort(uniques.begin(), uniques.end());
  std::sort(lists.begin(), lists.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });

  auto next = ordered_.changes().begin();
  const auto end = ordered_.changes().end();
  const auto out = [&](std::string_view key, std::string_view value) {
    for (; next != end && next->first < key; ++next) each(next->first, *next->second);
    each(key, value);
  };
  for (const auto& [key, of_parent] : lists) of_parent.write(key, out);
  for (const auto& [name, table] : tables_) {
    std::vector<std::pair<Uuid, const Row*>> rows;
    rows.reserve(table->rows.size());
    for (const auto& [id, row] : table->rows) {
      if (row.there) rows.emplace_back(id, &row);
    }
    std::sort(rows.begin(), rows.end());
    for (const auto& [id, row] : rows) out(key_of(kRowKey, name, id), row->bytes);
  }
  for (const auto& [key, id] : uniques) out(key, id);
  for (; next != end; ++next) each(next->first, *next->second);
}

}  // namespace tilth
