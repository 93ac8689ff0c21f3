// A row as the API renders it: its JSON and its ETag.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/json/json_writer.h"
#include "events/values/time.h"
#include "projections/rows/rows.h"

namespace tilth {

// The row's JSON as the API renders it, with what follows from its members.
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

// A strong ETag, quotes included: it changes whenever the JSON does.
std::string entity_tag(std::string_view json);

template <class Row>
struct RenderedRow {
  Row row;
  std::string json;
  std::string tag;

  static RenderedRow of(Row row) {
    auto json = render_json(row);
    auto tag = entity_tag(json);
    return {std::move(row), std::move(json), std::move(tag)};
  }

  static Derived derive(std::string_view bytes) {
    auto shown = std::make_shared<const RenderedRow>(of(RowCodec<Row>::decode(bytes)));
    // The members of the row take about as much memory as its bytes.
    const auto size = sizeof *shown + bytes.size() + shown->json.size() + shown->tag.size();
    return {std::move(shown), size};
  }
};

// Rows whose rendering depends on the time.
template <class Row>
concept RenderedAtATime = requires(const Row& row, Timestamp now) {
  row.shown(now);
};

// A path to a row whose rendering does not depend on the time, so that it can be cached.
template <class Path>
concept LeadsToLasting = !RenderedAtATime<typename Path::Row> &&
                         requires(const Path& at, const typename Path::Row& row) {
  at.leads_to(row);
};

// The row that a path leads to, rendered once for all readers until it changes.
template <class Path>
std::shared_ptr<const RenderedRow<typename Path::Row>> find_rendered(const Rows& rows,
                                                                     const Path& at) {
  using Rendered = RenderedRow<typename Path::Row>;
  auto row = std::static_pointer_cast<const Rendered>(
      rows.find_derived(Path::Row::kTable, at.row_id(), Rendered::derive));
  return row && at.leads_to(row->row) ? row : nullptr;
}

}  // namespace tilth
