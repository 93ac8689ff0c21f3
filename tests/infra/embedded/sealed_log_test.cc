// A log whose records name persons only under a key of their owner.

#include "infra/embedded/embedded_import.h"
#include "infra/embedded/log_check.h"
#include "infra/embedded/owner_key_files.h"
#include "tests/fixtures/bytes_in_files.h"
#include "tests/infra/embedded/log_in_directory.h"
#include "tests/infra/embedded/wal_file.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kType = "tilth.crop.registered";
constexpr std::string_view kJson =
    R"({"cropId":"1","cropType":"Dates","notes":"Sold to Zainab","status":"growing"})";
constexpr std::string_view kErased =
    R"({"cropId":"1","cropType":"Dates","notes":null,"status":"growing"})";

class SealedLog : public LogInDirectory {
 protected:
  SealedLog() { use_keys(); }

  void use_keys() {
    log.reset();
    options.store.keys.reset();
    auto opened = OwnerKeyFiles::open(directory.path() / "owner-keys");
    ASSERT_TRUE(opened);
    options.store.keys = std::move(*opened);
    options.store.seal_new = true;
  }
  OwnerKeyFiles& keys() { return *options.store.keys; }

  static Record crop(std::string stream, std::uint64_t version) {
    auto id = stream + "." + std::to_string(version);
    return {std::move(stream),
            {.id = std::move(id), .type = std::string(kType), .stream_version = version},
            std::string(kJson)};
  }
  void put(const std::string& stream, std::uint64_t version) {
    ASSERT_TRUE(start(crop(stream, version)).get());
  }

  std::string json_at(std::int64_t offset) {
    const auto reader = log->read({{0, offset}});
    if (!reader) return reader.error().message;
    const auto page = (*reader)->next(1, std::chrono::milliseconds(0));
    if (!page) return page.error().message;
    return page->empty() ? "nothing" : page->front().record->json;
  }

  TemporaryDirectory directory;
};

TEST_F(SealedLog, HasOnDiskWhatNamesNobodyAndNothingElse) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0);
  EXPECT_EQ(json_at(0), kJson);
  EXPECT_EQ(count_in_files(path(), "Zainab"), 0U);
  EXPECT_EQ(count_in_files(path(), "Dates"), 1U);
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(json_at(0), kJson);
  use_keys();
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(json_at(0), kJson);
  EXPECT_TRUE(log->is_sealed());
}

TEST_F(SealedLog, ForgetsAnOwnerWhoseKeyIsDestroyed) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0), put("user_2", 0), put("user_1", 1);
  ASSERT_TRUE(log->copy_to(directory.path() / "backup"));
  ASSERT_TRUE(keys().destroy("user_1"));
  log->forget_recent();
  for (int restarts = 0; restarts < 2; ++restarts) {
    EXPECT_EQ(json_at(0), kErased);
    EXPECT_EQ(json_at(1), kJson);
    EXPECT_EQ(json_at(2), kErased);
    EXPECT_EQ(read(), "user_1.0 user_2.0 user_1.1 ");
    use_keys();
    ASSERT_EQ(open(), "open");
  }
  log.reset();
  auto backup = EmbeddedEventLog::open(directory.path() / "backup", options);
  ASSERT_TRUE(backup) << backup.error().message;
  log = std::move(*backup);
  EXPECT_EQ(json_at(0), kErased) << "a backup made before";
}

TEST_F(SealedLog, TakesNothingThatNamesAnErasedOwner) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0);
  ASSERT_TRUE(keys().destroy("user_1"));
  put("user_1", 1);
  log->forget_recent();
  EXPECT_EQ(json_at(1), kErased);
}

TEST_F(SealedLog, IsNotReadWithoutItsKeys) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0), put("user_2", 0);
  log.reset();
  fs::rename(directory.path() / "owner-keys", directory.path() / "aside");
  use_keys();
  EXPECT_NE(open().find("put back the directory owner-keys"), std::string::npos);
  fs::rename(directory.path() / "aside", directory.path() / "owner-keys");
  fs::remove(directory.path() / "owner-keys" / "user_1.key");
  use_keys();
  ASSERT_EQ(open(), "open");
  EXPECT_NE(json_at(0).find("offset 0 cannot be read: the owner's key"), std::string::npos);
  EXPECT_EQ(json_at(1), kJson);
}

TEST_F(SealedLog, IsCheckedWithoutItsKeys) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0);
  ASSERT_TRUE(log->copy_to(directory.path() / "copy"));
  const auto checked = check_log(directory.path() / "copy", {}, [](auto, auto) { return true; });
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(*checked, 1);
  EXPECT_TRUE(*is_log_sealed(directory.path() / "copy"));
}

TEST_F(SealedLog, IsChosenWithItsFirstRecord) {
  options.store.seal_new = false;
  ASSERT_EQ(open(), "open");
  put("user_1", 0);
  options.store.seal_new = true;
  ASSERT_EQ(open(), "open");
  put("user_1", 1);
  EXPECT_FALSE(log->is_sealed());
  EXPECT_EQ(count_in_files(path(), "Zainab"), 2U) << "an older log goes on as it is";
  EXPECT_EQ(json_at(1), kJson);
}

TEST_F(SealedLog, SealsWhatIsImported) {
  ASSERT_EQ(open(), "open");
  auto import = EmbeddedImport::begin(*log, directory.path() / "import");
  ASSERT_TRUE(import);
  ASSERT_TRUE((*import)->add(crop("user_1", 0), 1));
  ASSERT_TRUE((*import)->finish());
  EXPECT_EQ(json_at(0), kJson);
  EXPECT_EQ(count_in_files(path(), "Zainab"), 0U);
  ASSERT_EQ(open(), "open");
  EXPECT_EQ(json_at(0), kJson);
  EXPECT_TRUE(log->is_sealed());
}

TEST_F(SealedLog, RefusesAloneWhatCannotBeSealed) {
  ASSERT_EQ(open(), "open");
  put("user_1", 0), put("user_2", 0);
  log.reset();
  const auto key = directory.path() / "owner-keys" / "user_2.key";
  const auto whole = content(key);
  overwrite(key, "no key");
  use_keys();
  ASSERT_EQ(open(), "open");
  std::promise<void> began, go_on;
  log->end(0, [&](auto) { began.set_value(), go_on.get_future().wait(); });
  began.get_future().wait();
  auto one = start(crop("user_1", 1)), damaged = start(crop("user_2", 1)),
       next = start(crop("user_2", 2)), two = start(crop("user_1", 2));
  go_on.set_value();  // the four are one group
  EXPECT_TRUE(one.get() && two.get());
  EXPECT_EQ(damaged.get().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(next.get().error().code, ErrorCode::kStale);
  EXPECT_EQ(log->trouble(), "");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("user_2.key does not hold 32 bytes"), std::string::npos);
  EXPECT_EQ(read(2), "user_1.1 user_1.2 ");
  overwrite(key, whole);
  put("user_2", 1);
  EXPECT_EQ(json_at(4), kJson);
}

TEST_F(SealedLog, StaysSealedOrNotIfItsFirstRecordIsDamaged) {
  for (const bool seals : {true, false}) {
    const auto beginning = directory.path() / (seals ? "sealed" : "open");
    options.store.seal_new = seals;
    {
      auto opened = EmbeddedEventLog::open(beginning, options);
      ASSERT_TRUE(opened);
      log = std::move(*opened);
      for (std::uint64_t v = 0; v < 60; ++v) {  // several blocks
        auto large = crop("user_1", v);
        large.envelope.id += std::string(1'000, 'x');
        ASSERT_TRUE(start(std::move(large)).get());
      }
      log.reset();
    }
    ASSERT_TRUE(EmbeddedEventLog::open(beginning, options));  // moves them to a table
    fs::path table;
    for (const auto& entry : fs::directory_iterator(beginning)) {
      const bool is_larger = table.empty() || entry.file_size() > fs::file_size(table);
      if (entry.path().extension() == ".sst" && is_larger) table = entry.path();
    }
    auto bytes = content(table);
    for (std::size_t at = 4; at < 20; ++at) bytes[at] = static_cast<char>(bytes[at] ^ 1);
    overwrite(table, bytes);
    options.store.seal_new = !seals;
    auto opened = EmbeddedEventLog::open(beginning, options);
    ASSERT_TRUE(opened) << opened.error().message;
    log = std::move(*opened);
    EXPECT_NE(json_at(0).find("offset 0 cannot be read"), std::string::npos);
    EXPECT_EQ(log->is_sealed(), seals);
    log.reset();
  }
}

}  // namespace
}  // namespace tilth::testing
