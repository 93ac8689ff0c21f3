// How a log is asked where it ends while it cannot tell.

#include <gtest/gtest.h>

#include "events/log_end.h"
#include "infra/embedded/memory_event_log.h"

namespace tilth::testing {
namespace {

class HesitantLog final : public EventLog {
 public:
  HesitantLog(int silent, ErrorCode code) : silent_(silent), code_(code) {}

  void append(Record record, OnAppended done) override {
    log_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return log_.read(from);
  }
  void end(int partition, OnEnd done) override {
    ++asked;
    if (silent_-- > 0) return done(Error{code_, "Its leader changes."});
    log_.end(partition, std::move(done));
  }
  int partitions() const override { return log_.partitions(); }

  int asked = 0;

 private:
  MemoryEventLog log_{2, MemoryEventLog::Refused::kKept};
  int silent_;
  const ErrorCode code_;
};

TEST(EndsOf, AsksAgainWhileTheLogIsUnavailable) {
  HesitantLog log(3, ErrorCode::kUnavailable);
  const auto ends = ends_of(log);
  ASSERT_TRUE(ends) << ends.error().message;
  EXPECT_EQ(*ends, (std::vector<Position>{{0, 0}, {1, 0}}));
}

TEST(EndsOf, GivesUp) {
  HesitantLog log(1'000, ErrorCode::kUnavailable);
  EXPECT_FALSE(ends_of(log));
}

TEST(EndsOf, DoesNotAskAgainWhatIsLost) {
  HesitantLog log(1, ErrorCode::kLost);
  EXPECT_FALSE(ends_of(log));
  EXPECT_EQ(log.asked, 1);
}

}  // namespace
}  // namespace tilth::testing
