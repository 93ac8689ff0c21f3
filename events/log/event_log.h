// The port that stores every fact: one stream per owner, one record per command. Its adapters are
// in infra/; each passes tests/contract/event_log_contract.h.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "events/log/event.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

// Where a record is stored. Offsets increase within a partition, possibly with gaps, and mean
// nothing in other partitions.
struct Position {
  int partition = 0;
  std::int64_t offset = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// The request that led to a record, for when its client retries.
struct Idempotency {
  std::string key;
  std::string request_hash;
  friend bool operator==(const Idempotency&, const Idempotency&) = default;
};

// CloudEvents 1.0 attributes and our extensions. On Kafka each is the header named in its comment.
struct Envelope {
  std::string id = {};               // ce_id: a UUID; an append that is retried keeps it
  std::string type = {};             // ce_type: "tilth.plant.registered"
  int schema_version = 1;            // ce_schemaversion: of this type's JSON
  std::string source = {};           // ce_source: the node that decided
  Timestamp time = {};               // ce_time: when it was decided
  std::uint64_t stream_version = 0;  // ce_streamversion: the version it was decided against
  std::string correlation_id = {};   // ce_correlationid: the request that started it
  std::string causation_id = {};     // ce_causationid: the event or request that caused it
  std::string actor = {};            // ce_actor: a user, a key or the clock
  std::optional<Idempotency> idempotency = {};  // ce_idempotencykey, ce_requesthash
  // ce_traceparent: the span that it was decided in (W3C Trace Context); empty: no trace.
  std::string traceparent = {};
  // ce_predecessor: the event that it was decided upon, if that was not known to count yet.
  std::string predecessor = {};
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

// One event as it is stored. A stream's version is the number of its accepted records, so its first
// record has stream_version 0.
struct Record {
  std::string stream;  // ce_subject: the owner's id, "access" or "reference"
  Envelope envelope;
  std::string json = {};
  // The event in `json`, if this process encoded it. No log stores it: a record that was read from
  // a disk or a broker has none.
  std::optional<Event> event = {};
  // Why this record is not ours, if another program put it into the log. Then at most its id and
  // its stream are known, and it does not count.
  std::string foreign = {};

  friend bool operator==(const Record& a, const Record& b) {
    return std::tie(a.stream, a.envelope, a.json) == std::tie(b.stream, b.envelope, b.json);
  }
};

// A record as it is read. All readers of a log in this process may share the record itself.
struct LoggedRecord {
  Position position;
  std::shared_ptr<const Record> record;  // never null
};

// Reads partitions forward. Belongs to one thread at a time and must not outlive its log.
class LogReader {
 public:
  virtual ~LogReader() = default;

  // The next records, at most `limit`, those of each partition in log order. They include refused
  // records if the log keeps those (Kafka does): check with a VersionGate. Returns as soon as there
  // is a record, and waits up to `timeout` for one, so it serves both paging (zero) and following.
  // An empty result is not an error.
  //
  //   kUnavailable  call it again: nothing was skipped.
  //   kLost         the log no longer holds the next record. Calling it again will not help.
  //   kDamaged      the next record cannot be read; the message gives its position and what is
  //                 wrong with it. It is never skipped. A record that can be read and is not ours
  //                 is returned as a foreign record.
  virtual Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                                 std::chrono::milliseconds timeout) = 0;

  // Makes a next() that waits, or else the following one, return at once with what there is.
  // Threads: any.
  virtual void wake() = 0;

  // A caller waits for the record at `position`. For a reader that otherwise lingers.
  virtual void prefetch_now(const Position& position) { static_cast<void>(position); }

  // Records before `position` in its partition are no longer wanted: next() need not read them, and
  // may still return them. For callers that know where to continue.
  virtual void skip_to(const Position& position) { static_cast<void>(position); }
};

// An append-only log of records. All records of a stream are in one partition, in order.
//
// Threads: call from any, at any time. Destroying it first completes the calls in flight, with
// kUnavailable if the outcome is unknown; no other thread may call it by then.
//
// Crash: a record whose Position was handed out stays stored, whatever happens to this process. The
// embedded log survives a power failure too, Kafka the loss of a minority of brokers. A record
// whose append had not completed is stored completely or not at all.
class EventLog {
 public:
  // The completion of a call. Runs exactly once, on a thread of the log, never inside the call. Do
  // not wait, throw or destroy the log in it. Completions for different partitions may run at the
  // same time. It may call append() and end().
  using OnAppended = std::function<void(Result<Position>)>;
  using OnEnd = std::function<void(Result<std::int64_t>)>;

  EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  virtual ~EventLog() = default;

  // Makes `record` durable. Returns at once. It does not report whether the record counts: every
  // reader determines that with a VersionGate, and all with the same result. `done` gets:
  //
  //   a Position    durable: every reader finds it there. If its stream is not at its
  //                 stream_version by then, or its predecessor is not the last event that counts,
  //                 it does not count.
  //   kStale        not stored, since it would not count. Only a log that checks on append returns
  //                 this (the embedded one). It says nothing about the id: an earlier copy may
  //                 count.
  //   kUnavailable  the outcome is unknown, and the record may still arrive. Append the very same
  //                 record again, with the same id: at most one copy counts.
  //
  // Records in flight together for one stream may be stored in any order, and at most one per
  // version counts. A copy of a record that came too early may count later. A stream without
  // records is at version 0.
  virtual void append(Record record, OnAppended done) = 0;

  // Whether no other process appends, and records are checked and stored in the order of the calls:
  // then a record is stale if the one before it on its stream was, and needs no predecessor.
  virtual bool is_sequential() const { return false; }

  // A reader of the partitions in `from`, each at most once. It starts with the first record at or
  // after each position: offset 0 is the beginning, the last offset seen plus one continues from
  // there, and the end is allowed.
  //
  //   kLost         a position is beyond the end or before the oldest record: this log is not the
  //                 one that the caller has read. Never start over silently.
  //   kUnavailable  as above.
  virtual Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) = 0;

  // The end of a partition. Returns at once. `done` gets an offset that is past every record
  // acknowledged to any node before this call, or kUnavailable.
  virtual void end(int partition, OnEnd done) = 0;

  virtual int partitions() const = 0;

  // Into how many groups the streams are divided by their hash, to be folded by several threads:
  // the partitions, or more if one partition has all streams.
  virtual int virtual_partitions() const { return partitions(); }

  // Why nothing can be appended at present, judging by the last appends: a sentence for operators.
  // Empty once an append succeeds again, and while there is nothing to report.
  virtual std::string trouble() const { return {}; }

  int partition_of(std::string_view stream) const { return share_of(stream, partitions()); }

  // Which of so many parts a stream belongs to: FNV-1a, 64 bits, of its bytes, modulo `parts`.
  // Other programs depend on it: never change it.
  static int share_of(std::string_view stream, int parts) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : stream) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    return static_cast<int>(hash % static_cast<std::uint64_t>(parts));
  }
};

}  // namespace tilth
