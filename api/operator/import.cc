// Imports a whole history from elsewhere, line by line.

#include <algorithm>
#include <array>
#include <string>
#include <thread>

#include "api/operator/commands.h"
#include "api/v1/history/event_line.h"
#include "events/log/log_end.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestLine = 64 << 20;

// The lines of a body, stored in a file or, if the server has no such files, in memory.
class BodyLines {
 public:
  explicit BodyLines(const HttpRequest& request) : request_(request) {}

  // The next line; null at the end. kInvalid: it is too long. kUnavailable: the disk fails.
  Result<std::optional<std::string_view>> next() {
    for (;;) {
      const auto end = buffer_.find('\n', begin_);
      if (end != buffer_.npos || (over_ && begin_ < buffer_.size())) {
        const auto stop = std::min(end, buffer_.size());
        const auto line = std::string_view(buffer_).substr(begin_, stop - begin_);
        begin_ = std::min(stop + 1, buffer_.size());
        ++number_;
        return std::optional(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
      }
      if (over_) return std::optional<std::string_view>();
      buffer_.erase(0, begin_);
      begin_ = 0;
      if (buffer_.size() > kLongestLine) {
        ++number_;
        return Error{ErrorCode::kInvalid, "it is too long"};
      }
      if (const auto read = read_more(); !read) return read.error();
    }
  }

  std::int64_t number() const { return number_; }  // of the last line returned, from 1

 private:
  Status read_more() {
    if (!request_.large_body) {
      buffer_ = request_.body;
      over_ = true;
      return kDone;
    }
    const auto got = request_.large_body->read(piece_.data(), piece_.size());
    if (got < 0) return Error{ErrorCode::kUnavailable, "The body cannot be read again."};
    buffer_.append(piece_.data(), static_cast<std::size_t>(got));
    over_ = got == 0;
    return kDone;
  }

  const HttpRequest& request_;
  std::array<char, 1 << 16> piece_;
  std::string buffer_;
  std::size_t begin_ = 0;
  bool over_ = false;
  std::int64_t number_ = 0;
};

Error wrong_body(const std::string& why) { return invalid({{"body", {why}}}); }

// Errors: kInvalid names the line; others come from the import.
Result<std::int64_t> take_in(const HttpRequest& request, HistoryImport& import) {
  BodyLines lines(request);
  std::int64_t events = 0;
  for (;;) {
    const auto line = lines.next();
    Status taken = kDone;
    if (!line) {
      taken = line.error();
    } else if (!*line) {
      break;
    } else if (!(*line)->empty()) {
      auto record = read_event_line(**line);
      taken = record ? import.add(std::move(*record), lines.number()) : Status(record.error());
      ++events;
    }
    if (taken) continue;
    if (taken.error().code != ErrorCode::kInvalid) return taken.error();
    return wrong_body("line " + std::to_string(lines.number()) + ": " + taken.error().message);
  }
  if (const auto finished = import.finish(); !finished) {
    const auto& error = finished.error();
    return error.code == ErrorCode::kInvalid ? wrong_body(error.message) : error;
  }
  return events;
}

// Whether a projection has read the imported events, or never will.
bool has_read(const OperatedProjection& projection, const std::vector<Position>& ends) {
  const auto progress = projection.standing().progress;
  const auto state = progress.state;
  if (state == ProjectionState::kFaulted || state == ProjectionState::kPaused) return true;
  return std::ranges::all_of(progress.next, [&](const Position& next) {
    return std::ranges::none_of(ends, [&](const Position& end) {
      return next.partition == end.partition && next.offset < end.offset;
    });
  });
}

// The response starts once the history is in the log, and ends once it can be read. It breaks off
// if the log cannot report its ends.
void answer_when_read(const OperatorParts& parts, Exchange& exchange, std::int64_t events) {
  const auto body = exchange.stream({200, {{"Content-Type", "application/json"}}, {}});
  const auto ends = ends_of(parts.log);
  if (!ends) return;
  for (const auto* projection : parts.projections) {
    while (!has_read(*projection, *ends) && !body->closed()) {
      std::this_thread::sleep_for(10ms);
    }
  }
  // Of somebody whom a note next to the keys says to be erased, only texts are gone yet.
  if (parts.eraser != nullptr) parts.eraser->wake();
  if (body->write("{\"data\":{\"events\":" + std::to_string(events) + "}}")) body->end();
}

void import_history(const OperatorParts& parts, const Call& call) {
  if (!parts.begin_import) {
    return call.answer(Error{ErrorCode::kConflict,
                             "Only a service that was started with --no-library takes a history."});
  }
  run_aside(parts, call, [&parts, exchange = call.exchange] {
    auto import = parts.begin_import();
    if (!import) return exchange->answer(import.error());
    const auto events = take_in(exchange->request(), **import);
    if (!events) return exchange->answer(events.error());
    answer_when_read(parts, *exchange, *events);
  });
}

}  // namespace

std::vector<OperatorRoute> operator_import_routes() {
  auto imports = operator_route("POST", "/operator/v1/events", "Import a history into an empty log",
                                import_history);
  imports.route.body_type = "application/x-ndjson";
  imports.route.large_body = true;
  return {imports};
}

}  // namespace tilth
