// The events that all kinds of records share: a record was recorded, amended, removed. Each kind
// has its own three events, which define the JSON names of its id and its times.

#pragma once

#include <string_view>

#include "events/json/described.h"
#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth {

// The location of a record that belongs to its owner alone.
struct Nowhere {
  template <class Archive>
  void serialize(Archive&) {}
};

// `Of` is the row, of which events know only the id. `Where` holds the records that it belongs to.
template <class Of, class Where, class Details>
struct Recorded {
  Id<Of> id;
  Where where;
  Details details;
  Timestamp recorded_at = {};

 protected:
  // `more` was decided, not sent in the request.
  template <class Archive, class... More>
  void list(Archive& ar, std::string_view id_name, std::string_view time_name,
            Member<More>... more) {
    ar(member(id_name, id));
    where.serialize(ar);
    details.serialize(ar);
    ar(more..., member(time_name, recorded_at));
  }
};

// Holds the members that the request carried.
template <class Of, template <template <class> class> class Details>
struct Amended {
  Id<Of> id;
  Details<Patch> changes;
  Timestamp amended_at = {};

 protected:
  template <class Archive, class... More>
  void list(Archive& ar, std::string_view id_name, Member<More>... more) {
    ar(member(id_name, id));
    changes.serialize(ar);
    ar(more..., member("amendedAt", amended_at));
  }
};

template <class Of>
struct Removed {
  Id<Of> id;
  Timestamp removed_at = {};

 protected:
  template <class Archive>
  void list(Archive& ar, std::string_view id_name) {
    ar(member(id_name, id), member("removedAt", removed_at));
  }
};

}  // namespace tilth
