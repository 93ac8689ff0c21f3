// What a store throws whose rows are there and cannot be read: the disk is dead, or gives back
// other bytes than were written.

#pragma once

#include <stdexcept>
#include <string>

namespace tilth {

// Thrown through whatever was computing with rows, and caught where that begins: where events are
// folded, commands decided, requests answered, generations compared. There it ends that work, and
// the projection whose rows they are is told (Projector::cannot_read).
class UnreadableRows : public std::runtime_error {
 public:
  // `store` is where they lie, by which it knows its own.
  UnreadableRows(std::string store, const std::string& why)
      : std::runtime_error(why), store_(std::move(store)) {}

  const std::string& store() const { return store_; }

 private:
  std::string store_;
};

}  // namespace tilth
