// Operators import and export the crop library.

#include <utility>

#include "api/http/refusal.h"
#include "api/operator/commands.h"
#include "command/library/library_import.h"
#include "projections/library/admin_crop.h"

namespace tilth {
namespace {

constexpr std::uint64_t kCropsAtOnce = 200;

void import_library(const OperatorParts& parts, Call call) {
  if (!parts.commands) return call.answer(lacks_role("command"));
  if (!parts.ready()) {
    return call.answer(Error{.code = ErrorCode::kUnavailable,
                             .message = "The service cannot import at the moment.",
                             .retry_after_seconds = 1});
  }
  run_aside(parts, call, [&parts, call] {
    const LibraryImport import{parts.registry,
                               parts.registry.of(kReferenceStream).projector(),
                               parts.clock.now(),
                               call.actor(),
                               call.exchange->request_id(),
                               call.exchange->traceparent()};
    const auto& body = call.request().body;
    const auto imported = import.run(body.empty() ? "{}" : body);
    imported ? call.answer(json_response(200, "{\"data\":" + JsonWriter::text(*imported) + "}"))
             : call.answer(imported.error());
  });
}

std::string library_crop(const Rows& rows, const AdminCrop& crop) {
  auto json = render_json(crop);
  json.back() = ',';
  json.append("\"varieties\":[");
  const auto varieties = rows.list<Variety>(
      crop.id.uuid, {.order = Order::kAscending, .limit = rows.count<Variety>(crop.id.uuid)});
  for (const auto& variety : varieties.rows) {
    if (json.back() != '[') json.push_back(',');
    json.append(render_json(variety));
  }
  return json + "]}";
}

// A piece of the document; all pieces show the same state of the library.
struct LibraryPiece {
  std::string text;
  bool last = false;
};

LibraryPiece read_library(const Rows& rows, std::uint64_t offset) {
  const auto crops = rows.list<AdminCrop>(
      {}, {.order = Order::kAscending, .offset = offset, .limit = kCropsAtOnce});
  LibraryPiece piece{offset == 0 ? "{\"crops\":[" : "", offset + kCropsAtOnce >= crops.total};
  bool first = offset == 0;
  for (const auto& crop : crops.rows) {
    if (!std::exchange(first, false)) piece.text.push_back(',');
    piece.text.append(library_crop(rows, crop));
  }
  if (piece.last) piece.text.append("]}");
  return piece;
}

// On a thread of its own. An error before the first piece gets a response of its own.
void write_library(const OperatorParts& parts, const Call& call, const RowView& view,
                   HttpResponse head) {
  auto piece = read_library(view.rows, 0);
  const auto body = call.exchange->stream(std::move(head));
  try {
    bool open = body->write(std::move(piece.text));
    for (auto offset = kCropsAtOnce; open && !piece.last; offset += kCropsAtOnce) {
      piece = read_library(view.rows, offset);
      open = body->write(std::move(piece.text));
    }
    if (open) body->end();
  } catch (const UnreadableRows& rows) {  // it breaks off, and the client can tell
    parts.row_faults.report(rows);
  }
}

void export_library(const OperatorParts& parts, const Call& call) {
  const auto of = reference_stream(parts);
  if (const auto whole = has_whole_rows(of); !whole) return call.answer(whole.error());
  HttpResponse head{200, {{"Content-Type", "application/json"}}, {}};
  if (call.request().method == "HEAD") {
    return call.exchange->stream(std::move(head))->end();
  }
  const auto view = std::make_shared<RowView>(*of.projector.view(std::string(of.name)));
  run_aside(parts, call, [&parts, call, view, head] { write_library(parts, call, *view, head); });
}

}  // namespace

std::vector<OperatorRoute> operator_library_routes() {
  return {
      operator_route("POST", "/operator/v1/library", "Import a library document", import_library),
      operator_route("GET", "/operator/v1/library", "Export the crop library", export_library),
  };
}

}  // namespace tilth
