// An entry as a row – what is written down once of work, samples or money –, and how one points at
// it. Rows of each kind say what they are listed by:
//
//   struct Irrigation : Entry<Irrigation, OnField, IrrigationDetails> {…};

#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "events/entry.h"
#include "events/result.h"
#include "projections/block.h"

namespace tilth {

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

// As which an entry is written down that was recorded on one of these.
inline OnFarm where(const Farm& farm) { return {farm.id}; }
inline OnField where(const Field& field) { return {field.farm_id, field.id}; }
inline OnCrop where(const Crop& crop) { return {crop.id, crop.farm_id}; }
inline OnBlock where(const Block& block) { return {block.farm_id, block.field_id, block.id}; }

// Where a request says that an entry is: on what Row::Parent points at.
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

// The entry, if it is just there.
template <class Row>
std::optional<Row> find(const Rows& rows, const EntryPath<Row>& at) {
  auto entry = rows.find(at.id);
  const bool there = entry && entry->parent() == at.parent.row_id() && find(rows, at.parent);
  return there ? entry : std::nullopt;
}

template <class Row>
Error there_is_no() {
  std::string noun(Row::kTable);
  std::replace(noun.begin(), noun.end(), '_', ' ');
  return {ErrorCode::kNotFound, "There is no such " + noun + "."};
}

template <class Row, class Where, class Details>
Entry<Row, Where, Details> entry_of(const EntryRecorded<Row, Where, Details>& e) {
  return {e.id, e.where, e.details, e.recorded_at};
}

template <class Row>
void erase(MutableRows& rows, const EntryRemoved<Row>& e) {
  const auto entry = rows.find(e.id);
  if (entry) rows.erase(*entry);
}

}  // namespace tilth
