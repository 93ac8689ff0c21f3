// Thrown by a store whose rows exist and cannot be read: the disk is dead, or returns other bytes
// than were written.

#pragma once

#include <stdexcept>
#include <string>

namespace tilth {

// Thrown through any work on rows, and caught where that begins: where events are folded, commands
// decided, requests handled, generations compared. It ends that work there, and the projection that
// owns the rows is notified (Projector::cannot_read).
class UnreadableRows : public std::runtime_error {
 public:
  // `store` is where the rows are; a store recognizes its own by it.
  UnreadableRows(std::string store, const std::string& why)
      : std::runtime_error(why), store_(std::move(store)) {}

  const std::string& store() const { return store_; }

 private:
  std::string store_;
};

}  // namespace tilth
