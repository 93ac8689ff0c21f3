// How a row is shown to anyone who asks for it, and the mark by which two showings are told apart.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/json/json_writer.h"
#include "events/values/time.h"
#include "projections/rows/rows.h"

namespace tilth {

// The row's JSON as the API answers it, with what follows from its members.
template <class Row>
std::string render_json(const Row& row) {
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
std::string render_json(const Row& row, Timestamp now) {
  if constexpr (requires { row.shown(now); }) {
    return JsonWriter::text(row.shown(now));
  } else {
    return render_json(row);
  }
}

// A strong entity tag, quotes included: it changes whenever the answer does.
std::string entity_tag(std::string_view shown);

// A row, and how it is shown.
template <class Row>
struct Showing {
  Row row;
  std::string json;
  std::string tag;

  static Showing of(Row row) {
    auto json = render_json(row);
    auto tag = entity_tag(json);
    return {std::move(row), std::move(json), std::move(tag)};
  }

  static Made make(std::string_view bytes) {
    auto shown = std::make_shared<const Showing>(of(RowCodec<Row>::decode(bytes)));
    // What the row holds next to itself is about what it takes in bytes.
    const auto size = sizeof *shown + bytes.size() + shown->json.size() + shown->tag.size();
    return {std::move(shown), size};
  }
};

// What is shown of such a row depends on when.
template <class Row>
concept ShownAtATime = requires(const Row& row, Timestamp now) {
  row.shown(now);
};

// A path to a row that looks alike at all times, so that what is shown of it can be kept.
template <class Path>
concept LeadsToLasting =
    !ShownAtATime<typename Path::Row> && requires(const Path& at, const typename Path::Row& row) {
  at.leads_to(row);
};

// The row that a path leads to, as it is shown: made once for all who ask while it stays as it is.
template <class Path>
std::shared_ptr<const Showing<typename Path::Row>> find_rendered(const Rows& rows, const Path& at) {
  using Shown = Showing<typename Path::Row>;
  const auto made = rows.find_made(Path::Row::kTable, at.row_id(), Shown::make);
  auto shown = std::static_pointer_cast<const Shown>(made);
  return shown && at.leads_to(shown->row) ? shown : nullptr;
}

}  // namespace tilth
