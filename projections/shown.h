// How a row is shown to whoever asks for it, and the mark by which two showings are told apart.

#pragma once

#include <string>
#include <string_view>

#include "events/json_writer.h"
#include "events/time.h"

namespace tilth {

// The row's JSON as the API answers it, with what follows from its members.
template <class Row>
std::string shown_json(const Row& row) {
  static_assert(
      !requires(Timestamp now) { row.shown(now); }, "what it shows depends on the time");
  if constexpr (requires { row.shown(); }) {
    return JsonWriter::text(row.shown());
  } else {
    return JsonWriter::text(row);
  }
}

// The same as of `now`, on which it may depend.
template <class Row>
std::string shown_json(const Row& row, Timestamp now) {
  if constexpr (requires { row.shown(now); }) {
    return JsonWriter::text(row.shown(now));
  } else {
    return shown_json(row);
  }
}

// A strong entity tag, quotes included: it changes whenever the answer does.
std::string entity_tag(std::string_view shown);

}  // namespace tilth
