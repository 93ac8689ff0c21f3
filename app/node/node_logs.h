// The logs of a node: the history, in the node itself or on Kafka, and on Kafka what nodes share
// next to it.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "events/log/event_log.h"
#include "events/log/history_import.h"
#include "infra/config/config.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/kafka/kafka_event_log.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "infra/node/data_directory.h"

namespace tilth {

struct NodeLogs {
  std::unique_ptr<EventLog> events;
  EmbeddedEventLog* embedded = nullptr;       // what `events` is, if it is that
  KafkaEventLog* kafka = nullptr;             // or that
  EventLog* decided = nullptr;                // the same, for who decides on what it reads
  EventLog* followed = nullptr;               // and for who may read a moment later
  std::unique_ptr<KafkaEventLog> usage = {};  // null: this node is alone
  std::string key_secret = {};
  // Hears of each record of users and keys before it is acknowledged: by the first of them these
  // logs are told from others.
  std::function<void(const LoggedRecord&)> on_access = [](const LoggedRecord&) {};

  bool shared() const { return usage != nullptr; }
};

// Opens them. The read models of `config.data` must come from this very log, or there are none yet.
// All that is given must outlive the logs, but for `stop_asked`: where that is so while they wait
// for brokers, they wait no more.
//
//   kConflict  the read models come from another log; the message says which.
//   others     the log's own.
Result<NodeLogs> open_node_logs(const Config& config, const DataDirectory& directory,
                                Metrics& metrics, LogLines& log_lines,
                                const std::function<bool()>& stop_asked);

// How a history gets into them; null where none may. `alone` tells whether no other node has them
// open, too.
BeginImport import_into(const NodeLogs& logs, const Config& config, std::function<bool()> alone);

}  // namespace tilth
