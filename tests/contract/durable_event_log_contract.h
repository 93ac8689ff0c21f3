// What every EventLog that outlives its process must do, in addition to event_log_contract.h.
// Instantiate it with a LogUnderTest that has `reopen`.

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/contract/event_log_contract.h"

namespace tilth::testing {

class DurableEventLogContract : public EventLogContract {
 protected:
  void reopen() {
    log.reset();
    log = GetParam().reopen();
    ASSERT_NE(log, nullptr);
  }
};

TEST_P(DurableEventLogContract, KeepsEveryRecordWhereItWas) {
  std::vector<Position> placed;
  for (std::uint64_t v = 0; v < 20; ++v) {
    const auto position = start(record("user_1", v, std::to_string(v))).get();
    ASSERT_TRUE(position);
    placed.push_back(*position);
  }
  for (int round = 0; round < 3; ++round) {
    reopen();
    const auto found = read(log->partition_of("user_1"));
    ASSERT_EQ(found.size(), placed.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].position, placed[i]);
      EXPECT_EQ(*found[i].record, record("user_1", i, std::to_string(i)));
    }
  }
}

TEST_P(DurableEventLogContract, GoesOnWhereItStood) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  const auto last = end(log->partition_of("user_1"));
  ASSERT_TRUE(last);
  reopen();
  EXPECT_EQ(*end(log->partition_of("user_1")), *last);
  const std::string said = append("user_1", 0, "b");
  EXPECT_TRUE(said == "stale" || said == "durable") << said;
  EXPECT_EQ(append("user_1", 1, "c"), "durable");
  EXPECT_EQ(append("user_2", 0, "d"), "durable");
  reopen();
  EXPECT_EQ(append("user_1", 2, "e"), "durable");
  EXPECT_EQ(history("user_1") + history("user_2"), "a c e d ");
}

TEST_P(DurableEventLogContract, KeepsWhatWasDurableWhenItWasDestroyedAmidAppends) {
  std::vector<std::future<Result<Position>>> ends;
  for (std::uint64_t v = 0; v < 50; ++v) ends.push_back(start(record("user_1", v, "a")));
  ends.front().wait();
  reopen();
  std::vector<std::int64_t> kept;
  for (const auto& logged : read(log->partition_of("user_1"))) {
    kept.push_back(logged.position.offset);
  }
  for (auto& ended : ends) {
    ASSERT_EQ(ended.wait_for(0s), std::future_status::ready);
    const auto placed = ended.get();
    if (!placed) continue;
    EXPECT_EQ(std::count(kept.begin(), kept.end(), placed->offset), 1);
  }
  EXPECT_FALSE(kept.empty());
}

TEST_P(DurableEventLogContract, StillSaysThatRecordsBeyondTheEndAreLost) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  reopen();
  const int partition = log->partition_of("user_1");
  const auto last = end(partition);
  ASSERT_TRUE(last);
  EXPECT_TRUE(log->read({{partition, *last}}));
  const auto lost = log->read({{partition, *last + 1}});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kLost);
}

}  // namespace tilth::testing
