#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class Damage : public LogInDirectory {
 protected:
  void SetUp() override {
    ASSERT_EQ(open(), "open");
    for (std::uint64_t v = 0; v < 5; ++v) {
      boundaries.push_back(v == 0 ? 0 : end_of_writes(file_with(path(), ".log")));
      append("user_1", v, std::string(1, static_cast<char>('a' + v)));
    }
    log.reset();
    wal = file_with(path(), ".log");
    whole = content(wal);
  }

  // Changes the records without the log.
  void tamper(const std::function<void(rocksdb::DB&)>& deed) const {
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(
        rocksdb::DB::Open({}, path(), {{"default", {}}, {"versions", {}}}, &families, &db).ok());
    deed(*db);
    for (auto* family : families) delete family;
    delete db;
  }

  void damage_tables() const {
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().extension() != ".sst") continue;
      std::string bytes = content(entry.path());
      for (std::size_t at = 4; at < 20; ++at) bytes[at] = static_cast<char>(bytes[at] ^ 1);
      overwrite(entry.path(), bytes);
    }
  }

  static std::string key(char offset) { return std::string(7, '\0') + offset; }

  std::vector<std::size_t> boundaries;  // where each record begins in the write-ahead log
  std::filesystem::path wal;
  std::string whole;
};

TEST_F(Damage, InTheMiddleOfTheNewestRecordsIsNamedAndNothingIsOpenedOrChanged) {
  for (std::size_t at = boundaries[1]; at < boundaries[4]; at += 5) {
    SCOPED_TRACE(at);
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    overwrite(wal, flipped);
    const auto record = std::upper_bound(boundaries.begin(), boundaries.end(), at);
    EXPECT_EQ(open(), "The event log is damaged: " + wal.string() + " is unreadable from byte " +
                          std::to_string(*(record - 1)) + " to byte " + std::to_string(*record) +
                          ", with acknowledged records after that; nothing was changed.");
    EXPECT_EQ(content(wal), flipped);
  }
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(Damage, ByZerosInPlaceOfARecordIsNoticed) {
  std::string zeroed = whole;
  std::fill(zeroed.begin() + static_cast<std::ptrdiff_t>(boundaries[2]),
            zeroed.begin() + static_cast<std::ptrdiff_t>(boundaries[3]), '\0');
  overwrite(wal, zeroed);
  EXPECT_THAT(open(), HasSubstr("unreadable from byte " + std::to_string(boundaries[2])));
}

TEST_F(Damage, ByAMissingLogBetweenTwoIsNoticed) {
  overwrite(wal, whole.substr(0, boundaries[2]));
  const auto later = path() / "999999.log";
  overwrite(later, whole.substr(boundaries[4]));
  EXPECT_EQ(open(), "The event log in " + path().string() +
                        " is damaged: the records from offset 2 to 3 are missing after byte " +
                        std::to_string(boundaries[2]) + " of " + wal.string() +
                        "; nothing was changed.");
}

TEST_F(Damage, ByAMissingCurrentIsNoticedAndBeginsNoNewLog) {
  std::filesystem::remove(path() / "CURRENT");
  EXPECT_THAT(open(), HasSubstr("its file CURRENT is missing"));
  EXPECT_EQ(content(wal), whole);
}

TEST_F(Damage, OfARecordIsNamedAndNeverSkipped) {
  tamper([](rocksdb::DB& db) {
    std::string value;
    ASSERT_TRUE(db.Get({}, key(2), &value).ok());
    value.back() = static_cast<char>(value.back() ^ 1);
    ASSERT_TRUE(db.Put({}, key(2), value).ok());
  });
  ASSERT_EQ(open(), "open");
  for (const std::size_t limit : {1U, 2U, 100U}) {
    EXPECT_EQ(read(0, limit),
              "a b : The record at partition 0, offset 2 cannot be read: its checksum does not "
              "match its bytes.");
  }
  const auto reader = log->read({{0, 2}});
  ASSERT_TRUE(reader);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ((*reader)->next(1, {}).error().code, ErrorCode::kDamaged);
  }
  EXPECT_EQ(read(3), "d e ");
  EXPECT_EQ(append("user_1", 5, "f"), "durable");
}

TEST_F(Damage, ByARecordInAnothersPlaceOrAMissingOneIsNamed) {
  tamper([](rocksdb::DB& db) {
    std::string value;
    ASSERT_TRUE(db.Get({}, key(1), &value).ok());
    ASSERT_TRUE(db.Put({}, key(2), value).ok());
    ASSERT_TRUE(db.Delete({}, key(3)).ok());
  });
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(), HasSubstr("offset 2 cannot be read: its checksum"));
  EXPECT_EQ(read(3), ": The record at partition 0, offset 3 cannot be read: it is missing.");
}

TEST_F(Damage, OfATableIsNamedWithTheRecordsPosition) {
  ASSERT_EQ(open(), "open");
  for (std::uint64_t v = 5; v < 60; ++v) {  // several blocks
    Record large = record("user_1", v, "x");
    large.json = std::string(1'000, static_cast<char>('a' + v));
    ASSERT_TRUE(start(large).get());
  }
  log.reset();
  tamper([](rocksdb::DB& db) { ASSERT_TRUE(db.CompactRange({}, nullptr, nullptr).ok()); });
  damage_tables();
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(), MatchesRegex(": The record at partition 0, offset 0 cannot be read: "
                                   "Corruption: .*\\.sst.*"));
  EXPECT_EQ(read(59), "x ");
  EXPECT_EQ(append("user_1", 60, "f"), "unavailable") << "its version cannot be read";
}

TEST_F(Damage, OfTheLastRecordsTableIsSaidAtOpening) {
  tamper([](rocksdb::DB& db) { ASSERT_TRUE(db.Flush({}).ok()); });
  damage_tables();
  EXPECT_THAT(open(), MatchesRegex("The event log in .* is damaged: Corruption: .*\\.sst.*"));
}

TEST_F(Damage, ByALostTableIsSaidAtOpening) {
  tamper([](rocksdb::DB& db) { ASSERT_TRUE(db.Flush({}).ok()); });
  std::filesystem::remove(file_with(path(), ".sst"));
  EXPECT_THAT(open(),
              MatchesRegex("The event log in .* is damaged: Corruption: .*No such file.*\\."));
}

TEST_F(Damage, IsNotWhatASecondOpeningMeets) {
  ASSERT_EQ(open(), "open");
  const auto second = EmbeddedEventLog::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "The event log in " + path().string() +
                                        " is open already, in another process or in this one.");
  EXPECT_EQ(append("user_1", 5, "f"), "durable");
}

}  // namespace
}  // namespace tilth::testing
