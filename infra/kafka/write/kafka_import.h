// A history that becomes a topic's: kept whole next to the read models first, then produced.

#pragma once

#include <filesystem>
#include <memory>

#include "events/log/history_import.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/kafka/kafka_event_log.h"

namespace tilth {

// Operation: add() stages the records in an embedded log of its own. finish() makes that durable,
// and from then on the import happens: it produces them in their order, as often as it takes, since
// a copy of a record never counts. No one of this node reads the topic or appends to it meanwhile.
// Other nodes would read a part: there must be none.
//
// Crash: before finish() the topic is empty, and what lies in the directory is nothing; after it
// resume() produces what was staged.
class KafkaImport final : public HistoryImport {
 public:
  // `log` must outlive it. kConflict: it is not empty, or another import is under way.
  // kUnavailable: it does not answer, or the disk refuses.
  static Result<std::unique_ptr<HistoryImport>> begin(KafkaEventLog& log,
                                                      const std::filesystem::path& directory);

  // Ends what a former life of this node had begun to produce. Before anybody reads `log`.
  static Status resume(KafkaEventLog& log, const std::filesystem::path& directory);

  ~KafkaImport() override;

  Status add(Record record) override { return import_->add(std::move(record)); }
  Status finish() override;

 private:
  KafkaImport(KafkaEventLog& log, std::filesystem::path directory);
  Status stage();

  KafkaEventLog& log_;
  const std::filesystem::path directory_;
  bool happens_ = false;  // and is not over
  std::unique_ptr<EmbeddedEventLog> staged_;
  std::unique_ptr<HistoryImport> import_;  // into it
};

}  // namespace tilth
