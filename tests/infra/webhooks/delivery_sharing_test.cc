#include "infra/webhooks/delivery_sharing.h"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "events/json/json_writer.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/system/random.h"
#include "infra/webhooks/delivery_sharing_thread.h"
#include "tests/fixtures/passing_log.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/faulty_disk.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using testing::SetTime;
using testing::wait_until;

const WebhookId kWebhook = WebhookId::parse("00000000-0000-4000-8000-000000000001").value();
const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

class SetClock final : public Clock {
 public:
  Timestamp now() const override { return kNoon; }
};

// A reader that fails while its node is cut off, and finds nothing while it is behind.
class CutReader final : public testing::PassingReader {
 public:
  CutReader(std::unique_ptr<LogReader> reader, const std::atomic<bool>& cut,
            const std::atomic<bool>& behind, std::atomic<int>& failures, std::atomic<int>& empty)
      : PassingReader(std::move(reader)),
        cut_(cut),
        behind_(behind),
        failures_(failures),
        empty_(empty) {}

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override {
    if (behind_) {
      ++empty_;
      return std::vector<LoggedRecord>();
    }
    if (!cut_) return PassingReader::next(limit, timeout);
    ++failures_;
    return Error{ErrorCode::kUnavailable, "No broker answers."};
  }

 private:
  const std::atomic<bool>& cut_;
  const std::atomic<bool>& behind_;
  std::atomic<int>& failures_;
  std::atomic<int>& empty_;  // pages
};

// Loses records when a test says so.
class FailingLog final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  void append(Record record, OnAppended done) override {
    if (loses_ > 0) {
      --loses_;
      return done(Error{ErrorCode::kUnavailable, "No broker answers."});
    }
    PassingLog::append(std::move(record), std::move(done));
  }
  void lose(int records) { loses_ = records; }
  bool has_lost_all() const { return loses_ == 0; }

 private:
  std::atomic<int> loses_ = 0;
};

// Forgets its records when a test says so.
class ForgetfulLog final : public testing::PassingLog {
 public:
  using PassingLog::PassingLog;

  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    const auto offset = from.front().offset;
    const std::int64_t first = first_kept_;
    if (offset > 0 && offset < first) return Error{ErrorCode::kLost, "It is gone."};
    return PassingLog::read({{0, std::max(offset, first)}});
  }
  void forget(std::int64_t before) { first_kept_ = before; }

 private:
  class Reader final : public testing::PassingReader {
   public:
    Reader(std::unique_ptr<LogReader> reader, const std::atomic<std::int64_t>& first_kept)
        : PassingReader(std::move(reader)), first_kept_(first_kept), first_(first_kept) {}

    Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                           std::chrono::milliseconds timeout) override {
      if (first_kept_ > first_) return Error{ErrorCode::kLost, "It is gone."};
      return PassingReader::next(limit, timeout);
    }

   private:
    const std::atomic<std::int64_t>& first_kept_;
    const std::int64_t first_;
  };

  std::unique_ptr<LogReader> around(std::unique_ptr<LogReader> reader) override {
    return std::make_unique<Reader>(std::move(reader), first_kept_);
  }

  std::atomic<std::int64_t> first_kept_ = 0;
};

class DeliverySharingTest : public ::testing::Test {
 protected:
  class Node {
   public:
    Node(EventLog& log, const SetTime& time, std::string name, bool may_lead = true,
         bool divided = false)
        : log_(log), time_(time), name_(std::move(name)), may_lead_(may_lead), divided_(divided) {
      auto opened = DeliveryStore::open(directory_.path() / "webhooks", memory_, env_.get());
      EXPECT_TRUE(opened);
      store_ = std::move(*opened);
      start();
    }

    void start() {
      sharing_ = std::make_unique<DeliverySharing>(
          DeliverySharing::Parts{.log = log_,
                                 .store = *store_,
                                 .clock = clock_,
                                 .ids = ids_,
                                 .node = name_,
                                 .may_lead = may_lead_,
                                 .divided = divided_,
                                 .read = [this](auto offset) -> Result<std::unique_ptr<LogReader>> {
                                   auto reader = log_.read({{0, offset.value_or(0)}});
                                   if (!reader) return reader.error();
                                   return std::unique_ptr<LogReader>(std::make_unique<CutReader>(
                                       std::move(*reader), cut_, behind_, failures_, empty_));
                                 },
                                 .log_line = [this](auto) { ++troubles_; },
                                 .steady = [this] { return time_.now(); }});
      thread_ = std::make_unique<DeliverySharingThread>(*sharing_);
    }
    void stop() { thread_.reset(), sharing_.reset(); }

    // It is cut off once its reader has failed.
    void cut_off() {
      const int before = failures_;
      cut_ = true;
      wait_until([&] { return failures_ > before; });
    }
    void reconnect() { cut_ = false; }
    // It reads nothing, as if there were nothing, until it catches up.
    void fall_behind() {
      const int before = empty_;
      behind_ = true;
      wait_until([&] { return empty_ > before; });
    }
    void catch_up() { behind_ = false; }
    // Its disk takes nothing.
    void fill_disk() { disk_->fault = testing::FaultyDisk::Fault::kFull; }
    void free_disk() { disk_->fault = testing::FaultyDisk::Fault::kNone; }
    bool has_trouble() const { return troubles_ > 0; }

    bool leads() const { return sharing_->leads(); }

    // Stores a delivery of that version and tells the others, as the delivering node does.
    void deliver(std::int64_t version) {
      Delivery delivery{.event_id = "event",
                        .type = "tilth.farm.registered",
                        .attempt = 1,
                        .status = DeliveryStatus::kDelivered,
                        .at = kNoon,
                        .event_version = version};
      delivery.id.bytes[5] = static_cast<std::uint8_t>(version);
      DeliveryStore::Batch batch;
      batch.put(kWebhook, delivery);
      auto bytes = batch.bytes();
      ASSERT_TRUE(store_->write(batch));
      sharing_->share(std::move(bytes));
    }

    // The versions of its deliveries, the newest first.
    std::string deliveries() const {
      std::string text;
      const auto page = *store_->list(kWebhook, {.limit = 100});
      for (const auto& each : page.deliveries) text += std::to_string(each.event_version) + " ";
      return text;
    }
    std::int64_t offset() const { return store_->place().value_or(DeliveryStore::Place{}).offset; }

   private:
    EventLog& log_;
    const SetTime& time_;
    const std::string name_;
    const bool may_lead_;
    const bool divided_;
    std::atomic<bool> cut_ = false, behind_ = false;
    std::atomic<int> failures_ = 0, empty_ = 0, troubles_ = 0;
    SetClock clock_;
    IdSource ids_{fill_random};
    testing::TemporaryDirectory directory_;
    RocksMemory memory_{1 << 20, 1 << 20};
    const std::shared_ptr<testing::FaultyDisk> disk_ = std::make_shared<testing::FaultyDisk>();
    const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
    std::unique_ptr<DeliveryStore> store_;
    std::unique_ptr<DeliverySharing> sharing_;
    std::unique_ptr<DeliverySharingThread> thread_;
  };

  // Lets a silence pass, after which that node leads.
  void let_lead(Node& node) {
    time_.pass(DeliverySharing::kSilence);
    wait_until([&] { return node.leads(); });
  }

  std::vector<LoggedRecord> records(EventLog& log) {
    return *(*log.read({{0, 0}}))->next(1'000, 0ms);
  }

  SetTime time_;
  MemoryEventLog log_{1, MemoryEventLog::Refused::kKept};
};

TEST_F(DeliverySharingTest, ANodeLeadsOnceItHasHeardNothingForAWhile) {
  Node node(log_, time_, "one");
  EXPECT_FALSE(node.leads());
  time_.pass(DeliverySharing::kSilence - 1ms);
  EXPECT_FALSE(node.leads());
  time_.pass(1ms);
  wait_until([&] { return node.leads(); });
}

TEST_F(DeliverySharingTest, OfSeveralThatBeginAtOnceOneLeads) {
  Node one(log_, time_, "one"), two(log_, time_, "two"), three(log_, time_, "three");
  time_.pass(DeliverySharing::kSilence);
  const auto leading = [&] { return one.leads() + two.leads() + three.leads(); };
  wait_until([&] { return leading() > 0; });
  // Each has read what the others wrote meanwhile.
  const auto end = std::ssize(records(log_));
  for (const auto* node : {&one, &two, &three}) {
    wait_until([&] { return node->offset() >= end; });
  }
  EXPECT_EQ(leading(), 1);
}

TEST_F(DeliverySharingTest, WhatTheLeaderStoresEveryNodeHas) {
  Node one(log_, time_, "one");
  let_lead(one);
  Node two(log_, time_, "two"), of_queries(log_, time_, "three", false);
  for (std::int64_t version = 1; version <= 3; ++version) one.deliver(version);
  for (const auto* node : {&two, &of_queries}) {
    wait_until([&] { return node->deliveries() == "3 2 1 "; });
    EXPECT_FALSE(node->leads());
  }
}

// Else it would take over without what it could not store.
TEST_F(DeliverySharingTest, ANodeWithAFullDiskGoesOnWithWhatItCouldNotStore) {
  Node one(log_, time_, "one");
  let_lead(one);
  Node two(log_, time_, "two");
  wait_until([&] { return two.offset() >= std::ssize(records(log_)); });
  two.fill_disk();
  one.deliver(1);
  wait_until([&] { return two.has_trouble(); });
  two.free_disk();
  wait_until([&] { return two.offset() >= std::ssize(records(log_)); });
  EXPECT_EQ(two.deliveries(), "1 ");
}

TEST_F(DeliverySharingTest, WhereOwnersAreDividedAllLeadAndShareWhatTheyStore) {
  Node one(log_, time_, "one", true, true), two(log_, time_, "two", true, true);
  wait_until([&] { return one.leads() && two.leads(); });
  one.deliver(1);
  wait_until([&] { return two.deliveries() == "1 "; });
  two.deliver(2);
  wait_until([&] { return one.deliveries() == "2 1 "; });
  one.cut_off();
  time_.pass(DeliverySharing::kBelieved);
  EXPECT_FALSE(one.leads());
  wait_until([&] { return two.leads(); });
}

TEST_F(DeliverySharingTest, AnotherOneTakesOverWithAllThatTheLeaderHadShared) {
  Node one(log_, time_, "one");
  let_lead(one);
  for (std::int64_t version = 1; version <= 3; ++version) one.deliver(version);
  wait_until([&] { return records(log_).size() >= 2; });
  one.stop();
  const auto shared = records(log_);
  Node two(log_, time_, "two");
  wait_until([&] { return two.offset() >= std::ssize(shared); });  // it has heard of the leader
  let_lead(two);
  const auto taken_over = two.deliveries();
  EXPECT_TRUE(taken_over == "3 2 1 " || taken_over == "2 1 " || taken_over == "1 ") << taken_over;
  two.deliver(4);
  one.start();
  wait_until([&] { return one.deliveries() == "4 3 2 1 "; });
  EXPECT_FALSE(one.leads());
}

TEST_F(DeliverySharingTest, ALeaderThatIsCutOffStopsBeforeAnotherOneBegins) {
  Node one(log_, time_, "one");
  let_lead(one);
  Node two(log_, time_, "two");
  one.deliver(1);
  wait_until([&] { return two.deliveries() == "1 "; });
  one.cut_off();
  time_.pass(DeliverySharing::kBelieved);
  EXPECT_FALSE(one.leads());
  EXPECT_FALSE(two.leads());
  time_.pass(DeliverySharing::kSilence - DeliverySharing::kBelieved);
  wait_until([&] { return two.leads(); });
  EXPECT_FALSE(one.leads());
  two.deliver(2);
  one.reconnect();
  wait_until([&] { return one.deliveries() == "2 1 "; });
  EXPECT_FALSE(one.leads());
  EXPECT_TRUE(two.leads());
}

TEST_F(DeliverySharingTest, WhatCouldNotBeAppendedIsAppendedAgain) {
  FailingLog failing(log_);
  Node one(failing, time_, "one"), of_queries(log_, time_, "two", false);
  let_lead(one);
  failing.lose(2);
  one.deliver(1);
  wait_until([&] { return failing.has_lost_all(); });
  one.deliver(2);
  wait_until([&] { return of_queries.deliveries() == "2 1 "; });
}

TEST_F(DeliverySharingTest, WhatTheLogForgotBeforeItWasReadBackIsAppendedAgain) {
  ForgetfulLog forgetful(log_);
  Node one(forgetful, time_, "one");
  let_lead(one);
  one.fall_behind();
  const auto told = records(log_).size();
  time_.pass(DeliverySharing::kBeat);
  wait_until([&] { return records(log_).size() > told; });
  forgetful.forget(std::ssize(records(log_)));
  time_.pass(DeliverySharing::kBelieved);
  EXPECT_FALSE(one.leads());
  one.catch_up();
  wait_until([&] { return one.leads(); });
}

TEST_F(DeliverySharingTest, ANodeThatIsStartedAgainKnowsWhichTermThereWas) {
  Node one(log_, time_, "one"), of_queries(log_, time_, "two", false);
  let_lead(one);
  one.stop();
  one.start();
  let_lead(one);
  one.deliver(1);
  wait_until([&] { return of_queries.deliveries() == "1 "; });
}

TEST_F(DeliverySharingTest, OneThatHasNotListenedLeadsOnceTheOtherMustHaveStopped) {
  Node one(log_, time_, "one");
  let_lead(one);
  Node two(log_, time_, "two");
  one.deliver(1);
  wait_until([&] { return two.deliveries() == "1 "; });
  two.fall_behind();
  for (auto left = DeliverySharing::kSilence; left > 1s; left -= 1s) {
    time_.pass(1s);
    const auto told = records(log_).size();
    one.deliver(2);
    wait_until([&] { return records(log_).size() > told && one.leads(); });
  }
  one.fall_behind();
  const auto told = records(log_).size();
  time_.pass(1s);
  wait_until([&] { return records(log_).size() > told; });
  const auto of_two = [](const LoggedRecord& logged) { return logged.record->stream == "two"; };
  wait_until([&] { return std::ranges::any_of(records(log_), of_two); });
  two.catch_up();
  wait_until([&] { return two.offset() >= std::ssize(records(log_)); });
  EXPECT_TRUE(one.leads());
  EXPECT_FALSE(two.leads());
  time_.pass(DeliverySharing::kBelieved);
  EXPECT_FALSE(one.leads());
  EXPECT_FALSE(two.leads()) << "one may have begun to send a moment ago";
  time_.pass(DeliverySharing::kSilence - DeliverySharing::kBelieved);
  wait_until([&] { return two.leads(); });
}

TEST_F(DeliverySharingTest, WhatANodeWroteThatDoesNotLeadDoesNotCount) {
  MemoryEventLog elsewhere(1, MemoryEventLog::Refused::kKept);
  Node former(elsewhere, time_, "former");
  let_lead(former);
  former.deliver(9);
  wait_until([&] { return records(elsewhere).size() >= 2; });

  Node one(log_, time_, "one"), two(log_, time_, "two", false);
  let_lead(one);
  for (auto& logged : records(elsewhere)) {
    log_.append(*logged.record, [](const auto&) {});
  }
  one.deliver(1);
  wait_until([&] { return two.deliveries().find("1 ") != std::string::npos; });
  EXPECT_EQ(two.deliveries(), "1 ");
  EXPECT_TRUE(one.leads());
}

TEST_F(DeliverySharingTest, WhatIsNoRecordOfItsIsSkipped) {
  Node one(log_, time_, "one"), two(log_, time_, "two", false);
  let_lead(one);
  const Record other{.stream = "x", .envelope = {.id = "x", .type = "x"}, .json = "{\"term\":99}"};
  log_.append(other, [](const auto&) {});
  log_.append(
      {.stream = "y", .envelope = {.id = "y", .type = "tilth.webhooks.settled"}, .json = "{"},
      [](const auto&) {});
  one.deliver(1);
  wait_until([&] { return two.deliveries() == "1 "; });
  EXPECT_TRUE(one.leads());
}

TEST_F(DeliverySharingTest, ANodeOfQueriesNeverLeads) {
  Node node(log_, time_, "one", false);
  time_.pass(10 * DeliverySharing::kSilence);
  Node other(log_, time_, "two");
  let_lead(other);
  other.deliver(1);
  wait_until([&] { return node.deliveries() == "1 "; });
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(records(log_).front().record->stream, "two");
}

}  // namespace
}  // namespace tilth
