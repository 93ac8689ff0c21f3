#include "projections/rows/idempotency_record.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "projections/rows/row_batch.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

class RememberedRequests : public ::testing::Test {
 protected:
  void remember(const std::string& key, Timestamp at) {
    MutableRows rows(store, "user_1", 0);
    tilth::remember(rows, key, {.request_hash = "of " + key, .at = at});
  }
  bool remembers(const std::string& key, Timestamp now) const {
    return find_idempotency_record(Rows(store, "user_1", 0), key, now).has_value();
  }
  static Timestamp after(std::chrono::milliseconds since) { return {kThen.at + since}; }

  RowBatch store;
};

TEST_F(RememberedRequests, AreForgottenAfter24Hours) {
  remember("a", kThen);
  EXPECT_TRUE(remembers("a", after(24h - 1ms)));
  EXPECT_FALSE(remembers("a", after(24h)));
}

TEST_F(RememberedRequests, AreKeptFor24HoursThoughAnotherFollows) {
  remember("a", kThen);
  remember("b", after(24h - 1ms));
  EXPECT_TRUE(remembers("a", after(24h - 1ms)));
}

TEST_F(RememberedRequests, AreErasedOnceTheyAreForgotten) {
  for (int number = 0; number < 20; ++number) remember(std::to_string(number), kThen);
  for (int number = 0; number < 3; ++number) {
    remember("later " + std::to_string(number), after(25h));
  }
  EXPECT_EQ(store.changes().size(), 2 * 3U) << "by key and by time";
}

TEST_F(RememberedRequests, AreKeptFromTheLastUseOfAKeyOn) {
  for (int number = 0; number < 20; ++number) remember(std::to_string(number), kThen);
  remember("z", kThen);  // more than are erased at once are older
  remember("z", after(25h));
  for (int number = 0; number < 3; ++number) {
    remember("later " + std::to_string(number), after(26h));
  }
  EXPECT_TRUE(remembers("z", after(26h)));
  EXPECT_EQ(store.changes().size(), 2 * 4U) << "by key and by time";
}

}  // namespace
}  // namespace tilth::testing
