#include "app/node/node_backup.h"

#include <utility>

namespace tilth {

// Copies the rows before the log, so that the log reaches at least as far as they do.
Result<std::uintmax_t> back_up_node(const std::filesystem::path& to, std::vector<BackedUp> rows,
                                    const NodeLogs& logs, const UsageStore& usage,
                                    const DataDirectory& directory) {
  auto all = std::move(rows);
  all.push_back(copy_of_file(directory.path() / "views" / "log"));
  all.back().name = "views/log";
  if (!logs.shared()) {  // a backup on Kafka is a seed for another node, which counts its own
    all.push_back({"log", [&logs](const auto& path) { return logs.embedded->copy_to(path); }});
    all.push_back({"usage", [&usage](const auto& path) { return usage.copy_to(path); }});
  }
  for (const auto& file : directory.moving_files()) all.push_back(copy_of_file(file));
  return back_up(to, all);
}

}  // namespace tilth
