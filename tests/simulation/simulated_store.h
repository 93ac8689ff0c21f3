// A projection's store in a simulated world: commits fail, and a power failure loses the last ones.

#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "projections/fold/projection_store.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedStore final : public ProjectionStore {
 public:
  explicit SimulatedStore(World& world) : world_(world) {}

  const RowReader& newest() const override { return *state_; }
  std::shared_ptr<const RowReader> snapshot() const override { return seen_ ? seen_ : state_; }
  Status commit(const RowBatch::Changes& changes) override;

  // Some of the last commits were never on the disk.
  void lose_power();

 private:
  void show_all_but_one(const RowBatch::Changes& changes);
  static void apply(const RowBatch::Changes& changes, RowBatch& rows);
  static std::shared_ptr<RowBatch> copy_of(const RowBatch& rows);

  World& world_;
  std::shared_ptr<RowBatch> state_ = std::make_shared<RowBatch>();
  std::shared_ptr<RowBatch> seen_;         // by readers, for a planted bug
  RowBatch survived_;                      // what was on the disk when power was lost last
  std::deque<RowBatch::Changes> written_;  // committed since
  std::size_t flushed_ = 0;                // how many of these are on the disk, the first ones
};

}  // namespace tilth::testing
