#include "app/node/last_backup.h"

#include <chrono>
#include <utility>

#include "infra/system/whole_file.h"

namespace tilth {

LastBackup::LastBackup(std::filesystem::path file) : file_(std::move(file)) {
  const auto text = read_whole_file(file_);
  if (!text || !*text) return;
  if (const auto at = Timestamp::parse((*text)->substr(0, (*text)->find('\n')))) at_ = *at;
}

void LastBackup::succeeded(Timestamp now, LogLines& log) {
  const std::lock_guard one_at_a_time(writing_);
  {
    const std::lock_guard lock(mutex_);
    at_ = now;
  }
  if (const auto kept = write_whole_file(file_, now.text() + "\n", 0600); !kept) {
    log.warn("The time of the backup cannot be stored.", {{"reason", kept.error().message}});
  }
}

void LastBackup::report(Samples& to) const {
  const std::lock_guard lock(mutex_);
  using Seconds = std::chrono::duration<double>;
  to.gauge("tilth_backup_timestamp_seconds",
           "When `tilth backup` last succeeded; 0 if it never has.", {},
           Seconds(at_.at.time_since_epoch()).count());
}

}  // namespace tilth
