// What a node that shares its log with others believes of a key.

#include <functional>
#include <mutex>
#include <utility>

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

  void set_knows(std::function<bool()> is) {
    const std::lock_guard lock(mutex);
    knows = std::move(is);
  }

  std::mutex mutex;
  // Whether this node knows what the others do, whenever that is asked.
  std::function<bool()> knows = [] { return true; };
  AccessLease lease{log, node.loop(), {.is_current = [this] {
                      const std::lock_guard lock(mutex);
                      return knows();
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
    set_knows([&] {
      if (++asked == moment) keys.on_event(ApiKeyRevoked{key_id(minted), kAisha, kThen});
      return asked >= moment;
    });
    EXPECT_EQ(answer(start(request("GET", "/farms", {}, key), leased)).status(), 401) << moment;
    set_knows([] { return true; });
    EXPECT_GE(asked, moment);
  }
}

}  // namespace
}  // namespace tilth::testing
