// The contents of a node's backup, and the order in which they are copied.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "app/node/node_logs.h"
#include "infra/node/backup.h"
#include "infra/node/data_directory.h"
#include "infra/usage/usage_store.h"

namespace tilth {

// Makes `to` a copy of `rows` and of the other files in `directory`, and reads the copied log back
// unless `goes_on` returns false. Of a sealed log it has no sessions, and the owners' keys only
// `with_owner_keys`; `rows` must not have what is sealed. Errors: back_up()'s, and
//
//   kDamaged  the log is damaged; the message says where. Nothing is left: a good backup must not
//             be replaced by this one.
Result<std::uintmax_t> back_up_node(const std::filesystem::path& to, std::vector<BackedUp> rows,
                                    const NodeLogs& logs, const UsageStore& usage,
                                    const DataDirectory& directory,
                                    const std::function<bool()>& goes_on, bool with_owner_keys);

// Makes `to` a copy of the owners' keys alone. Errors: back_up()'s.
Result<std::uintmax_t> back_up_owner_keys(const std::filesystem::path& to, OwnerKeys& keys);

}  // namespace tilth
