#include "projections/ranked_index.h"

#define XXH_INLINE_ALL
#include <algorithm>

#include <xxhash.h>

namespace tilth {
namespace {

// Seven bits a level: blocks of about 128.
int level_of(std::string_view entry) {
  const auto hash = XXH3_64bits(entry.data(), entry.size());
  return (hash & 0x3FFF) == 0 ? 2 : (hash & 0x7F) == 0 ? 1 : 0;
}

constexpr char kNotNull = '\1';
constexpr char kNull = '\2';

std::string entry_of(const RankedKey& key) {
  std::string entry(1, key.sort ? kNotNull : kNull);
  if (key.sort) entry += *key.sort;
  return entry += key.id;
}

std::string encode(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
  return bytes;
}

std::uint64_t decode(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return number;
}

std::uint64_t count_in(const RowCursor& cursor) {
  auto bytes = cursor.value();
  return decode(bytes);
}

bool within(const RowCursor& cursor, std::string_view prefix) {
  return cursor.valid() && cursor.key().starts_with(prefix);
}

}  // namespace

std::string RankedIndex::at(int level, std::string_view entry) const {
  return std::string(prefix_).append(1, static_cast<char>(kEntries + level)).append(entry);
}

RankedIndex::Totals RankedIndex::totals() const {
  Totals totals;
  const auto bytes = store_.get(prefix_ + '\0');
  if (!bytes) return totals;
  std::string_view rest = *bytes;
  totals.entries = decode(rest);
  totals.nulls = decode(rest);
  for (int level = 1; level <= kLevels; ++level) {
    totals.blocks.at(static_cast<std::size_t>(level)) = decode(rest);
  }
  return totals;
}

void RankedIndex::put_totals(RowStore& store, const Totals& totals) const {
  if (totals.entries == 0) return store.erase(prefix_ + '\0');
  auto bytes = encode(totals.entries) + encode(totals.nulls);
  for (int level = 1; level <= kLevels; ++level) {
    bytes += encode(totals.blocks.at(static_cast<std::size_t>(level)));
  }
  store.put(prefix_ + '\0', std::move(bytes));
}

// How many entries lie at or after `entry` in the block of the level above it, whose own counter
// must not be there yet.
std::uint64_t RankedIndex::count_from(RowCursor& cursor, int level, std::string_view entry) const {
  const auto above = at(level + 1, {});
  cursor.seek(at(level + 1, entry));
  std::string end = at(level, {});
  if (within(cursor, above)) {
    end += cursor.key().substr(above.size());
  } else {
    end.back() = static_cast<char>(end.back() + 1);
  }
  std::uint64_t count = 0;
  for (cursor.seek(at(level, entry)); cursor.valid() && cursor.key() < end; cursor.next()) {
    count += level == 0 ? 1 : count_in(cursor);
  }
  return count;
}

void RankedIndex::insert(RowStore& store, const RankedKey& key, std::string value) {
  const auto entry = entry_of(key);
  auto totals = this->totals();
  ++totals.entries;
  if (!key.sort) ++totals.nulls;
  store.put(at(0, entry), std::move(value));
  const int own_level = level_of(entry);
  const auto cursor =
      own_level > 0 || totals.blocks[1] > 0 ? store.cursor() : std::unique_ptr<RowCursor>();
  for (int level = 1; level <= kLevels; ++level) {
    auto& blocks = totals.blocks.at(static_cast<std::size_t>(level));
    if (blocks == 0 && own_level < level) continue;
    std::uint64_t before = totals.entries - 1;  // in the block that the entry falls into
    std::string block = at(level, {});          // the first one begins before everything
    if (blocks > 0) {
      cursor->seek_for_prev(at(level, entry));
      block = cursor->key();
      before = count_in(*cursor);
    }
    if (own_level < level) {
      store.put(block, encode(before + 1));
    } else {
      const auto own = count_from(*cursor, level - 1, entry);
      store.put(block, encode(before + 1 - own));
      store.put(at(level, entry), encode(own));
      ++blocks;
    }
  }
  put_totals(store, totals);
}

void RankedIndex::erase(RowStore& store, const RankedKey& key) {
  const auto entry = entry_of(key);
  auto totals = this->totals();
  --totals.entries;
  if (!key.sort) --totals.nulls;
  store.erase(at(0, entry));
  const int own_level = level_of(entry);
  const auto cursor = totals.blocks[1] > 0 ? store.cursor() : std::unique_ptr<RowCursor>();
  for (int level = 1; level <= kLevels; ++level) {
    auto& blocks = totals.blocks.at(static_cast<std::size_t>(level));
    if (blocks == 0) continue;
    std::uint64_t own = 0;
    cursor->seek_for_prev(at(level, entry));
    if (own_level >= level) {
      own = count_in(*cursor);
      cursor->prev();
    }
    const std::string block(cursor->key());
    const auto count = count_in(*cursor) + own - 1;
    if (own_level >= level) {
      store.erase(at(level, entry));
      --blocks;
    }
    if (blocks == 0) {
      store.erase(block);
    } else {
      store.put(block, encode(count));
    }
  }
  put_totals(store, totals);
}

void RankedIndex::set(RowStore& store, const RankedKey& key, std::string value) {
  store.put(at(0, entry_of(key)), std::move(value));
}

// Puts the cursor on the entry that has `rank` others before it in ascending order.
void RankedIndex::seek_rank(RowCursor& cursor, const Totals& totals, std::uint64_t rank) const {
  std::string block;
  for (int level = kLevels; level >= 1; --level) {
    if (totals.blocks.at(static_cast<std::size_t>(level)) == 0) continue;
    for (cursor.seek(at(level, block)); count_in(cursor) <= rank; cursor.next()) {
      rank -= count_in(cursor);
    }
    block = cursor.key().substr(prefix_.size() + 1);
  }
  for (cursor.seek(at(0, block)); rank > 0; --rank) cursor.next();
}

void RankedIndex::take(RowCursor& cursor, const Totals& totals, Order order, std::uint64_t rank,
                       std::uint64_t count, std::vector<std::string>& values) const {
  if (count == 0) return;
  seek_rank(cursor, totals, rank);
  for (; count > 0; --count) {
    values.emplace_back(cursor.value());
    if (count > 1) order == Order::kAscending ? cursor.next() : cursor.prev();
  }
}

std::vector<std::string> RankedIndex::page(Order order, std::uint64_t offset,
                                           std::uint64_t limit) const {
  std::vector<std::string> values;
  const auto totals = this->totals();
  if (offset >= totals.entries) return values;
  limit = std::min(limit, totals.entries - offset);
  values.reserve(limit);
  const auto cursor = store_.cursor();
  if (order == Order::kAscending) {
    take(*cursor, totals, order, offset, limit, values);
    return values;
  }
  const auto known = totals.entries - totals.nulls;  // nulls come last here, too
  const auto from_known = offset < known ? std::min(limit, known - offset) : 0;
  take(*cursor, totals, order, known - 1 - offset, from_known, values);
  const auto nulls_before = offset + from_known - known;
  take(*cursor, totals, order, totals.entries - 1 - nulls_before, limit - from_known, values);
  return values;
}

void RankedIndex::each(const std::function<bool(std::string_view value)>& visit) const {
  const auto entries = at(0, {});
  const auto cursor = store_.cursor();
  for (cursor->seek(entries); within(*cursor, entries) && visit(cursor->value()); cursor->next()) {
  }
}

}  // namespace tilth
