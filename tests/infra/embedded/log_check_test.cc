#include "infra/embedded/log_check.h"

#include <gmock/gmock.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::int64_t kRecords = 60;

class LogCheck : public LogInDirectory {
 protected:
  void SetUp() override {
    ASSERT_EQ(open(), "open");
    for (std::int64_t v = 0; v < kRecords; ++v) {  // several blocks
      Record large = record("user_1", static_cast<std::uint64_t>(v), "x");
      for (int i = 0; i < 1'000; ++i) large.json += static_cast<char>('a' + (v * 7 + i * i) % 26);
      ASSERT_TRUE(start(large).get());
    }
    copy = directory_of_copy.path() / "copy";
    ASSERT_TRUE(log->copy_to(copy));
  }

  // "60 records", or what is wrong.
  std::string checked() const {
    const auto records = check_log(copy, {}, [](auto, auto) { return true; });
    return records ? std::to_string(*records) + " records" : records.error().message;
  }

  // Changes the copy as nothing else than a fault would.
  void tamper(const std::function<void(rocksdb::DB&)>& deed) const {
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(
        rocksdb::DB::Open({}, copy, {{"default", {}}, {"versions", {}}}, &families, &db).ok());
    deed(*db);
    for (auto* family : families) delete family;
    delete db;
  }

  // Without changing the log's own file, which the copy may be a link to.
  static void flip(const std::filesystem::path& file, std::size_t at) {
    std::string bytes = content(file);
    for (std::size_t i = at; i < at + 16; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 1);
    std::filesystem::remove(file);
    overwrite(file, bytes);
  }

  // The largest table has the records, the smallest one the versions.
  std::filesystem::path table(bool largest) const {
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::directory_iterator(copy)) {
      if (entry.path().extension() != ".sst") continue;
      const bool larger = found.empty() || entry.file_size() > std::filesystem::file_size(found);
      if (found.empty() || larger == largest) found = entry.path();
    }
    return found;
  }

  static std::string key(char offset) { return std::string(7, '\0') + offset; }

  TemporaryDirectory directory_of_copy;
  std::filesystem::path copy;
};

TEST_F(LogCheck, FindsNothingInASoundLogAndChangesNothing) {
  const auto before = content(copy / "CURRENT");
  EXPECT_EQ(checked(), "60 records");
  EXPECT_EQ(checked(), "60 records");
  EXPECT_EQ(content(copy / "CURRENT"), before);
}

TEST_F(LogCheck, NamesTheFirstRecordOfADamagedBlockAndItsFile) {
  const auto records = table(true);
  flip(records, std::filesystem::file_size(records) / 2);
  EXPECT_THAT(checked(),
              MatchesRegex("The record at partition 0, offset [1-5][0-9] cannot be read: "
                           "Corruption: .*" +
                           records.filename().string() + " offset .*"));
  EXPECT_THAT(checked(), Not(HasSubstr(copy.string()))) << "the copy is not there for long";
}

TEST_F(LogCheck, NamesARecordThatIsMissingOrAnother) {
  tamper([](rocksdb::DB& db) {
    std::string value;
    ASSERT_TRUE(db.Get({}, key(1), &value).ok());
    ASSERT_TRUE(db.Delete({}, key(40)).ok());
    ASSERT_TRUE(db.Flush({}).ok());
  });
  EXPECT_EQ(checked(), "The record at partition 0, offset 40 cannot be read: it is missing.");
  tamper([](rocksdb::DB& db) {
    std::string value;
    ASSERT_TRUE(db.Get({}, key(1), &value).ok());
    ASSERT_TRUE(db.Put({}, key(20), value).ok());
    ASSERT_TRUE(db.Flush({}).ok());
  });
  EXPECT_THAT(checked(), HasSubstr("offset 20 cannot be read: its checksum does not match"));
}

TEST_F(LogCheck, NoticesDamageToTheVersionsOfStreams) {
  flip(table(false), 0);
  EXPECT_THAT(checked(), AllOf(HasSubstr("The event log is damaged: "), HasSubstr(".sst")));
}

TEST_F(LogCheck, NoticesALostTableAndALostCurrent) {
  const auto records = table(true);
  std::filesystem::rename(records, directory_of_copy.path() / "lost");
  EXPECT_THAT(checked(), HasSubstr("The event log is damaged: "));
  std::filesystem::rename(directory_of_copy.path() / "lost", records);
  std::filesystem::remove(copy / "CURRENT");
  EXPECT_NE(checked(), "60 records");
}

TEST_F(LogCheck, NoticesAWriteAheadLogThatIsNotWhole) {
  log.reset();
  ASSERT_EQ(open(), "open");
  append("user_1", kRecords, "newest");
  log.reset();
  std::filesystem::remove_all(copy);
  std::filesystem::copy(path(), copy, std::filesystem::copy_options::recursive);
  EXPECT_EQ(checked(), "61 records");
  const auto wal = file_with(copy, ".log");
  std::filesystem::resize_file(wal, std::filesystem::file_size(wal) - 3);
  EXPECT_THAT(checked(), HasSubstr("are not a whole record"));
}

TEST_F(LogCheck, TellsHowFarItIsAndEndsWhenItIsTold) {
  std::vector<std::int64_t> told;
  const auto records = check_log(copy, {}, [&](auto reached, auto total) {
    told.push_back(reached), told.push_back(total);
    return false;
  });
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(told, (std::vector<std::int64_t>{kRecords, kRecords}));
}

// A disk on which copies of a write-ahead log end within a write that was in progress.
class CopiesWithinAWrite final : public rocksdb::FileSystemWrapper {
 public:
  explicit CopiesWithinAWrite(std::filesystem::path log)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), log_(std::move(log)) {}

  const char* Name() const override { return "CopiesWithinAWrite"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    const std::filesystem::path path(name);
    if (path.extension() == ".sst" && on_table) on_table();
    auto status = target()->NewWritableFile(name, options, file, debug);
    if (status.ok() && path.extension() == ".log" && path.parent_path() != log_) {
      *file = std::make_unique<File>(std::move(*file));
    }
    return status;
  }

  std::function<void()> on_table;  // called before the log writes one

 private:
  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      // Of a fragment of 256 bytes only these, after its checksum, length and type.
      const auto within = std::string("sum.\0\1\1", 7) + "beginning";
      auto status = target()->Append(within, options, debug);
      return status.ok() ? target()->Close(options, debug) : status;
    }
  };

  const std::filesystem::path log_;
};

TEST_F(LogCheck, TakesACopyOfALogThatIsBeingWrittenForSound) {
  const auto disk = std::make_shared<CopiesWithinAWrite>(path());
  const auto env = rocksdb::NewCompositeEnv(disk);
  options.store.env = env.get();
  ASSERT_EQ(open(), "open");
  std::filesystem::remove_all(copy);
  std::int64_t next = kRecords;
  const auto append_next = [&] {
    EXPECT_EQ(append("user_1", static_cast<std::uint64_t>(next++), "x"), "durable");
  };
  append_next();
  disk->on_table = append_next;  // or the copied write-ahead log would be empty
  ASSERT_TRUE(log->copy_to(copy));
  disk->on_table = {};
  EXPECT_EQ(checked(), std::to_string(next) + " records");
  EXPECT_TRUE(archived_files_of(copy));
  append_next();
  EXPECT_EQ(read(next - 1), "x ");
  log.reset();
}

}  // namespace
}  // namespace tilth::testing
