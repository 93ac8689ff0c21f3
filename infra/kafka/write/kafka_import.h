// Imports a history into a topic: stores all of it next to the read models first, then produces it.

#pragma once

#include <filesystem>
#include <memory>

#include "events/log/history_import.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/kafka/kafka_event_log.h"

namespace tilth {

// Operation: add() stages the records in an embedded log of its own. finish() makes that durable,
// and from then on the import will complete: it produces the records in their order, with as many
// retries as it takes, since a copy of a record never counts. Meanwhile this node neither reads the
// topic nor appends anything else to it. Other nodes would read a part: there must be none.
//
// Crash: before finish() the topic is empty, and the files in the directory are worthless; after it
// resume() produces what was staged.
class KafkaImport final : public HistoryImport {
 public:
  // `log` must outlive it. kConflict: it is not empty, or another import is under way.
  // kUnavailable: it does not respond, or a disk error.
  static Result<std::unique_ptr<HistoryImport>> begin(KafkaEventLog& log,
                                                      const std::filesystem::path& directory);

  // Completes what an earlier run of this node had begun to produce. Call it before `log` is read.
  static Status resume(KafkaEventLog& log, const std::filesystem::path& directory);

  ~KafkaImport() override;

  Status add(Record record, std::int64_t line) override {
    return import_->add(std::move(record), line);
  }
  Status finish() override;

 private:
  KafkaImport(KafkaEventLog& log, std::filesystem::path directory);
  Status stage();

  KafkaEventLog& log_;
  const std::filesystem::path directory_;
  bool happens_ = false;  // the import is durable and not complete
  std::unique_ptr<EmbeddedEventLog> staged_;
  std::unique_ptr<HistoryImport> import_;  // into it
};

}  // namespace tilth
