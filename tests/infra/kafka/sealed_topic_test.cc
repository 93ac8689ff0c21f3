// A topic whose records name persons only under keys in another topic.

#include <filesystem>
#include <future>
#include <stdexcept>

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "events/log/version_gate.h"
#include "infra/kafka/kafka_event_log.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/kafka/test_brokers.h"

namespace tilth::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kJson =
    R"({"cropId":"1","cropType":"Dates","notes":"Sold to Zainab","status":"growing"})";
constexpr std::string_view kErased =
    R"({"cropId":"1","cropType":"Dates","notes":null,"status":"growing"})";

class SealedTopic : public ::testing::Test {
 protected:
  struct Node {
    std::unique_ptr<KafkaEventLog> log;
    std::shared_ptr<SharedOwnerKeys> keys = {};
  };

  Node open(const std::string& name) {
    auto of_keys = settings;
    of_keys.topic += ".owner-keys";
    of_keys.compacted = true;
    auto log = KafkaEventLog::open(settings), keys_log = KafkaEventLog::open(of_keys);
    if (!log || !keys_log) throw std::runtime_error("there are no brokers");
    auto keys = SharedOwnerKeys::open(
        std::shared_ptr<KafkaEventLog>(std::move(*keys_log)),
        {.node = name, .directory = directory.path() / name, .history_is_empty = true});
    if (!keys) throw std::runtime_error(keys.error().message);
    (*log)->seal_with(*keys);
    return {std::move(*log), std::move(*keys)};
  }

  static Record crop(const std::string& stream, std::uint64_t version) {
    return {stream,
            {.id = stream + "." + std::to_string(version),
             .type = "tilth.crop.registered",
             .stream_version = version},
            std::string(kJson)};
  }

  static std::future<Result<Position>> start(KafkaEventLog& log, Record record) {
    const auto told = std::make_shared<std::promise<Result<Position>>>();
    log.append(std::move(record), [told](const auto& done) { told->set_value(done); });
    return told->get_future();
  }

  // The next `count` records: their ids and JSON.
  static std::vector<std::string> read(LogReader& reader, std::size_t count) {
    std::vector<std::string> found;
    while (found.size() < count) {
      const auto page = reader.next(count - found.size(), 1s);
      if (!page) return {page.error().message};
      for (const auto& logged : *page) {
        found.push_back(logged.record->envelope.id + " " + logged.record->json);
      }
    }
    return found;
  }
  static std::vector<std::string> read(EventLog& log, std::size_t count) {
    const auto reader = log.read({{0, 0}});
    return reader ? read(**reader, count) : std::vector<std::string>{reader.error().message};
  }

  static std::vector<std::string> all(std::string_view json, const std::vector<std::string>& ids) {
    std::vector<std::string> found;
    for (const auto& id : ids) found.push_back(id + " " + std::string(json));
    return found;
  }

  KafkaSettings settings = test_brokers(1);
  TemporaryDirectory directory;
};

TEST_F(SealedTopic, IsReadByEveryNodeAndHasOnTheBrokersWhatNamesNobody) {
  auto one = open("one"), other = open("other");
  ASSERT_TRUE(start(*one.log, crop("user_1", 0)).get());
  ASSERT_TRUE(start(*other.log, crop("user_1", 1)).get());
  const std::vector<std::string> ids = {"user_1.0", "user_1.1"};
  EXPECT_EQ(read(*one.log, 2), all(kJson, ids));
  EXPECT_EQ(read(other.log->for_deciders(), 2), all(kJson, ids));
  // As a node that has no keys finds it.
  const auto plain = KafkaEventLog::open(settings);
  ASSERT_TRUE(plain);
  const auto refusal = read(**plain, 1);
  ASSERT_EQ(refusal.size(), 1U);
  EXPECT_NE(refusal.front().find("is sealed"), std::string::npos) << refusal.front();
}

TEST_F(SealedTopic, KeepsTheOrderOfAStreamWhileTheKeyOfItsOwnerIsMade) {
  const auto node = open("one");
  std::vector<std::string> ids;
  std::vector<std::future<Result<Position>>> told;
  for (std::uint64_t version = 0; version < 50; ++version) {
    told.push_back(start(*node.log, crop("user_1", version)));
    ids.push_back("user_1." + std::to_string(version));
  }
  for (auto& each : told) ASSERT_TRUE(each.get());
  EXPECT_EQ(read(*node.log, 50), all(kJson, ids));
}

// Nodes that had the key have counted it.
TEST_F(SealedTopic, IsReadOnWhereAKeyIsMissingAndCounts) {
  {
    const auto one = open("one");
    ASSERT_TRUE(start(*one.log, crop("user_1", 0)).get());
    ASSERT_TRUE(start(*one.log, crop("user_2", 0)).get());
  }
  const auto log = KafkaEventLog::open(settings);
  ASSERT_TRUE(log);
  auto of_keys = settings;
  of_keys.topic += ".other-keys";
  of_keys.compacted = true;
  auto keys_log = KafkaEventLog::open(of_keys);
  ASSERT_TRUE(keys_log);
  std::filesystem::create_directories(directory.path() / "other");
  auto keys = SharedOwnerKeys::open(
      std::shared_ptr<KafkaEventLog>(std::move(*keys_log)),
      {.node = "other", .directory = directory.path() / "other", .history_is_empty = true});
  ASSERT_TRUE(keys) << keys.error().message;
  (*log)->seal_with(*keys);
  const auto reader = (*log)->read({{0, 0}});
  ASSERT_TRUE(reader);
  std::size_t found = 0;
  while (found < 2) {
    const auto page = (*reader)->next(2, 10s);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& logged : *page) {
      ++found;
      EXPECT_TRUE(VersionGate::counts(*logged.record, {}));
      const auto event = read_event(*logged.record);
      ASSERT_FALSE(event);
      EXPECT_EQ(event.error().code, ErrorCode::kDamaged);
      EXPECT_NE(event.error().message.find("the key of the owner " + logged.record->stream),
                std::string::npos)
          << event.error().message;
    }
  }
}

TEST_F(SealedTopic, IsErasedOnEveryNodeOnceTheKeyIsDestroyed) {
  auto one = open("one"), other = open("other");
  ASSERT_TRUE(start(*one.log, crop("user_1", 0)).get());
  ASSERT_TRUE(start(*one.log, crop("user_2", 0)).get());
  EXPECT_EQ(read(other.log->for_followers(), 2), all(kJson, {"user_1.0", "user_2.0"}));
  std::promise<void> heard;
  other.keys->on_destroyed([&] { heard.set_value(); });
  ASSERT_TRUE(one.keys->destroy("user_1"));
  heard.get_future().get();
  const auto deciding = one.log->for_deciders().read({{0, 2}});
  ASSERT_TRUE(deciding);
  ASSERT_TRUE(start(*one.log, crop("user_1", 1)).get());
  EXPECT_EQ(read(**deciding, 1), all(kErased, {"user_1.1"})) << "the node itself keeps nothing";
  for (auto* node : {&one, &other}) {
    node->log->forget_recent();
    for (EventLog* log : {static_cast<EventLog*>(node->log.get()), &node->log->for_followers()}) {
      const auto found = read(*log, 3);
      ASSERT_EQ(found.size(), 3U) << found.front();
      EXPECT_EQ(found[0], all(kErased, {"user_1.0"})[0]);
      EXPECT_EQ(found[1], all(kJson, {"user_2.0"})[0]);
      EXPECT_EQ(found[2], all(kErased, {"user_1.1"})[0]);
    }
  }
}

}  // namespace
}  // namespace tilth::testing
