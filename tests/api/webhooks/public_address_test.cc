#include "api/webhooks/public_address.h"

#include <gtest/gtest.h>

#include "api/webhooks/webhook_url.h"

namespace tilth {
namespace {

bool reaches(std::string_view address) { return is_public(Address::parse(address).value()); }

TEST(PublicAddress, IsOneOfTheInternet) {
  for (const auto* address : {"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1",
                              "172.32.0.1", "193.0.0.1", "223.255.255.255", "2606:4700::1111",
                              "2a00:1450:4001::1", "64:ff9b::808:808"}) {
    EXPECT_TRUE(reaches(address)) << address;
  }
}

TEST(PublicAddress, IsNoneOfThisMachineOfAPrivateNetworkOrOfNobody) {
  for (const auto* address : {"0.0.0.0",
                              "0.1.2.3",
                              "10.0.0.1",
                              "100.64.0.1",
                              "100.100.100.200",
                              "127.0.0.1",
                              "127.255.255.255",
                              "168.63.129.16",
                              "169.254.169.254",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.0.0.192",
                              "192.0.2.1",
                              "192.88.99.1",
                              "192.168.0.1",
                              "198.18.0.1",
                              "198.19.255.255",
                              "198.51.100.1",
                              "203.0.113.1",
                              "224.0.0.1",
                              "239.255.255.255",
                              "240.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "::ffff:127.0.0.1",
                              "::ffff:169.254.169.254",
                              "::127.0.0.1",
                              "64:ff9b::7f00:1",
                              "64:ff9b::10.0.0.1",
                              "64:ff9b:1::1",
                              "100::1",
                              "2001::1",
                              "2001:db8::1",
                              "2002:a00:1::",
                              "3fff::1",
                              "fc00::1",
                              "fd00:ec2::254",
                              "fe80::1",
                              "fec0::1",
                              "ff02::1",
                              "5f00::1"}) {
    EXPECT_FALSE(reaches(address)) << address;
  }
}

std::string problem(std::string_view url, WebhookSafety safety = {}) {
  return problem_of(Url::parse(url).value(), safety);
}

TEST(WebhookUrl, LeadsToThePublicInternetOverTls) {
  EXPECT_EQ(problem("https://farm.example/hook?x=1#y"), "");
  EXPECT_EQ(problem("HTTPS://Farm.Example:8443"), "");
  EXPECT_EQ(problem("https://1.1.1.1/"), "");
  EXPECT_EQ(problem("https://[2606:4700::1111]:443/"), "");
  EXPECT_NE(problem("http://farm.example/"), "");
  EXPECT_EQ(problem("http://farm.example/", {.allow_http = true}), "");
}

TEST(WebhookUrl, HasNoCredentialsAndARealPort) {
  EXPECT_NE(problem("https://a:b@farm.example/"), "");
  EXPECT_NE(problem("https://a@farm.example/"), "");
  EXPECT_EQ(problem("https://farm.example/@a"), "");
  EXPECT_NE(problem("https://farm.example:0/"), "");
  EXPECT_NE(problem("https://farm.example:99999/"), "");
  EXPECT_NE(problem("https://farm.example:/"), "");
}

TEST(WebhookUrl, LeadsNowhereElseHoweverTheAddressIsSpelled) {
  for (const auto* host : {"127.0.0.1", "127.1", "2130706433", "017700000001", "0177.0.0.1",
                           "0x7f000001", "0x7f.1", "127.0.0.1.", "localhost", "LocalHost.",
                           "x.localhost", "[::1]", "[::ffff:7f00:1]", "[fe80::1]", "127%2e0.0.1"}) {
    const auto url = "https://" + std::string(host) + "/";
    EXPECT_NE(problem(url), "") << url;
  }
  for (const auto* end : {"", "/", "?x=1", "#x"}) {
    EXPECT_NE(problem("https://127.0.0.1" + std::string(end)), "") << end;
  }
  EXPECT_EQ(problem("https://127.0.0.1/", {.allow_private = true}), "");
  EXPECT_EQ(problem("https://localhost.farm.example/"), "");
}

}  // namespace
}  // namespace tilth
