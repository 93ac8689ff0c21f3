// Stores what became of deliveries, and forgets what is old.

#pragma once

#include <chrono>
#include <vector>

#include "infra/webhooks/delivery_parts.h"
#include "infra/webhooks/delivery_target.h"

namespace tilth {

// Operation: what changes is collected in one batch, which store() writes. While it cannot be
// written nothing more may be sent, so that nothing is sent in vain.
//
// Threads: one.
class DeliveryWriter {
 public:
  explicit DeliveryWriter(const DeliveryParts& parts) : parts_(parts) {}

  DeliveryStore::Batch& batch() { return batch_; }

  // Whether the last batch could not be written.
  bool in_trouble() const { return trouble_; }

  // Forgets what is not written, and the trouble with it: nothing else is left whose write would
  // end that.
  void clear() { batch_.clear(), trouble_ = false; }

  // Writes the batch, with the places of the targets that are dirty.
  void store(DeliveryOwners& owners);

  // From time to time: erases deliveries that are too old.
  void erase_old(DeliveryOwners& owners);

  // From time to time: tells other nodes again what still waits, since the log of what was stored
  // forgets.
  void reshare(DeliveryOwners& owners);
  void reshare_soon() { next_reshare_ = parts_.steady(); }

 private:
  // To be called after each change of many. False: it cannot be written now.
  bool store_if_large(DeliveryOwners& owners);
  // False: what still waits is not told yet.
  bool put_pending(DeliveryOwners& owners);
  void put_place(DeliveryTarget& target);
  void trim(DeliveryTarget& target);
  void erase(DeliveryTarget& target, const std::vector<Uuid>& deliveries);

  const DeliveryParts& parts_;
  DeliveryStore::Batch batch_;
  bool trouble_ = false;
  std::chrono::steady_clock::time_point retry_at_{}, next_places_{}, next_erase_{}, next_reshare_{};
};

}  // namespace tilth
