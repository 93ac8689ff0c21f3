// Which browser requests come from one of our own pages.

#include "api/guards/origin.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tilth {
namespace {

const std::vector<Network> kProxies = {*Network::parse("10.0.0.0/8")};

HttpRequest request(std::vector<std::pair<std::string, std::string>> headers,
                    std::string peer = "192.0.2.1") {
  return {"POST", "/", {}, std::move(headers), {}, false, std::move(peer)};
}

bool foreign(const HttpRequest& asked) { return is_foreign(asked, OwnOrigin::of(asked, kProxies)); }

TEST(OwnOrigin, IsThatOfTheRequest) {
  EXPECT_EQ(OwnOrigin::of(request({{"host", "Farms.example:8080"}}), kProxies).text(),
            "http://farms.example:8080");
}

TEST(OwnOrigin, IsWhatATrustedProxySaysLast) {
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"host", "inside"},
      {"x-forwarded-proto", "http, https"},
      {"x-forwarded-host", "evil.example"},
      {"x-forwarded-host", "farms.example:443"}};
  EXPECT_EQ(OwnOrigin::of(request(headers, "10.1.2.3"), kProxies).text(), "https://farms.example");
  EXPECT_EQ(OwnOrigin::of(request(headers), kProxies).text(), "http://inside");
}

TEST(Foreign, IsWhoNamesAnotherOrigin) {
  for (const auto* origin :
       {"http://evil.example", "https://farms.example", "null", "", "http://farms.example:8080",
        "farms.example", "http://farms.example."}) {
    EXPECT_TRUE(foreign(request({{"host", "farms.example"}, {"origin", origin}}))) << origin;
  }
  for (const auto* origin : {"http://farms.example", "http://FARMS.example:80"}) {
    EXPECT_FALSE(foreign(request({{"host", "farms.example"}, {"origin", origin}}))) << origin;
  }
  EXPECT_TRUE(foreign(request({{"origin", "http://"}})));
}

TEST(Foreign, IsWhoseBrowserSaysSo) {
  for (const auto* site : {"cross-site", "same-site", "", "same-origin, none"}) {
    EXPECT_TRUE(foreign(request({{"sec-fetch-site", site}}))) << site;
  }
  for (const auto* site : {"same-origin", "none"}) {
    EXPECT_FALSE(foreign(request({{"sec-fetch-site", site}}))) << site;
  }
}

TEST(Foreign, IsNoOneWhoSaysNothing) { EXPECT_FALSE(foreign(request({{"host", "a"}}))); }

}  // namespace
}  // namespace tilth
