// The crop library, as operators import and export it.

#include "api/operator/commands.h"
#include "api/refusal.h"
#include "command/library_import.h"
#include "projections/admin_crop.h"

namespace tilth {
namespace {

constexpr std::uint64_t kCropsAtOnce = 200;

void import(const OperatorParts& parts, OperatorCall call) {
  if (!parts.ready() || !parts.streams->begin(kMostStreams)) {
    return call.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                       .message = "The service cannot import just now.",
                                       .retry_after_seconds = 1});
  }
  parts.streams->run([&parts, call = std::move(call)] {
    const LibraryImport import{parts.registry, parts.registry.projector(), parts.clock.now(),
                               std::string(kOperatorActor), call.exchange->request_id()};
    const auto& body = call.exchange->request().body;
    const auto imported = import.run(body.empty() ? "{}" : body);
    imported
        ? call.exchange->answer(answer_json(200, "{\"data\":" + JsonWriter::text(*imported) + "}"))
        : call.exchange->answer(imported.error());
  });
}

std::string library_crop(const Rows& rows, const AdminCrop& crop) {
  auto json = shown_json(crop);
  json.back() = ',';
  json.append("\"varieties\":[");
  const auto varieties = rows.list<Variety>(
      crop.id.uuid, {.order = Order::kAscending, .limit = rows.count<Variety>(crop.id.uuid)});
  for (const auto& variety : varieties.rows) {
    if (json.back() != '[') json.push_back(',');
    json.append(shown_json(variety));
  }
  return json + "]}";
}

// Writes the document of one state of the library, on a thread of its own.
void write_library(const RowView& view, BodyStream& body) {
  bool open = body.write("{\"crops\":[");
  for (std::uint64_t offset = 0; open; offset += kCropsAtOnce) {
    const auto crops = view.rows.list<AdminCrop>(
        {}, {.order = Order::kAscending, .offset = offset, .limit = kCropsAtOnce});
    std::string piece;
    for (const auto& crop : crops.rows) {
      if (offset > 0 || !piece.empty()) piece.push_back(',');
      piece.append(library_crop(view.rows, crop));
    }
    const bool last = offset + kCropsAtOnce >= crops.total;
    if (last) piece.append("]}");
    open = body.write(std::move(piece));
    if (open && last) return body.end();
  }
}

void export_library(const OperatorParts& parts, const OperatorCall& call) {
  if (parts.registry.projector().lacks_events()) return call.exchange->answer(stands_still());
  HttpResponse head{200, {{"Content-Type", "application/json"}}, {}};
  if (call.exchange->request().method == "HEAD") {
    return call.exchange->stream(std::move(head))->end();
  }
  if (!parts.streams->begin(kMostStreams)) {
    return call.exchange->answer(Error{.code = ErrorCode::kUnavailable,
                                       .message = "Too many streams are open.",
                                       .retry_after_seconds = 5});
  }
  const auto view =
      std::make_shared<RowView>(*parts.registry.projector().view(std::string(kReferenceStream)));
  const std::shared_ptr<BodyStream> body = call.exchange->stream(std::move(head));
  parts.streams->run([view, body] { write_library(*view, *body); });
}

}  // namespace

std::vector<OperatorRoute> operator_library_routes() {
  return {
      {"POST", "/operator/v1/library", "Import a library document", false, import},
      {"GET", "/operator/v1/library", "Export the crop library", false, export_library},
  };
}

}  // namespace tilth
