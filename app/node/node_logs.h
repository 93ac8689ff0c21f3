// The logs of a node: the history, in the node itself or on Kafka, and on Kafka also what the nodes
// share.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "events/log/event_log.h"
#include "events/log/history_import.h"
#include "infra/config/config.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/kafka/kafka_event_log.h"
#include "infra/keys/owner_keys.h"
#include "infra/keys/shared_owner_keys.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "infra/node/data_directory.h"
#include "infra/rocksdb/rocks_memory.h"

namespace tilth {

struct NodeLogs {
  std::unique_ptr<EventLog> events;
  EmbeddedEventLog* embedded = nullptr;        // `events`, if it is embedded
  std::shared_ptr<RocksMemory> memory = {};    // its own; null: the log is on Kafka
  std::shared_ptr<OwnerKeys> owner_keys = {};  // null: the log is not sealed
  SharedOwnerKeys* shared_keys = nullptr;      // `owner_keys`, if nodes share them
  ArchivePlaces archives = {};
  KafkaEventLog* kafka = nullptr;             // `events`, if it is on Kafka
  EventLog* decided = nullptr;                // the same, for readers that decide
  EventLog* followed = nullptr;               // the same, for readers that may lag
  std::unique_ptr<KafkaEventLog> usage = {};  // null: this node is alone
  std::string usage_topic = {};
  // What was sent to webhooks; null: this node is alone.
  std::unique_ptr<KafkaEventLog> webhooks = {};
  std::unique_ptr<KafkaEventLog> nodes = {};  // their announcements; null: it is alone
  std::string key_secret = {};
  // Called with each record of users and keys before it is acknowledged: the first of them
  // distinguishes these logs from others.
  std::function<void(const LoggedRecord&)> on_access = [](const LoggedRecord&) {};

  bool shared() const { return usage != nullptr; }

  // Drops the records in memory, which hold what is sealed in the log: an owner was erased.
  void forget_recent() const {
    embedded != nullptr ? embedded->forget_recent() : kafka->forget_recent();
  }
};

// Opens them. Existing read models of `config.data` must come from this very log. All arguments
// must outlive the logs, except `stop_asked`: once it returns true, waiting for brokers ends.
//
//   kConflict  the read models come from another log; the message says which.
//   others     the log's own.
Result<NodeLogs> open_node_logs(const Config& config, const DataDirectory& directory,
                                Metrics& metrics, LogLines& log_lines,
                                const std::function<bool()>& stop_asked);

// How to import a history into them; null if that is not allowed. `alone` returns whether no other
// node has them open.
BeginImport import_into(const NodeLogs& logs, const Config& config, std::function<bool()> alone);

}  // namespace tilth
