#include "api/usage/known_browsers.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tilth {
namespace {

using namespace std::chrono_literals;

class SetClock final : public Clock {
 public:
  Timestamp now() const override { return at; }
  Timestamp at = Timestamp::parse("2026-03-01T12:00:00.123Z").value();
};

class KnownBrowsersTest : public ::testing::Test {
 protected:
  std::optional<std::string> name(const std::string& cookie, const std::string& user = "ada") {
    return browsers_.name_of(std::vector{cookie}, user);
  }

  SetClock clock_;
  std::uint8_t random_ = 0;
  IdSource ids_{
      [this](std::uint8_t* bytes, std::size_t count) { std::fill_n(bytes, count, random_++); }};
  KeyDigest digest_{"the node's secret"};
  KnownBrowsers browsers_{digest_, clock_, ids_};
};

TEST_F(KnownBrowsersTest, NamesABrowserByItsCookie) {
  const auto cookie = browsers_.cookie_for("ada");
  ASSERT_TRUE(name(cookie));
  EXPECT_NE(name(cookie), name(browsers_.cookie_for("ada")));
  EXPECT_EQ(browsers_.name_of(std::vector<std::string>{"", "x", cookie}, "ada"), name(cookie));
}

TEST_F(KnownBrowsersTest, LeavesAKnownBrowserItsName) {
  const auto first = name(browsers_.cookie_for("ada"));
  clock_.at = {clock_.at.at + 1h};
  EXPECT_EQ(name(browsers_.cookie_for("ada", first)), first);
}

TEST_F(KnownBrowsersTest, TakesNoCookieOfAnotherAccount) {
  EXPECT_FALSE(name(browsers_.cookie_for("eve")));
}

TEST_F(KnownBrowsersTest, TakesNoCookieOfAnotherService) {
  const KeyDigest other("another secret");
  EXPECT_FALSE(name(KnownBrowsers(other, clock_, ids_).cookie_for("ada")));
}

TEST_F(KnownBrowsersTest, TakesNoCookieThatWasChanged) {
  const auto cookie = browsers_.cookie_for("ada");
  for (std::size_t i = 0; i < cookie.size(); ++i) {
    auto changed = cookie;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_FALSE(name(changed)) << i;
  }
  for (const auto& wrong : {std::string(), std::string("."), std::string(".."), cookie + "0",
                            cookie.substr(1), std::string(5'000, '.')}) {
    EXPECT_FALSE(name(wrong)) << wrong;
  }
}

TEST_F(KnownBrowsersTest, ForgetsABrowserAfterAYear) {
  const auto cookie = browsers_.cookie_for("ada");
  clock_.at = {clock_.at.at + KnownBrowsers::kLength - 1ms};
  EXPECT_TRUE(name(cookie));
  clock_.at = {clock_.at.at + 1ms};
  EXPECT_FALSE(name(cookie));
}

}  // namespace
}  // namespace tilth
