#include "app/node/node_backup.h"

#include <utility>

#include "infra/embedded/log_check.h"

namespace tilth {
namespace {

Status copy_sound(EmbeddedEventLog& log, const std::filesystem::path& to,
                  const std::function<bool()>& goes_on) {
  if (const auto copied = log.copy_to(to); !copied) return copied;
  const auto checked = check_log(to, [&](auto...) { return goes_on(); });
  return checked ? Status(kDone) : Status(checked.error());
}

}  // namespace

// Copies the rows before the log, so that the log reaches at least as far as they do.
Result<std::uintmax_t> back_up_node(const std::filesystem::path& to, std::vector<BackedUp> rows,
                                    const NodeLogs& logs, const UsageStore& usage,
                                    const DataDirectory& directory,
                                    const std::function<bool()>& goes_on) {
  auto all = std::move(rows);
  all.push_back(copy_of_file(directory.path() / "views" / "log"));
  all.back().name = "views/log";
  if (!logs.shared()) {  // a backup on Kafka is a seed for another node, which counts its own
    all.push_back(
        {"log", [&](const auto& path) { return copy_sound(*logs.embedded, path, goes_on); }});
    all.push_back({"usage", [&usage](const auto& path) { return usage.copy_to(path); }});
  }
  for (const auto& file : directory.moving_files()) all.push_back(copy_of_file(file));
  return back_up(to, all);
}

}  // namespace tilth
