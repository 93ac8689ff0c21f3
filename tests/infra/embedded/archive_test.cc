#include <chrono>
#include <fstream>
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "infra/embedded/archive_cache.h"
#include "infra/embedded/archive_store.h"
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
  EXPECT_EQ(checked({.places = {.directories = {elsewhere.path()}}}), "40 records");
  options.store.archives.directories = {elsewhere.path()};
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
  options.store.archives.directories = {earlier.path()};
  auto same_size = sound;
  same_size[sound.size() / 3] = static_cast<char>(same_size[sound.size() / 3] ^ 1);
  for (const auto& other : {sound.substr(0, 100), sound + "more", same_size}) {
    std::ofstream(earlier.path() / name, std::ios::binary) << other;
    ASSERT_EQ(open(), "open");
    EXPECT_EQ(read(), all) << other.size();
    EXPECT_EQ(checked({.places = {.directories = {earlier.path()}}}), "40 records") << other.size();
  }
  std::filesystem::rename(files.path() / name, files.path() / "away");
  overwrite(earlier.path() / name, sound.substr(0, 100));
  ASSERT_EQ(open(), "open");
  EXPECT_THAT(read(), HasSubstr("is missing")) << "the rest is still to come";
}

TEST_F(Archive, IsComparedAgainIfAnotherFileOfThatNameAppears) {
  ASSERT_EQ(archive(20), "20");
  const TemporaryDirectory earlier, later;
  options.store.archives.directories = {earlier.path(), later.path()};
  ASSERT_EQ(open(), "open");
  const auto first = log->read({{0, 0}});
  ASSERT_TRUE(first && (*first)->next(1, std::chrono::milliseconds(0)));
  const auto name = names().front();
  std::filesystem::copy_file(files.path() / name, later.path() / name);
  std::filesystem::rename(files.path() / name, earlier.path() / name);
  flip_in_the_middle(earlier.path() / name);
  EXPECT_EQ(read(19), all.substr(all.find("19 "))) << "closes the first file, which has moved";
  EXPECT_EQ(read(), all);
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
  const std::string text =
      "tilth archive 2 sealed\n0 5 900 0f here /a b/0.records\n5 9 100 0e stored /x\n";
  const auto files = ArchivedFiles::parse(text);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->text(), text);
  EXPECT_EQ(files->end(), 9);
  EXPECT_EQ(files->files.front().path, "/a b/0.records");
  EXPECT_TRUE(files->files.back().stored);
  EXPECT_FALSE(files->files.front().stored);
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 2\n5 9 100 00 here /x\n"))
      << "0 to 4 are missing";
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 2\n0 9 100 00 away /x\n"));
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 2\n0 9 100\n"));
  EXPECT_FALSE(ArchivedFiles::parse("tilth archive 2\n0 9 100 00 here /x"))
      << "its name may be cut";
  EXPECT_FALSE(ArchivedFiles::parse(""));
}

TEST(ArchivedFiles, AreReadFromAListThatKnowsOfNoStore) {
  const auto files = ArchivedFiles::parse("tilth archive 1 sealed\n0 5 900 0f /a b/0.records\n");
  ASSERT_TRUE(files);
  EXPECT_TRUE(files->sealed);
  EXPECT_EQ(files->files.front().path, "/a b/0.records");
  EXPECT_FALSE(files->files.front().stored);
}

// A store of files in a directory, which can be made to fail.
class Shelf final : public ArchiveStore {
 public:
  Status put(const std::filesystem::path& file, const std::string& name) override {
    if (!fails.empty()) return Error{ErrorCode::kUnavailable, fails};
    std::filesystem::copy_file(file, directory.path() / name);
    return kDone;
  }
  Status get(const std::string& name, const std::filesystem::path& to) override {
    ++gets;
    if (!fails.empty()) return Error{ErrorCode::kUnavailable, fails};
    if (std::filesystem::exists(directory.path() / name)) {
      std::filesystem::copy_file(directory.path() / name, to);
    }
    return kDone;
  }
  void end() override { fails = "the service ends"; }
  void end_when(std::function<bool()>) override {}

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  TemporaryDirectory directory;
  std::string fails;
  int gets = 0;
};

class StoredArchive : public Archive {
 protected:
  void SetUp() override {
    Archive::SetUp();
    use_store();
  }

  void use_store(std::uintmax_t limit = 1 << 20) {
    options.store.archives.cache = std::make_shared<ArchiveCache>(
        shelf, ArchiveCache::Options{.directory = cached.path(),
                                     .limit_bytes = limit,
                                     .log_line = [this](auto line) { told.emplace_back(line); }});
    ASSERT_EQ(open(), "open");
  }

  void remove_local_files() const {
    for (const auto& name : names()) std::filesystem::remove(files.path() / name);
  }

  std::string why_not(std::int64_t offset = 0) {
    const auto read = log->read({{0, offset}});
    const auto page = (*read)->next(1, std::chrono::milliseconds(0));
    return page ? "read" : page.error().message;
  }

  const std::shared_ptr<Shelf> shelf = std::make_shared<Shelf>();
  TemporaryDirectory cached;
  std::vector<std::string> told;
};

TEST_F(StoredArchive, IsReadWhenTheLocalFilesAreGone) {
  ASSERT_EQ(archive(20), "20");
  EXPECT_EQ(shelf->files().size(), names().size());
  const auto first = log->archived().files().files.front();
  EXPECT_EQ(shelf->files().front().filename(), "000000000000000-" + first.hash + ".records");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(shelf->gets, 0) << "it has them";
  remove_local_files();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(log->archived().state().missing_files, 0);
  EXPECT_EQ(checked({.places = options.store.archives, .fetches = false}), "40 records");
  EXPECT_EQ(shelf->gets, 0) << "the daily check leaves them there";
  EXPECT_EQ(read(), all);
  EXPECT_EQ(shelf->gets, std::ssize(shelf->files()));
  EXPECT_EQ(checked({.places = options.store.archives}), "40 records");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(shelf->gets, std::ssize(shelf->files())) << "they are in the cache";
  EXPECT_EQ(append("user_0", kRecords / 3 + 1, "40"), "durable");
  EXPECT_EQ(archive(INT64_MAX), "41");
}

TEST_F(StoredArchive, KeepsNoMoreInTheCacheThanItMay) {
  ASSERT_EQ(archive(20), "20");
  remove_local_files();
  use_store(1);
  EXPECT_EQ(read(), all);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cached.path()), {}), 1);
  EXPECT_EQ(read(), all) << "again and again";
  for (const auto& opened : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const auto file = std::filesystem::read_symlink(opened.path(), ignored).string();
    EXPECT_FALSE(file.starts_with(cached.path().string()) && file.ends_with("(deleted)"))
        << file << " is open and takes space";
  }
}

TEST_F(StoredArchive, LosesNothingWhenAFileCannotBePut) {
  shelf->fails = "no space";
  EXPECT_THAT(archive(20), HasSubstr("000000000000000.records cannot be put into the store, so the "
                                     "log keeps what it has: no space."));
  EXPECT_EQ(log->archived().end(), 0);
  EXPECT_EQ(read(), all);
  shelf->fails.clear();
  EXPECT_EQ(archive(20), "20");
  EXPECT_EQ(std::ssize(shelf->files()), log->archived().state().files);
}

TEST_F(StoredArchive, TakesInWhatWasArchivedBeforeThereWasAStore) {
  options.store.archives.cache.reset();
  ASSERT_EQ(open(), "open");
  ASSERT_EQ(archive(20), "20");
  use_store();
  EXPECT_EQ(archive(0), "20");
  ASSERT_EQ(open(), "open") << "it is on disk";
  EXPECT_EQ(std::ssize(shelf->files()), log->archived().state().files);
  remove_local_files();
  EXPECT_EQ(read(), all);
}

TEST_F(StoredArchive, GoesOnThoughAnEarlierFileIsMissing) {
  options.store.archives.cache.reset();
  ASSERT_EQ(open(), "open");
  ASSERT_EQ(archive(20), "20");
  use_store();
  std::filesystem::rename(files.path() / names().front(), files.path() / "away");
  EXPECT_EQ(archive(30), "30");
  EXPECT_EQ(std::ssize(shelf->files()), log->archived().state().files - 1);
}

TEST_F(StoredArchive, IsMissedWhileItCannotBeFetched) {
  ASSERT_EQ(archive(20), "20");
  remove_local_files();
  ASSERT_EQ(open(), "open");
  shelf->fails = "bucket secret-name: denied";
  const auto first = log->archived().files().files.front();
  const auto sentence =
      "The file 000000000000000.records with the archived records from offset 0 to " +
      std::to_string(first.end - 1) + " cannot be fetched from its store";
  EXPECT_EQ(why_not(), sentence + ".") << "clients need not know more";
  EXPECT_THAT(told,
              ElementsAre(HasSubstr(first.hash + ".records cannot be fetched: bucket secret")));
  EXPECT_EQ(log->archived().place(first).problem, sentence + ": bucket secret-name: denied.");
  EXPECT_EQ(log->archived().state().missing_files, 1);
  EXPECT_EQ(checked({.places = options.store.archives}),
            sentence + ": bucket secret-name: denied.");
  shelf->fails.clear();
  EXPECT_EQ(read(), all);
  EXPECT_EQ(log->archived().state().missing_files, 0);
  EXPECT_EQ(log->archived().place(first).problem, "");
}

TEST_F(StoredArchive, IsDamagedWhenTheStoreReturnsSomethingElse) {
  ASSERT_EQ(archive(20), "20");
  remove_local_files();
  ASSERT_EQ(open(), "open");
  const auto first = log->archived().files().files.front();
  const auto stored = shelf->files().front();
  const auto sound = content(stored);
  flip_in_the_middle(stored);
  EXPECT_THAT(why_not(), HasSubstr("cannot be fetched from its store."));
  EXPECT_THAT(log->archived().place(first).problem,
              HasSubstr("the store returned another content than was put there."));
  EXPECT_THAT(checked({.places = options.store.archives}), HasSubstr("another content"));
  overwrite(stored, sound.substr(0, 100));
  EXPECT_THAT(why_not(), HasSubstr("cannot be fetched"));
  EXPECT_THAT(log->archived().place(first).problem, HasSubstr("returned 100 bytes, and not "));
  std::filesystem::remove(stored);
  EXPECT_THAT(why_not(), HasSubstr("cannot be fetched"));
  EXPECT_THAT(log->archived().place(first).problem, HasSubstr("the store returned no file."));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cached.path()), {}), 0);
  overwrite(stored, sound);
  EXPECT_EQ(read(), all);
}

// Neither a local file nor one in the cache is believed.
TEST_F(StoredArchive, TakesThePlaceOfADamagedFile) {
  ASSERT_EQ(archive(20), "20");
  flip_in_the_middle(files.path() / names().front());
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
  EXPECT_THAT(checked({.places = options.store.archives}), HasSubstr("is damaged"))
      << "a check tells";
  std::filesystem::remove(files.path() / names().front());
  for (const auto& entry : std::filesystem::directory_iterator(cached.path())) {
    flip_in_the_middle(entry.path());
  }
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(read(), all);
  EXPECT_EQ(shelf->gets, 2);
}

TEST_F(Archive, ListsNoFilesThatOverlap) {
  log.reset();
  auto opened = RecordStore::open(path(), options.store);
  ASSERT_TRUE(opened) << opened.error().message;
  auto& store = **opened;
  const TemporaryDirectory elsewhere;
  bool again = true;
  const auto goes_on = [&](std::string_view step, std::int64_t) {
    if (step == "written" && std::exchange(again, false)) {
      EXPECT_TRUE(store.archive({.directory = elsewhere.path(), .end = 5}, kRecords));
    }
    return true;
  };
  const auto reached =
      store.archive({.directory = files.path(), .end = 20, .goes_on = goes_on}, kRecords);
  ASSERT_FALSE(reached);
  EXPECT_THAT(reached.error().message, HasSubstr("archive again"));
  opened->reset();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(log->archived().end(), 5);
  EXPECT_EQ(read(), all);
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
