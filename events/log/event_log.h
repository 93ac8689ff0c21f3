// The port through which every fact is kept: one stream per owner, one record per command.
// Adapters lie in infra/; each of them passes tests/contract/event_log_contract.h.

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

// Where a record lies. Offsets grow along a partition, possibly with gaps, and say nothing about
// other partitions.
struct Position {
  int partition = 0;
  std::int64_t offset = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// The request that a record answers, for when its client asks again.
struct Idempotency {
  std::string key;
  std::string request_hash;
  friend bool operator==(const Idempotency&, const Idempotency&) = default;
};

// CloudEvents 1.0 attributes and our extensions. On Kafka each is the header named next to it.
struct Envelope {
  std::string id = {};               // ce_id: a UUID, kept when the append is tried again
  std::string type = {};             // ce_type: "tilth.plant.registered"
  int schema_version = 1;            // ce_schemaversion: of this type's JSON
  std::string source = {};           // ce_source: the node that decided
  Timestamp time = {};               // ce_time: when it was decided
  std::uint64_t stream_version = 0;  // ce_streamversion: what it was decided against
  std::string correlation_id = {};   // ce_correlationid: the request it began with
  std::string causation_id = {};     // ce_causationid: the event or request that caused it
  std::string actor = {};            // ce_actor: a user, a key or the clock
  std::optional<Idempotency> idempotency = {};  // ce_idempotencykey, ce_requesthash
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

// One event as it is kept. A stream's version is the number of its accepted records, so its first
// one carries stream_version 0.
struct Record {
  std::string stream;  // ce_subject: the owner's id, "access" or "reference"
  Envelope envelope;
  std::string json = {};
  // What `json` says, where this process encoded it. No log keeps it: there is none in what was
  // read from a disk or a broker.
  std::optional<Event> event = {};
  // Why it is none of ours, where somebody else put it into the log: then at most its id and the
  // stream that it names are known, and it counts nowhere.
  std::string foreign = {};

  friend bool operator==(const Record& a, const Record& b) {
    return std::tie(a.stream, a.envelope, a.json) == std::tie(b.stream, b.envelope, b.json);
  }
};

struct LoggedRecord {
  Position position;
  Record record;
};

// Reads partitions forward. Belongs to one thread at a time and must not outlive its log.
class LogReader {
 public:
  virtual ~LogReader() = default;

  // The next records, at most `limit`, those of each partition in log order. Refused records are
  // among them where the log keeps such (Kafka does): let a VersionGate tell. Returns as soon as
  // there is one; waits up to `timeout` for it, which makes this both paging (zero) and following.
  // Empty is not an error.
  //
  //   kUnavailable  ask again: nothing was skipped.
  //   kLost         the log no longer holds the next record. Asking again will not help.
  //   kDamaged      the next record cannot be read; the message names its position and what is
  //                 wrong with it. It is never skipped. What could be read and is none of ours
  //                 comes as a foreign record.
  virtual Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                                 std::chrono::milliseconds timeout) = 0;

  // Makes a next() that waits, or else the following one, return at once with what there is.
  // Threads: any.
  virtual void wake() = 0;

  // Somebody waits for the record at `position`. For a reader that lets records come together
  // otherwise.
  virtual void prefetch_now(const Position& position) { static_cast<void>(position); }

  // What lies before `position` in its partition is not wanted any more: next() need not read it,
  // and may answer it all the same. For anyone who knows where to go on.
  virtual void skip_to(const Position& position) { static_cast<void>(position); }
};

// An append-only log of records. A stream lies whole and in order in one partition.
//
// Threads: call from any, at any time. Destroying it first completes what is outstanding, with
// kUnavailable where the outcome is not known; no other thread may call it by then.
// Crash: a record whose Position was handed out stays there, whatever happens to this process; the
// embedded log survives a power failure too, Kafka the loss of a minority of brokers. A record
// whose append had not completed is there whole or not at all.
class EventLog {
 public:
  // How a call ends. Runs exactly once, on a thread that does the log's own work, never inside the
  // call: do not wait, throw or destroy the log in one. Those of different partitions may run at
  // the same time. Calling append() or end() from one is fine.
  using OnAppended = std::function<void(Result<Position>)>;
  using OnEnd = std::function<void(Result<std::int64_t>)>;

  EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  virtual ~EventLog() = default;

  // Makes `record` durable. Returns at once. Whether the record counts is not told here: every
  // reader finds that out by itself, and alike, with a VersionGate. `done` learns:
  //
  //   a Position    durable: every reader meets it there. Its stream may not stand at its
  //                 stream_version by then, and it does not count.
  //   kStale        not stored, since its stream does not stand at its stream_version. Only a log
  //                 that checks as it appends says so (the embedded one). It is no verdict on the
  //                 id: an earlier copy may count.
  //   kUnavailable  the outcome is not known, and the record may still arrive. Append the very
  //                 same record again, same id: at most one copy counts.
  //
  // Records in flight together for one stream land in any order, and at most one per version
  // counts. A stream never written stands at 0.
  virtual void append(Record record, OnAppended done) = 0;

  // A reader of the partitions in `from`, each at most once. It begins with the first record at or
  // after each position: offset 0 is the beginning; the last offset seen, plus one, goes on from
  // there; the end is fine.
  //
  //   kLost         a position lies beyond the end or before what is kept: this log is not the one
  //                 that the caller has read. Never start over silently.
  //   kUnavailable  as above.
  virtual Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) = 0;

  // The end of a partition. Returns at once; `done` learns an offset before which every record
  // lies that any node had been told is durable when this was called, or kUnavailable.
  virtual void end(int partition, OnEnd done) = 0;

  virtual int partitions() const = 0;

  // Why nothing can be appended just now, as far as the last appends told: a sentence for
  // operators. Empty once one was kept again, and while there is nothing to say.
  virtual std::string trouble() const { return {}; }

  // FNV-1a, 64 bits, of the stream's bytes, modulo partitions(). Other programs rely on it: never
  // change it.
  int partition_of(std::string_view stream) const {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : stream) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    return static_cast<int>(hash % static_cast<std::uint64_t>(partitions()));
  }
};

}  // namespace tilth
