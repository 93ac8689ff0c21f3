#include "api/operator/audit_trail.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/keys/operator_ring.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/system/random.h"
#include "projections/fold/projection.h"
#include "tests/fixtures/node.h"

namespace tilth::testing {
namespace {

class AuditTrailTest : public ::testing::Test {
 protected:
  class Counting final : public Responder {
   public:
    explicit Counting(int& responses) : responses_(responses) {}
    void respond(HttpResponse) override { ++responses_; }
    std::unique_ptr<BodyStream> stream(HttpResponse) override { std::abort(); }

   private:
    int& responses_;
  };

  void change(const std::string& path) {
    const Route route{.method = "POST", .pattern = "/operator/v1/users", .summary = "Add a user"};
    HttpRequest request{};
    request.method = "POST";
    request.path = path;
    Call call{std::make_shared<Exchange>(std::move(request), std::make_unique<Counting>(responses),
                                         "r", [](const auto&) {}),
              "127.0.0.1"};
    call.operated_by = OperatorIdentity::of("amina", OperatorRole::kOperate);
    trail.begin(route, call);
    call.answer(HttpResponse{200});
  }

  // While nothing turns the node, its commands wait, and it takes no others.
  void take_all_places() {
    for (std::size_t i = 0; i < kPlaces; ++i) {
      node.loop().carry_out(
          {.stream = "audit",
           .actor = "operator",
           .request_id = "r",
           .decide = [](const auto&, const auto&) { return Decision(std::nullopt); }},
          [this](const auto&) { ++left; });
    }
  }

  static constexpr std::size_t kPlaces = 8;
  MemoryEventLog log{1};
  Node node{log, '0', {.waiting = kPlaces}, access};
  IdSource ids{fill_random};
  std::size_t left = 0;
  int responses = 0;
  std::vector<std::string> said;
  AuditTrail trail{{node.loop(), ids, [] { return true; },
                    [this](const AuditRecorded& entry, std::string_view not_stored) {
                      said.push_back(entry.target + (not_stored.empty() ? "" : " is not stored"));
                    }}};
};

TEST_F(AuditTrailTest, TriesOnlyTheEarliestEntryAgainWhileTheLogTakesNone) {
  take_all_places();
  for (const auto* path : {"/1", "/2", "/3"}) change(path);
  EXPECT_EQ(said, (std::vector<std::string>{"/1", "/1 is not stored", "/2 is not stored",
                                            "/3 is not stored"}));
  EXPECT_EQ(responses, 3) << "a change is answered as it went";
  EXPECT_EQ(trail.waiting(), 3U);
  turn_until([this] { return left == kPlaces; }, {&node});
  change("/4");
  turn_until([this] { return responses == 4; }, {&node});
  EXPECT_EQ(trail.recorded(), 4U);
  EXPECT_EQ(trail.waiting(), 0U);
  EXPECT_EQ(said.back(), "/4");
  EXPECT_EQ(said.size(), 5U);
}

}  // namespace
}  // namespace tilth::testing
