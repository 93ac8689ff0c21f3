#include "projections/bulk_rows.h"

#include <algorithm>

#include "projections/ranked_blocks.h"
#include "projections/ranked_list.h"

namespace tilth {
namespace {

constexpr std::size_t kOverhead = 96;  // of a key in a table, about
constexpr std::size_t kParentBytes = 16;
// To read an entry that is there already costs about so much less than to seek where one belongs.
constexpr std::uint64_t kEntriesOfASeek = 16;

// What stands behind the stream in a key; NUL for keys that are no stream's.
char kind_of(std::string_view key) {
  if (key.starts_with('\1')) return '\0';
  const auto end = key.find('\0');
  return end + 1 < key.size() ? key[end + 1] : '\0';
}

bool is_point(std::string_view key) {
  const char kind = kind_of(key);
  return kind == 'r' || kind == 'v' || kind == 'i';
}

// The part of a list's key up to and with the parent; the whole of a shorter one.
std::string_view parent_part(std::string_view key) {
  const auto stream = key.find('\0');
  const auto table = key.find('\0', stream + 1);
  return table == key.npos ? key : key.substr(0, table + 1 + kParentBytes);
}

}  // namespace

// Over what is walked. Lists are brought up to date where it is sought.
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
    if (is_point(key)) return rows_.spill_points();
    if (kind_of(key) == 'l') rows_.settle_parent(parent_part(key));
  }

  BulkRows& rows_;
  const std::unique_ptr<RowCursor> at_;
};

BulkRows::BulkRows(const RowReader& under) : under_(under), ordered_(under) {}
BulkRows::~BulkRows() = default;

std::optional<std::string> BulkRows::get(std::string_view key) const {
  if (is_point(key) && !points_are_walked_) {
    const auto found = points_.find(std::string(key));
    return found != points_.end() ? found->second : under_.get(key);
  }
  // Bringing a list up to date changes nothing that can be seen.
  if (kind_of(key) == 'l') const_cast<BulkRows*>(this)->settle_list(key);
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

void BulkRows::put(std::string key, std::string value) {
  bytes_ += key.size() + value.size() + kOverhead;
  if (is_point(key) && !points_are_walked_) {
    points_.insert_or_assign(std::move(key), std::move(value));
  } else {
    ordered_.put(std::move(key), std::move(value));
  }
}

void BulkRows::erase(std::string key) {
  bytes_ += key.size() + kOverhead;
  if (is_point(key) && !points_are_walked_) {
    points_.insert_or_assign(std::move(key), std::nullopt);
  } else {
    ordered_.erase(std::move(key));
  }
}

// From now on they are walked, too.
void BulkRows::spill_points() {
  if (points_are_walked_) return;
  for (auto& [key, value] : points_) {
    value ? ordered_.put(key, std::move(*value)) : ordered_.erase(key);
  }
  points_.clear();
  points_are_walked_ = true;
}

BulkRows::List& BulkRows::list_at(const std::string& list) {
  const std::string parent(parent_part(list));
  return lists_[parent][list.substr(parent.size())];
}

void BulkRows::note(const std::string& list, std::size_t sort, Note note) {
  auto& by_sort = list_at(list).by_sort;
  if (by_sort.size() <= sort) by_sort.resize(sort + 1);
  bytes_ += sizeof(Note) + note.entry.size() + note.value.size();
  by_sort[sort].push_back(std::move(note));
}

void BulkRows::insert_entry(const std::string& list, std::size_t sort, const RankedKey& key,
                            const std::string& value) {
  note(list, sort, {ranked_entry(key), What::kInserted, value});
}

void BulkRows::erase_entry(const std::string& list, std::size_t sort, const RankedKey& key) {
  note(list, sort, {ranked_entry(key), What::kErased});
}

void BulkRows::set_entry(const std::string& list, std::size_t sort, const RankedKey& key,
                         const std::string& value) {
  note(list, sort, {ranked_entry(key), What::kSet, value});
}

void BulkRows::settle_list(std::string_view list) {
  const std::string parent(parent_part(list));
  const auto of_parent = lists_.find(parent);
  if (of_parent == lists_.end()) return;
  auto noted = of_parent->second.extract(std::string(list.substr(parent.size())));
  if (of_parent->second.empty()) lists_.erase(of_parent);
  if (!noted.empty()) apply(std::string(list), noted.mapped());
}

void BulkRows::settle_parent(std::string_view parent) {
  if (parent.size() < kParentBytes || parent.find('\0') == parent.npos) return settle_all();
  auto noted = lists_.extract(std::string(parent));
  if (noted.empty()) return;
  for (auto& [rest, list] : noted.mapped()) apply(std::string(parent) + rest, list);
}

void BulkRows::settle_all() {
  for (auto& [parent, lists] : std::exchange(lists_, {})) {
    for (auto& [rest, list] : lists) apply(parent + rest, list);
  }
}

// One change after another, each with its counters.
void BulkRows::apply(const std::string& list, List& notes) {
  RankedList ranked(*this, list);
  for (std::size_t sort = 0; sort < notes.by_sort.size(); ++sort) {
    for (auto& note : notes.by_sort[sort]) {
      const bool null = note.entry.front() == kNull;
      const auto id = note.entry.size() - 16;
      RankedKey key{null ? std::nullopt : std::optional(note.entry.substr(1, id - 1)),
                    note.entry.substr(id)};
      switch (note.what) {
        case What::kInserted:
          ranked.insert(*this, sort, key, std::move(note.value));
          break;
        case What::kErased:
          ranked.erase(*this, sort, key);
          break;
        case What::kSet:
          ranked.set(*this, sort, key, std::move(note.value));
          break;
      }
    }
  }
  ranked.save(*this);
}

// All counters of a list at once, in the order of keys, if that is cheaper. False: nothing was
// done.
bool BulkRows::make_anew(const std::string& list, List& notes, std::vector<Change>& changes) {
  const auto stored = ordered_.get(list);
  std::size_t noted = 0, orders = 0;
  for (const auto& order : notes.by_sort) noted = std::max(noted, order.size());
  if (stored) {
    std::uint64_t entries = 0;
    for (std::string_view rest = *stored; !rest.empty(); ++orders) {
      entries = RankedTotals::take_from(rest).entries;
    }
    if (entries > noted * kEntriesOfASeek) return false;
  }
  notes.by_sort.resize(std::max(orders, notes.by_sort.size()));
  const auto at = changes.size();
  changes.emplace_back(list, std::nullopt);
  std::string totals;
  bool empty = true;
  for (std::size_t sort = 0; sort < notes.by_sort.size(); ++sort) {
    const auto counted = make_order(std::string(list).append(1, static_cast<char>(sort)),
                                    notes.by_sort[sort], !stored, changes);
    counted.append_to(totals);
    empty = empty && counted.entries == 0;
  }
  if (!empty) changes[at].second = std::move(totals);
  return true;
}

// Merges what is there with what is noted, and counts it anew.
RankedTotals BulkRows::make_order(const std::string& order, std::vector<Note>& notes, bool is_new,
                                  std::vector<Change>& changes) {
  std::stable_sort(notes.begin(), notes.end(),
                   [](const Note& a, const Note& b) { return a.entry < b.entry; });
  const auto key_of = [&](int level, std::string_view entry) {
    std::string key;
    key.reserve(order.size() + entry.size() + 1);
    return key.append(order)
        .append(1, static_cast<char>(RankedIndex::kEntries + level))
        .append(entry);
  };
  RankedBlocks blocks;
  std::map<std::string, std::optional<std::string>> counters;
  const auto there = is_new ? nullptr : ordered_.cursor();
  const auto next_of = [&](const std::string& all) -> std::optional<std::string_view> {
    if (!there || !there->valid() || !there->key().starts_with(all)) return std::nullopt;
    return there->key().substr(all.size());
  };
  for (int level = 1; there && level <= static_cast<int>(RankedTotals::kLevels); ++level) {
    const auto all = key_of(level, {});
    for (there->seek(all); next_of(all); there->next()) {
      counters.emplace(there->key(), std::nullopt);  // unless it is counted again
    }
  }
  const auto count = [&](std::string_view entry) {
    blocks.add(entry, [&](int level, std::string_view end, std::string in_block) {
      counters.insert_or_assign(key_of(level, end), std::move(in_block));
    });
  };
  const auto entries = key_of(0, {});
  if (there) there->seek(entries);
  for (std::size_t i = 0; i < notes.size();) {
    std::size_t last = i;
    while (last + 1 < notes.size() && notes[last + 1].entry == notes[i].entry) ++last;
    const auto& entry = notes[i].entry;
    for (auto before = next_of(entries); before && *before < entry; before = next_of(entries)) {
      count(*before);
      there->next();
    }
    if (next_of(entries) == entry) there->next();
    const bool was = notes[i].what != What::kInserted, is = notes[last].what != What::kErased;
    if (is) {
      count(entry);
      changes.emplace_back(key_of(0, entry), std::move(notes[last].value));
    } else if (was) {
      changes.emplace_back(key_of(0, entry), std::nullopt);
    }
    i = last + 1;
  }
  for (auto after = next_of(entries); after; after = next_of(entries)) {
    count(*after);
    there->next();
  }
  for (auto& [key, value] : counters) changes.emplace_back(key, std::move(value));
  return blocks.totals();
}

void BulkRows::take(const Each& each) {
  std::vector<std::pair<std::string, List*>> lists;
  auto noted = std::exchange(lists_, {});
  for (auto& [parent, of_parent] : noted) {
    for (auto& [rest, list] : of_parent) lists.emplace_back(parent + rest, &list);
  }
  std::sort(lists.begin(), lists.end());
  std::vector<Change> of_lists;  // no list's key begins another's, so they follow one another
  for (const auto& [key, list] : lists) {
    if (!make_anew(key, *list, of_lists)) apply(key, *list);
  }
  using Point = std::pair<const std::string, std::optional<std::string>>;
  std::vector<const Point*> points;
  points.reserve(points_.size());
  for (const auto& point : points_) points.push_back(&point);
  std::sort(points.begin(), points.end(),
            [](const Point* a, const Point* b) { return a->first < b->first; });

  // Of two changes of a key that of the list is the newer one; points are apart from both.
  auto walked = ordered_.changes().begin();
  auto point = points.begin();
  const auto walk_before = [&](const std::string* key) {
    const auto& end = ordered_.changes().end();
    while (true) {
      const bool more_walked = walked != end && (key == nullptr || walked->first < *key);
      const bool more_points = point != points.end() && (key == nullptr || (*point)->first < *key);
      if (!more_walked && !more_points) break;
      if (more_walked && (!more_points || walked->first < (*point)->first)) {
        each(walked->first, walked->second);
        ++walked;
      } else {
        each((*point)->first, (*point)->second);
        ++point;
      }
    }
    if (key != nullptr && walked != end && walked->first == *key) ++walked;
  };
  for (const auto& [key, value] : of_lists) {
    walk_before(&key);
    each(key, value);
  }
  walk_before(nullptr);
  bytes_ = 0;
}

}  // namespace tilth
