#include "projections/rows/lists/ranked_index.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

#include <xxhash.h>

#include "projections/rows/lists/ranked_blocks.h"

namespace tilth {
namespace {

constexpr int kLevels = RankedTotals::kLevels;
void append(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>(number | 0x80));
  bytes.push_back(static_cast<char>(number));
}
constexpr std::size_t kMostOfANumber = 10;  // bytes

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

constexpr std::size_t kLaneBytes = sizeof(std::uint64_t), kFingerprintBytes = 2 * kLaneBytes;
static_assert(std::endian::native == std::endian::little);  // fingerprints are stored as they are

void append(std::string& bytes, const Fingerprint& content) {
  std::array<char, kFingerprintBytes> both;
  std::memcpy(both.data(), &content.low, kLaneBytes);
  std::memcpy(both.data() + kLaneBytes, &content.high, kLaneBytes);
  bytes.append(both.data(), both.size());
}

std::uint64_t lane_of(std::string_view bytes) {
  std::uint64_t lane = 0;
  std::memcpy(&lane, bytes.data(), kLaneBytes);
  return lane;
}

void append(std::string& bytes, const RankedCount& count, bool fingerprinted) {
  append(bytes, count.entries);
  if (fingerprinted) append(bytes, count.content);
}

RankedCount decode(std::string_view& bytes, bool fingerprinted) {
  RankedCount count{decode(bytes)};
  if (!fingerprinted || bytes.size() < kFingerprintBytes) return count;
  count.content = {lane_of(bytes), lane_of(bytes.substr(8))};
  bytes.remove_prefix(kFingerprintBytes);
  return count;
}

// The hash of an entry decides about its level, and is part of its fingerprint.
std::uint64_t hash_of(std::string_view entry) { return XXH3_64bits(entry.data(), entry.size()); }

// Seven bits per level: blocks of about 128.
int level_of(std::uint64_t hash) { return (hash & 0x3FFF) == 0 ? 2 : (hash & 0x7F) == 0 ? 1 : 0; }

Fingerprint fingerprint_of(std::uint64_t hash, std::string_view value) {
  const auto both = XXH3_128bits_withSeed(value.data(), value.size(), hash);
  return {both.low64, both.high64};
}

// Of the entries that end a block. Two bits more: runs of about four blocks.
bool ends_run(std::string_view entry) { return (hash_of(entry) & 0x1FF) == 0; }

bool within(const RowCursor& cursor, std::string_view prefix) {
  return cursor.valid() && cursor.key().starts_with(prefix);
}

// Visits at most `count` values. It ends with the prefix, so that no other key is taken for an
// entry where counters count more than there are.
void visit_within(RowCursor& cursor, std::string_view prefix, std::uint64_t count,
                  const RankedIndex::VisitValue& visit) {
  for (; count > 0 && within(cursor, prefix); --count) {
    visit(cursor.value());
    if (count > 1) cursor.next();
  }
}

}  // namespace

std::string ranked_entry(const RankedKey& key) {
  std::string entry;
  entry.reserve(1 + (key.sort ? key.sort->size() : 0) + key.id.size());
  entry += key.sort ? kNotNull : kNull;
  if (key.sort) entry += *key.sort;
  entry += key.id;
  return entry;
}

int ranked_level(std::string_view entry) { return level_of(hash_of(entry)); }

Fingerprint fingerprint_of(std::string_view entry, std::string_view value) {
  return fingerprint_of(hash_of(entry), value);
}

std::string ranked_count(const RankedCount& count, bool fingerprinted) {
  std::string bytes;
  append(bytes, count, fingerprinted);
  return bytes;
}

bool comes_before(const RankedKey& a, const RankedKey& b, Order order) {
  if (a.sort.has_value() != b.sort.has_value()) return a.sort.has_value();
  const auto left = std::tie(a.sort, a.id), right = std::tie(b.sort, b.id);
  return order == Order::kAscending ? left < right : right < left;
}

// The lowest bit of the first number is whether there are fingerprints.
void RankedTotals::append_to(std::string& bytes) const {
  std::size_t most = 2 * kMostOfANumber + kFingerprintBytes;
  for (const auto& level : levels) {
    most += 3 * kMostOfANumber + kFingerprintBytes + level.last.size();
  }
  if (bytes.capacity() - bytes.size() < most) bytes.reserve(bytes.size() + 4 * most);
  append(bytes, all.entries << 1 | (fingerprinted ? 1 : 0));
  append(bytes, nulls);
  if (fingerprinted) append(bytes, all.content);
  for (const auto& level : levels) {
    append(bytes, level.blocks);
    if (level.blocks == 0) continue;
    append(bytes, level.rest, fingerprinted);
    append(bytes, level.last.size());
    bytes.append(level.last);
  }
}

RankedTotals RankedTotals::take_from(std::string_view& bytes) {
  RankedTotals totals;
  const auto first = decode(bytes);
  totals.all.entries = first >> 1;
  totals.fingerprinted = (first & 1) != 0;
  totals.nulls = decode(bytes);
  if (totals.fingerprinted && bytes.size() >= kFingerprintBytes) {
    totals.all.content = {lane_of(bytes), lane_of(bytes.substr(8))};
    bytes.remove_prefix(kFingerprintBytes);
  }
  for (auto& level : totals.levels) {
    level.rest = totals.all;
    level.blocks = decode(bytes);
    if (level.blocks == 0) continue;
    level.rest = decode(bytes, totals.fingerprinted);
    const auto size = decode(bytes);
    level.last = bytes.substr(0, size);
    bytes.remove_prefix(level.last.size());
  }
  return totals;
}

std::string RankedIndex::at(int level, std::string_view entry) const {
  std::string key;
  key.reserve(prefix_.size() + 1 + entry.size());
  key.append(prefix_).append(1, static_cast<char>(kEntries + level)).append(entry);
  return key;
}

// Seeks the first key of a level after `entry`, or the start of the level if that is empty.
void RankedIndex::seek_after(RowCursor& cursor, int level, std::string_view entry) const {
  const auto key = at(level, entry);
  cursor.seek(key);
  if (!entry.empty() && cursor.valid() && cursor.key() == key) cursor.next();
}

RankedCount RankedIndex::one(std::string_view entry, std::string_view value) const {
  RankedCount one{1};
  if (totals_.fingerprinted) one.content = fingerprint_of(entry, value);
  return one;
}

RankedCount RankedIndex::count_in(const RowCursor& cursor) const {
  auto bytes = cursor.value();
  return decode(bytes, totals_.fingerprinted);
}

// Which entries are after `entry` and up to `until`, summed over the keys of a level; up to the
// end if `until` is empty.
RankedCount RankedIndex::count_after(int level, std::string_view entry,
                                     std::string_view until) const {
  const auto cursor = store_.cursor();
  const auto all = at(level, {}), last = at(level, until);
  auto count = until.empty() && level > 0 ? counted(level).rest : RankedCount{};
  for (seek_after(*cursor, level, entry);
       within(*cursor, all) && (until.empty() || cursor->key() <= last); cursor->next()) {
    count +=
        level == 0 ? one(cursor->key().substr(all.size()), cursor->value()) : count_in(*cursor);
  }
  return count;
}

// Changes the count of the block that contains `entry`.
void RankedIndex::add(RowStore& store, int level, std::string_view entry, const RankedCount& more) {
  auto& blocks = counted(level);
  if (blocks.blocks == 0 || entry > blocks.last) {
    blocks.rest += more;
    return;
  }
  const auto cursor = store.cursor();
  cursor->seek(at(level, entry));
  auto count = count_in(*cursor);
  count += more;
  store.put(std::string(cursor->key()), ranked_count(count, totals_.fingerprinted));
}

// `entry` is new, is counted on the levels below and ends a block on this one: splits the block
// that it fell into.
void RankedIndex::begin_block(RowStore& store, int level, std::string_view entry, RankedCount own) {
  auto& blocks = counted(level);
  if (blocks.blocks == 0 || entry > blocks.last) {
    const auto after = count_after(level - 1, entry, {});
    own += blocks.rest;
    own -= after;
    blocks.rest = after;
    blocks.last = entry;
  } else {
    const auto cursor = store.cursor();
    cursor->seek(at(level, entry));
    std::string block(cursor->key());
    const auto before = count_in(*cursor);
    const auto after =
        count_after(level - 1, entry, std::string_view(block).substr(prefix_.size() + 1));
    own += before;
    own -= after;
    store.put(std::move(block), ranked_count(after, totals_.fingerprinted));
  }
  store.put(at(level, entry), ranked_count(own, totals_.fingerprinted));
  ++blocks.blocks;
}

// `entry` was erased and ended a block on this level: the rest of that block joins the next one.
void RankedIndex::join_blocks(RowStore& store, int level, std::string_view entry,
                              const RankedCount& own) {
  auto& blocks = counted(level);
  const auto key = at(level, entry);
  const auto stored = store.get(key).value();
  std::string_view bytes = stored;
  auto left = decode(bytes, totals_.fingerprinted);
  left -= own;
  store.erase(key);
  --blocks.blocks;
  if (entry != blocks.last) return add(store, level, entry, left);
  blocks.rest += left;
  blocks.last.clear();
  if (blocks.blocks == 0) return;
  const auto cursor = store.cursor();
  cursor->seek_for_prev(key);
  blocks.last = cursor->key().substr(prefix_.size() + 1);
}

void RankedIndex::insert(RowStore& store, const RankedKey& key, std::string value) {
  const auto entry = ranked_entry(key);
  const auto hash = hash_of(entry);
  RankedCount own{1};
  if (totals_.fingerprinted) own.content = fingerprint_of(hash, value);
  totals_.all += own;
  if (!key.sort) ++totals_.nulls;
  store.put(at(0, entry), std::move(value));
  const int own_level = level_of(hash);
  for (int level = 1; level <= kLevels; ++level) {
    if (own_level < level) {
      add(store, level, entry, own);
    } else {
      begin_block(store, level, entry, own);
    }
  }
}

void RankedIndex::erase(RowStore& store, const RankedKey& key, std::string_view value) {
  const auto entry = ranked_entry(key);
  const auto own = one(entry, value);
  totals_.all -= own;
  if (!key.sort) --totals_.nulls;
  store.erase(at(0, entry));
  RankedCount less;
  less -= own;
  const int own_level = ranked_level(entry);
  for (int level = 1; level <= kLevels; ++level) {
    if (own_level < level) {
      add(store, level, entry, less);
    } else {
      join_blocks(store, level, entry, own);
    }
  }
}

void RankedIndex::set(RowStore& store, const RankedKey& key, std::string_view old_value,
                      std::string value) {
  const auto entry = ranked_entry(key);
  if (totals_.fingerprinted) {
    auto change = one(entry, value);
    change -= one(entry, old_value);
    totals_.all += change;
    for (int level = 1; level <= kLevels; ++level) add(store, level, entry, change);
  }
  store.put(at(0, entry), std::move(value));
}

// The blocks of a level in what `whole` counts, which begins after the entry `before`.
RankedIndex::Parts RankedIndex::parts(RowCursor& cursor, int level, std::string_view before,
                                      const RankedCount& whole) const {
  const bool can_be_known = known_ != nullptr && totals_.fingerprinted && counted(level).blocks > 0;
  if (!can_be_known) return read_parts(cursor, level, before, whole);
  const ListPartsCache::Key key{whole, level};
  if (auto known = known_->find(key)) return known;
  auto read = read_parts(cursor, level, before, whole);
  known_->keep(key, read);
  return read;
}

RankedIndex::Parts RankedIndex::read_parts(RowCursor& cursor, int level, std::string_view before,
                                           const RankedCount& whole) const {
  const auto parts = std::make_shared<ListParts>();
  const auto all = at(level, {});
  auto left = whole.entries;
  if (counted(level).blocks > 0) seek_after(cursor, level, before);
  for (auto blocks = counted(level).blocks; left > 0 && blocks > 0 && within(cursor, all);
       --blocks) {
    const auto block = count_in(cursor);
    parts->add(block, cursor.key().substr(all.size()));
    left -= std::min(left, block.entries);
    if (left > 0 && blocks > 1) cursor.next();
  }
  if (left > 0) parts->add(counted(level).rest);
  parts->shrink_to_fit();
  return parts;
}

void RankedIndex::for_each_section(RowCursor& cursor, const VisitPart& visit) const {
  if (size() == 0) return;
  const auto sections = parts(cursor, kLevels, {}, totals_.all);
  for (std::size_t i = 0; i < sections->size(); ++i) {
    visit(sections->count(i), i == 0 ? std::string_view() : sections->last(i - 1));
  }
}

void RankedIndex::for_each_run(RowCursor& cursor, std::string_view before,
                               const RankedCount& section, const VisitPart& visit) const {
  const auto blocks = parts(cursor, 1, before, section);
  RankedCount run;
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    run += blocks->count(i);
    const auto last = blocks->last(i);
    if (i + 1 < blocks->size() && !ends_run(last)) continue;
    visit(run, before);
    before = last;
    run = {};
  }
}

void RankedIndex::values_after(RowCursor& cursor, std::string_view before, std::uint64_t count,
                               const VisitValue& visit) const {
  seek_after(cursor, 0, before);
  visit_within(cursor, at(0, {}), count, visit);
}

// The entry before the first block of the lowest level that `passes` does not pass over: it is
// asked for a count and its last entry, of sections first.
template <class Passes>
std::string RankedIndex::block_before(RowCursor& cursor, const Passes& passes) const {
  std::string before;
  const auto pass = [&](const ListParts& parts) {
    std::size_t i = 0;
    while (i + 1 < parts.size() && passes(parts.count(i), parts.last(i))) ++i;
    if (i > 0) before = parts.last(i - 1);
    return i;
  };
  if (size() == 0) return before;
  const auto sections = parts(cursor, kLevels, {}, totals_.all);
  const auto& section = sections->count(pass(*sections));
  pass(*parts(cursor, 1, std::string(before), section));
  return before;
}

void RankedIndex::values_from(RowCursor& cursor, std::uint64_t rank, std::uint64_t count,
                              const VisitValue& visit) const {
  if (count > 0) seek_rank(cursor, rank);
  visit_within(cursor, at(0, {}), count, visit);
}

// Moves the cursor to the entry that has `rank` others before it in ascending order.
void RankedIndex::seek_rank(RowCursor& cursor, std::uint64_t rank) const {
  const auto before = block_before(cursor, [&](const RankedCount& count, std::string_view) {
    if (count.entries > rank) return false;
    rank -= count.entries;
    return true;
  });
  for (seek_after(cursor, 0, before); rank > 0 && cursor.valid(); --rank) cursor.next();
}

// Appends the values of `count` entries, of which that with this rank is the first in `order`.
// Cursors step forwards, since a step back costs several times as much.
void RankedIndex::take(RowCursor& cursor, Order order, std::uint64_t rank, std::uint64_t count,
                       std::vector<std::string>& values) const {
  const auto taken = static_cast<std::ptrdiff_t>(values.size());
  values_from(cursor, order == Order::kAscending ? rank : rank + 1 - count, count,
              [&](std::string_view value) { values.emplace_back(value); });
  if (order == Order::kDescending) std::reverse(values.begin() + taken, values.end());
}

std::vector<std::string> RankedIndex::page(Order order, std::uint64_t offset,
                                           std::uint64_t limit) const {
  std::vector<std::string> values;
  if (offset >= totals_.all.entries) return values;
  limit = std::min(limit, totals_.all.entries - offset);
  values.reserve(limit);
  const auto cursor = store_.cursor();
  if (order == Order::kAscending) {
    take(*cursor, order, offset, limit, values);
    return values;
  }
  const auto known = totals_.all.entries - totals_.nulls;  // nulls come last here, too
  const auto from_known = offset < known ? std::min(limit, known - offset) : 0;
  take(*cursor, order, known - 1 - offset, from_known, values);
  const auto nulls_before = offset + from_known - known;
  take(*cursor, order, totals_.all.entries - 1 - nulls_before, limit - from_known, values);
  return values;
}

// How many entries are before `entry` in ascending order.
std::uint64_t RankedIndex::count_before(std::string_view entry) const {
  const auto cursor = store_.cursor();
  std::uint64_t count = 0;
  const auto before = block_before(*cursor, [&](const RankedCount& block, std::string_view last) {
    if (last >= entry) return false;
    count += block.entries;
    return true;
  });
  const auto all = at(0, {}), end = at(0, entry);
  for (seek_after(*cursor, 0, before); within(*cursor, all) && cursor->key() < end;
       cursor->next()) {
    ++count;
  }
  return count;
}

RankedIndex::Part RankedIndex::part(const std::optional<std::string>& from,
                                    const std::optional<std::string>& until) const {
  const auto first = from ? count_before(kNotNull + *from) : 0;
  const auto end = until ? count_before(kNotNull + *until) : totals_.all.entries - totals_.nulls;
  return {first, std::max(first, end) - first};
}

std::vector<std::string> RankedIndex::page(Order order, std::uint64_t offset, std::uint64_t limit,
                                           const Part& part) const {
  std::vector<std::string> values;
  if (part.count == totals_.all.entries) return page(order, offset, limit);
  if (offset >= part.count) return values;
  const auto rank =
      order == Order::kAscending ? part.first + offset : part.first + part.count - 1 - offset;
  take(*store_.cursor(), order, rank, std::min(limit, part.count - offset), values);
  return values;
}

}  // namespace tilth
