// Lets several nodes share how far webhooks have got, so that one of them delivers at a time and
// another one can go on where it stopped.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "events/log/event_log.h"
#include "events/values/ids.h"
#include "infra/webhooks/delivery_store.h"

namespace tilth {

// Operation: what the delivering node stores, it also appends to a log of its own,
// `tilth.webhooks`, which every node reads and applies to its own store. The same log decides who
// delivers: a record has a term, and the first record of the highest term names its sender. A node
// that has read nothing of it for a while appends a record of the next term; when it has read that
// back, it has applied everything before it. A node that cannot read its own records back stops to
// deliver before another one begins. One that has not read for a while, and so takes the place
// of a node that goes on, waits until that one must have stopped.
//
// Where the nodes divide the owners among them, each of them leads: it delivers for owners of its
// own, and there are no terms. Their changes concern different webhooks, but for a moment when an
// owner moves; then the last one counts, and an event may be sent again.
//
// Threads: leads() and share() from any; turn() from one.
//
// Crash: what was sent and not appended is sent again by the next node.
class DeliverySharing {
 public:
  // How often a node that delivers announces it; how long it believes that it does; how long others
  // wait.
  static constexpr std::chrono::milliseconds kBeat{1'000}, kBelieved{3'000}, kSilence{6'000};

  struct Parts {
    EventLog& log;
    DeliveryStore& store;
    const Clock& clock;
    const IdSource& ids;
    std::string node;
    bool may_lead = true;
    bool divided = false;  // all nodes lead
    // A reader from the first record that is still kept, or from that offset on.
    std::function<Result<std::unique_ptr<LogReader>>(std::optional<std::int64_t> offset)> read;
    std::function<void(std::string_view)> log_line = [](std::string_view) {};
    std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  };

  explicit DeliverySharing(Parts parts);

  // Reads on, after waiting up to `timeout` for a record, then appends what there is to share.
  //
  //   kUnavailable, kLost  the log cannot be read now, or the store not be written: retry after a
  //                        while. It then goes on with the first record that it has not stored.
  Status turn(std::chrono::milliseconds timeout);

  // Whether this node delivers now. One that cannot read its own records back does not.
  bool leads() const;

  // Changes that this node has stored while it leads.
  void share(std::string changes);

  // What is appended.
  struct Batch {
    std::int64_t term = 0;
    std::string changes = {};  // in base64

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("term", term), member("changes", changes));
    }
  };

 private:
  using Steady = std::chrono::steady_clock;

  // Outlives this, for appends in flight.
  struct Sending {
    std::mutex mutex;
    std::optional<Record> record = {};  // until it is read back
    bool unknown = false;               // whether the log has it
    Steady::time_point at = {};
  };

  // With the mutex held.
  bool is_leader() const { return parts_.divided ? parts_.may_lead : leader_ == run_; }

  Status read_on(std::chrono::milliseconds timeout);
  Status take(const LoggedRecord& logged);
  std::optional<Steady::time_point> sent_when(const std::string& id);
  void send_something();
  void append(const Record& record);

  const Parts parts_;
  const std::string run_;
  const std::shared_ptr<Sending> sending_ = std::make_shared<Sending>();

  mutable std::mutex mutex_;  // guards what follows
  std::string unsent_;        // lengths and changes
  std::int64_t term_ = 0;
  std::string leader_;              // the run that leads the term
  Steady::time_point confirmed_{};  // when a record of ours that has come back was sent
  Steady::time_point other_led_{};  // when a record of another node that led was read

  std::unique_ptr<LogReader> reader_;
  Steady::time_point received_at_ = parts_.steady();
  std::uint64_t sequence_ = 0;
  std::string trouble_;  // why the log cannot be read
};

}  // namespace tilth
