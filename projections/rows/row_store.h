// Where rows lie: bytes under ordered keys. In service a RocksDB and a batch over it, in tests
// memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/ids.h"

namespace tilth {

// Walks keys in byte order. Not valid() until it was sought; next() and prev() need valid(). What
// key() and value() show is good until the next move. Belongs to one thread and must not outlive
// its reader.
class RowCursor {
 public:
  virtual ~RowCursor() = default;
  virtual void seek(std::string_view key) = 0;           // to the first key at or after `key`
  virtual void seek_for_prev(std::string_view key) = 0;  // to the last key at or before `key`
  virtual void next() = 0;
  virtual void prev() = 0;
  virtual bool valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

// Something that follows from a row's bytes alone, and about how much memory it takes.
struct Made {
  std::shared_ptr<const void> value;
  std::size_t bytes = 0;
};
using Maker = Made (*)(std::string_view bytes);

// One consistent state of the rows. Threads: as the adapter says. A store that cannot read throws
// UnreadableRows; anyone who computes with rows does not catch it.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual std::optional<std::string> get(std::string_view key) const = 0;
  // As get(), for anyone who is about to put something there: cheaper where nothing is, and others
  // of its kind lie next to it; dearer where there is something that was not read lately.
  virtual std::optional<std::string> get_before_put(std::string_view key) const { return get(key); }
  // What `maker` makes of the bytes under `key`; null if there are none. Adapters may keep it, so a
  // key has one maker for ever.
  virtual std::shared_ptr<const void> made_of(std::string_view key, Maker maker) const {
    const auto bytes = get(key);
    return bytes ? maker(*bytes).value : nullptr;
  }
  // As get(), in the order of `keys`, for the price of fewer.
  virtual std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const = 0;
  virtual std::unique_ptr<RowCursor> cursor() const = 0;
};

struct RowKind;

// Reads its own writes. Belongs to one thread.
class RowStore : public RowReader {
 public:
  // Whether the store takes this row itself, and sees to what follows from it whenever that is
  // read. Otherwise its lists and keys are put as all else is.
  virtual bool put_row(const RowKind&, const Uuid& /*id*/, const Uuid& /*parent*/,
                       const std::string& /*bytes*/) {
    return false;
  }
  virtual bool erase_row(const RowKind&, const Uuid& /*id*/, const Uuid& /*parent*/) {
    return false;
  }

  virtual void put(std::string key, std::string value) = 0;
  virtual void erase(std::string key) = 0;  // no error if there is nothing
};

}  // namespace tilth
