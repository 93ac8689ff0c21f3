// Nodes that share the keys of the owners in a log of their own.

#include "infra/keys/shared_owner_keys.h"

#include <filesystem>
#include <future>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

// Passes on to a log that outlives it.
class Lent final : public EventLog {
 public:
  explicit Lent(EventLog& log) : log_(log) {}
  void append(Record record, OnAppended done) override {
    log_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return log_.read(from);
  }
  void end(int partition, OnEnd done) override { log_.end(partition, std::move(done)); }
  int partitions() const override { return log_.partitions(); }

 private:
  EventLog& log_;
};

class SharedOwnerKeysTest : public ::testing::Test {
 protected:
  using Keys = std::shared_ptr<SharedOwnerKeys>;

  Keys open(const std::string& node, bool empty = true, bool seal_new = true) {
    auto opened =
        SharedOwnerKeys::open(std::make_shared<Lent>(*log), {.node = node,
                                                             .directory = directory.path() / node,
                                                             .history_is_empty = empty,
                                                             .seal_new = seal_new});
    if (opened) return std::move(*opened);
    refusal = opened.error().message;
    return nullptr;
  }

  static std::string sealed(SharedOwnerKeys& keys, const std::string& owner,
                            std::string_view plain) {
    const auto bytes = keys.seal(owner, "here", plain, NewKeys::kDurable);
    if (!bytes) return bytes.error().message;
    return *bytes ? **bytes : "destroyed";
  }
  static std::string opened(SharedOwnerKeys& keys, const std::string& owner, std::string_view bytes,
                            std::string_view context = "here") {
    const auto plain = keys.open(owner, context, bytes);
    if (!plain) return "error: " + plain.error().message;
    return *plain ? **plain : "destroyed";
  }

  // What a compacted topic would have left: of each stream the last record, unless it has no JSON.
  void compact() {
    auto reader = log->read({{0, 0}});
    ASSERT_TRUE(reader);
    const auto all = (*reader)->next(10'000, std::chrono::milliseconds(0));
    ASSERT_TRUE(all);
    std::map<std::string, std::int64_t> last;
    for (const auto& [position, record] : *all) last[record.stream] = position.offset;
    auto left = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
    for (const auto& [position, record] : *all) {
      if (last.at(record.stream) == position.offset && !record.json.empty()) {
        left->append(record, [](const auto&) {});
      }
    }
    log = std::move(left);
  }

  std::string streams() {
    auto reader = log->read({{0, 0}});
    const auto all = (*reader)->next(10'000, std::chrono::milliseconds(0));
    std::string text;
    for (const auto& [position, record] : *all) {
      text += record.stream.substr(0, record.stream.find('/')) + (record.json.empty() ? "- " : " ");
    }
    return text;
  }

  TemporaryDirectory directory;
  std::unique_ptr<MemoryEventLog> log =
      std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  std::string refusal;
};

TEST_F(SharedOwnerKeysTest, OpenOnEachNodeWhatAnotherHasSealed) {
  const auto one = open("one"), other = open("other");
  const auto bytes = sealed(*one, "user_1", "Ali");
  EXPECT_EQ(bytes.find("Ali"), bytes.npos);
  EXPECT_EQ(opened(*other, "user_1", bytes), "Ali");
  EXPECT_EQ(opened(*one, "user_1", sealed(*other, "user_1", "Omar")), "Omar");
  EXPECT_EQ(opened(*open("third", false), "user_1", bytes), "Ali");
  EXPECT_TRUE(opened(*one, "user_1", bytes, "there").starts_with("error"));
  EXPECT_NE(opened(*one, "user_2", bytes).find("user_2 is missing"), std::string::npos);
}

TEST_F(SharedOwnerKeysTest, OfAnOwnerWhomAllMeetAtOnceAreOne) {
  auto one = open("one"), other = open("other");
  std::vector<std::pair<std::string, std::string>> made;
  for (int number = 0; number < 50; ++number) {
    const auto owner = "user_" + std::to_string(number);
    std::string by_one, by_other;
    {
      const std::jthread first([&] { by_one = sealed(*one, owner, "Ali"); });
      const std::jthread second([&] { by_other = sealed(*other, owner, "Ali"); });
    }
    EXPECT_EQ(opened(*other, owner, by_one), "Ali");
    EXPECT_EQ(opened(*one, owner, by_other), "Ali");
    made.emplace_back(by_one, by_other);
  }
  one.reset(), other.reset();
  compact();
  const auto later = open("later", false);
  for (std::size_t number = 0; number < made.size(); ++number) {
    const auto owner = "user_" + std::to_string(number);
    EXPECT_EQ(opened(*later, owner, made[number].first), "Ali");
    EXPECT_EQ(opened(*later, owner, made[number].second), "Ali");
  }
}

TEST_F(SharedOwnerKeysTest, AreDestroyedOnEveryNodeForGood) {
  auto one = open("one"), other = open("other");
  std::promise<void> heard;
  other->on_destroyed([&] { heard.set_value(); });
  const auto bytes = sealed(*one, "user_1", "Ali"), kept = sealed(*one, "user_2", "Omar");
  EXPECT_EQ(opened(*other, "user_1", bytes), "Ali");
  ASSERT_TRUE(one->destroy("user_1"));
  EXPECT_EQ(streams(), "sealing key key destroyed key- ");
  heard.get_future().get();
  ASSERT_TRUE(one->destroy("user_1")) << "it may be repeated";
  for (int restarts = 0; restarts < 2; ++restarts) {
    for (const auto& keys : {one, other}) {
      EXPECT_TRUE(keys->is_destroyed("user_1"));
      EXPECT_FALSE(keys->is_destroyed("user_2"));
      EXPECT_EQ(opened(*keys, "user_1", bytes), "destroyed");
      EXPECT_EQ(sealed(*keys, "user_1", "Ali"), "destroyed") << "no new key is made";
      EXPECT_EQ(opened(*keys, "user_2", kept), "Omar");
    }
    one.reset(), other.reset();
    compact();
    EXPECT_EQ(streams(), "sealing key destroyed ");
    one = open("one", false), other = open("other", false);
  }
}

TEST_F(SharedOwnerKeysTest, ThatCameAfterTheirDestructionAreRemoved) {
  {
    const auto one = open("one"), other = open("other");
    ASSERT_TRUE(one->destroy("user_1"));
    log->append({.stream = "key/0123/user_1",
                 .envelope = {.id = "late", .type = "tilth.owner-key.made"},
                 .json = R"({"owner":"user_1","key":")" + std::string(64, 'a') + R"("})"},
                [](const auto&) {});
  }
  const auto next = open("next", false);
  EXPECT_EQ(sealed(*next, "user_1", "Ali"), "destroyed");
  EXPECT_EQ(streams(), "sealing destroyed key key- ");
}

TEST_F(SharedOwnerKeysTest, RememberWhichNodesAreClean) {
  const auto one = open("one"), other = open("other");
  ASSERT_TRUE(one->destroy("user_1"));
  ASSERT_TRUE(other->set_cleaned("user_1"));
  ASSERT_TRUE(other->set_cleaned("user_1"));
  ASSERT_EQ(other->destroyed()->size(), 1U);
  EXPECT_TRUE(other->destroyed()->front().cleaned);
  const auto third = open("third", false);
  EXPECT_EQ(third->cleaned_by("user_1"), std::set<std::string>{"other"});
  EXPECT_FALSE(third->destroyed()->front().cleaned);
}

TEST_F(SharedOwnerKeysTest, SealAHistoryFromItsFirstRecordOnOrNever) {
  EXPECT_FALSE(open("old", false)->is_sealed()) << "it had records before there was sealing";
  EXPECT_EQ(streams(), "");
  EXPECT_FALSE(open("one", true, false)->is_sealed());
  EXPECT_FALSE(open("other", true)->is_sealed()) << "the first one has decided";
  log = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  EXPECT_TRUE(open("one", true)->is_sealed());
  EXPECT_TRUE(open("other", false, false)->is_sealed());
}

TEST_F(SharedOwnerKeysTest, AreNotUsedInAFormatOfANewerRelease) {
  log->append({.stream = "sealing/new",
               .envelope = {.id = "1", .type = "tilth.history.sealed"},
               .json = R"({"node":"new","sealed":true,"format":2})"},
              [](const auto&) {});
  EXPECT_EQ(open("one", false), nullptr);
  EXPECT_EQ(refusal, "The history is sealed by a newer release of Tilth: update this node.");
}

TEST_F(SharedOwnerKeysTest, AreGivenBackFromACopyAfterTheirLogWasLost) {
  std::string bytes, gone;
  const auto copy = directory.path() / "backup" / "owner-keys";
  fs::create_directory(copy.parent_path());
  {
    const auto one = open("one");
    bytes = sealed(*one, "user_1", "Ali"), gone = sealed(*one, "user_2", "Omar");
    ASSERT_TRUE(one->destroy("user_2"));
    ASSERT_TRUE(one->copy_to(copy, copy));
  }
  log = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  fs::remove_all(directory.path() / "one");
  EXPECT_FALSE(open("two", false)->is_sealed());
  fs::copy(copy, directory.path() / "one");
  const auto one = open("one", false);
  ASSERT_TRUE(one->is_sealed());
  EXPECT_EQ(opened(*one, "user_1", bytes), "Ali");
  EXPECT_EQ(opened(*one, "user_2", gone), "destroyed");
  const auto other = open("other", false);
  EXPECT_EQ(opened(*other, "user_1", bytes), "Ali");
}

TEST_F(SharedOwnerKeysTest, AreDestroyedInCopiesThatAreStillThere) {
  const auto one = open("one");
  sealed(*one, "user_1", "Ali"), sealed(*one, "user_2", "Omar");
  const auto copy = directory.path() / "backup" / "owner-keys";
  fs::create_directory(copy.parent_path());
  ASSERT_TRUE(one->copy_to(copy, copy));
  EXPECT_TRUE(fs::exists(copy / "user_1.key"));
  ASSERT_TRUE(open("other", false)->destroy("user_1"));
  EXPECT_TRUE(fs::exists(copy / "user_1.key")) << "the other node does not know where it is";
  ASSERT_TRUE(one->destroy("user_1"));
  EXPECT_FALSE(fs::exists(copy / "user_1.key"));
  EXPECT_TRUE(fs::exists(copy / "user_2.key"));
}

}  // namespace
}  // namespace tilth::testing
