#include "infra/webhooks/delivery_loop.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/keys/key_digest.h"
#include "events/access/erasure.h"
#include "events/access/user.h"
#include "events/log/streams.h"
#include "infra/embedded/memory_event_log.h"
#include "infra/system/random.h"
#include "tests/fixtures/land.h"
#include "tests/fixtures/node.h"
#include "tests/fixtures/records.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/faulty_disk.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using testing::FaultyDisk;
using testing::kNow;
using testing::kThen;

const std::string kOwner = "user_V1StGXR8_Z5jdHi6B-myT";
const auto kWebhook = testing::id<WebhookId>('1'), kRemoved = testing::id<WebhookId>('2');

class SteppedClock final : public Clock {
 public:
  explicit SteppedClock(const testing::SetTime& time) : time_(time) {}
  Timestamp now() const override {
    return {kNow.at +
            std::chrono::duration_cast<std::chrono::milliseconds>(time_.now().time_since_epoch())};
  }

 private:
  const testing::SetTime& time_;
};

// Keeps requests until the test answers them.
class HeldSender final : public WebhookSender {
 public:
  void send(WebhookPost post, OnAnswered done) override {
    for (const std::string_view header : post.headers) {
      const bool is_id = header.starts_with("webhook-id: ");
      if (is_id) sent += " " + std::string(header.substr(header.rfind('.') + 1));
      if (header.starts_with("traceparent: ")) sent += " of " + std::string(header.substr(13));
    }
    held_.push_back(std::move(done));
  }
  void turn(std::chrono::milliseconds) override {}
  void wake() override {}

  // Answers the request that has waited longest, or shortest.
  void answer_oldest(int status) {
    const auto done = std::move(held_.front());
    held_.pop_front();
    answer(done, status);
  }
  void answer_newest(int status) {
    const auto done = std::move(held_.back());
    held_.pop_back();
    answer(done, status);
  }
  bool holds_any() const { return !held_.empty(); }
  void drop_all() { held_.clear(); }

  // The events' versions, each after a blank; behind it, the trace that it belongs to.
  std::string sent;

 private:
  static void answer(const OnAnswered& done, int status) {
    const bool delivered = status == 204;
    done({.outcome = delivered ? AttemptOutcome::kDelivered : AttemptOutcome::kHttpError,
          .status = status,
          .error = delivered ? "" : "No.",
          .took = 1ms});
  }

  std::deque<OnAnswered> held_;
};

// Reads pages when the test lets it.
class HeldPages final : public StreamPages {
 public:
  HeldPages(EventLog& log, StreamIndex& index) : log_(log), index_(index) {}

  void read(Question question, OnRead done) override {
    held_.emplace_back(std::move(question), std::move(done));
    if (const auto then = std::exchange(on_asked, {})) then();
  }
  bool read_all() {
    const auto all = std::exchange(held_, {});
    for (const auto& [question, done] : all) done(read_page(log_, index_, question));
    read_ += all.size();
    return !all.empty();
  }
  std::size_t held() const { return held_.size(); }
  std::size_t read_so_far() const { return read_; }
  void drop_all() { held_.clear(); }

  std::function<void()> on_asked;  // for the next page

 private:
  EventLog& log_;
  StreamIndex& index_;
  std::vector<std::pair<Question, OnRead>> held_;
  std::size_t read_ = 0;
};

class WebhookCount final : public Samples {
 public:
  void gauge(std::string_view name, std::string_view, MetricLabels, double value) override {
    if (name == "tilth_webhooks") count = static_cast<int>(value);
  }
  void counter(std::string_view, std::string_view, MetricLabels, double) override {}

  int count = -1;
};

class DeliveryLoopTest : public ::testing::Test {
 protected:
  void SetUp() override {
    UserRegistered user;
    user.user_id = kOwner;
    user.email = "one@example.com";
    user.plan = "free";
    user.registered_at = kThen;
    tell_access(user);
    ASSERT_TRUE(index_.open());
    auto opened = DeliveryStore::open(directory_.path() / "webhooks", memory_, env_.get());
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    parts_ = std::make_unique<DeliveryParts>(
        DeliveryParts{.store = *store_,
                      .access = access_.loop(),
                      .registry = cells_,
                      .log = log_,
                      .index = index_,
                      .digest = digest_,
                      .clock = clock_,
                      .wall_clock = clock_,
                      .ids = ids_,
                      .random = [] { return 0.5; },
                      .safety = {},
                      .source = "tilth://test",
                      .sends_for = [this](const std::string&) { return sends_for_owner_; },
                      .log_lines = log_lines_,
                      .steady = [this] { return time_.now(); }});
    start();
    hear(happen(webhook()));
  }
  void TearDown() override {
    disk_->fault = FaultyDisk::Fault::kNone;
    loop_.reset();
  }

  static WebhookCreated webhook() {
    WebhookCreated created;
    created.id = kWebhook;
    created.details.url.address = "https://example.com/hook";
    created.details.types = {"tilth.farm.*"};
    created.recorded_at = kThen;
    return created;
  }
  static FarmRegistered farm(char digit) {
    return testing::farm_registered({testing::id<FarmId>(digit)}, std::string("Farm ") + digit);
  }
  // With a body of 600 kB.
  static FarmRegistered large_farm() {
    auto farm = testing::farm_registered();
    farm.details.name = std::string(600'000, 'x');
    return farm;
  }
  static WebhookReplayRequested replay() {
    return {.webhook_id = kWebhook, .since = kThen, .requested_at = kThen};
  }
  WebhookResendRequested resend(const Delivery& delivery) {
    return {.webhook_id = kWebhook,
            .delivery_id = delivery.id,
            .event_version = delivery.event_version,
            .requested_at = kThen};
  }
  static WebhookRemoved removal() { return {{kWebhook, kThen}}; }

  // Begins, or begins again as after a crash: what was under way is lost.
  void start() {
    loop_.reset();
    sender_.drop_all();
    pages_.drop_all();
    loop_ = std::make_unique<DeliveryLoop>(*parts_, sender_, pages_);
    turn();
  }

  // The owner's next event, in the log and in the rows.
  LoggedRecord happen(const Event& event, std::string traceparent = {}) {
    auto record = testing::record(kOwner, static_cast<std::uint64_t>(version_), event);
    record.envelope.traceparent = std::move(traceparent);
    LoggedRecord logged{{0, version_++}, std::make_shared<const Record>(record)};
    testing::append(log_, std::move(record));
    testing::turn_until(
        [this] {
          const auto& projector = land_.loop().projector();
          return projector.next(0) == version_ && projector.no_cascade_pending();
        },
        {&land_});
    return logged;
  }
  void hear(const LoggedRecord& logged) {
    loop_->on_accepted(logged);
    turn();
  }
  void tell_access(const Event& event) {
    testing::append(access_log_,
                    testing::record(std::string(kAccessStream), access_version_++, event));
    testing::turn_until(
        [this] {
          return access_.loop().projector().next(0) == static_cast<std::int64_t>(access_version_);
        },
        {&access_});
  }

  // Until there is nothing left to do but to wait for answers and time.
  void turn() {
    while (loop_->turn() == 0ms || pages_.read_all()) continue;
  }
  void answer(int status = 204) {
    sender_.answer_oldest(status);
    turn();
  }
  void answer_newest() {
    sender_.answer_newest(204);
    turn();
  }
  void answer_all() {
    while (sender_.holds_any()) answer();
  }
  void pass(std::chrono::milliseconds time) {
    time_.pass(time);
    turn();
  }

  // Of the records of the log, as testing::record() makes them.
  static Timestamp log_time() { return testing::record(kOwner, 0, farm('1')).envelope.time; }

  // Begins with what was stored of the webhook before a crash.
  void leave(const DeliveryStore::Progress& progress) { leave(kWebhook, progress); }
  void leave(const WebhookId& webhook, const DeliveryStore::Progress& progress) {
    DeliveryStore::Batch batch;
    batch.put(webhook, progress);
    ASSERT_TRUE(store_->write(batch));
    start();
  }
  bool is_active() { return land_.rows(kOwner).find(kWebhook)->details.is_active; }
  void land_until_inactive() {
    testing::turn_until([this] { return !is_active(); }, {&land_});
  }

  Delivery newest_delivery() {
    const auto page = store_->list(kWebhook, {.limit = 1});
    EXPECT_TRUE(page && !page->deliveries.empty());
    return page->deliveries.front();
  }

  // As many replays of what was before that version, none of whose events fits.
  void make_replays(int count, std::int64_t end_version) {
    DeliveryStore::Batch batch;
    const std::vector<std::string> types(50, std::string(100, 'x'));
    for (int i = 0; i < count; ++i) {
      batch.put(kWebhook, DeliveryStore::Replay{.id = ids_.uuid(clock_.now()),
                                                .end_version = end_version,
                                                .since = kThen,
                                                .types = types});
    }
    ASSERT_TRUE(store_->write(batch));
  }

  // As many pending deliveries of one event, the first due in a minute, and the others in days.
  void make_pending(int count, std::int64_t event_version) {
    DeliveryStore::Batch batch;
    for (int i = 0; i < count; ++i) {
      const auto now = clock_.now();
      batch.put(kWebhook, Delivery{.id = ids_.uuid(now),
                                   .event_id = "event",
                                   .type = "tilth.farm.registered",
                                   .attempt = 1,
                                   .at = now,
                                   .next_attempt_at = Timestamp{now.at + (i == 0 ? 1min : 48h)},
                                   .event_version = event_version});
    }
    ASSERT_TRUE(store_->write(batch));
  }

  // As many deliveries of a minute ago.
  void make_delivered(int count) {
    DeliveryStore::Batch batch;
    const Timestamp before{clock_.now().at - 1min};
    for (int i = 0; i < count; ++i) {
      batch.put(kWebhook, Delivery{.id = ids_.uuid(before),
                                   .event_id = "event",
                                   .type = "tilth.farm.registered",
                                   .attempt = 1,
                                   .status = DeliveryStatus::kDelivered,
                                   .at = before});
    }
    ASSERT_TRUE(store_->write(batch));
  }

  // Of a node that shares what it stores in that log.
  DeliverySharing::Parts sharing_parts(MemoryEventLog& log, DeliveryStore& store,
                                       std::string node) {
    return {.log = log,
            .store = store,
            .clock = clock_,
            .ids = ids_,
            .node = std::move(node),
            .read =
                [&log](auto offset) {
                  return log.read({{0, offset.value_or(0)}});
                },
            .steady = [this] { return time_.now(); }};
  }
  // From now on the node shares that, and delivers.
  void lead(DeliverySharing& sharing) {
    if (std::exchange(parts_->sharing, &sharing) == nullptr) time_.pass(DeliverySharing::kSilence);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(sharing.turn(0ms));  // reads, appends, reads back
    ASSERT_TRUE(sharing.leads());
  }

  // A write that fails closes the store, and the next one opens it again.
  void close_store() {
    disk_->fault = FaultyDisk::Fault::kFull;
    ASSERT_FALSE(store_->keep_place({}));
    ASSERT_FALSE(store_->list(kWebhook, {.limit = 1}));
  }
  void open_store() {
    disk_->fault = FaultyDisk::Fault::kNone;
    ASSERT_TRUE(store_->keep_place({}));
    ASSERT_TRUE(store_->list(kWebhook, {.limit = 1}));
  }

  static int nowhere() {
    static const int kNowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    return kNowhere;
  }

  int webhooks() const {
    WebhookCount counted;
    loop_->report(counted);
    return counted.count;
  }

  MemoryEventLog log_{1}, access_log_{1};
  testing::Node land_{log_, 'a'}, access_{access_log_, 'b', {}, access};
  Cells cells_{land_.loop()};
  testing::MemoryProjectionStore index_rows_;
  StreamIndex index_{log_, index_rows_};
  testing::TemporaryDirectory directory_;
  RocksMemory memory_{1 << 20, 1 << 20};
  const std::shared_ptr<FaultyDisk> disk_ = std::make_shared<FaultyDisk>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  std::unique_ptr<DeliveryStore> store_;
  testing::SetTime time_;
  const SteppedClock clock_{time_};
  const IdSource ids_{fill_random};
  const KeyDigest digest_{"secret"};
  LogLines log_lines_{clock_, nowhere(), LogLines::Form::kJson, LogLevel::kError};
  HeldSender sender_;
  HeldPages pages_{log_, index_};
  bool sends_for_owner_ = true;
  std::unique_ptr<DeliveryParts> parts_;
  std::unique_ptr<DeliveryLoop> loop_;

 private:
  std::int64_t version_ = 0;
  std::uint64_t access_version_ = 0;
};

TEST_F(DeliveryLoopTest, SendsEachEventOnce) {
  for (const char digit : {'1', '2', '3'}) hear(happen(farm(digit)));
  answer_all();
  pass(1s);
  start();
  EXPECT_EQ(sender_.sent, " 1 2 3");
}

TEST_F(DeliveryLoopTest, SendsWithEachEventTheTraceOfItsRequest) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  hear(happen(farm('1'), trace));
  answer(500);
  pass(6s);
  EXPECT_EQ(sender_.sent, " 1 of " + trace + " 1 of " + trace);
}

TEST_F(DeliveryLoopTest, AReplayGoesOnAfterARestartAndDoesNotBeginASecondTime) {
  hear(happen(farm('1')));  // it is under way, so that everything after it is read again
  hear(happen(replay()));
  pass(1s);
  EXPECT_EQ(sender_.sent, " 1");
  start();
  answer_all();
  EXPECT_EQ(sender_.sent, " 1 1 1") << "as it was not answered, and for the replay";
}

TEST_F(DeliveryLoopTest, AReplayThatHasEndedDoesNotBeginAgainAfterARestart) {
  hear(happen(farm('1')));
  answer();
  hear(happen(farm('2')));  // stays under way
  hear(happen(replay()));
  answer_newest();
  answer_newest();
  pass(1s);
  EXPECT_EQ(sender_.sent, " 1 2 1 2");
  start();
  answer_all();
  EXPECT_EQ(sender_.sent, " 1 2 1 2 2") << "as it was not answered";
}

TEST_F(DeliveryLoopTest, MoreReplaysThanMayBeRequestedEndNevertheless) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  make_replays(30, 2);
  start();
  hear(happen(replay()));
  answer_all();
  pass(1s);
  EXPECT_EQ(sender_.sent, " 1 1");
  EXPECT_EQ(store_->replays(kWebhook)->open, 0);
}

TEST_F(DeliveryLoopTest, ARequestThatWasTakenUpCountsAsAReplayUntilThatHasEnded) {
  const auto unended = [&] {
    pass(1s);  // after which it is stored
    return land_.rows(kOwner).find(kWebhook)->unended(*store_->replays(kWebhook));
  };
  hear(happen(farm('1')));
  answer();
  const auto request = happen(replay());
  EXPECT_EQ(unended(), 1) << "it waits to be taken up";
  hear(request);
  EXPECT_EQ(unended(), 1) << "it is under way";
  answer();
  EXPECT_EQ(unended(), 0);
}

TEST_F(DeliveryLoopTest, LargeEventsAreReadAFewAtATime) {
  for (int i = 0; i < 20; ++i) happen(large_farm());
  start();
  EXPECT_LE(pages_.read_so_far(), 3);
  answer_all();
  EXPECT_EQ(std::count(sender_.sent.begin(), sender_.sent.end(), ' '), 20);
}

TEST_F(DeliveryLoopTest, AWebhookThatWasRemovedBeforeACrashIsForgottenAfterIt) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  happen(removal());
  start();
  pass(1s);
  EXPECT_FALSE(store_->load(kWebhook)->progress);
  EXPECT_EQ(store_->load(kWebhook)->deliveries, 0);
}

TEST_F(DeliveryLoopTest, WhatAnEarlierReleaseStoredOfARemovedWebhookIsForgotten) {
  leave(kRemoved, {.next_version = 1});
  EXPECT_FALSE(store_->load(kRemoved)->progress);
  EXPECT_EQ(webhooks(), 1);
}

// Another node has sent for it.
TEST_F(DeliveryLoopTest, AWebhookThatItsRowsDoNotHaveYetIsNotForgotten) {
  leave(kRemoved, {.next_version = 2, .owner = kOwner});
  EXPECT_TRUE(store_->load(kRemoved)->progress);
  happen(farm('1'));
  start();
  pass(1s);
  EXPECT_FALSE(store_->load(kRemoved)->progress) << "the rows are as recent, and it is not there";
}

TEST_F(DeliveryLoopTest, AResendIsNotTakenUpASecondTimeAfterARestart) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  const auto delivery = newest_delivery();
  hear(happen(farm('2')));  // stays under way
  hear(happen(resend(delivery)));
  answer_newest();
  pass(1s);
  EXPECT_EQ(sender_.sent, " 1 2 1");
  start();
  answer_all();
  EXPECT_EQ(sender_.sent, " 1 2 1 2") << "as it was not answered";
}

// For a moment two nodes may send for an owner. What the other one stores last may say that the
// request was not taken up yet.
TEST_F(DeliveryLoopTest, AResendThatAnotherNodeHasTakenUpAsWellIsOneDelivery) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  hear(happen(resend(newest_delivery())));
  answer(500);  // due in five seconds
  pass(1s);
  leave({.next_version = 2, .next_request_version = 2, .owner = kOwner});
  EXPECT_EQ(sender_.sent, " 1 1 1");
  answer();
  pass(1s);
  EXPECT_EQ(store_->load(kWebhook)->deliveries, 2);
  leave({.next_version = 2, .next_request_version = 2, .owner = kOwner});
  pass(1min);
  EXPECT_EQ(sender_.sent, " 1 1 1") << "as it has arrived";
}

TEST_F(DeliveryLoopTest, AnEventIsSentAfterTheResendOfWhatAnotherNodeLeftPending) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  make_pending(1, 1);
  hear(happen(resend(newest_delivery())));
  answer();
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, " 1 1 3");
}

TEST_F(DeliveryLoopTest, WhatWasSentAgainIsNotDueByItsFormerTime) {
  hear(happen(farm('1')));
  answer(500);  // due in five seconds
  pass(1s);
  hear(happen(resend(newest_delivery())));
  answer(500);  // due in a minute
  pass(10s);
  EXPECT_EQ(sender_.sent, " 1 1");
  pass(1min);
  EXPECT_EQ(sender_.sent, " 1 1 1");
}

TEST_F(DeliveryLoopTest, AWebhookThatIsMadeInactiveWhileAnEventIsReadGetsItOnceItIsActiveAgain) {
  const auto amended = [](bool is_active) {
    WebhookAmended change;
    change.id = kWebhook;
    change.changes.is_active.to = is_active;
    change.amended_at = kThen;
    return change;
  };
  hear(happen(farm('1')));
  answer(500);  // due in five seconds
  pages_.on_asked = [&] { loop_->on_accepted(happen(amended(false))); };
  pass(10s);
  EXPECT_EQ(sender_.sent, " 1");
  hear(happen(amended(true)));
  pass(10s);
  EXPECT_EQ(sender_.sent, " 1 1");
}

TEST_F(DeliveryLoopTest, AReplayEndsBeforeTheTimeThatWasNamed) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  auto until = replay();
  until.until = log_time();
  hear(happen(until));
  answer_all();
  EXPECT_EQ(sender_.sent, " 1");
}

TEST_F(DeliveryLoopTest, WhatIsPendingIsSentAgainAfterARestart) {
  hear(happen(farm('1')));
  answer(500);
  pass(1s);
  start();
  pass(10s);
  EXPECT_EQ(sender_.sent, " 1 1");
}

TEST_F(DeliveryLoopTest, WhyAWebhookIsToBeDisabledIsStoredUntilItIs) {
  hear(happen(farm('1')));
  answer(410);
  pass(1s);
  EXPECT_TRUE(is_active()) << "its land has not decided yet";
  EXPECT_TRUE(store_->load(kWebhook)->progress->disabling);
  land_until_inactive();
  turn();
  pass(1s);
  EXPECT_FALSE(store_->load(kWebhook)->progress->disabling);
}

TEST_F(DeliveryLoopTest, AWebhookThatWasToBeDisabledBeforeACrashIsDisabledAfterIt) {
  leave({.next_version = 1, .disabling = "It is gone.", .disabling_seen = kThen});
  hear(happen(farm('1')));
  EXPECT_EQ(sender_.sent, "");
  land_until_inactive();
}

TEST_F(DeliveryLoopTest, AWebhookThatWasChangedSinceItWasToBeDisabledGoesOn) {
  leave({.next_version = 1, .disabling = "It is gone.", .disabling_seen = {kThen.at - 1s}});
  hear(happen(farm('1')));
  EXPECT_EQ(sender_.sent, " 1");
  EXPECT_TRUE(is_active());
}

// A log that was restored from an older backup has fewer events than were sent of it, and goes on
// with others.
TEST_F(DeliveryLoopTest, AWebhookThatIsAheadOfItsLogGetsWhatHappensNext) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  leave({.next_version = 9, .next_request_version = 9});
  hear(happen(farm('2')));
  answer();
  hear(happen(replay()));
  answer_all();
  EXPECT_EQ(sender_.sent, " 1 2 1 2");
}

TEST_F(DeliveryLoopTest, WhatIsDueWhileTheStoreCannotBeReadIsSentLater) {
  hear(happen(farm('1')));
  answer(500);
  pass(1s);
  close_store();
  pass(10s);
  EXPECT_EQ(sender_.sent, " 1");
  open_store();
  pass(1s);
  EXPECT_EQ(sender_.sent, " 1 1");
}

TEST_F(DeliveryLoopTest, AResendThatIsAskedForWhileTheStoreCannotBeReadIsTakenUpLater) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  const auto delivery = newest_delivery();
  close_store();
  hear(happen(resend(delivery)));
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, " 1");
  open_store();
  pass(1s);
  answer_all();
  EXPECT_THAT(sender_.sent, AnyOf(" 1 1 3", " 1 3 1"));
}

TEST_F(DeliveryLoopTest, AWebhookThatIsRemovedWhileTheInboxIsFullGetsNothingMore) {
  const auto first = happen(farm('1'));
  for (int i = 0; i < 10'000; ++i) loop_->on_accepted(first);
  hear(happen(removal()));
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, "");
  EXPECT_EQ(webhooks(), 0);
}

TEST_F(DeliveryLoopTest, AnOwnerWhoIsErasedWhileTheInboxIsFullIsForgotten) {
  const auto first = happen(farm('1'));
  for (int i = 0; i < 10'000; ++i) loop_->on_accepted(first);
  tell_access(UserErased{.user_id = kOwner, .reason = {}, .erased_at = kNow});
  hear(happen(RecordsErased{.erased_at = kNow}));
  EXPECT_EQ(sender_.sent, "");
  EXPECT_EQ(webhooks(), 0);
}

TEST_F(DeliveryLoopTest, WebhooksOfOwnersWhoHaveMovedAwayAreNotCounted) {
  EXPECT_EQ(webhooks(), 1);
  sends_for_owner_ = false;
  loop_->send_for_others();
  turn();
  EXPECT_EQ(webhooks(), 0);
  sends_for_owner_ = true;
  loop_->send_for_others();
  turn();
  EXPECT_EQ(webhooks(), 1);
}

TEST_F(DeliveryLoopTest, AResendThatMeetsTheEndOfAnAttemptHoldsUpNothing) {
  hear(happen(farm('1')));
  answer(500);
  pass(1s);
  const auto delivery = newest_delivery();
  pass(5s);
  EXPECT_EQ(sender_.sent, " 1 1");
  loop_->on_accepted(happen(resend(delivery)));
  loop_->turn();
  pages_.read_all();
  sender_.answer_oldest(204);  // in the same turn
  turn();
  answer_all();
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, " 1 1 1 3");
}

TEST_F(DeliveryLoopTest, AWebhookWithTooManyPendingCarriesOnOnceOneIsDelivered) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  make_pending(10'000, 1);
  start();
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, " 1");
  pass(1min);
  EXPECT_EQ(sender_.sent, " 1 1");
  answer();
  EXPECT_EQ(sender_.sent, " 1 1 2");
}

TEST_F(DeliveryLoopTest, OfABusyWebhookOnlyTheNewestDeliveriesAreKept) {
  make_delivered(10'000);
  start();
  hear(happen(farm('1')));
  answer();
  pass(1s);
  EXPECT_EQ(store_->load(kWebhook)->deliveries, 9'900);
  EXPECT_EQ(newest_delivery().event_version, 1) << "the oldest ones have gone";
}

TEST_F(DeliveryLoopTest, AWebhookWithTooManyPendingCarriesOnOnceOneIsGivenUp) {
  hear(happen(farm('1')));
  answer();
  pass(1s);
  make_pending(10'000, 100);  // of an event that is not in the log
  start();
  hear(happen(farm('2')));
  EXPECT_EQ(sender_.sent, " 1");
  pass(1min);
  EXPECT_EQ(sender_.sent, " 1 2");
}

TEST_F(DeliveryLoopTest, AnEventThatComesWhileItsWebhookIsFoundIsSent) {
  happen(farm('1'));  // which is read once the webhook is found
  pages_.on_asked = [this] { loop_->on_accepted(happen(farm('2'))); };
  start();
  answer_all();
  EXPECT_EQ(sender_.sent, " 1 2");
}

TEST_F(DeliveryLoopTest, ANodeThatStopsToDeliverWhileItsDiskIsFullGoesOnOnceItDeliversAgain) {
  MemoryEventLog shared(1);
  DeliverySharing sharing(sharing_parts(shared, *store_, "a"));
  lead(sharing);
  start();
  hear(happen(farm('1')));
  answer(500);  // due in five seconds
  for (int i = 0; i < 6; ++i) pass(1s), lead(sharing);
  EXPECT_EQ(sender_.sent, " 1 1");
  disk_->fault = FaultyDisk::Fault::kFull;
  answer(500);
  pass(DeliverySharing::kBelieved);
  disk_->fault = FaultyDisk::Fault::kNone;
  lead(sharing);
  turn();
  EXPECT_EQ(sender_.sent, " 1 1 1") << "as it is stored that the first attempt failed";
}

TEST_F(DeliveryLoopTest, WhatIsOpenIsSharedInRecordsOfBoundedSize) {
  constexpr int kCount = 4'000;
  MemoryEventLog shared(1);
  DeliverySharing sharing(sharing_parts(shared, *store_, "a"));
  lead(sharing);
  make_pending(kCount, 1);
  make_replays(300, 1);
  start();
  turn();
  loop_.reset();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(sharing.turn(0ms));

  const auto reader = shared.read({{0, 0}});
  const auto page = (*reader)->next(100, 0ms);
  std::size_t largest = 0;
  for (const auto& logged : *page) largest = std::max(largest, logged.record->json.size());
  EXPECT_LT(largest, 1U << 20);
  auto other = DeliveryStore::open(directory_.path() / "other", memory_);
  ASSERT_TRUE(other);
  DeliverySharing following(sharing_parts(shared, **other, "b"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(following.turn(0ms));
  EXPECT_EQ((*other)->load(kWebhook)->pending.size(), kCount);
}

TEST_F(DeliveryLoopTest, TestsEndBeforeDeliveriesDo) {
  std::vector<bool> tested;
  const auto test = [&] {
    loop_->test(kOwner, kWebhook, {}, [&](const auto& result) { tested.push_back(bool(result)); });
    turn();
  };
  test();
  answer();
  EXPECT_EQ(tested, std::vector({true}));
  test();
  loop_->end_tests();
  turn();
  EXPECT_EQ(tested, std::vector({true, false}));
  answer();
  test();
  EXPECT_EQ(tested, std::vector({true, false, false}));
  hear(happen(farm('1')));
  EXPECT_TRUE(sender_.holds_any());
}

}  // namespace
}  // namespace tilth
