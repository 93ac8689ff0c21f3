// Compacts a database so that nothing of what was erased is left in its files.

#pragma once

#include <functional>
#include <string_view>

#include <rocksdb/db.h>

namespace tilth {

// Looks every 20 ms until `ended` returns true. False: `goes_on` returned false before.
bool wait_until(const std::function<bool()>& ended, const std::function<bool()>& goes_on);

// Rewrites the files that have keys from `begin` on and before `end`, both empty for all: nothing
// of what was erased there, and that no snapshot sees, is left in them. Waits until files that were
// replaced are removed, which readers of them delay, while `goes_on` returns true. Incomplete: some
// are still there. IOError: the directory cannot be read, so they may be.
rocksdb::Status compact_range(rocksdb::DB& db, std::string_view begin, std::string_view end,
                              const std::function<bool()>& goes_on);

}  // namespace tilth
