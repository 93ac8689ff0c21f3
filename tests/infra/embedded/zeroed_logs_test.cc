#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "infra/embedded/log_check.h"
#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

using ::testing::IsEmpty;

class ZeroedLogs : public LogInDirectory {
 protected:
  void SetUp() override { ASSERT_EQ(open(), "open"); }

  void append_large(std::uint64_t version) {
    auto large = record("user_1", version, "id-" + std::to_string(version));
    large.json = '"' + std::string(3'000, 'x') + '"';
    ASSERT_TRUE(start(std::move(large)).get());
  }

  std::filesystem::path wal() const { return file_with(path(), ".log"); }
};

TEST_F(ZeroedLogs, AreLongerThanWhatWasWrittenUntilTheyAreClosed) {
  append("user_1", 0, "a");
  const auto length = std::filesystem::file_size(wal());
  EXPECT_EQ(length % 32'768, 0U) << "RocksDB reads whole blocks of zeros";
  const auto written = end_of_writes(wal());
  EXPECT_LT(written, 1'000U);
  EXPECT_THAT(content(wal()).substr(written), std::string(length - written, '\0'));
  append("user_1", 1, "b");
  EXPECT_EQ(std::filesystem::file_size(wal()), length);
  const auto file = wal();
  log.reset();
  EXPECT_EQ(std::filesystem::file_size(file), end_of_writes(file));
}

TEST_F(ZeroedLogs, GoOnBeyondTheirZeros) {
  for (std::uint64_t version = 0; version < 200; ++version) append_large(version);
  EXPECT_GT(std::filesystem::file_size(wal()), 600'000U);
  append("user_1", 200, "last");
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(199), "id-199 last ");
  EXPECT_THAT(said, IsEmpty());
}

// Lets a log be written to while its tables are written for a copy, and with each piece of it that
// is read.
class WritesWhileItCopies final : public rocksdb::FileSystemWrapper {
 public:
  WritesWhileItCopies() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "WritesWhileItCopies"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (name.ends_with(".sst") && on_table) on_table();
    return target()->NewWritableFile(name, options, file, debug);
  }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* debug) override {
    auto status = target()->NewSequentialFile(name, options, file, debug);
    if (status.ok() && name.ends_with(".log") && on_piece) {
      *file = std::make_unique<Source>(std::move(*file), on_piece);
    }
    return status;
  }

  std::function<void()> on_table, on_piece;

 private:
  class Source final : public rocksdb::FSSequentialFileOwnerWrapper {
   public:
    Source(std::unique_ptr<rocksdb::FSSequentialFile> file, const std::function<void()>& on_piece)
        : FSSequentialFileOwnerWrapper(std::move(file)), on_piece_(on_piece) {}

    rocksdb::IOStatus Read(std::size_t bytes, const rocksdb::IOOptions& options,
                           rocksdb::Slice* read, char* to,
                           rocksdb::IODebugContext* debug) override {
      auto status = target()->Read(bytes, options, read, to, debug);
      on_piece_();
      return status;
    }

   private:
    const std::function<void()>& on_piece_;
  };
};

// RocksDB copies a log piece by piece, here a little faster than it is written to. If it copied
// zeros, too, the copy would have them in place of what is written meanwhile, followed by what is
// written after that.
TEST_F(ZeroedLogs, AreCopiedWithoutTheirZeros) {
  const auto disk = std::make_shared<WritesWhileItCopies>();
  const auto env = rocksdb::NewCompositeEnv(disk);
  options.store.env = env.get();
  ASSERT_EQ(open(), "open");
  std::uint64_t next = 0;
  append_large(next++);
  const auto before = next;
  disk->on_table = [&] { append_large(next++); };
  disk->on_piece = [&] {
    for (int record = 0; record < 18; ++record) append("user_1", next++, "small");
  };
  const TemporaryDirectory other;
  ASSERT_TRUE(log->copy_to(other.path() / "copy"));
  disk->on_table = disk->on_piece = {};
  ASSERT_GT(next, before + 18) << "it is copied while it is written to";
  const auto copied = check_log(other.path() / "copy", {}, [](auto, auto) { return true; });
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_GE(*copied, before);
  log.reset();
}

}  // namespace
}  // namespace tilth::testing
