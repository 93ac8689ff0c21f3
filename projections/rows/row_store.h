// Where rows are stored: bytes under ordered keys. RocksDB with a batch over it in service, memory
// in tests.

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

// Iterates over keys in byte order. Not valid() before a seek; next() and prev() need valid().
// key() and value() are valid until the next move. Belongs to one thread and must not outlive its
// reader.
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

// One consistent state of the rows. Threads: as the adapter says. A store that cannot read throws
// UnreadableRows, which is caught where the work on rows begins.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual std::optional<std::string> get(std::string_view key) const = 0;
  // As get(), in the order of `keys`, at a lower cost.
  virtual std::vector<std::optional<std::string>> get_many(
      const std::vector<std::string>& keys) const = 0;
  virtual std::unique_ptr<RowCursor> cursor() const = 0;
  // A cursor that is only asked for keys that begin with `prefix`, forward. It may end after them;
  // cursor() would go on to the next key, which can be far behind erased ones.
  virtual std::unique_ptr<RowCursor> cursor_within(std::string_view /*prefix*/) const {
    return cursor();
  }
};

struct RowKind;

// Reads its own writes. Belongs to one thread.
class RowStore : public RowReader {
 public:
  // Whether the store takes this row itself, and builds what follows from it when that is read. If
  // not, the caller puts its lists and keys like all else.
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
