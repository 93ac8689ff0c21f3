#include "projections/rows/bulk_rows.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_set>

#include "projections/rows/id_map.h"
#include "projections/rows/lists/ranked_blocks.h"
#include "projections/rows/lists/ranked_list.h"

namespace tilth {
namespace {

constexpr std::size_t kOfARow = 128;    // bytes in addition to the row's own
constexpr std::size_t kOfAChange = 96;  // in addition to key and value
constexpr std::size_t kBetweenPauses = 256;
constexpr std::size_t kMostListed = 100'000;  // entries of lists to keep, besides the newest list

// When a row ages, and which of its values to sort by are null.
constexpr IndexPart kAgeing{.sort = IndexPart::kNone, .others = false};
// What it is found by, too.
constexpr IndexPart kNoSorts{.sort = IndexPart::kNone};

// The first bytes of an entry after its mark, as a number that sorts as they do.
std::uint64_t first_bytes(std::string_view entry) {
  std::uint64_t number = static_cast<unsigned char>(entry.front()) & 0x3U;
  for (std::size_t i = 1; i < 8; ++i) {
    number = number << 8 | (i < entry.size() ? static_cast<unsigned char>(entry[i]) : 0U);
  }
  return number;
}

}  // namespace

struct BulkRows::Row {
  std::string bytes = {};  // empty: spilled, or erased
  std::uint64_t spilled_at = 0;
  Parent* parent = nullptr;
  std::uint32_t spilled_size = 0;
  bool there = false;
  bool followed = false;
  std::optional<std::uint8_t> nulls = {};  // which of the values to sort by are; once it is known
};

struct BulkRows::Parent {
  std::vector<Entry*> rows = {};  // all that were ever put
  bool kept_up = false;           // its lists are in ordered_
  std::uint64_t puts = 0, erased = 0;
  // By filter and value, once they were read: all that ever had it, some more than once.
  std::map<std::size_t, std::unordered_map<std::string, std::vector<Entry*>>> by_value = {};
  // Once one was read after settle().
  std::unique_ptr<std::unordered_map<std::string, Uuid>> uniques = {};
};

struct BulkRows::Table {
  const RowKind& kind;
  IdMap<Row> rows = {};
  IdMap<Parent> parents = {};
  std::shared_ptr<Ages> ages = {};  // once they were read; rows may since have ceased to age
  std::size_t sorts = 0;            // values that a row is sorted by, once one was read
};

// The key of a list, or of one of its entries.
struct BulkRows::ListKey {
  static std::optional<ListKey> of(const BulkRows& rows, std::string_view key);
  // Whether a row of its parent is in it.
  bool has(const RowIndex& index) const;

  Table* table;
  Parent* parent;
  std::string_view list;  // the key's part that names the list
  std::size_t filter;
  std::string_view value;
  std::string_view order;  // the key's part that names the list and its order; empty: there is none
  std::size_t sort;
  std::string_view entry;
};

// A list in one order.
struct BulkRows::Sorted {
  struct Item {
    std::uint64_t first_bytes;
    std::size_t at;  // in `entries`
    std::uint32_t size;
    Entry* row;
  };

  std::string_view entry(const Item& item) const {
    return std::string_view(entries).substr(item.at, item.size);
  }
  bool before(const Item& item, std::uint64_t first, std::string_view other) const {
    return item.first_bytes != first ? item.first_bytes < first : entry(item) < other;
  }

  std::vector<Item> items;
  std::string entries;
  std::uint64_t erased = 0;  // of the parent, when it was sorted
};

// When the rows of a table next change by themselves.
struct BulkRows::Ages {
  struct Item {
    std::string at;
    Entry* row;
  };
  std::vector<Item> items;  // sorted
  std::size_t first = 0;    // no row before it ages then any more
};

// Over ordered_, over the entries of a list, or over what ages.
class BulkRows::Cursor final : public RowCursor {
 public:
  explicit Cursor(const BulkRows& rows) : rows_(rows), ordered_(rows.ordered_.cursor()) {}

  void seek(std::string_view key) override {
    if (find(key)) return ordered_->seek(key);
    if (ages_) return seek_age();
    if (!sorted_) return;
    at_ = first_not_before(entry_);
    skip_forwards();
  }
  void seek_for_prev(std::string_view key) override {
    if (find(key)) return ordered_->seek_for_prev(key);
    if (!sorted_) return;
    at_ = first_not_before(entry_);
    if (at_ == sorted_->items.size() || sorted_->entry(sorted_->items[at_]) != entry_) --at_;
    skip_backwards();
  }
  void next() override {
    if (in_ordered_) return ordered_->next();
    ++at_;
    ages_ ? skip_aged() : skip_forwards();
  }
  void prev() override {
    if (in_ordered_) return ordered_->prev();
    --at_;
    skip_backwards();
  }
  bool valid() const override {
    if (in_ordered_) return ordered_->valid();
    return ages_ ? at_ < ages_->items.size() : sorted_ && at_ < sorted_->items.size();
  }
  std::string_view key() const override {
    if (in_ordered_) return ordered_->key();
    key_ = prefix_;
    if (ages_) {
      const auto& [at, row] = ages_->items[at_];
      return key_.append(at).append(row->first.key());
    }
    return key_.append(sorted_->entry(sorted_->items[at_]));
  }
  std::string_view value() const override {
    if (in_ordered_) return ordered_->value();
    if (ages_) return {};
    const auto& [id, row] = *sorted_->items[at_].row;
    return value_ = entry_value(id, rows_.index_of(*table_, row, {}));
  }

 private:
  // Returns whether the key is among those in ordered_; if not, finds what it is among.
  bool find(std::string_view key) {
    sorted_.reset(), ages_.reset();
    const auto own = rows_.stream_.size() + 1;
    const char kind = key.size() > own && key.starts_with(rows_.stream_) ? key[own] : '\0';
    if (kind == '\0' || kind == kRowKey) {
      throw std::logic_error("rows that are folded in bulk are not walked");
    }
    in_ordered_ = kind != kListKey && kind != kUniqueKey && kind != kAgeKey;
    if (in_ordered_) return true;
    if (kind == kAgeKey) {
      const auto table = key.substr(own + 1, key.find('\0', own) - own - 1);
      prefix_ = key.substr(0, own + 1 + table.size() + 1);
      entry_ = key.substr(prefix_.size());
      table_ = rows_.find_table(table);
      ages_ = rows_.ages(table);
      return false;
    }
    const auto parts = row_key_parts(key);
    auto* const table = parts ? rows_.find_table(parts->table) : nullptr;
    if (table == nullptr) return false;
    auto* const parent = table->parents.find(parts->of);
    if (parent == nullptr) return false;
    if (parent->second.kept_up) return in_ordered_ = true;
    const auto list = kind == kListKey ? ListKey::of(rows_, key) : std::nullopt;
    if (!list || list->order.empty()) return false;
    prefix_ = list->order;
    entry_ = list->entry;
    table_ = table;
    parent_ = &parent->second;
    sorted_ = rows_.sorted(*list);
    return false;
  }

  std::size_t first_not_before(std::string_view entry) const {
    const auto first = entry.empty() ? 0 : first_bytes(entry);
    const auto& items = sorted_->items;
    const auto found = std::partition_point(
        items.begin(), items.end(),
        [&](const Sorted::Item& item) { return sorted_->before(item, first, entry); });
    return static_cast<std::size_t>(found - items.begin());
  }

  // Rows may have been erased since the list was sorted.
  bool is_there() const {
    if (parent_->erased == sorted_->erased) return true;
    const auto& row = sorted_->items[at_].row->second;
    return row.there && row.parent == parent_;
  }
  void skip_forwards() {
    while (at_ < sorted_->items.size() && !is_there()) ++at_;
  }
  void skip_backwards() {
    while (at_ < sorted_->items.size() && !is_there()) --at_;  // -1 is beyond the end
  }

  void seek_age() {
    at_ = ages_->first;
    skip_aged();
    ages_->first = at_;
    const auto before = [&](const Ages::Item& item) {
      return item.at + std::string(item.row->first.key()) < entry_;
    };
    const auto from = ages_->items.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto found = std::partition_point(from, ages_->items.end(), before);
    at_ = static_cast<std::size_t>(found - ages_->items.begin());
    skip_aged();
  }
  bool ages_then() const {
    const auto& [at, row] = ages_->items[at_];
    return row->second.there && rows_.index_of(*table_, row->second, kAgeing).ages_at() == at;
  }
  void skip_aged() {
    while (at_ < ages_->items.size() && !ages_then()) ++at_;
  }

  const BulkRows& rows_;
  const std::unique_ptr<RowCursor> ordered_;
  bool in_ordered_ = true;
  const Table* table_ = nullptr;
  const Parent* parent_ = nullptr;
  std::shared_ptr<const Sorted> sorted_;
  std::shared_ptr<Ages> ages_;
  std::string prefix_, entry_;
  std::size_t at_ = 0;
  mutable std::string key_, value_;
};

BulkRows::BulkRows(std::string_view stream, Pause pause)
    : stream_(stream), pause_(std::move(pause)) {}
BulkRows::~BulkRows() = default;

std::optional<BulkRows::ListKey> BulkRows::ListKey::of(const BulkRows& rows, std::string_view key) {
  const auto parts = row_key_parts(key);
  auto* const table = parts ? rows.find_table(parts->table) : nullptr;
  if (table == nullptr) return std::nullopt;
  auto* const parent = table->parents.find(parts->of);
  if (parent == nullptr) return std::nullopt;
  const auto filter_at = rows.stream_.size() + 2 + parts->table.size() + 1 + 16;
  const auto value_at = filter_at + 3;
  if (key.size() < value_at) return std::nullopt;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(key[at]));
  };
  const auto sort_at = value_at + (byte(filter_at + 1) << 8 | byte(filter_at + 2));
  if (key.size() < sort_at) return std::nullopt;
  ListKey list{table,
               &parent->second,
               key.substr(0, sort_at),
               byte(filter_at),
               key.substr(value_at, sort_at - value_at),
               {},
               0,
               {}};
  if (key.size() < sort_at + 2 || key[sort_at + 1] != RankedIndex::kEntries) return list;
  list.order = key.substr(0, sort_at + 2);
  list.sort = byte(sort_at);
  list.entry = key.substr(sort_at + 2);
  return list;
}

BulkRows::Table* BulkRows::find_table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second.get();
}

BulkRows::Row* BulkRows::find_row(const RowKeyParts& key) const {
  auto* const table = find_table(key.table);
  if (table == nullptr) return nullptr;
  auto* const found = table->rows.find(key.of);
  return found == nullptr ? nullptr : &found->second;
}

std::string BulkRows::key_of(char kind, std::string_view table, const Uuid& of) const {
  std::string key;
  key.reserve(stream_.size() + table.size() + 64);
  key.append(stream_).append(1, '\0').append(1, kind).append(table).append(1, '\0');
  key.append(of.key());
  return key;
}

// `buffer` may be overwritten.
std::string_view BulkRows::bytes_of(const Row& row, std::string& buffer) const {
  if (!row.bytes.empty() || row.spilled_size == 0) return row.bytes;
  spill_->read(row.spilled_at, row.spilled_size, buffer);
  return buffer;
}

RowIndex BulkRows::index_of(const Table& table, const Row& row, IndexPart part) const {
  std::string buffer;
  return table.kind.index_of(bytes_of(row, buffer), part);
}

// Remembers which of a row's values to sort by are null: a bit for each.
std::uint64_t BulkRows::note_nulls(Table& table, Row& row, const RowIndex& index) {
  const auto& sorts = index.sorts();
  table.sorts = sorts.size();
  std::uint64_t nulls = 0;
  for (std::size_t sort = 0; sort < sorts.size(); ++sort) {
    if (!sorts[sort]) nulls |= std::uint64_t{1} << sort;
  }
  if (sorts.size() <= 8) row.nulls = static_cast<std::uint8_t>(nulls);
  return nulls;
}

void BulkRows::store(Row& row, std::string_view bytes) {
  if (row.bytes.empty()) in_memory_.push_back(&row);
  bytes_ += bytes.size() - row.bytes.size();
  bytes_of_rows_ += bytes.size() - row.bytes.size();
  row.bytes = bytes;
  row.there = true;
  row.nulls.reset();
}

void BulkRows::forget(Row& row) {
  bytes_ -= row.bytes.size();
  bytes_of_rows_ -= row.bytes.size();
  row.bytes = {};
  row.spilled_size = 0;
  row.there = false;
  if (row.parent != nullptr) ++row.parent->erased;
}

Status BulkRows::spill_rows(RowSpill& spill) {
  spill_ = &spill;
  for (auto* const row : std::exchange(in_memory_, {})) {
    if (row->bytes.empty()) continue;  // erased, or here twice
    const auto at = spill.append(row->bytes);
    if (!at) return at.error();
    row->spilled_at = *at;
    row->spilled_size = static_cast<std::uint32_t>(row->bytes.size());
    bytes_ -= row->bytes.size();
    row->bytes = {};
  }
  bytes_of_rows_ = 0;
  return kDone;
}

// Visits those of `entries` that are there.
template <class Visit>
void BulkRows::for_each(const Parent& parent, const std::vector<Entry*>& entries,
                        Visit visit) const {
  std::size_t count = 0;
  for (auto* const entry : entries) {
    if (pause_ && ++count % kBetweenPauses == 0) pause_();
    const auto& row = entry->second;
    if (row.there && row.parent == &parent) visit(*entry);
  }
}

// Visits them with that part of their indexes.
template <class Visit>
void BulkRows::for_each(const Table& table, const Parent& parent,
                        const std::vector<Entry*>& entries, IndexPart part, Visit visit) const {
  std::string buffer;
  for_each(parent, entries, [&](Entry& entry) {
    visit(entry, table.kind.index_of(bytes_of(entry.second, buffer), part));
  });
}

// At least the rows of a list.
const std::vector<BulkRows::Entry*>& BulkRows::members(const ListKey& key) const {
  auto& parent = *key.parent;
  if (key.filter == ListFilter::kAll) return parent.rows;
  auto found = parent.by_value.find(key.filter);
  if (found == parent.by_value.end()) {
    std::unordered_map<std::string, std::vector<Entry*>> by_value;
    const auto add = [&](Entry& entry, const RowIndex& index) {
      if (const auto& value = index.filters().at(key.filter)) by_value[*value].push_back(&entry);
    };
    for_each(*key.table, parent, parent.rows, kNoSorts, add);
    found = parent.by_value.emplace(key.filter, std::move(by_value)).first;
  }
  static const std::vector<Entry*> kNone;
  const auto of_value = found->second.find(std::string(key.value));
  return of_value == found->second.end() ? kNone : of_value->second;
}

bool BulkRows::ListKey::has(const RowIndex& index) const {
  return filter == ListFilter::kAll || index.filters().at(filter) == value;
}

std::shared_ptr<const BulkRows::Sorted> BulkRows::sorted(const ListKey& key) const {
  auto& built = lists_[std::string(key.order)];
  if (built.sorted && built.changes == key.parent->puts) return built.sorted;
  auto all = std::make_shared<Sorted>();
  all->erased = key.parent->erased;
  const auto& entries = members(key);
  all->items.reserve(entries.size());
  const auto add = [&](Entry& row, const RowIndex& index) {
    if (!key.has(index)) return;
    const auto entry = ranked_entry({index.sorts().at(key.sort), std::string(row.first.key())});
    all->items.push_back(
        {first_bytes(entry), all->entries.size(), static_cast<std::uint32_t>(entry.size()), &row});
    all->entries += entry;
  };
  for_each(*key.table, *key.parent, entries,
           {.sort = key.sort, .others = key.filter != ListFilter::kAll}, add);
  std::sort(all->items.begin(), all->items.end(), [&](const auto& a, const auto& b) {
    return all->before(a, b.first_bytes, all->entry(b));
  });
  const auto same = [](const auto& a, const auto& b) { return a.row == b.row; };
  all->items.erase(std::unique(all->items.begin(), all->items.end(), same), all->items.end());
  const auto listed = all->items.size();
  if (listed_ + listed > kMostListed) lists_.clear(), listed_ = 0;
  listed_ += listed;
  lists_[std::string(key.order)] = {key.parent->puts, all, std::nullopt};
  return all;
}

// As a list stores them that has no counters.
std::optional<std::string> BulkRows::totals(const ListKey& key) const {
  const auto built = lists_.find(std::string(key.list));
  const auto changes = key.parent->puts + key.parent->erased;
  if (built != lists_.end() && built->second.changes == changes) return built->second.totals;
  std::vector<RankedTotals> totals;
  const auto count = [&](std::uint64_t nulls) {
    totals.resize(key.table->sorts);
    for (auto& of_order : totals) {
      ++of_order.all.entries;
      of_order.nulls += nulls & 1;
      nulls >>= 1;
    }
  };
  if (key.filter == ListFilter::kAll) {
    for_each(*key.parent, key.parent->rows, [&](Entry& entry) {
      auto& row = entry.second;
      count(row.nulls ? *row.nulls
                      : note_nulls(*key.table, row, index_of(*key.table, row, kAgeing)));
    });
  } else {
    std::unordered_set<const Entry*> seen;  // some are members more than once
    const auto add = [&](Entry& entry, const RowIndex& index) {
      if (!key.has(index) || !seen.insert(&entry).second) return;
      count(note_nulls(*key.table, entry.second, index));
    };
    for_each(*key.table, *key.parent, members(key), kNoSorts, add);
  }
  std::optional<std::string> bytes;
  for (const auto& of_order : totals) of_order.append_to(bytes ? *bytes : bytes.emplace());
  lists_[std::string(key.list)] = {changes, nullptr, bytes};
  return bytes;
}

std::optional<std::string> BulkRows::find_unique(const RowKeyParts& of,
                                                 std::string_view key) const {
  auto* const table = find_table(of.table);
  if (table == nullptr) return std::nullopt;
  auto* const found = table->parents.find(of.of);
  if (found == nullptr) return std::nullopt;
  auto& parent = found->second;
  if (parent.kept_up) return ordered_.get(key);
  if (!parent.uniques) {
    auto uniques = std::make_unique<std::unordered_map<std::string, Uuid>>();
    const auto add = [&](Entry& row, const RowIndex& index) {
      if (index.unique()) uniques->emplace(*index.unique(), row.first);
    };
    for_each(*table, parent, parent.rows, kNoSorts, add);
    parent.uniques = std::move(uniques);
  }
  const auto prefix = key_of(kUniqueKey, of.table, of.of).size();
  const auto id = parent.uniques->find(std::string(key.substr(prefix)));
  return id == parent.uniques->end() ? std::nullopt : std::optional(std::string(id->second.key()));
}

std::shared_ptr<BulkRows::Ages> BulkRows::ages(std::string_view name) const {
  auto* const table = find_table(name);
  if (table == nullptr) return std::make_shared<Ages>();
  if (table->ages) return table->ages;
  auto ages = std::make_shared<Ages>();
  for (auto& [of, parent] : table->parents) {
    for_each(*table, parent, parent.rows, kAgeing, [&](Entry& row, const RowIndex& index) {
      note_nulls(*table, row.second, index);
      if (index.ages_at()) ages->items.push_back({*index.ages_at(), &row});
    });
  }
  std::sort(ages->items.begin(), ages->items.end(), [](const auto& a, const auto& b) {
    return std::tie(a.at, a.row->first) < std::tie(b.at, b.row->first);
  });
  return table->ages = std::move(ages);
}

std::optional<std::string> BulkRows::get(std::string_view key) const {
  const auto parts = row_key_parts(key);
  if (!parts) return ordered_.get(key);
  if (parts->kind == kRowKey) {
    const auto* const row = find_row(*parts);
    if (row == nullptr || !row->there) return std::nullopt;
    std::string buffer;
    return std::string(bytes_of(*row, buffer));
  }
  if (!settled_) {
    keep_up(parts->table, parts->of);
    return ordered_.get(key);
  }
  if (parts->kind == kUniqueKey) return find_unique(*parts, key);
  const auto list = ListKey::of(*this, key);
  if (!list) return std::nullopt;
  return list->parent->kept_up ? ordered_.get(key) : totals(*list);
}

std::vector<std::optional<std::string>> BulkRows::get_many(
    const std::vector<std::string>& keys) const {
  std::vector<std::optional<std::string>> found;
  found.reserve(keys.size());
  for (const auto& key : keys) found.push_back(get(key));
  return found;
}

std::unique_ptr<RowCursor> BulkRows::cursor() const { return std::make_unique<Cursor>(*this); }

// Of rows, only those of a parent that is kept up get here.
void BulkRows::put(std::string key, std::string value) {
  const auto parts = row_key_parts(key);
  if (!parts || parts->kind != kRowKey) return put_other(std::move(key), std::move(value));
  auto& table = *tables_.at(parts->table);
  auto& row = table.rows[parts->of].second;
  store(row, value);
  age(table, row);
}

void BulkRows::put_other(std::string key, std::string value) const {
  bytes_ += key.size() + value.size() + kOfAChange;
  ordered_.put(std::move(key), std::move(value));
}

void BulkRows::erase(std::string key) {
  const auto parts = row_key_parts(key);
  if (!parts || parts->kind != kRowKey) return ordered_.erase(std::move(key));
  if (auto* const row = find_row(*parts)) forget(*row);
}

bool BulkRows::put_row(const RowKind& kind, const Uuid& id, const Uuid& parent,
                       const std::string& bytes) {
  auto& table = tables_[kind.table];
  if (!table) table = std::make_unique<Table>(Table{kind});
  auto& of = table->parents[parent].second;
  auto& entry = table->rows[id];
  auto& row = entry.second;
  if (row.parent != &of) {
    row.parent = &of;
    of.rows.push_back(&entry);
    bytes_ += kOfARow;
  }
  if (of.kept_up) return false;
  ++of.puts;
  of.uniques.reset();
  store(row, bytes);
  age(*table, row);
  if (of.by_value.empty()) return true;
  const auto index = kind.index_of(bytes, kNoSorts);
  for (auto& [filter, by_value] : of.by_value) {
    if (const auto& value = index.filters().at(filter)) by_value[*value].push_back(&entry);
  }
  return true;
}

bool BulkRows::erase_row(const RowKind& kind, const Uuid& id, const Uuid& parent) {
  auto* const table = find_table(kind.table);
  if (table == nullptr || table->parents[parent].second.kept_up) return false;
  if (auto* const found = table->rows.find(id)) forget(found->second);
  return true;
}

// A row that begins to age, or does so at another time, is not among the ages that were built.
void BulkRows::age(Table& table, const Row& row) const {
  if (table.ages && index_of(table, row, kAgeing).ages_at()) table.ages.reset();
}

// Builds the parent's lists, and adds what else follows from its rows.
ListBuilder BulkRows::follow(const Table& table, Parent& parent, Uniques& uniques) const {
  ListBuilder lists;
  const auto& name = table.kind.table;
  for_each(table, parent, parent.rows, {}, [&](Entry& entry, const RowIndex& index) {
    if (std::exchange(entry.second.followed, true)) return;
    for (auto& key : keys_to_age(stream_, name, entry.first, index))
      ordered_.put(std::move(key), {});
    if (index.unique()) uniques.emplace_back(*index.unique(), entry.first.key());
    lists.add(entry.first, index);
  });
  return lists;
}

// Building what follows from the rows has no effect that a reader could see.
void BulkRows::keep_up(std::string_view name, const Uuid& of) const {
  auto* const table = find_table(name);
  if (table == nullptr) return;
  auto& parent = table->parents[of].second;
  if (std::exchange(parent.kept_up, true)) return;
  Uniques uniques;
  const auto lists = follow(*table, parent, uniques);
  lists.write(key_of(kListKey, name, of), [&](std::string_view key, std::string_view value) {
    put_other(std::string(key), std::string(value));
  });
  for (auto& [key, id] : uniques) put_other(key_of(kUniqueKey, name, of) + key, std::move(id));
}

void BulkRows::take(const Each& each) {
  Uniques uniques;
  std::vector<std::pair<std::string, ListBuilder>> lists;
  for (const auto& [name, table] : tables_) {
    for (auto& [of, parent] : table->parents) {
      if (parent.kept_up) continue;
      Uniques of_parent;
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
