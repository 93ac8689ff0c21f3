// What a node that shares its log with others believes of a key.

#include <atomic>
#include <functional>
#include <thread>

#include "api/keys/access_lease.h"
#include "tests/api/api_fixture.h"

namespace tilth::testing {
namespace {

class LeasedKeys : public ApiFixture {
 protected:
  LeasedKeys() {
    leased.set_ready(true);
    turn_until([this] { return lease.holds(); }, {&node});
  }
  ~LeasedKeys() override { executor.stop(); }

  // Whether this node knows what the others do, when the thread that handles requests asks.
  std::function<bool()> knows = [] { return true; };
  const std::thread::id handles = std::this_thread::get_id();
  AccessLease lease{log, node.loop(), {.heard = [this] {
                      return std::this_thread::get_id() != handles || knows();
                    }}};
  Guards guarded{{.address = &address_guard, .key = &key_guard, .lease = &lease}};
  Dispatcher leased{{.guards = guarded,
                     .row_faults = row_faults,
                     .clock = clock,
                     .ids = ids,
                     .operations = &operations,
                     .batches = &batches,
                     .mounts = public_mounts()},
                    v1_routes({.webhooks = &deliveries})};
};

TEST_F(LeasedKeys, AreBelievedWhileTheLeaseHolds) {
  EXPECT_EQ(answer(start(request("GET", "/farms"), leased)).status(), 200);
}

TEST_F(LeasedKeys, OfAnotherNodesRevocationAreNotBelievedWheneverThisNodeCatchesUp) {
  for (const int moment : {1, 2}) {
    const auto key = mint(kAisha, details());
    int asked = 0;
    knows = [&] {
      if (++asked == moment) keys.on_event(ApiKeyRevoked{key_id(minted), kAisha, kThen});
      return asked >= moment;
    };
    EXPECT_EQ(answer(start(request("GET", "/farms", {}, key), leased)).status(), 401) << moment;
    EXPECT_GE(asked, moment);
  }
}

}  // namespace
}  // namespace tilth::testing
