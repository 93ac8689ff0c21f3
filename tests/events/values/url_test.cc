#include "events/values/url.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

TEST(Url, IsAbsoluteAndOfHttpOrHttps) {
  for (const auto* text :
       {"http://a", "https://photos.example/1.jpg?size=2#top", "HTTPS://Photos.Example:8443/x",
        "http://user:pass@host/", "http://[::1]:80/", "http://127.0.0.1",
        "https://\xC3\xBC.example/\xC3\x84pfel"}) {
    const auto url = Url::parse(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->text(), text) << "kept as written";
  }
}

TEST(Url, IsNothingElse) {
  for (const auto* text :
       {"", "x", "/photo.jpg", "photos.example/1.jpg", "//photos.example", "ftp://photos.example",
        "https:", "https://", "https:///x", "http://:80/", "http://host:port/", "http://[::1/",
        "http://a b", "http://a\n", " http://a", "javascript:alert(1)", "http://a<b>"}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

TEST(Url, HasAtMost2048Characters) {
  const std::string begin = "https://photos.example/";
  const auto filled = [&](std::size_t length) {
    std::string text = begin;
    for (auto left = length - begin.size(); left > 0; --left) text += "\xC3\xA4";
    return text;
  };
  EXPECT_TRUE(Url::parse(filled(2'048)));
  EXPECT_FALSE(Url::parse(filled(2'049)));
}

}  // namespace
}  // namespace tilth
