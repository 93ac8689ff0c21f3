// The rows of one stream: what decisions look up, what events change, what list queries return.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/json/described.h"
#include "events/log/streams.h"
#include "events/values/ids.h"
#include "projections/rows/cascade_step.h"
#include "projections/rows/derived_cache.h"
#include "projections/rows/lists/ranked_list.h"
#include "projections/rows/row_index.h"
#include "projections/rows/row_store.h"

namespace tilth {

// A row as bytes, with its table: what is stored of a response.
struct RowBytes {
  std::string table;
  std::string bytes;
};

// Encodes a row as bytes. Instantiated by row_codec.h in the .cc of each row.
template <class Row>
struct RowCodec {
  static std::string encode(const Row& row);
  static Row decode(std::string_view bytes);  // aborts on bytes that encode() did not make
};

template <class Row>
inline constexpr RowKind kRowKind{Row::kTable, [](std::string_view bytes, IndexPart part) {
                                    return index_of(RowCodec<Row>::decode(bytes), part);
                                  }};

template <class Row>
struct Listed {
  std::vector<Row> rows;
  std::uint64_t total = 0;
};

// A row is a described struct with
//   kTable       its name in every key
//   kSorts       what its lists can be sorted by; a cascade visits children in the first order
//   kFilters     what they can be filtered by
//   id           an Id<Row>
//   parent()     what it is listed under, forever; a Uuid{} if the whole stream is one list
//   index_to()   see RowIndex
//
// Lists and look-ups are derived from the row, so no event can forget one. A removed row is erased.
class Rows {
 public:
  // `stream` has no NUL. The rows are at `version` of it, the expected version of what is decided
  // on them. Without a `cache`, nothing that is derived from them is kept.
  Rows(const RowReader& store, std::string_view stream, std::uint64_t version,
       DerivedCacheView cache = {})
      : store_(store), prefix_(std::string(stream) + '\0'), version_(version), cache_(cache) {}

  std::uint64_t version() const { return version_; }
  std::string_view stream() const {
    return std::string_view(prefix_).substr(0, prefix_.size() - 1);
  }

  // What every owner may read, in the same state. For queries and decisions: evolve() reads its own
  // stream only.
  Rows reference() const { return {store_, kReferenceStream, 0, cache_}; }

  template <class Row>
  std::optional<Row> find(const Id<Row>& id) const {
    const auto bytes = store_.get(row_key(Row::kTable, id.uuid));
    return bytes ? std::optional(RowCodec<Row>::decode(*bytes)) : std::nullopt;
  }

  // Those of them that are there, in the order of the ids: cheaper than one after another.
  template <class Row>
  std::vector<Row> find_all(const std::vector<Id<Row>>& ids) const {
    std::vector<std::string> keys;
    keys.reserve(ids.size());
    for (const auto& id : ids) keys.push_back(row_key(Row::kTable, id.uuid));
    return read_all<Row>(keys);
  }

  std::optional<RowBytes> find_bytes(std::string_view table, const Uuid& id) const;

  // What `derive` makes of a row; null if there is no row. Always use the same `derive` for a
  // table.
  std::shared_ptr<const void> find_derived(std::string_view table, const Uuid& id,
                                           Derive derive) const {
    return cache_.derive(store_, row_key(table, id), derive);
  }

  // The same rows, read through `store`, which passes on what this reads and must outlive the
  // result.
  Rows read_through(const RowReader& store) const { return {store, stream(), version_, cache_}; }

  // What a stream stores besides rows: under own_key(kind) and whatever follows it. `kind` must not
  // be r, u, l or a.
  std::string own_key(char kind) const { return prefix_ + kind; }
  std::optional<std::string> own(const std::string& key) const { return store_.get(key); }
  std::unique_ptr<RowCursor> cursor() const { return store_.cursor(); }
  // As find_derived(), of the value under that key.
  std::shared_ptr<const void> own_derived(const std::string& key, Derive derive) const {
    return cache_.derive(store_, key, derive);
  }

  // The row of `parent` with that unique key.
  template <class Row>
  std::optional<Id<Row>> find_unique(const Uuid& parent, std::string_view key) const {
    const auto id = store_.get(unique_key(Row::kTable, parent, key));
    return id ? std::optional(Id<Row>{Uuid::from_key(*id)}) : std::nullopt;
  }

  template <class Row>
  std::uint64_t count(const Uuid& parent) const {
    return count(Row::kTable, parent);
  }
  std::uint64_t count(std::string_view table, const Uuid& parent) const {
    return RankedList(store_, list_prefix(table, parent, {})).size();
  }

  // Whether the record that `link` names has linked rows.
  bool has_linked(std::string_view table, const Uuid& parent, const ListFilter& link) const;

  // The rows that change by themselves by `at`, the earliest first.
  template <class Row>
  std::vector<Id<Row>> next_to_age(Timestamp at, std::size_t at_most) const {
    std::vector<Id<Row>> ids;
    for (const auto& id : ids_to_age(Row::kTable, at, at_most)) ids.push_back({id});
    return ids;
  }

  // For cascades. Up to `at_most` ids of a parent's rows, or of those that a record links, starting
  // after the key `after`, which becomes the key of the last one.
  std::vector<Uuid> ids_in_list(std::string_view table, const Uuid& parent,
                                const ListFilter& filter, std::string& after,
                                std::size_t at_most) const;

  // The key prefixes of all lists and unique keys of a parent's rows, in key order.
  std::vector<std::string> parent_prefixes(std::string_view table, const Uuid& parent) const;

  // Any page costs about what the first does. With filters, the rows that a record links are read
  // and sorted if there are few, and so are those of a cut; otherwise the list is scanned
  // (list_scan.h).
  template <class Row>
  Listed<Row> list(const Uuid& parent, const Listing& listing) const {
    const auto [keys, total] = list_keys(kRowKind<Row>, parent, listing, Row::kFilters.size());
    return {read_all<Row>(keys), total};
  }

 protected:
  struct Keys {
    std::vector<std::string> rows;
    std::uint64_t total;
  };

  Keys list_keys(const RowKind& kind, const Uuid& parent, const Listing& listing,
                 std::size_t filters_of_a_row) const;
  Keys sort_rows(const RowKind& kind, const std::vector<Uuid>& ids, const Listing& listing) const;
  std::optional<std::vector<Uuid>> few_linked(std::string_view table, const Uuid& parent,
                                              const std::vector<ListFilter>& filters) const;
  std::vector<Uuid> ids_to_age(std::string_view table, Timestamp at, std::size_t at_most) const;

  std::string list_prefix(std::string_view table, const Uuid& parent,
                          const ListFilter& filter) const;
  std::string row_key(std::string_view table, const Uuid& id) const;
  std::string unique_key(std::string_view table, const Uuid& parent, std::string_view key) const;
  std::string age_prefix(std::string_view table) const;
  std::string table_prefix(char kind, std::string_view table, const Uuid& parent) const;

  const RowReader& store_;  // NOLINT: read by MutableRows, too

 private:
  template <class Row>
  std::vector<Row> read_all(const std::vector<std::string>& keys) const {
    std::vector<Row> rows;
    rows.reserve(keys.size());
    for (const auto& bytes : store_.get_many(keys)) {
      if (bytes) rows.push_back(RowCodec<Row>::decode(*bytes));
    }
    return rows;
  }

  std::string prefix_;
  std::uint64_t version_;
  DerivedCacheView cache_;
};

// The row that a path leads to. A path has the Row, its row_id(), and leads_to(): whether the row
// is exactly there.
template <class Path>
std::optional<typename Path::Row> find(const Rows& rows, const Path& at) {
  auto row = rows.find(Id<typename Path::Row>{at.row_id()});
  return row && at.leads_to(*row) ? std::move(row) : std::nullopt;
}

// The path of a request that addresses no record: it is about all that its owner has.
struct WholeStream {
  static constexpr std::string_view kTable = "stream";

  Uuid row_id() const { return {}; }

  template <class Archive>
  void serialize(Archive&) {}
};

inline std::optional<WholeStream> find(const Rows&, const WholeStream& always_there) {
  return always_there;
}

// The rows that evolve() changes.
class MutableRows : public Rows {
 public:
  MutableRows(RowStore& store, std::string_view stream, std::uint64_t version)
      : Rows(store, stream, version), writes_(store) {}

  // What is known of a row's former state: of one that is new, none is looked for.
  enum class Former : std::uint8_t { kMayBeThere, kNone };

  // The first row that an event's evolve() puts is the one that the event is about.
  template <class Row>
  void put(const Row& row, Former former = Former::kMayBeThere) {
    auto bytes = RowCodec<Row>::encode(row);
    if (!first_put_) first_put_ = RowBytes{std::string(Row::kTable), bytes};
    if (writes_.put_row(kRowKind<Row>, row.id.uuid, row.parent(), bytes)) return;
    auto key = row_key(Row::kTable, row.id.uuid);
    const auto old = former == Former::kNone ? std::nullopt : store_.get(key);
    const auto before = old ? std::optional(index_of(RowCodec<Row>::decode(*old))) : std::nullopt;
    const auto after = index_of(row);
    reindex(Row::kTable, row.id.uuid, row.parent(), before ? &*before : nullptr, &after);
    writes_.put(std::move(key), std::move(bytes));
  }

  template <class Row>
  void erase(const Row& row) {
    if (writes_.erase_row(kRowKind<Row>, row.id.uuid, row.parent())) return;
    const auto before = index_of(row);
    reindex(Row::kTable, row.id.uuid, row.parent(), &before, nullptr);
    writes_.erase(row_key(Row::kTable, row.id.uuid));
  }

  // The remaining steps of removals, the next step last.
  std::vector<CascadeStep>& cascade() { return cascade_; }

  // For cascades. Erases a row in place; its lists are erased separately.
  void erase_where_it_lies(std::string_view table, const Uuid& id) {
    writes_.erase(row_key(table, id));
  }

  // For an event that puts no row: the row that its response shows.
  void show(RowBytes row) { first_put_ = std::move(row); }

  RowStore& store() { return writes_; }
  const std::optional<RowBytes>& first_put() const { return first_put_; }

 private:
  void reindex(std::string_view table, const Uuid& id, const Uuid& parent, const RowIndex* before,
               const RowIndex* after);

  void list_uncounted(std::string_view table, const Uuid& id, const Uuid& parent,
                      const RowIndex* before, const RowIndex* after);
  void rank(std::string_view table, const Uuid& id, const Uuid& parent, const RowIndex* before,
            const RowIndex* after);
  std::vector<std::string> link_keys(std::string_view table, const Uuid& id, const Uuid& parent,
                                     const RowIndex* index) const;

  RowStore& writes_;
  std::optional<RowBytes> first_put_;
  std::vector<CascadeStep> cascade_;
};

}  // namespace tilth
