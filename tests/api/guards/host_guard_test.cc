#include "api/guards/host_guard.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

bool admits(const HostGuard& guard, std::string host) {
  HttpRequest request;
  request.headers = {{"host", std::move(host)}};
  const auto admitted = guard.admit(request);
  if (!admitted) {
    EXPECT_EQ(admitted.error().code, ErrorCode::kForeignOrigin);
  }
  return static_cast<bool>(admitted);
}

TEST(HostGuard, AdmitsOnLoopbackItsAddressesAndLocalhost) {
  for (const auto* listens_on : {"127.0.0.1", "::1", "localhost"}) {
    const HostGuard guard(listens_on, {});
    EXPECT_TRUE(admits(guard, "localhost"));
    EXPECT_TRUE(admits(guard, "LocalHost:9999"));
    for (const auto* host :
         {"evil.example", "evil.example:8081", "localhost.evil.example", "10.0.0.1",
          "127.0.0.1.evil.example", "0.0.0.0", "", "[", "[::1", "x"}) {
      EXPECT_FALSE(admits(guard, host)) << host << " at " << listens_on;
    }
  }
  const HostGuard guard("127.0.0.1", {});
  EXPECT_TRUE(admits(guard, "127.0.0.1:8081"));
  EXPECT_TRUE(admits(guard, "[::1]:8081"));
}

TEST(HostGuard, AdmitsTheAddressItListensOnAndNoOther) {
  const HostGuard guard("10.0.0.7", {});
  EXPECT_TRUE(admits(guard, "10.0.0.7:8081"));
  EXPECT_TRUE(admits(guard, "localhost:8081"));
  EXPECT_FALSE(admits(guard, "10.0.0.8:8081"));
  EXPECT_FALSE(admits(guard, "tilth-1:8081"));
}

TEST(HostGuard, AdmitsEveryAddressOnAllInterfacesAndNoNameButTheConfigured) {
  for (const auto* listens_on : {"0.0.0.0", "::"}) {
    const HostGuard guard(listens_on, {"tilth-1.internal", "fd00::7"});
    for (const auto* host : {"10.0.0.7", "192.0.2.1:8081", "[2001:db8::1]:8081", "localhost",
                             "tilth-1.internal:8081", "TILTH-1.Internal"}) {
      EXPECT_TRUE(admits(guard, host)) << host;
    }
    for (const auto* host : {"evil.example", "tilth-1", "tilth-1.internal.evil.example"}) {
      EXPECT_FALSE(admits(guard, host)) << host;
    }
  }
}

TEST(HostGuard, AdmitsTheNameItListensOn) {
  const HostGuard guard("Tilth-1", {});
  EXPECT_TRUE(admits(guard, "tilth-1:8081"));
  EXPECT_FALSE(admits(guard, "tilth-2:8081"));
}

TEST(HostGuard, AdmitsWhoSendsNoHost) { EXPECT_TRUE(HostGuard("127.0.0.1", {}).admit({})); }

}  // namespace
}  // namespace tilth
