// The contents of a node's backup, and the order in which they are copied.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

#include "api/operator/operated_backup.h"
#include "app/node/node_logs.h"
#include "events/values/time.h"
#include "infra/log_lines/log_lines.h"
#include "infra/node/backup.h"
#include "infra/node/data_directory.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Operation: copies read models, log, usage counts and what moves with a data directory, and reads
// the copied log back. A copy of a sealed log has no sessions. Archived files of the log stay where
// they are, unless they are asked for.
//
// Threads: any. Crash: see back_up().
class NodeBackup final : public OperatedBackup {
 public:
  // Borrowed; must outlive this.
  struct Parts {
    std::function<std::vector<BackedUp>()> rows;  // of a sealed log, without what is sealed
    const NodeLogs& logs;
    const UsageStore& usage;
    const DataDirectory& directory;
    std::filesystem::path aside;  // a directory to be made on the disk of the data
    const Clock& clock;
    std::function<bool()> goes_on;  // false ends a backup
    std::function<void()> on_made;
    LogLines& log_lines;
  };
  explicit NodeBackup(Parts parts);

  // kDamaged leaves nothing: a good backup must not be replaced by this one.
  Result<BackupMade> back_up(const BackupRequest& request) override;

 private:
  Result<std::vector<BackedUp>> contents(const BackupRequest& request,
                                         const std::filesystem::path& to,
                                         std::vector<ArchivedFile>& archived) const;
  Result<BackupMade> add_to(const BackupRequest& request, std::vector<ArchivedFile>& archived);
  Status copy_log(const std::filesystem::path& to, std::vector<ArchivedFile>& archived,
                  bool may_change) const;
  Status copy_archived(const ArchivedFile& file, const std::filesystem::path& to) const;

  const Parts parts_;
  std::mutex sharing_;  // one at a time
};

}  // namespace tilth
