// Reads consecutive records of the embedded log from tables. For the .cc files of this folder only:
// it includes RocksDB.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <rocksdb/iterator.h>

#include "events/log/event_log.h"
#include "events/values/result.h"
#include "infra/keys/owner_keys.h"

namespace tilth {

// As RecordStore::page(), from what `at` iterates over. What is sealed stays so without `keys`.
Result<std::vector<LoggedRecord>> read_page(rocksdb::Iterator& at, std::int64_t offset,
                                            std::int64_t end, std::size_t limit, OwnerKeys* keys);

// Calls `take` with each record from `offset` on and before `end`, as it is stored and after its
// checksum was compared; until `take` returns false or fails. Returns the offset of the first
// record that was not taken. Errors: as read_page(), and those of `take`.
using TakeStored = std::function<Result<bool>(const Record& record, std::string_view bytes)>;
Result<std::int64_t> read_stored(rocksdb::Iterator& at, std::int64_t offset, std::int64_t end,
                                 const TakeStored& take);

}  // namespace tilth
