#include "infra/system/fetch.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(FetchTest, ShowsAUrlWithoutWhatMayBeACredential) {
  EXPECT_EQ(without_credentials("https://rates.example/day.csv"), "https://rates.example/day.csv");
  EXPECT_EQ(without_credentials("https://user:word@rates.example/a@b.csv?key=1"),
            "https://rates.example/a@b.csv");
  EXPECT_EQ(without_credentials("http://a:b@c@[::1]:80"), "http://[::1]:80");
  EXPECT_EQ(without_credentials("http://rates.example?key=1"), "http://rates.example");
}

TEST(FetchTest, NamesTheUrlThatDoesNotAnswerWithoutItsCredentials) {
  const auto fetched = fetch({.url = "http://user:word@127.0.0.1:1/rates?key=1"});
  ASSERT_FALSE(fetched);
  EXPECT_TRUE(fetched.error().message.starts_with("http://127.0.0.1:1/rates does not answer: "))
      << fetched.error().message;
}

}  // namespace
}  // namespace tilth
