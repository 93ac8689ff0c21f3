// Nodes that share the keys of the owners in a log of their own.

#include "infra/keys/shared_owner_keys.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "infra/embedded/memory_event_log.h"
#include "infra/embedded/owner_key_files.h"
#include "infra/embedded/owner_key_join.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {
namespace {

namespace fs = std::filesystem;

class SharedOwnerKeysTest : public ::testing::Test {
 protected:
  using Keys = std::shared_ptr<SharedOwnerKeys>;

  Keys open(const std::string& node, bool empty = true, bool seal_new = true) {
    auto opened =
        SharedOwnerKeys::open(std::make_shared<PassingLog>(*log),
                              {.node = node,
                               .directory = directory.path() / node,
                               .history_is_empty = empty,
                               .seal_new = seal_new,
                               .known_sealing = known_sealing,
                               .history_is_sealed = [this] { return history_is_sealed; }});
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
    for (const auto& [position, record] : *all) last[record->stream] = position.offset;
    auto left = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
    for (const auto& [position, record] : *all) {
      if (last.at(record->stream) == position.offset && !record->json.empty()) {
        left->append(*record, [](const auto&) {});
      }
    }
    log = std::move(left);
  }

  void append_late_key(const std::string& owner) {
    log->append({.stream = "key/0123/" + owner,
                 .envelope = {.id = "late", .type = "tilth.owner-key.made"},
                 .json = R"({"owner":")" + owner + R"(","key":")" + std::string(64, 'a') + R"("})"},
                [](const auto&) {});
  }

  std::string streams() {
    auto reader = log->read({{0, 0}});
    const auto all = (*reader)->next(10'000, std::chrono::milliseconds(0));
    std::string text;
    for (const auto& [position, record] : *all) {
      text +=
          record->stream.substr(0, record->stream.find('/')) + (record->json.empty() ? "- " : " ");
    }
    return text;
  }

  TemporaryDirectory directory;
  std::unique_ptr<MemoryEventLog> log =
      std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  std::string refusal;
  std::string known_sealing;
  Result<bool> history_is_sealed = false;
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

TEST_F(SharedOwnerKeysTest, AreNotLookedForInFilesWhileThoseOfTheLogDo) {
  const auto one = open("one");
  const auto bytes = sealed(*one, "user_1", "Ali");
  fs::create_directories(directory.path() / "one" / "user_1.key");  // which cannot be read
  EXPECT_EQ(opened(*one, "user_1", bytes), "Ali");
  EXPECT_TRUE(opened(*one, "user_1", bytes, "there").starts_with("error"));
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

TEST_F(SharedOwnerKeysTest, ThatCameAfterTheirDestructionAreRemovedByTheNextStart) {
  ASSERT_TRUE(open("one")->destroy("user_1"));
  append_late_key("user_1");
  const auto next = open("next", false);
  EXPECT_EQ(sealed(*next, "user_1", "Ali"), "destroyed");
  // The thread that follows may bury it once more.
  EXPECT_TRUE(streams().starts_with("sealing destroyed key key- ")) << streams();
}

TEST_F(SharedOwnerKeysTest, ThatComeAfterTheirDestructionAreRemovedByANodeThatReadsThem) {
  const auto one = open("one");
  ASSERT_TRUE(one->destroy("user_1"));
  append_late_key("user_1");
  const auto reader = log->read({{0, 3}});  // after the late key
  ASSERT_TRUE(reader);
  const auto buried = (*reader)->next(1, std::chrono::seconds(60));
  ASSERT_TRUE(buried);
  ASSERT_FALSE(buried->empty());
  EXPECT_EQ(streams(), "sealing destroyed key key- ");
  EXPECT_EQ(sealed(*one, "user_1", "Ali"), "destroyed");
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
  history_is_sealed = true;
  EXPECT_EQ(open("two", false), nullptr);
  EXPECT_NE(refusal.find("was lost"), refusal.npos) << refusal;
  EXPECT_EQ(streams(), "") << "what is decided here counts for all nodes";
  fs::copy(copy, directory.path() / "one");
  auto one = open("one", false);
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->is_sealed() && one->is_restored());
  EXPECT_EQ(streams(), "destroyed key sealing ") << "no other node may make keys before";
  const auto other = open("other", false);
  EXPECT_EQ(opened(*other, "user_1", sealed(*other, "user_1", "Omar")), "Omar");
  EXPECT_EQ(opened(*other, "user_1", bytes), "Ali");
  EXPECT_EQ(opened(*other, "user_2", gone), "destroyed");
  one.reset();
  open("one", false);
  EXPECT_EQ(streams(), "destroyed key sealing ") << "they are given back once";
}

TEST_F(SharedOwnerKeysTest, OfAnOwnerWhoHasSeveralAreAllTried) {
  std::string first, second;
  const auto copy = directory.path() / "copy";
  {
    const auto one = open("one");
    first = sealed(*one, "user_1", "Ali"), second = sealed(*one, "of=another name", "Omar");
    ASSERT_TRUE(one->copy_to(copy, copy));
  }
  log = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  const auto one = open("one");
  const auto later = sealed(*one, "user_1", "Amina");
  EXPECT_TRUE(opened(*one, "user_1", first).starts_with("error"));
  fs::copy(copy, directory.path() / "two");
  const auto two = open("two", false);
  for (const auto& keys : {one, two}) {
    EXPECT_EQ(opened(*keys, "user_1", first), "Ali");
    EXPECT_EQ(opened(*keys, "user_1", later), "Amina");
    EXPECT_EQ(opened(*keys, "user_1", sealed(*keys, "user_1", "Omar")), "Omar");
    EXPECT_EQ(opened(*keys, "of=another name", second), "Omar") << "no file can have that name";
  }
  ASSERT_TRUE(two->destroy("user_1"));
  EXPECT_EQ(streams(), "sealing key key key destroyed key- key- ");
}

TEST_F(SharedOwnerKeysTest, ThatCountStayTheSameAfterCompaction) {
  const auto kept = directory.path() / "kept";
  std::string bytes;
  {
    const auto one = open("one");
    bytes = sealed(*one, "user_1", "Ali");
    ASSERT_TRUE(one->copy_to(kept, kept));
  }
  log = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  fs::copy(kept, directory.path() / "two");
  auto two = open("two");
  EXPECT_EQ(opened(*two, "user_1", bytes), "Ali");
  EXPECT_EQ(streams(), "sealing key ");
  // Another node has another key, and then appends the first one again.
  fs::remove_all(directory.path() / "two");
  std::string record;
  {
    auto reader = log->read({{0, 0}});
    const auto page = (*reader)->next(10, std::chrono::milliseconds(0));
    for (const auto& logged : *page) {
      if (logged.record->stream.starts_with("key/")) record = logged.record->json;
    }
  }
  const auto append = [&](const std::string& mark, const std::string& json) {
    log->append({.stream = "key/" + mark + "/user_1",
                 .envelope = {.id = mark, .type = "tilth.owner-key.made"},
                 .json = json},
                [](const auto&) {});
  };
  append(std::string(32, 'b'), R"({"owner":"user_1","key":")" + std::string(64, 'a') + R"("})");
  append(std::string(32, 'c'), record);
  two.reset();
  compact();
  two = open("two", false);
  EXPECT_EQ(opened(*two, "user_1", sealed(*two, "user_1", "Ali")), "Ali");
  EXPECT_EQ(opened(*two, "user_1", bytes), "Ali");
  ASSERT_TRUE(two->destroy("user_1"));
  EXPECT_EQ(streams(), "sealing key key key destroyed key- key- key- ");
}

TEST_F(SharedOwnerKeysTest, AreMissedByANodeThatHasReadTheHistory) {
  known_sealing = open("one")->sealing();
  ASSERT_FALSE(known_sealing.empty());
  EXPECT_TRUE(open("one", false)->is_sealed());
  EXPECT_FALSE(open("one", false)->is_restored());
  log = std::make_unique<MemoryEventLog>(1, MemoryEventLog::Refused::kKept);
  EXPECT_EQ(open("one", false), nullptr);
  EXPECT_NE(refusal.find("was lost"), refusal.npos) << refusal;
  const auto begun = std::exchange(known_sealing, "");
  EXPECT_FALSE(open("two", true, false)->is_sealed());
  known_sealing = begun;
  EXPECT_EQ(open("one", false), nullptr) << "another node says that it is not sealed";
}

TEST_F(SharedOwnerKeysTest, ThatLieAroundDoNotSealAHistory) {
  fs::create_directories(directory.path() / "one");
  std::ofstream(directory.path() / "one" / "user_1.key") << std::string(32, 'a');
  EXPECT_FALSE(open("one", false)->is_sealed());
  EXPECT_EQ(streams(), "");
}

// Tells once that it cannot be read, as a client of a topic that was deleted does.
class Deleted final : public PassingLog {
 public:
  using PassingLog::PassingLog;

  void end(int partition, OnEnd done) override {
    if (deleted) return done(kWhy);
    PassingLog::end(partition, std::move(done));
  }

  std::atomic<bool> deleted = false, told = false;

 private:
  inline static const Error kWhy{ErrorCode::kUnavailable, "Unknown topic."};

  class Reader final : public PassingReader {
   public:
    Reader(Deleted& log, std::unique_ptr<LogReader> reader)
        : PassingReader(std::move(reader)), log_(log) {}
    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      if (log_.deleted && !log_.told.exchange(true)) return kWhy;
      return PassingReader::next(limit, timeout);
    }

   private:
    Deleted& log_;
  };

  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    return std::make_unique<Reader>(*this, std::move(reader));
  }
};

TEST_F(SharedOwnerKeysTest, TellThatTheirLogCannotBeReadUntilItCan) {
  const auto topic = std::make_shared<Deleted>(*log);
  std::promise<std::string> said;
  const auto keys = SharedOwnerKeys::open(
      topic, {.node = "one",
              .directory = directory.path() / "one",
              .history_is_empty = true,
              .log_line = [&](std::string_view line) { said.set_value(std::string(line)); }});
  ASSERT_TRUE(keys);
  EXPECT_EQ((*keys)->trouble(), "");
  topic->deleted = true;
  EXPECT_EQ(said.get_future().get(), "The log of the owners' keys cannot be read: Unknown topic.");
  EXPECT_EQ((*keys)->trouble(), "The log of the owners' keys does not respond: Unknown topic.");
  topic->deleted = false;
  while (!(*keys)->trouble().empty()) std::this_thread::yield();
}

// Another node has destroyed it, and this one has not cleaned its files since.
TEST_F(SharedOwnerKeysTest, AreNotBroughtBackByAnOlderCopy) {
  const auto one = open("one"), other = open("other");
  const auto bytes = sealed(*one, "user_1", "Ali"), stays = sealed(*one, "user_2", "Omar");
  const auto older = directory.path() / "older", newer = directory.path() / "newer";
  ASSERT_TRUE(one->copy_to(older, directory.path() / "moved"));
  ASSERT_TRUE(other->destroy("user_1"));
  while (!one->is_destroyed("user_1")) std::this_thread::yield();
  ASSERT_TRUE(one->copy_to(newer, newer));
  EXPECT_TRUE(fs::exists(newer / "user_1.destroyed"));
  ASSERT_TRUE(join_owner_keys(older, newer));
  auto joined = OwnerKeyFiles::open(newer);
  ASSERT_TRUE(joined);
  EXPECT_TRUE((*joined)->is_destroyed("user_1"));
  EXPECT_FALSE(fs::exists(newer / "user_1.key"));
  const auto plain = (*joined)->open("user_2", "here", stays);
  ASSERT_TRUE(plain && *plain);
  EXPECT_EQ(**plain, "Omar");
}

TEST_F(SharedOwnerKeysTest, AreDestroyedInTheFilesOfANodeThatStartsOnAnOlderCopy) {
  const auto one = open("one");
  sealed(*one, "user_1", "Ali"), sealed(*one, "user_2", "Omar");
  ASSERT_TRUE(one->copy_to(directory.path() / "two", directory.path() / "moved"));
  ASSERT_TRUE(one->destroy("user_1"));
  ASSERT_TRUE(fs::exists(directory.path() / "two" / "user_1.key"));
  const auto two = open("two", false);
  EXPECT_FALSE(fs::exists(directory.path() / "two" / "user_1.key"));
  EXPECT_TRUE(fs::exists(directory.path() / "two" / "user_2.key"));
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
