#include <chrono>
#include <fstream>
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "infra/embedded/log_archive.h"
#include "infra/embedded/log_check.h"
#include "infra/embedded/record_store.h"
#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kRecords = 40;
constexpr std::chrono::seconds kLongest{60};  // for what takes no time

class Archive : public LogInDirectory {
 protected:
  void SetUp() override {
    options.tail_bytes = 0;
    ASSERT_EQ(open(), "open");
    for (std::int64_t i = 0; i < kRecords; ++i) {
      ASSERT_EQ(append("user_" + std::to_string(i % 3), static_cast<std::uint64_t>(i / 3),
                       std::to_string(i)),
                "durable");
    }
    all = read();
  }

  // How far it then reaches, or why not.
  std::string archive(std::int64_t end, std::optional<Timestamp> before = {}) {
    const auto reached = log->archive(
        {.directory = files.path(), .end = end, .before = before, .file_bytes = 1'000});
    return reached ? std::to_string(*reached) : reached.error().message;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(files.path())) {
      found.push_back(entry.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // "40 records", or what is wrong.
  std::string checked(const ArchiveInCheck& how = {}) {
    const TemporaryDirectory aside;
    if (const auto copied = log->copy_to(aside.path() / "copy"); !copied) {
      return copied.error().message;
    }
    const auto records = check_log(aside.path() / "copy", how, [](auto, auto) { return true; });
    return records ? std::to_string(*records) + " records" : records.error().message;
  }

  void flip_in_the_middle(const std::filesystem::path& file) {
    auto bytes = content(file);
    bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
    overwrite(file, bytes);
  }

  TemporaryDirectory files;
  std::string all;  // as read() says it
};

TEST_F(Archive, HoldsOldRecordsThatAreReadAsBefore) {
  EXPECT_EQ(archive(20), "20");
  EXPECT_GT(names().size(), 1U);
  EXPECT_EQ(names().front(), "000000000000000.records");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(read(0, 7), all) << "pages end where files do, and go on";
  EXPECT_EQ(read(37), "37 38 39 ");
  EXPECT_EQ(append("user_0", kRecords / 3 + 1, "40"), "durable");
  EXPECT_EQ(append("user_0", 0, "late"), "stale") << "versions stay";
  EXPECT_EQ(open(), "open");
  EXPECT_EQ(read(), all + "40 ");
  EXPECT_EQ(checked(), "41 records");
}

TEST_F(Archive, MayHoldTheWholeLogWhichGoesOnAfterIt) {
  EXPECT_EQ(archive(INT64_MAX), "40");
  EXPECT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(append("user_1", 13, "40"), "durable");
  EXPECT_EQ(open(), "open");
  EXPECT_EQ(read(), all + "40 ");
  EXPECT_EQ(archive(INT64_MAX), "41");
  EXPECT_EQ(read(), all + "40 ");
}

TEST_F(Archive, EndsAtTheFirstRecordThatIsNotOldEnough) {
  Record late = record("user_0", 14, "40");
  late.envelope.time = *Timestamp::parse("2026-05-01T00:00:00Z");
  ASSERT_TRUE(start(late).get());
  EXPECT_EQ(archive(INT64_MAX, Timestamp::parse("2026-05-01T00:00:00Z")), "40");
  EXPECT_EQ(archive(INT64_MAX, Timestamp::parse("2026-05-01T00:00:00.001Z")), "41");
  EXPECT_EQ(archive(INT64_MAX), "41") << "there is nothing more";
}

TEST_F(Archive, FreesTheSpaceOfWhatItHolds) {
  std::string json;
  for (int i = 0; i < 20'000; ++i) json += static_cast<char>('a' + (i * i + i / 7) % 26);
  for (std::uint64_t v = 0; v < 50; ++v) {
    Record large = record("user_9", v, "x");
    large.json = json + std::to_string(v);
    ASSERT_TRUE(start(std::move(large)).get());
  }
  const auto size = [&] {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().extension() == ".sst") bytes += entry.file_size();
    }
    return bytes;
  };
  ASSERT_EQ(checked(), "90 records");  // moves the newest records into a table
  const auto before = size();
  EXPECT_EQ(archive(INT64_MAX), "90");
  EXPECT_LT(size(), before / 2);
}

// As after a write that failed: appends wait for that.
TEST_F(Archive, IsMadeWhileTheLogIsOpenedAgain) {
  log.reset();
  auto opened = RecordStore::open(path(), options.store);
  ASSERT_TRUE(opened) << opened.error().message;
  auto& store = **opened;
  std::set<std::string> steps;
  std::vector<std::future<Status>> tries;  // one that waits for ever must not be waited for
  const auto goes_on = [&](std::string_view step, std::int64_t) {
    steps.emplace(step);
    tries.push_back(std::async(std::launch::async, [&store] { return store.reopen(); }));
    return tries.back().wait_for(kLongest) == std::future_status::ready && tries.back().get();
  };
  const auto reached = store.archive(
      {.directory = files.path(), .end = 20, .file_bytes = 1'000, .goes_on = goes_on}, kRecords);
  ASSERT_TRUE(reached) << reached.error().message;
  EXPECT_EQ(*reached, 20);
  EXPECT_THAT(steps, ElementsAre("copied", "freeing", "listed", "written"));
  opened->reset();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
}

TEST_F(Archive, IsReadWhereItWasMovedTo) {
  ASSERT_EQ(archive(20), "20");
  const TemporaryDirectory elsewhere;
  for (const auto& name : names()) {
    std::filesystem::rename(files.path() / name, elsewhere.path() / name);
  }
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(), HasSubstr("is missing"));
  EXPECT_THAT(checked(), HasSubstr("is missing"));
  EXPECT_EQ(checked({.places = {elsewhere.path()}}), "40 records");
  options.store.archives = {elsewhere.path()};
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
}

// Another log, such as a restored copy, archives from the same offset; and a file that is copied
// there is not whole at once.
TEST_F(Archive, PassesOverAnotherFileOfThatNameInAnEarlierPlace) {
  ASSERT_EQ(archive(20), "20");
  const TemporaryDirectory earlier;
  const auto name = names().front();
  const auto sound = content(files.path() / name);
  options.store.archives = {earlier.path()};
  auto same_size = sound;
  same_size[sound.size() / 3] = static_cast<char>(same_size[sound.size() / 3] ^ 1);
  for (const auto& other : {sound.substr(0, 100), sound + "more", same_size}) {
    std::ofstream(earlier.path() / name, std::ios::binary) << other;
    ASSERT_EQ(open(), "open");
    EXPECT_EQ(read(), all) << other.size();
    EXPECT_EQ(checked({.places = {earlier.path()}}), "40 records") << other.size();
  }
  std::filesystem::rename(files.path() / name, files.path() / "away");
  overwrite(earlier.path() / name, sound.substr(0, 100));
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(), HasSubstr("is missing")) << "the rest is still to come";
}

TEST_F(Archive, ThatIsMissingIsSaidAtStartAndWhenItIsReadAndComesBack) {
  ASSERT_EQ(archive(20), "20");
  const auto first = files.path() / names().front();
  std::filesystem::rename(first, files.path() / "away");
  said.clear();
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(said, ElementsAre(HasSubstr("The file 000000000000000.records with the archived "
                                          "records from offset 0 to ")));
  EXPECT_EQ(log->archived().state().missing_files, 1);
  EXPECT_EQ(read(), ": " + said.front()) << "it is no empty history";
  EXPECT_EQ(read(25), all.substr(all.find("25 "))) << "others are read";
  const auto reader = log->read({{0, 0}});
  const auto refused = (*reader)->next(1, std::chrono::milliseconds(0));
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable) << "it may come back";
  std::filesystem::rename(files.path() / "away", first);
  EXPECT_EQ(read(), all);
  EXPECT_EQ(log->archived().state().missing_files, 0);
}

TEST_F(Archive, ThatIsDamagedOrAnotherIsNamed) {
  ASSERT_EQ(archive(20), "20");
  const auto first = files.path() / names().front();
  const auto sound = content(first);
  flip_in_the_middle(first);
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(),
              HasSubstr("The file 000000000000000.records with the archived records from "));
  EXPECT_THAT(read(), HasSubstr("is damaged: its content is not what was written."));
  EXPECT_THAT(checked(), HasSubstr("is damaged: "));
  overwrite(first, sound + "more");
  EXPECT_THAT(checked({.read = false}), HasSubstr("is damaged: it has "));
  overwrite(first, sound);
  EXPECT_EQ(checked(), "40 records");
}

TEST_F(Archive, EndsBeforeADamagedRecord) {
  for (std::uint64_t v = 0; v < 60; ++v) {  // several blocks
    Record large = record("user_9", v, "x");
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      large.json += static_cast<char>('a' + (v * 7 + i * i) % 26);
    }
    ASSERT_TRUE(start(std::move(large)).get());
  }
  ASSERT_EQ(checked(), "100 records");  // moves them into a table
  log.reset();
  std::filesystem::path table;
  for (const auto& entry : std::filesystem::directory_iterator(path())) {
    if (entry.path().extension() != ".sst") continue;
    if (table.empty() || entry.file_size() > std::filesystem::file_size(table))
      table = entry.path();
  }
  flip_in_the_middle(table);
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(archive(INT64_MAX), HasSubstr("cannot be read: "));
  EXPECT_LT(log->archived().end(), 100);
  EXPECT_EQ(std::ssize(names()), log->archived().state().files) << "there is no part of a file";
}

TEST_F(Archive, NeverWritesOverAFileOfAnotherLog) {
  ASSERT_EQ(archive(20), "20");
  const auto before = content(files.path() / names().front());
  EmbeddedEventLog::Options its;
  const TemporaryDirectory other;
  auto opened = EmbeddedEventLog::open(other.path(), its);
  ASSERT_TRUE(opened);
  std::promise<void> done;
  (*opened)->append(record("user_0", 0, "other"), [&](const auto&) { done.set_value(); });
  done.get_future().wait();
  const auto refused = (*opened)->archive({.directory = files.path(), .end = 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("holds the records of another log"));
  EXPECT_EQ(content(files.path() / names().front()), before);
}

TEST_F(Archive, NeedsADirectory) {
  const auto refused = log->archive({.directory = files.path() / "none", .end = 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
}

TEST(ArchivedFiles, AreReadFromAListThatIsWhole) {
  const std::string text = "tilth archive 1 sealed\n0 5 900 0f /a b/0.records\n5 9 100 0e /x\n";
  const auto files = ArchivedFiles::parse(text);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->text(), text);
  EXPECT_EQ(files->end(), 9);
  EXPECT_EQ(files->files.front().path, "/a b/0.records");
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 1\n5 9 100 00 /x\n")) << "0 to 4 are missing";
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 1\n0 9 100\n"));
  EXPECT_FALSE(ArchivedFiles::parse(""));
}

// Another process archives the log, and is killed after this step.
class KilledArchiver : public Archive, public ::testing::WithParamInterface<int> {};

TEST_P(KilledArchiver, LosesNothingAndIsGoneOnWith) {
  log.reset();
  const std::string step = std::to_string(GetParam());
  const std::string program = EMBEDDED_LOG_ARCHIVER;
  const pid_t archiver = ::fork();
  if (archiver == 0) {
    ::execl(program.c_str(), program.c_str(), path().c_str(), files.path().c_str(), step.c_str(),
            nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(archiver, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(checked(), "40 records");
  EXPECT_EQ(archive(20), "20");
  EXPECT_EQ(read(), all);
  std::int64_t listed = 0;
  for (const auto& file : log->archived().files().files) listed += file.end - file.first;
  EXPECT_EQ(listed, 20) << "no file is left over: " << names().size();
  auto whole = names();
  std::erase_if(whole, [](const auto& name) { return name.find(".partial-") != name.npos; });
  EXPECT_EQ(std::ssize(whole), log->archived().state().files);
  EXPECT_EQ(append("user_1", 13, "40"), "durable");
  EXPECT_EQ(open(), "open");
  EXPECT_EQ(read(), all + "40 ");
}

INSTANTIATE_TEST_SUITE_P(AtEachStep, KilledArchiver, ::testing::Range(0, 6));

}  // namespace
}  // namespace tilth::testing
