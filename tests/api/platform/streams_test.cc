// Threads for long responses: their limit, and that each one is joined.

#include "api/platform/streams.h"

#include <future>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "api/operator/projection_state.h"
#include "tests/fixtures/no_threads.h"

namespace tilth {
namespace {

using testing::NoThreads;

TEST(StreamThreads, RunsNoMoreThanItMay) {
  std::promise<void> go_on;
  const auto until = go_on.get_future().share();
  StreamThreads threads;
  EXPECT_TRUE(threads.run(2, [until] { until.wait(); }));
  EXPECT_TRUE(threads.run(2, [until] { until.wait(); }));
  EXPECT_FALSE(threads.run(2, [] {}));
  go_on.set_value();
}

TEST(StreamThreads, TakesNoPlaceWhereNoThreadCanBeHad) {
  StreamThreads threads;
  {
    const NoThreads none;
    EXPECT_FALSE(threads.run(1, [] {}));
  }
  EXPECT_TRUE(threads.run(1, [] {}));
}

// A log of which only the end is queried; the test completes the query.
class AskedLog final : public EventLog {
 public:
  void append(Record, OnAppended) override {}
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>&) override {
    return Error{ErrorCode::kUnavailable, "Nothing is read here."};
  }
  void end(int, OnEnd done) override { told = std::move(done); }
  int partitions() const override { return 1; }

  OnEnd told;
};

TEST(StreamThreads, WaitForAnEndThatTheLogIsAskedFor) {
  AskedLog log;
  auto threads = std::make_unique<StreamThreads>();
  bool answered = false;
  ask_ends(
      log, [&](const LogEnds&) { answered = true; }, threads->hold());
  const auto tells = std::async(std::launch::async, [&] { log.told(42); });
  threads.reset();
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace tilth
