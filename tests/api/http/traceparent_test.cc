// The trace of a request: what W3C Trace Context calls valid, and all else, which is ignored.

#include "api/http/traceparent.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tilth::testing {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c", kSpan = "b7ad6b7169203331";
const std::string kValid = "00-" + kTrace + "-" + kSpan + "-01";

HttpRequest request(const std::vector<std::string>& sent) {
  HttpRequest request;
  request.headers.emplace_back("x-request-id", "r");
  for (const auto& value : sent) request.headers.emplace_back("traceparent", value);
  return request;
}

TEST(Traceparent, NamesTheTraceTheSpanAndWhetherItIsSampled) {
  const auto read = Traceparent::parse(kValid);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Traceparent{kTrace, kSpan, true}));
  EXPECT_EQ(read->text(), kValid);
  EXPECT_EQ((Traceparent{kTrace, kSpan, false}).text(), "00-" + kTrace + "-" + kSpan + "-00");
}

TEST(Traceparent, IsSampledByTheLowestBitAlone) {
  const auto of_flags = [](const std::string& flags) {
    return Traceparent::parse("00-" + kTrace + "-" + kSpan + "-" + flags)->sampled;
  };
  for (const auto* flags : {"01", "03", "ff", "0b", "09"}) EXPECT_TRUE(of_flags(flags)) << flags;
  for (const auto* flags : {"00", "02", "fe", "0a", "f8"}) EXPECT_FALSE(of_flags(flags)) << flags;
}

TEST(Traceparent, IsNothingElse) {
  const std::string zeros(32, '0');
  std::vector<std::string> hostile = {
      "",
      "00",
      "-",
      "---",
      kTrace,
      "00-" + kTrace + "-" + kSpan,
      "00-" + kTrace + "-" + kSpan + "-",
      "00-" + kTrace + "-" + kSpan + "-1",
      kValid + "0",
      kValid + "-00",
      kValid + " ",
      " " + kValid,
      kValid + "," + kValid,
      "01" + kValid.substr(2),
      "cc" + kValid.substr(2) + "-what-the-future-brings",
      "ff" + kValid.substr(2),
      "0" + kValid,
      "00-" + zeros + "-" + kSpan + "-01",
      "00-" + kTrace + "-" + zeros.substr(16) + "-01",
      "00-" + std::string(32, 'A') + "-" + kSpan + "-01",
      "00-" + kTrace + "-" + std::string(16, 'F') + "-01",
      "00-" + kTrace + "-" + kSpan + "-0A",
      "00-" + kTrace + "-" + kSpan + "-0x",
      "00-" + kTrace.substr(1) + "g-" + kSpan + "-01",
      "00-" + kTrace.substr(1) + "-" + kSpan + "0-01",
      "00_" + kTrace + "_" + kSpan + "_01",
      "00-" + kTrace + "-" + kSpan + "\t01",
      std::string(55, '-'),
      std::string(55, '\0'),
      std::string(55, '\xFF'),
      std::string(10'000, '0'),
      "00-" + std::string(10'000, 'a') + "-" + kSpan + "-01",
  };
  for (std::size_t kept = 0; kept < kValid.size(); ++kept) {
    hostile.push_back(kValid.substr(0, kept));
    auto changed = kValid;
    changed[kept] = 'z';
    hostile.push_back(changed);
    changed[kept] = '\0';
    hostile.push_back(changed);
  }
  for (const auto& text : hostile) {
    EXPECT_EQ(Traceparent::parse(text), std::nullopt) << text;
    EXPECT_EQ(traceparent_of(request({text})), "") << text;
  }
}

TEST(Traceparent, IsKeptAsItWasSent) {
  const auto sent = "00-" + kTrace + "-" + kSpan + "-03";
  const auto of = request({sent});
  EXPECT_EQ(traceparent_of(of), sent);
}

TEST(Traceparent, IsNoneIfThereAreSeveral) {
  EXPECT_EQ(traceparent_of(request({})), "");
  EXPECT_EQ(traceparent_of(request({kValid, kValid})), "");
  EXPECT_EQ(traceparent_of(request({kValid, "no trace"})), "");
  EXPECT_EQ(traceparent_of(request({"no trace", kValid})), "");
}

}  // namespace
}  // namespace tilth::testing
