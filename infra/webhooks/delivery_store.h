// Stores how far each webhook has got, what waits to be tried again, and what became of the rest.
// Operational state of the node, and no part of the history.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/webhooks/webhook_deliveries.h"
#include "events/values/result.h"
#include "infra/rocksdb/rocks_memory.h"

namespace rocksdb {
class Env;
}

namespace tilth {

// Threads: any; a batch belongs to one.
//
// Crash: once write() has returned, the operating system has the batch, without fsync: a process
// crash loses nothing of it. After a power failure what was sent last may be sent again.
class DeliveryStore {
 public:
  // How far a webhook has got in its owner's stream: every event before `next_version` has arrived,
  // waits as a pending delivery, or was given up.
  struct Progress {
    std::int64_t next_version = 0;
    // Requests for a resend or a replay before this version were taken up. It may be beyond
    // `next_version`: then those are read again, and must not be taken up a second time.
    std::int64_t next_request_version = 0;
    WebhookActivity activity = {};
    // Why it is to be disabled, and the state that this is about, until the log knows.
    std::optional<std::string> disabling = {};
    Timestamp disabling_seen = {};
    std::string owner = {};  // empty: an earlier release stored it

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("nextVersion", next_version), member("nextRequestVersion", next_request_version));
      activity.serialize(ar);
      ar(member("disabling", disabling), member("disablingSeen", disabling_seen),
         member("owner", owner));
    }
  };

  // Past events that are being sent again: those from `next_version` on and before `end_version`.
  struct Replay {
    Uuid id = {};
    std::int64_t next_version = 0, end_version = 0;
    Timestamp since = {};
    std::optional<Timestamp> until = {};
    std::optional<std::vector<std::string>> types = {};  // null: the webhook's

    template <class Archive>
    void serialize(Archive& ar) {
      ar(member("id", id), member("nextVersion", next_version), member("endVersion", end_version),
         member("since", since), member("until", until), member("types", types));
    }
  };

  // Everything about one webhook.
  struct Known {
    std::optional<Progress> progress = {};
    std::vector<Replay> replays = {};
    std::vector<Delivery> pending = {};
    std::uint64_t deliveries = 0;
  };

  // Changes that are written together.
  class Batch;

  // `env`: the files; null: the system's. kUnavailable, kDamaged.
  static Result<std::unique_ptr<DeliveryStore>> open(const std::filesystem::path& directory,
                                                     const RocksMemory& memory,
                                                     rocksdb::Env* env = nullptr);
  ~DeliveryStore();

  // All or nothing. kUnavailable: it could not be written; write the same batch again.
  Status write(Batch& batch);

  // What another node has written: the bytes of its batch. What no batch could be is left out.
  // kUnavailable: it could not be written; apply it again before what follows it.
  Status apply(std::string_view bytes);
  // How far what other nodes write has been read, and who led there.
  struct Place {
    std::int64_t offset = 0, term = 0;
    std::string leader = {};  // of the term; empty: not known
  };
  // kUnavailable: it could not be written, and is as before.
  Status keep_place(const Place& place);
  std::optional<Place> place() const;

  WebhookActivity activity(const WebhookId& webhook) const;

  // Those that are open are counted up to Webhook::kMostReplays. kUnavailable, kDamaged.
  Result<WebhookReplays> replays(const WebhookId& webhook) const;

  // kUnavailable, kDamaged.
  Result<Known> load(const WebhookId& webhook) const;

  // Visits each webhook of which something is stored. kUnavailable, kDamaged.
  using EachProgress = std::function<void(const WebhookId&, const Progress&)>;
  Status visit(const EachProgress& each) const;

  // Ids of the oldest deliveries that are not pending, at most `limit`: those made before `before`.
  std::vector<Uuid> settled_before(const WebhookId& webhook, Timestamp before,
                                   std::size_t limit) const;

  Result<WebhookDeliveries::Page> list(const WebhookId& webhook,
                                       const WebhookDeliveries::Listing& listing) const;
  // Null: there is no such delivery. kUnavailable, kDamaged: it cannot be read.
  Result<std::optional<Delivery>> find(const WebhookId& webhook, const Uuid& delivery) const;

  Status copy_to(const std::filesystem::path& directory) const;

 private:
  struct Database;
  explicit DeliveryStore(std::unique_ptr<Database> database);

  const std::unique_ptr<Database> database_;
};

class DeliveryStore::Batch {
 public:
  Batch();
  ~Batch();

  void put(const WebhookId& webhook, const Progress& progress);
  void put(const WebhookId& webhook, const Delivery& delivery);
  void put(const WebhookId& webhook, const Replay& replay);
  void erase_delivery(const WebhookId& webhook, const Uuid& delivery);
  void erase_replay(const WebhookId& webhook, const Uuid& replay);
  void forget(const WebhookId& webhook);
  void clear();
  bool empty() const;
  std::size_t size() const;   // in bytes
  std::string bytes() const;  // for apply()

 private:
  friend class DeliveryStore;
  struct Writes;
  const std::unique_ptr<Writes> writes_;
};

}  // namespace tilth
