#include "app/node/failing_streams.h"

#include <chrono>

#include <gmock/gmock.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Error kBusy{ErrorCode::kUnavailable, "Busy."};

class FailingStreamsTest : public ::testing::Test {
 protected:
  FailingStreamsTest() { failing_.add({"a", "b"}, kBusy, now_); }

  std::vector<std::string> begin(std::size_t at_most = 64) { return failing_.begin(at_most, now_); }

  FailingStreams::Steady::time_point now_{1h};
  FailingStreams failing_;
};

TEST_F(FailingStreamsTest, AreTriedAfterAPauseEachTimeThatTheyFail) {
  EXPECT_THAT(begin(), IsEmpty());
  now_ += FailingStreams::kPause;
  EXPECT_THAT(begin(), ElementsAre("a", "b"));
  failing_.ended("a", kBusy, now_);
  failing_.ended("b", kDone, now_);
  EXPECT_THAT(begin(), IsEmpty());
  EXPECT_EQ(failing_.why().error().message, "Busy.");
  now_ += FailingStreams::kPause;
  EXPECT_THAT(begin(), ElementsAre("a"));
  failing_.ended("a", kDone, now_);
  EXPECT_TRUE(failing_.why());
}

TEST_F(FailingStreamsTest, AreNotForgottenWhileTheyAreUnderWay) {
  now_ += FailingStreams::kPause;
  EXPECT_THAT(begin(1), ElementsAre("a"));
  failing_.forget_idle();
  EXPECT_EQ(failing_.count(), 1U) << "only the idle one";
  failing_.add({"b"}, kBusy, now_);
  now_ += FailingStreams::kPause;
  EXPECT_THAT(begin(1), IsEmpty());
  failing_.ended("a", kDone, now_);
  EXPECT_THAT(begin(1), ElementsAre("b"));
}

}  // namespace
}  // namespace tilth
