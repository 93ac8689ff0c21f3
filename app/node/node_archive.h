// Moves old records of the node's log to files.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "api/operator/operated_archive.h"
#include "infra/embedded/embedded_event_log.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Threads: any. Crash: see RecordStore::archive().
class NodeArchive final : public OperatedArchive {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    EmbeddedEventLog& log;
    std::filesystem::path data_directory;     // where no archive may be but in `archive`
    std::filesystem::path default_directory;  // empty: none
    std::function<bool()> goes_on;            // false ends a request
  };
  explicit NodeArchive(Parts parts) : parts_(std::move(parts)) {}

  ArchiveStanding standing() const override;
  Result<ArchiveStanding> archive(const ArchiveRequest& request) override;
  void report(Samples& to) const;

 private:
  bool is_in_use(const std::filesystem::path& directory) const;

  const Parts parts_;
};

}  // namespace tilth
