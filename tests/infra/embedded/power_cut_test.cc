// The power goes at a random operation of the disk, again and again, while many append: what was
// acknowledged is there afterwards, and nothing that was not appended.

#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <gmock/gmock.h>

#include "infra/embedded/embedded_import.h"
#include "infra/embedded/owner_key_files.h"
#include "tests/fixtures/power_cut_files.h"
#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/power_cut_disk.h"

namespace tilth::testing {
namespace {

class PowerCut : public LogInDirectory {
 protected:
  PowerCut() : LogInDirectory(TemporaryDirectory::memory()) {}

  void SetUp() override {
    options.store.env = env.get();
    options.store.write_buffer_bytes = 64 << 10;  // so that tables are written, too
    options.tail_bytes = 0;
  }
  void TearDown() override {
    disk->goes_after(kFar);
    log.reset();
  }

  // Appends until the power goes.
  void append_until_cut() {
    while (!disk->is_off()) {
      std::vector<std::pair<std::string, std::future<Result<Position>>>> under_way;
      auto next = versions;
      for (auto records = 1 + chance() % 12; records > 0; --records) {
        const auto stream = "user_" + std::to_string(chance() % 3);
        auto appended = record(stream, next[stream]++, "id-" + std::to_string(++ids));
        appended.json = '"' + std::string(chance() % 4'000, 'x') + '"';
        unknown.insert(appended.envelope.id);
        const auto id = appended.envelope.id;
        under_way.emplace_back(id, start(std::move(appended)));
      }
      for (auto& [id, end] : under_way) {
        const auto position = end.get();
        if (!position) continue;
        acknowledged[position->offset] = id;
        unknown.erase(id);
      }
      versions = std::move(next);
    }
  }

  // Every record that is there, and each stream's versions without a gap.
  void check() {
    const auto reader = log->read({{0, 0}});
    ASSERT_TRUE(reader) << reader.error().message;
    std::map<std::int64_t, std::string> found;
    versions.clear();
    while (true) {
      const auto page = (*reader)->next(100, std::chrono::milliseconds(0));
      ASSERT_TRUE(page) << page.error().message;
      if (page->empty()) break;
      for (const auto& [position, record] : *page) {
        ASSERT_EQ(position.offset, std::ssize(found));
        ASSERT_EQ(record->envelope.stream_version, versions[record->stream]++);
        found[position.offset] = record->envelope.id;
      }
    }
    for (const auto& [offset, id] : acknowledged) ASSERT_EQ(found[offset], id) << offset;
    for (const auto& [offset, id] : found) {
      if (acknowledged.contains(offset)) continue;
      ASSERT_TRUE(unknown.contains(id)) << id << " at " << offset;
    }
    acknowledged = std::move(found);
    for (const auto& [stream, version] : versions) {
      ASSERT_EQ(append(stream, version - 1, "stale"), "stale");
    }
  }

  static constexpr std::int64_t kFar = 1'000'000'000;
  std::shared_ptr<PowerCutDisk> disk = std::make_shared<PowerCutDisk>();
  std::unique_ptr<rocksdb::Env> env = std::make_unique<PowerCutEnv>(disk);
  std::mt19937_64 chance;
  std::map<std::int64_t, std::string> acknowledged;  // by offset
  std::set<std::string> unknown;                     // ids of records that may be there, or not
  std::map<std::string, std::uint64_t> versions;     // by stream
  std::uint64_t ids = 0;
};

TEST_F(PowerCut, LosesNothingThatWasAcknowledgedWheneverItComes) {
  constexpr int kCuts = 30;
  chance.seed(20'261'126);
  for (int cut = 0; cut < kCuts; ++cut) {
    SCOPED_TRACE(cut);
    disk->goes_after(kFar);
    ASSERT_EQ(open(), "open");
    ASSERT_NO_FATAL_FAILURE(check());
    disk->goes_after(static_cast<std::int64_t>(chance() % (chance() % 2 == 0 ? 12 : 120)));
    append_until_cut();
    log.reset();
    disk->cut(chance);
  }
  disk->goes_after(kFar);
  ASSERT_EQ(open(), "open");
  ASSERT_NO_FATAL_FAILURE(check());
}

// The power goes while the log is opened, which may write tables and cut a torn tail.
TEST_F(PowerCut, MayComeWhileTheLogIsOpened) {
  constexpr int kCuts = 20;
  chance.seed(7);
  for (int cut = 0; cut < kCuts; ++cut) {
    SCOPED_TRACE(cut);
    disk->goes_after(static_cast<std::int64_t>(chance() % 25));
    if (open() == "open" && !disk->is_off()) append_until_cut();
    log.reset();
    disk->cut(chance);
    disk->goes_after(kFar);
    ASSERT_EQ(open(), "open");
    ASSERT_NO_FATAL_FAILURE(check());
    log.reset();
  }
}

// A log, and files in a directory on the same disk. Each time both begin empty.
class PowerCutWithFiles : public PowerCut {
 protected:
  void TearDown() override {
    disk->when_off = {};
    PowerCut::TearDown();
  }

  void begin(std::uint32_t seed) {
    log.reset();
    for (const auto& folder : {path(), other.path()}) {
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::filesystem::remove_all(entry.path());
      }
    }
    files.reset();
    files = std::make_unique<PowerCutFiles>(
        other.path(), seed, [this] { return syncs_before_failure-- != 0 && disk->operates(); });
    disk->when_off = [this] { files->lose_power(); };
    chance.seed(seed);
    acknowledged.clear();
    versions.clear();
  }

  void cut() {
    disk->goes_after(0);
    disk->operates();
    log.reset();
    disk->cut(chance);
    files->cut();
    disk->goes_after(kFar);
  }

  TemporaryDirectory other{TemporaryDirectory::memory()};
  std::unique_ptr<PowerCutFiles> files;
  std::atomic<int> syncs_before_failure = -1;  // of files; negative: none fails
};

class ArchivePowerCut : public PowerCutWithFiles {
 protected:
  // A log of several tables.
  void append_records() {
    for (std::uint64_t version = 0; version < 24; ++version) {
      auto large = record("user_0", version, "id-" + std::to_string(version));
      large.json = '"' + std::string(8'000, 'x') + '"';
      const auto position = start(large).get();
      ASSERT_TRUE(position);
      acknowledged[position->offset] = large.envelope.id;
    }
  }
  // Then the power goes, if it has not before.
  void try_each_seed(const std::function<void()>& archives) {
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(seed);
      begin(seed);
      disk->goes_after(kFar);
      ASSERT_EQ(open(), "open");
      ASSERT_NO_FATAL_FAILURE(append_records());
      ASSERT_NO_FATAL_FAILURE(archives());
      ASSERT_NO_FATAL_FAILURE(cut());
      ASSERT_EQ(open(), "open");
      ASSERT_NO_FATAL_FAILURE(check());
    }
  }
  bool archive() {
    return bool(log->archive({.directory = other.path(), .end = 20, .file_bytes = 60'000}));
  }
};

TEST_F(ArchivePowerCut, LosesNoRecordWheneverItComes) {
  bool is_done = false;
  for (int operations = 0; !is_done; ++operations) {
    try_each_seed([&] {
      disk->goes_after(operations);
      ASSERT_TRUE(archive() || disk->is_off());
      is_done = !disk->is_off();
    });
    if (HasFatalFailure()) FAIL() << operations << " operations";
  }
}

// The first try may leave files whose names are not durable.
TEST_F(ArchivePowerCut, LosesNoRecordThatTheSecondTryHasArchived) {
  bool is_done = false;
  for (int syncs = 0; !is_done; ++syncs) {
    try_each_seed([&] {
      syncs_before_failure = syncs;
      is_done = archive();
      syncs_before_failure = -1;
      ASSERT_TRUE(is_done || archive());
    });
    if (HasFatalFailure()) FAIL() << syncs << " syncs";
  }
}

// A log whose records name persons under keys that are on the same disk.
class SealedPowerCut : public PowerCutWithFiles {
 protected:
  std::string open_with_keys() {
    log.reset();
    options.store.keys.reset();
    auto opened = OwnerKeyFiles::open(other.path() / "owner-keys");
    if (!opened) return opened.error().message;
    options.store.keys = std::move(*opened);
    options.store.seal_new = true;
    return open();
  }

  static Record crop(const std::string& stream) {
    return {stream, {.id = stream, .type = "tilth.crop.registered"}, kJson};
  }
  void append_of_new_owners() {
    for (int owner = 0; owner < 3; ++owner) {
      const auto stream = "user_" + std::to_string(owner);
      const auto position = start(crop(stream)).get();
      if (position) acknowledged[position->offset] = stream;
    }
  }

  // Afterwards each record that is there can be read whole, as only acknowledged ones must be
  // there.
  void check_after_cut() {
    cut();
    ASSERT_EQ(open_with_keys(), "open");
    const auto reader = log->read({{0, 0}});
    ASSERT_TRUE(reader) << reader.error().message;
    const auto page = (*reader)->next(100, std::chrono::milliseconds(0));
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& [position, record] : *page) ASSERT_EQ(record->json, kJson);
    for (const auto& [offset, id] : acknowledged) {
      ASSERT_LT(offset, std::ssize(*page));
      ASSERT_EQ((*page)[static_cast<std::size_t>(offset)].record->envelope.id, id);
    }
  }

  inline static const std::string kJson =
      R"({"cropId":"1","cropType":"Dates","notes":"Sold to Zainab","status":"growing"})";
};

TEST_F(SealedPowerCut, LosesNoKeyOfWhatWasAcknowledgedWheneverItComes) {
  bool is_done = false;
  for (std::uint32_t operations = 0; !is_done; ++operations) {
    SCOPED_TRACE(operations);
    begin(operations);
    disk->goes_after(operations);
    if (open_with_keys() == "open") append_of_new_owners();
    is_done = !disk->is_off();
    ASSERT_NO_FATAL_FAILURE(check_after_cut());
  }
  EXPECT_EQ(acknowledged.size(), 3U);
}

TEST_F(SealedPowerCut, LosesNoKeyOfWhatWasImportedWheneverItComes) {
  bool is_done = false;
  for (std::uint32_t operations = 0; !is_done; ++operations) {
    SCOPED_TRACE(operations);
    begin(operations);
    disk->goes_after(kFar);
    ASSERT_EQ(open_with_keys(), "open");
    auto import = EmbeddedImport::begin(*log, path() / "import");
    ASSERT_TRUE(import);
    ASSERT_TRUE((*import)->add(crop("user_0"), 1) && (*import)->add(crop("user_1"), 2));
    disk->goes_after(operations);
    if ((*import)->finish()) acknowledged = {{0, "user_0"}, {1, "user_1"}};
    is_done = !disk->is_off();
    import->reset();
    ASSERT_NO_FATAL_FAILURE(check_after_cut());
  }
  EXPECT_EQ(acknowledged.size(), 2U);
}

// All files of a log, written by RocksDB as in production, and the name of its own folder.
class LogPowerCut : public LogInDirectory {
 protected:
  LogPowerCut() : LogInDirectory(TemporaryDirectory::memory()) {}

  bool open_in_folder() {
    auto opened = EmbeddedEventLog::open(path() / "log", options);
    if (opened) log = std::move(*opened);
    return bool(opened);
  }
  // `work` opens the log; then it has these ids.
  void cut_at_each_sync_of(const std::function<std::string()>& work) {
    std::string acknowledged;
    hit_each_sync(path(), AtSync::kLosesPower,
                  {.seeds = 2,
                   .work = [&] { acknowledged = work(); },
                   .check =
                       [&] {
                         // RocksDB takes the names of a new database to be written in order.
                         if (!open_in_folder() && acknowledged.empty()) return;
                         ASSERT_NE(log, nullptr) << "with " << acknowledged;
                         EXPECT_THAT(read(), ::testing::StartsWith(acknowledged));
                       },
                   .close = [&] { log.reset(); }});
  }
};

TEST_F(LogPowerCut, LosesNothingOfANewLog) {
  cut_at_each_sync_of([this] {
    std::string acknowledged;
    if (!open_in_folder()) return acknowledged;
    for (const std::string id : {"a", "b"}) {
      const auto version = acknowledged.size() / 2;
      if (append("user_1", version, id) == "durable") acknowledged += id + " ";
    }
    return acknowledged;
  });
}

TEST_F(LogPowerCut, LosesNothingThatWasImported) {
  cut_at_each_sync_of([this]() -> std::string {
    if (!open_in_folder()) return "";
    auto import = EmbeddedImport::begin(*log, path() / "import");
    if (!import) return "";
    for (const std::uint64_t version : {0, 1}) {
      if (!(*import)->add(record("user_1", version, std::string(1, "ab"[version])), 1)) return "";
    }
    return (*import)->finish() ? "a b " : "";
  });
}

}  // namespace
}  // namespace tilth::testing
