// What a backup of a node holds, and in which order it is copied.

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/node_logs.h"
#include "infra/backup.h"
#include "infra/data_directory.h"
#include "infra/rocksdb/usage_store.h"

namespace tilth {

// Makes `to` a copy of `rows`, and of what lies beside them in `directory`. Errors: back_up()'s.
Result<std::uintmax_t> back_up_node(const std::filesystem::path& to, std::vector<BackedUp> rows,
                                    const NodeLogs& logs, const UsageStore& usage,
                                    const DataDirectory& directory);

}  // namespace tilth
