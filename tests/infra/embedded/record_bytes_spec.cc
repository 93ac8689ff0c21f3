#include <cstring>

#include <gmock/gmock.h>
#include <xxhash.h>

#include "infra/embedded/record_bytes.h"

namespace tilth::testing {
namespace {

Record whole_record() {
  return {"user_1",
          {"id-1", "tilth.plant.removed", 3, "node-1", Timestamp{}, 7, "request", "cause", "key_1",
           Idempotency{"key", "hash"}},
          R"({"name":"é"})"};
}

Record traced_record() {
  auto record = whole_record();
  record.envelope.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  return record;
}

Record following_record() {
  auto record = whole_record();
  record.envelope.predecessor = "id-0";
  return record;
}

std::string encoded(std::int64_t offset, const Record& record) {
  std::string bytes;
  encode_record(offset, record, bytes);
  return bytes;
}

// The bytes with their correct checksum.
std::string with_sum(std::int64_t offset, std::string bytes) {
  const auto sum =
      XXH3_64bits_withSeed(bytes.data() + 8, bytes.size() - 8, static_cast<XXH64_hash_t>(offset));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  return bytes;
}

std::string why_not(std::int64_t offset, const std::string& bytes) {
  const auto record = decode_record(offset, bytes);
  return record ? "a record" : record.error().message;
}

TEST(RecordBytes, KeepEveryMember) {
  const auto record = decode_record(5, encoded(5, whole_record()));
  ASSERT_TRUE(record);
  EXPECT_EQ(*record, whole_record());
  EXPECT_EQ(*decode_record(5, encoded(5, traced_record())), traced_record());
  EXPECT_EQ(*decode_record(5, encoded(5, following_record())), following_record());
  EXPECT_EQ(*decode_record(0, encoded(0, {})), Record{});
}

TEST(RecordBytes, OfASealedLogKeepTheSealedPartApart) {
  for (const auto& record : {whole_record(), traced_record(), following_record()}) {
    const SealedJson json{R"({"name":{"sealed":true}})", std::string("\0\1\xFF", 3)};
    std::string bytes, sealed;
    encode_record(5, record, json, bytes);
    auto expected = record;
    expected.json = json.open;
    const auto decoded = decode_record(5, bytes, &sealed);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, expected);
    EXPECT_EQ(sealed, json.sealed);
    EXPECT_EQ(*decode_record(5, bytes), expected) << "without its sealed part";
    EXPECT_TRUE(is_of_sealed_log(bytes));
    EXPECT_FALSE(is_of_sealed_log(encoded(5, record)));
    for (std::size_t size = 9; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode_record(5, with_sum(5, bytes.substr(0, size))));
    }
  }
}

TEST(RecordBytes, AreAppendedToWhatIsThere) {
  std::string bytes = "before";
  encode_record(5, whole_record(), bytes);
  EXPECT_EQ(bytes, "before" + encoded(5, whole_record()));
}

TEST(RecordBytes, StayWhatTheyAre) {
  const std::string bytes = encoded(5, whole_record());
  EXPECT_EQ(bytes.size(), 142U);
  EXPECT_EQ(XXH3_64bits(bytes.data(), bytes.size()), 8109502915668284585U);
}

TEST(RecordBytes, OfATraceAreThoseWithoutOneAndItsText) {
  const auto plain = encoded(5, whole_record()), traced = encoded(5, traced_record());
  EXPECT_EQ(plain[8], 1);
  EXPECT_EQ(traced[8], 2);
  EXPECT_EQ(traced.size(), plain.size() + 4 + 55);
  const auto json = plain.size() - 4 - whole_record().json.size();
  EXPECT_EQ(traced.substr(9, json - 9), plain.substr(9, json - 9));
  EXPECT_EQ(traced.substr(json + 4 + 55), plain.substr(json));
  EXPECT_EQ(XXH3_64bits(traced.data(), traced.size()), 6866465890901396073U);
}

TEST(RecordBytes, OfAPredecessorHaveATraceThatMayBeEmpty) {
  auto record = following_record();
  const auto traced = encoded(5, traced_record()), plain = encoded(5, record);
  EXPECT_EQ(plain[8], 3);
  EXPECT_EQ(plain.size(), traced.size() - 55 + 4 + 4);
  record.envelope.traceparent = traced_record().envelope.traceparent;
  EXPECT_EQ(*decode_record(5, encoded(5, record)), record);
  auto lacks = encoded(5, traced_record());
  lacks[8] = 3;
  EXPECT_EQ(why_not(5, with_sum(5, lacks)), "its lengths do not fit its bytes");
}

TEST(RecordBytes, BelongToOneOffset) {
  EXPECT_EQ(why_not(6, encoded(5, whole_record())), "its checksum does not match its bytes");
}

TEST(RecordBytes, AreRefusedWithAnyBitFlipped) {
  const std::string bytes = encoded(5, whole_record());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(why_not(5, flipped), "its checksum does not match its bytes");
  }
}

TEST(RecordBytes, AreRefusedWhenCutOrContinuedEvenWithTheRightChecksum) {
  const std::string bytes = encoded(5, whole_record());
  for (std::size_t kept = 0; kept < 9; ++kept) {
    EXPECT_EQ(why_not(5, bytes.substr(0, kept)), "it is too short to be one");
  }
  for (std::size_t kept = 9; kept < bytes.size(); ++kept) {
    EXPECT_EQ(why_not(5, with_sum(5, bytes.substr(0, kept))), "its lengths do not fit its bytes");
  }
  EXPECT_EQ(why_not(5, with_sum(5, bytes + '\0')), "its lengths do not fit its bytes");
}

TEST(RecordBytes, AreRefusedWhenALengthLies) {
  std::string bytes = encoded(5, whole_record());
  for (const std::size_t at : {9U, 10U, 11U, 12U}) bytes[at] = '\xFF';  // the stream's length
  EXPECT_EQ(why_not(5, with_sum(5, bytes)), "its lengths do not fit its bytes");
}

TEST(RecordBytes, AreRefusedInAnotherForm) {
  std::string bytes = encoded(5, whole_record());
  bytes[8] = 7;
  EXPECT_EQ(why_not(5, with_sum(5, bytes)), "its form 7 is not known here");
}

}  // namespace
}  // namespace tilth::testing
