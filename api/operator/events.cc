// Exports and follows the history.

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>

#include "api/operator/commands.h"
#include "api/operator/event_stream.h"
#include "api/operator/operated_archive.h"
#include "api/v1/history/event_line.h"
#include "events/log/log_end.h"
#include "events/log/version_gate.h"
#include "projections/history/stream_reader.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPage = 1'000, kUsualLine = 1'000;
constexpr auto kStillHere = 15s;  // after this silence, send an empty line
constexpr auto kLooksAgain = 1s;  // how often to check for a closed connection
constexpr auto kTimeout = 10s;    // for the index

// A node that holds a part of the land does not follow the other partitions: it may have much to
// read, and is given up only if it does not get on. Errors: StreamIndex::reach()'s.
Status read_up_to(StreamIndex& index, const Position& end) {
  for (;;) {
    const auto before = index.next_of(end.partition);
    const auto known = index.reach(end, kTimeout);
    if (known || known.error().code != ErrorCode::kUnavailable) return known;
    if (index.next_of(end.partition) == before) return known;
  }
}

// Decides which records count when a partition is read from any offset.
class SeenStreams {
 public:
  SeenStreams(StreamIndex& index, std::int64_t begin) : index_(&index), begin_(begin) {}

  // kUnavailable: the index cannot tell.
  Result<bool> admit(const LoggedRecord& logged) {
    const auto& position = logged.position;
    const auto& record = *logged.record;
    auto [head, fresh] = heads_.try_emplace(record.stream);
    auto& [version, last_id] = head->second;
    if (fresh && begin_ > 0) version = index_->version_at(record.stream, begin_);
    bool counts = VersionGate::counts(record, head->second);
    const bool last_is_unknown = version > 0 && last_id.empty();
    if (!counts && last_is_unknown && record.envelope.stream_version == version) {
      const Position end{position.partition, position.offset + 1};
      if (const auto known = index_->reach(end, kTimeout); !known) return known.error();
      counts = index_->version_at(record.stream, end.offset) > version;
    }
    if (counts) head->second.advance(record);
    return counts;
  }

 private:
  StreamIndex* index_;
  std::int64_t begin_;
  VersionGate::Heads heads_;
};

bool concerns(const EventFilter& filter, const EventLog& log, int partition) {
  if (filter.owner && log.partition_of(*filter.owner) != partition) return false;
  return !filter.partition || *filter.partition == partition;
}

bool is_by_index(const EventFilter& filter) { return filter.owner && !filter.with_rejected; }

// Of an owner's records, the number of the first one that the filter does not pass by its offset.
std::uint64_t end_of_owner(const StreamIndex& index, const EventFilter& filter) {
  return filter.to ? index.version_at(*filter.owner, *filter.to) : UINT64_MAX;
}

// Whether the first of the owner's records from that offset on can be read, if it is wanted.
Status can_be_read(EventLog& log, StreamIndex& index, const EventFilter& filter,
                   std::int64_t from) {
  StreamReader reader(log, index, *filter.owner);
  if (const auto known = reader.refresh(); !known) return known;
  const auto first = index.version_at(*filter.owner, from);
  if (first >= end_of_owner(index, filter)) return kDone;
  reader.go_to(first);
  const auto read = reader.next(1);
  return read ? Status(kDone) : Status(read.error());
}

// Whether no archived file that the response needs is missing.
Status is_archive_there(const OperatorParts& parts, const EventFilter& filter) {
  if (parts.archive == nullptr || filter.only_new || filter.limit) return kDone;
  for (const auto& file : parts.archive->standing().files) {
    const auto first = std::max(file.first, filter.from.value_or(0));
    const auto end = std::min(file.last + 1, filter.to.value_or(INT64_MAX));
    if (file.problem.empty() || file.can_be_fetched || first >= end) continue;
    const bool is_read = !is_by_index(filter) || parts.index.version_at(*filter.owner, first) !=
                                                     parts.index.version_at(*filter.owner, end);
    if (is_read) return Error{ErrorCode::kUnavailable, file.problem};
  }
  return kDone;
}

// Checked before the response starts, since it can only break off afterwards: whether the log
// reports its ends, the first record can be read, and no file of the others is missing.
Status can_be_read(const OperatorParts& parts, const EventFilter& filter) {
  auto& log = parts.log;
  for (int partition = 0; partition < log.partitions(); ++partition) {
    if (!concerns(filter, log, partition)) continue;
    const auto end = end_of(log, partition);
    if (!end) return end.error();
    const auto first = std::min(*end, filter.from.value_or(0));
    if (filter.only_new || first == *end) continue;
    if (is_by_index(filter)) {
      const auto read = can_be_read(log, parts.index, filter, first);
      if (!read) return read;
      continue;
    }
    const auto reader = log.read({{partition, first}});
    if (!reader) return reader.error();
    if (const auto read = (*reader)->next(1, std::chrono::milliseconds(0)); !read) {
      return read.error();
    }
  }
  return is_archive_there(parts, filter);
}

// Writes the events of one request on a thread of its own, at the client's pace.
class Export {
 public:
  // `ends` of the partitions when the request arrived, if only new events are wanted.
  Export(EventLog& log, StreamIndex& index, const Clock& clock, EventFilter filter,
         std::vector<Position> ends, std::unique_ptr<BodyStream> body)
      : log_(log),
        index_(index),
        clock_(clock),
        filter_(std::move(filter)),
        ends_(std::move(ends)),
        body_(std::move(body)) {}

  void run() {
    try {
      write_all();
    } catch (const UnreadableRows& rows) {
      index_.cannot_read(rows);
      fail();
    } catch (const std::system_error&) {  // no thread for reading ahead
      fail();
    }
    if (!failed_) body_->end();  // else the connection closes early, so the client can tell
  }

 private:
  void write_all() {
    for (int partition = 0; partition < log_.partitions() && more_; ++partition) {
      if (!concerns(filter_, log_, partition)) continue;
      if (filter_.only_new) {
        pass_over(ends_.at(static_cast<std::size_t>(partition)));
      } else {
        is_by_index(filter_) ? write_owner(partition) : write_partition(partition);
      }
    }
    if (follow() && more_) tail();
  }

  bool follow() const { return filter_.follow.value_or(false); }

  // Leaves out the existing events of a partition.
  void pass_over(Position end) {
    if (!read_up_to(index_, end)) return fail();
    read_.push_back({SeenStreams(index_, end.offset), end});
  }

  // Writes the existing events of a partition.
  void write_partition(int partition) {
    const auto whole = end_of(log_, partition);
    if (!whole) return fail();
    const auto end = std::min(*whole, filter_.to.value_or(INT64_MAX));
    const auto begin = std::min(*whole, filter_.from.value_or(0));
    auto& [seen, next] = read_.emplace_back(SeenStreams(index_, begin), Position{partition, begin});
    // The version of each stream at the beginning decides which records count.
    if (begin > 0 && !read_up_to(index_, {partition, begin})) return fail();
    if (begin >= end) return;
    auto reader = log_.read({next});
    if (!reader) return fail();
    // Read the next page while this one is written.
    const auto read_ahead = [&reader] {
      return std::async(std::launch::async, [&reader] {
        return (*reader)->next(kPage, std::chrono::milliseconds(kLooksAgain));
      });
    };
    auto ahead = read_ahead();
    while (more_ && next.offset < end) {
      const auto page = ahead.get();
      if (!page) return fail();
      if (body_->closed()) more_ = false;
      if (page->empty() || page->back().position.offset + 1 < end) ahead = read_ahead();
      std::string lines;
      lines.reserve(page->size() * kUsualLine);
      for (const auto& logged : *page) {
        if (!more_ || logged.position.offset >= end) break;
        const auto counts = seen.admit(logged);
        if (!counts) return fail();
        put(logged, *counts, lines);
        next.offset = logged.position.offset + 1;
      }
      if (!page->empty() && page->back().position.offset + 1 >= end) next.offset = end;
      if (!lines.empty() && !body_->write(std::move(lines))) more_ = false;
    }
  }

  // Writes the existing events of one owner; the cost depends on their events alone.
  void write_owner(int partition) {
    StreamReader reader(log_, index_, *filter_.owner);
    if (const auto known = reader.refresh(); !known) return fail();
    read_.push_back({SeenStreams(index_, reader.end()), {partition, reader.end()}});
    auto at = filter_.from ? index_.version_at(*filter_.owner, *filter_.from) : 0;
    const auto end = end_of_owner(index_, filter_);
    reader.go_to(at);
    while (more_ && at < end && !body_->closed()) {
      const auto page = reader.next(std::min<std::uint64_t>(kPage, end - at));
      if (!page) return fail();
      if (page->empty()) return;
      at += page->size();
      std::string lines;
      for (const auto& logged : *page) {
        if (!more_) break;
        put(logged, true, lines);
      }
      if (!lines.empty() && !body_->write(std::move(lines))) more_ = false;
    }
  }

  // Writes new events.
  void tail() {
    std::vector<Position> from;
    for (const auto& each : read_) from.push_back(each.next);
    auto reader = log_.read(from);
    if (!reader) return fail();
    auto spoken = std::chrono::steady_clock::now();
    while (more_ && !body_->closed() && may_still_match()) {
      if (!last_ && is_over()) {
        auto ends = ends_of(log_);
        if (!ends) return fail();
        last_ = std::move(*ends);
        continue;
      }
      const auto page = (*reader)->next(kPage, std::chrono::milliseconds(kLooksAgain));
      if (!page) return fail();
      std::string lines;
      for (const auto& logged : *page) {
        if (!more_) break;
        const auto of = std::find_if(read_.begin(), read_.end(), [&](const auto& each) {
          return each.next.partition == logged.position.partition;
        });
        of->next = {logged.position.partition, logged.position.offset + 1};
        const auto counts = of->seen.admit(logged);
        if (!counts) return fail();
        put(logged, *counts, lines);
      }
      const auto now = std::chrono::steady_clock::now();
      if (lines.empty() && now - spoken >= kStillHere) lines = "\n";
      if (lines.empty()) continue;
      spoken = now;
      if (!body_->write(std::move(lines))) more_ = false;
    }
  }

  bool is_over() const { return filter_.until && clock_.now() >= *filter_.until; }

  bool may_still_match() const {
    return std::any_of(read_.begin(), read_.end(), [&](const auto& each) {
      const auto& [partition, offset] = each.next;
      const auto last = last_ ? last_->at(static_cast<std::size_t>(partition)).offset : INT64_MAX;
      return offset < std::min(last, filter_.to.value_or(INT64_MAX));
    });
  }

  void put(const LoggedRecord& logged, bool accepted, std::string& lines) {
    if (!logged.record->foreign.empty()) return;  // not an event
    const auto offset = logged.position.offset;
    if (offset < filter_.from.value_or(0) || offset >= filter_.to.value_or(INT64_MAX)) return;
    if (!(accepted || filter_.with_rejected) || !filter_.wants(logged)) return;
    append_event_line(logged, accepted, lines);
    if (filter_.limit && ++written_ >= *filter_.limit) more_ = false;
  }

  void fail() { more_ = false, failed_ = true; }

  struct Read {
    SeenStreams seen;
    Position next;
  };

  EventLog& log_;
  StreamIndex& index_;
  const Clock& clock_;
  const EventFilter filter_;
  const std::vector<Position> ends_;
  const std::unique_ptr<BodyStream> body_;
  std::vector<Read> read_;
  std::optional<std::vector<Position>> last_;  // the log's ends when `until` was reached
  std::int64_t written_ = 0;
  bool more_ = true;
  bool failed_ = false;
};

void events(const OperatorParts& parts, const Call& call) {
  RequestIssues problems;
  auto filter = read_event_filter(call.query, problems);
  if (filter.partition && *filter.partition >= parts.log.partitions() && problems.values.empty()) {
    problems.values["partition"].emplace_back("must be an existing partition");
  }
  if (const auto verdict = problems.verdict(); !verdict) {
    return call.answer(verdict.error());
  }
  run_aside(parts, call, [&parts, exchange = call.exchange, filter = std::move(filter)] {
    if (const auto there = can_be_read(parts, filter); !there) {
      return exchange->answer(there.error());
    }
    std::vector<Position> ends;
    if (filter.only_new) {
      auto known = ends_of(parts.log);
      if (!known) return exchange->answer(known.error());
      ends = std::move(*known);
    }
    auto body = exchange->stream({200, {{"Content-Type", "application/x-ndjson"}}, {}});
    if (exchange->request().method == "HEAD") return body->end();
    Export(parts.log, parts.index, parts.clock, filter, std::move(ends), std::move(body)).run();
  });
}

}  // namespace

std::vector<OperatorRoute> operator_event_routes() {
  return {operator_route("GET", "/operator/v1/events", "The history as JSON lines", events)};
}

}  // namespace tilth
