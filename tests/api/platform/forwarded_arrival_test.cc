#include "api/platform/forwarded_arrival.h"

#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace tilth {
namespace {

// A node whose test says what it has and knows.
class Here final : public Forwarding {
 public:
  bool is_here(const std::string& user_id) const override {
    return has_rows && user_id == "user_1";
  }
  std::size_t cells() const override { return 1; }
  bool is_here(std::size_t /*cell*/) const override { return has_rows; }
  void ask_cells(const Call&, std::chrono::milliseconds, CellTexts,
                 std::function<void(Result<CellTexts>)>) override {}
  void forward(Call) override {}
  void when_known(const HttpRequest& /*request*/, std::function<void(bool)> done) override {
    known = std::move(done);
  }

  bool has_rows = true;
  std::function<void(bool)> known;
};

class ForwardedArrivalTest : public ::testing::Test {
 protected:
  class Told final : public Responder {
   public:
    explicit Told(std::optional<int>& status) : status_(status) {}
    void respond(HttpResponse response) override { status_ = response.status; }
    std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }

   private:
    std::optional<int>& status_;
  };

  void arrive(std::vector<HttpHeader> headers = {{std::string(Forwarding::kCaller), "user_1"}}) {
    HttpRequest request;
    request.headers = std::move(headers);
    const auto exchange = std::make_shared<Exchange>(
        std::move(request), std::make_unique<Told>(status), "request-1", Exchange::OnAnswered());
    take_forwarded(here, exchange, [this] { taken = true; });
  }

  Here here;
  bool taken = false;
  std::optional<int> status;
};

TEST_F(ForwardedArrivalTest, IsTakenOnceWhatTheOtherNodeKnewIsKnown) {
  arrive();
  EXPECT_FALSE(taken);
  here.known(true);
  EXPECT_TRUE(taken);
  EXPECT_FALSE(status);
}

TEST_F(ForwardedArrivalTest, IsNotHereAtOnceWithoutTheRows) {
  here.has_rows = false;
  arrive();
  EXPECT_FALSE(here.known) << "another holder may answer at once";
  EXPECT_EQ(status, Forwarding::kNotHereStatus);
}

TEST_F(ForwardedArrivalTest, IsNotHereIfThisNodeDoesNotCatchUp) {
  arrive();
  here.known(false);
  EXPECT_FALSE(taken);
  EXPECT_EQ(status, Forwarding::kNotHereStatus);
}

TEST_F(ForwardedArrivalTest, IsNotHereIfTheRowsLeaveMeanwhile) {
  arrive();
  here.has_rows = false;
  here.known(true);
  EXPECT_FALSE(taken);
  EXPECT_EQ(status, Forwarding::kNotHereStatus);
}

TEST_F(ForwardedArrivalTest, AQuestionForPartsNeedsNoRowsOfItsCaller) {
  here.has_rows = false;
  arrive({{std::string(Forwarding::kCaller), "user_1"}, {std::string(Forwarding::kParts), "1"}});
  here.known(true);
  EXPECT_TRUE(taken);
}

}  // namespace
}  // namespace tilth
