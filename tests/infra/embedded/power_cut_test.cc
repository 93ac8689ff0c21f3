// The power goes at a random operation of the disk, again and again, while many append: what was
// acknowledged is there afterwards, and nothing that was not appended.

#include <map>
#include <random>
#include <set>
#include <utility>

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
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
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

}  // namespace
}  // namespace tilth::testing
