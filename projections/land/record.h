// Where records belong, and entries: the records that are written once.

#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "events/land/location.h"
#include "projections/fold/record_rows.h"
#include "projections/land/block.h"

namespace tilth {

// The location of a record that belongs to one of these.
inline Nowhere where(const WholeStream&) { return {}; }
inline OnFarm where(const Farm& farm) { return {farm.id}; }
inline OnField where(const Field& field) { return {field.farm_id, field.id}; }
inline OnCrop where(const Crop& crop) { return {crop.id, crop.farm_id}; }
inline OnBlock where(const Block& block) { return {block.farm_id, block.field_id, block.id}; }

// A record that is written once and never amended: work, a sample, money. Rows of each kind define
// what they are listed by:
//
//   struct Irrigation : Entry<Irrigation, OnField, IrrigationDetails> {…};
template <class Of, class Where, class Details_>
struct Entry {
  using Details = Details_;

  Id<Of> id;
  Where where;
  Details details;
  Timestamp created_at = {};

  Uuid parent() const { return where.innermost(); }

  template <class Archive>
  void serialize(Archive& ar) {
    ar(member("id", id));
    where.serialize(ar);
    details.serialize(ar);
    ar(member("createdAt", created_at), member("updatedAt", created_at));  // never amended
  }
};

// The path of an entry in a request: under the record that Row::ParentPath leads to.
template <class Row>
struct EntryPath {
  typename Row::ParentPath parent;
  Id<Row> id;

  Uuid row_id() const { return id.uuid; }

  template <class Archive>
  void serialize(Archive& ar) {
    parent.serialize(ar);
    ar(member(Row::kPathId, id));
  }
};

// The entry, if it is exactly there.
template <class Row>
std::optional<Row> find(const Rows& rows, const EntryPath<Row>& at) {
  auto entry = rows.find(at.id);
  const bool there = entry && entry->parent() == at.parent.row_id() && find(rows, at.parent);
  return there ? entry : std::nullopt;
}

template <class Row, class Where, class Details>
Entry<Row, Where, Details> entry_of(const Recorded<Row, Where, Details>& e) {
  return {e.id, e.where, e.details, e.recorded_at};
}

// For entries that show only what was recorded.
template <class Row, class Where, class Details>
requires std::constructible_from<Row, Entry<Row, Where, Details>>
void evolve(MutableRows& rows, const Recorded<Row, Where, Details>& e) {
  rows.put(Row{entry_of(e)});
}

}  // namespace tilth
