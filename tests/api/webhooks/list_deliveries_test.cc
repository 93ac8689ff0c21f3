// A request for a webhook's deliveries.

#include <thread>

#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class ListDeliveriesTest : public ApiFixture {
 protected:
  const std::string webhook =
      call("POST", "/webhooks", R"({"url":"https://farm.example/hook"})").data("id");
};

TEST_F(ListDeliveriesTest, ReadsThemOnNoThreadOfASocket) {
  EXPECT_EQ(call("GET", "/webhooks/" + webhook + "/deliveries").status(), 200);
  EXPECT_NE(deliveries.listed_on, std::thread::id());
  EXPECT_NE(deliveries.listed_on, std::this_thread::get_id());
}

}  // namespace
}  // namespace tilth::testing
