#include <atomic>
#include <chrono>

#include <gmock/gmock.h>

#include "tests/infra/embedded/faulty_disk.h"
#include "tests/infra/embedded/log_in_directory.h"

namespace tilth::testing {
namespace {

using Fault = FaultyDisk::Fault;
using ::testing::HasSubstr;

class FailingDisk : public LogInDirectory, public ::testing::WithParamInterface<Fault> {
 protected:
  void SetUp() override {
    options.store.env = env.get();
    ASSERT_EQ(open(), "open");
  }
  void TearDown() override {
    disk->fault = Fault::kNone;
    log.reset();
  }

  // Retries, as a caller must after kUnavailable, until the log can be written.
  std::string persist(const std::string& stream, std::uint64_t version, const std::string& id) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::string end;
    do {
      end = append(stream, version, id);
    } while (end == "unavailable" && std::chrono::steady_clock::now() < deadline);
    return end;
  }

  // The first copy may have been written.
  std::string persist_again(const std::string& stream, std::uint64_t version,
                            const std::string& id) {
    const auto end = persist(stream, version, id);
    return end == "stale" ? "durable" : end;
  }

  std::shared_ptr<FaultyDisk> disk = std::make_shared<FaultyDisk>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
};

TEST_P(FailingDisk, LosesNothingAcknowledgedAndIsWrittenAgainWithoutARestart) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  EXPECT_EQ(append("user_1", 1, "b"), "durable");
  disk->fault = GetParam();
  EXPECT_EQ(append("user_1", 2, "c"), "unavailable");
  EXPECT_EQ(append("user_2", 0, "d"), "unavailable");
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said[0], HasSubstr("The event log cannot be written, reads go on: IO error"));
  EXPECT_THAT(log->trouble(), HasSubstr("The event log cannot be written: "));

  disk->fault = Fault::kNone;
  EXPECT_EQ(persist_again("user_1", 2, "c"), "durable");
  EXPECT_EQ(persist_again("user_2", 0, "d"), "durable");
  EXPECT_EQ(append("user_1", 3, "e"), "durable");
  EXPECT_EQ(said.back(), "The event log can be written again.");
  EXPECT_EQ(log->trouble(), "");
  EXPECT_EQ(read(), "a b c d e ");

  said.clear();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), "a b c d e ");
  EXPECT_TRUE(said.empty());
}

TEST_P(FailingDisk, IsTriedAgainAtOnceAndThenAfterPausesThatGrow) {
  using namespace std::chrono_literals;
  std::atomic<std::chrono::steady_clock::duration> now{1h};
  options.steady = [&] { return std::chrono::steady_clock::time_point(now.load()); };
  ASSERT_EQ(open(), "open");
  disk->fault = GetParam();
  EXPECT_EQ(append("user_1", 0, "a"), "unavailable");
  if (GetParam() == Fault::kSync) disk->fault = Fault::kBroken;  // else it could be opened
  EXPECT_EQ(append("user_1", 0, "a"), "unavailable");
  disk->fault = Fault::kNone;
  EXPECT_EQ(append("user_1", 0, "a"), "unavailable") << "it was tried again without a pause";
  now = now.load() + 49ms;
  EXPECT_EQ(append("user_1", 0, "a"), "unavailable") << "it was tried again too early";
  now = now.load() + 1ms;
  EXPECT_NE(append("user_1", 0, "a"), "unavailable");
  EXPECT_EQ(read(), "a ");
}

TEST_P(FailingDisk, IsTriedAgainAtOnceAlsoAfterAnotherFailure) {
  const std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  options.steady = [now] { return now; };
  ASSERT_EQ(open(), "open");
  for (const std::string stream : {"user_1", "user_2", "user_3"}) {
    disk->fault = GetParam();
    EXPECT_EQ(append(stream, 0, "a"), "unavailable");
    disk->fault = Fault::kNone;
    EXPECT_EQ(append("after_" + stream, 0, "b"), "durable") << stream;
  }
}

// A node that gets no changes, because it reported the failure, must find out by itself.
TEST_P(FailingDisk, KnowsThatItCanBeWrittenAgainOnceSomebodyHasAskedForItsEnd) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  disk->fault = GetParam();
  EXPECT_EQ(append("user_1", 1, "b"), "unavailable");
  const auto ask = [this] {
    std::promise<void> told;
    log->end(0, [&](const auto&) { told.set_value(); });
    told.get_future().wait();
  };
  for (int i = 0; i < 5; ++i) ask();
  EXPECT_NE(log->trouble(), "");
  disk->fault = Fault::kNone;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!log->trouble().empty() && std::chrono::steady_clock::now() < deadline) ask();
  EXPECT_EQ(log->trouble(), "");
  EXPECT_EQ(persist_again("user_1", 1, "b"), "durable");
}

TEST_P(FailingDisk, LetsReadersOnWhileNothingCanBeWritten) {
  options.tail_bytes = 0;  // so that they read from the disk
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  disk->fault = GetParam();
  for (int attempt = 0; attempt < 5; ++attempt) {
    EXPECT_EQ(append("user_1", 1, "b"), "unavailable");
    EXPECT_THAT(read(), ::testing::StartsWith("a "));
  }
  disk->fault = Fault::kNone;
  EXPECT_EQ(persist_again("user_1", 1, "b"), "durable");
  EXPECT_EQ(read(), "a b ");
}

TEST_P(FailingDisk, FailsTheVeryFirstRecordAndKeepsTheNextOnes) {
  disk->fault = GetParam();
  EXPECT_EQ(append("user_1", 0, "a"), "unavailable");
  disk->fault = Fault::kNone;
  EXPECT_EQ(persist_again("user_1", 0, "a"), "durable");
  EXPECT_EQ(append("user_1", 1, "b"), "durable");
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), "a b ");
}

TEST_P(FailingDisk, CompletesAWholeGroupWithAnOpenOutcome) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  disk->fault = GetParam();
  std::vector<std::future<Result<Position>>> ends;
  for (std::uint64_t v = 0; v < 200; ++v) ends.push_back(start(record("user_2", v, "b")));
  for (auto& ended : ends) EXPECT_EQ(ended.get().error().code, ErrorCode::kUnavailable);
  disk->fault = Fault::kNone;
  EXPECT_EQ(persist("user_1", 1, "c"), "durable");
  EXPECT_THAT(read(), ::testing::MatchesRegex("a (b )*c "));
}

TEST_P(FailingDisk, CanBeClosedWhileItFails) {
  EXPECT_EQ(append("user_1", 0, "a"), "durable");
  disk->fault = GetParam();
  EXPECT_EQ(append("user_1", 1, "b"), "unavailable");
  log.reset();
  disk->fault = Fault::kNone;
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(persist_again("user_1", 1, "b"), "durable");
  EXPECT_EQ(read(), "a b ");
}

TEST_P(FailingDisk, SurvivesFailuresWhenTablesAreWritten) {
  options.store.write_buffer_bytes = 64 << 10;
  ASSERT_EQ(open(), "open");
  std::string expected;
  for (std::uint64_t v = 0; v < 120; ++v) {
    if (v % 40 == 20) disk->fault = GetParam();
    if (v % 40 == 30) disk->fault = Fault::kNone;
    Record large = record("user_1", v, std::to_string(v));
    large.json = std::string(2'000, 'x');
    const auto end = start(large).get();
    if (!end) {
      disk->fault = Fault::kNone;
      EXPECT_EQ(persist_again("user_1", v, std::to_string(v)), "durable");
    }
    expected += std::to_string(v) + " ";
  }
  EXPECT_EQ(read(), expected);
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), expected);
}

// RocksDB does not go on after what failed there: the next archive would end the process.
TEST_P(FailingDisk, IsArchivedAgainWhereAnArchiveFailed) {
  const TemporaryDirectory archive;
  std::string expected;
  for (std::uint64_t v = 0; v < 10; ++v) {
    EXPECT_EQ(append("user_1", v, std::to_string(v)), "durable");
    expected += std::to_string(v) + " ";
  }
  const auto failed = log->archive(
      {.directory = archive.path(), .end = 5, .goes_on = [this](std::string_view step, auto) {
         if (step == "freeing") disk->fault = GetParam();
         return true;
       }});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  disk->fault = Fault::kNone;
  auto archived = log->archive({.directory = archive.path(), .end = 8});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!archived && std::chrono::steady_clock::now() < deadline) {
    EXPECT_EQ(archived.error().code, ErrorCode::kUnavailable);
    archived = log->archive({.directory = archive.path(), .end = 8});
  }
  ASSERT_TRUE(archived) << archived.error().message;
  EXPECT_EQ(persist("user_1", 10, "10"), "durable");
  EXPECT_EQ(read(), expected + "10 ");
  options.store.archives.directories = {archive.path()};
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), expected + "10 ");
}

std::string name_of(const ::testing::TestParamInfo<Fault>& tested) {
  const std::vector<std::string> names = {"None", "Full", "HalfFull", "Sync", "Broken"};
  return names.at(static_cast<std::size_t>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(Faults, FailingDisk,
                         ::testing::Values(Fault::kFull, Fault::kHalfFull, Fault::kSync,
                                           Fault::kBroken),
                         name_of);

}  // namespace
}  // namespace tilth::testing
