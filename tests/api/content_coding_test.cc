#include "api/http/content_coding.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "api/http/conditional.h"

namespace tilth {
namespace {

constexpr auto kIdentity = ContentCoding::kIdentity;
constexpr auto kGzip = ContentCoding::kGzip;
constexpr auto kZstd = ContentCoding::kZstd;

std::string gunzipped(std::string_view coded) {
  z_stream stream{};
  inflateInit2(&stream, MAX_WBITS + 16);
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = inflate(&stream, Z_SYNC_FLUSH);
  EXPECT_TRUE(ended == Z_OK || ended == Z_STREAM_END) << ended;
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

std::string unzstd(std::string_view coded) {
  std::string out(1 << 22, '\0');
  auto* stream = ZSTD_createDStream();
  ZSTD_inBuffer in{coded.data(), coded.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  const auto left = ZSTD_decompressStream(stream, &to, &in);
  EXPECT_FALSE(ZSTD_isError(left)) << ZSTD_getErrorName(left);
  ZSTD_freeDStream(stream);
  out.resize(to.pos);
  return out;
}

std::string decoded(ContentCoding coding, std::string_view coded) {
  return coding == kGzip ? gunzipped(coded) : unzstd(coded);
}

std::string tasks(int count) {
  std::string body;
  for (int i = 0; i < count; ++i) body += R"({"title":"Prune palm )" + std::to_string(i) + "\"}\n";
  return body;
}

TEST(ContentCoding, IsTheOneThatTheClientPrefers) {
  struct Case {
    const char* header;
    ContentCoding coding;
  };
  for (const auto& [header, coding] : std::vector<Case>{
           {"gzip", kGzip},
           {"zstd", kZstd},
           {"x-gzip", kGzip},
           {"GZip", kGzip},
           {"gzip, deflate, br, zstd", kZstd},
           {"gzip;q=1.0, zstd;q=0.5", kGzip},
           {"gzip ; q=0.2 , zstd\t;Q=0.1", kGzip},
           {"*", kZstd},
           {"*;q=0.5, zstd;q=0", kGzip},
           {"gzip;q=0", kIdentity},
           {"gzip;q=0.000", kIdentity},
           {"*;q=0", kIdentity},
           {"identity", kIdentity},
           {"identity;q=1, gzip;q=0.5", kIdentity},
           {"gzip, identity", kGzip},
           {"identity;q=0.2, gzip;q=0.5", kGzip},
           {"br, deflate", kIdentity},
           {"", kIdentity},
           {",,;,", kIdentity},
           {"gzip;level=9", kIdentity},
           {"gzip;q=x", kIdentity},
           {"gzip;q=-1", kIdentity},
           {"gzipped", kIdentity},
       }) {
    EXPECT_EQ(preferred_coding(header), coding) << header;
  }
}

TEST(ContentCoding, IsForTextAndJson) {
  for (const auto* type : {"application/json", "application/problem+json", "application/x-ndjson",
                           "text/html; charset=utf-8", "image/svg+xml"}) {
    EXPECT_TRUE(is_compressible(type)) << type;
  }
  for (const auto* type : {"text/event-stream", "font/woff2", "image/png", ""}) {
    EXPECT_FALSE(is_compressible(type)) << type;
  }
}

TEST(ContentCoding, GivesEachCodingATagOfItsOwn) {
  EXPECT_EQ(coded_tag("\"a\"", kIdentity), "\"a\"");
  EXPECT_EQ(coded_tag("\"a\"", kGzip), "\"a-gzip\"");
  for (const auto coding : {kIdentity, kGzip, kZstd}) {
    EXPECT_EQ(plain_tag(coded_tag("\"a\"", coding)), "\"a\"");
    const auto sent = "W/" + coded_tag("\"a\"", coding) + ", " + coded_tag("\"b\"", coding);
    EXPECT_EQ(read_entity_tags(sent), (std::vector<std::string>{"W/\"a\"", "\"b\""}));
  }
}

TEST(ContentCoding, KeepsEveryByteOfABody) {
  for (const auto coding : {kGzip, kZstd}) {
    for (const auto& body : {std::string(), tasks(1), tasks(40'000), std::string(300'000, '\0')}) {
      int paused = 0;
      const auto coded = encoded(coding, body, [&] { ++paused; });
      EXPECT_EQ(decoded(coding, coded), body);
      EXPECT_EQ(paused > 0, body.size() > 200'000);
      EXPECT_EQ(decoded(coding, encoded_once(coding, body)), body);
    }
    EXPECT_LT(encoded(coding, tasks(1'000)).size(), tasks(1'000).size() / 4);
  }
}

TEST(ContentCoding, ShowsEachPieceOfAStreamAtOnce) {
  for (const auto coding : {kGzip, kZstd}) {
    const auto encoder = body_encoder(coding);
    std::string sent, shown;
    for (int i = 0; i < 100; ++i) {
      sent += encoder->encode(tasks(i));
      shown += tasks(i);
      ASSERT_EQ(decoded(coding, sent), shown);
    }
    sent += encoder->finish();
    EXPECT_EQ(decoded(coding, sent), shown);
  }
}

}  // namespace
}  // namespace tilth
