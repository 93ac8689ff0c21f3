#include "infra/webhooks/delivery_store.h"

#include <gtest/gtest.h>

#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/embedded/faulty_disk.h"

namespace tilth {
namespace {

const WebhookId kWebhook = WebhookId::parse("00000000-0000-4000-8000-000000000001").value();
const WebhookId kOther = WebhookId::parse("00000000-0000-4000-8000-0000000000ff").value();
const Timestamp kNoon = Timestamp::parse("2026-03-01T12:00:00Z").value();

// Made `number` milliseconds after 1970.
Delivery delivery(int number, DeliveryStatus status) {
  Delivery its{.event_id = "event " + std::to_string(number),
               .type = "tilth.farm.registered",
               .attempt = number,
               .status = status,
               .error = "No \"answer\".",
               .at = kNoon,
               .event_version = number};
  its.id.bytes[5] = static_cast<std::uint8_t>(number);
  if (status == DeliveryStatus::kPending) its.next_attempt_at = kNoon;
  return its;
}

class DeliveryStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { open(); }

  void open() {
    store_.reset();
    auto opened = DeliveryStore::open(directory_.path() / "webhooks", memory_, env_.get());
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }

  void put(const std::vector<Delivery>& all, const WebhookId& webhook = kWebhook) {
    DeliveryStore::Batch batch;
    for (const auto& each : all) batch.put(webhook, each);
    ASSERT_TRUE(store_->write(batch));
    EXPECT_TRUE(batch.empty());
  }

  std::string listed(std::optional<DeliveryStatus> status = {}, std::uint64_t skip = 0,
                     std::uint64_t limit = 20) {
    const auto page = *store_->list(kWebhook, {.status = status, .skip = skip, .limit = limit});
    std::string text = std::to_string(page.total) + ":";
    for (const auto& each : page.deliveries) text += " " + std::to_string(each.event_version);
    return text;
  }

  DeliveryStore::Known known_of(const WebhookId& webhook) {
    auto known = store_->load(webhook);
    EXPECT_TRUE(known);
    return std::move(*known);
  }

  testing::TemporaryDirectory directory_;
  RocksMemory memory_{1 << 20, 1 << 20};
  const std::shared_ptr<testing::FaultyDisk> disk_ = std::make_shared<testing::FaultyDisk>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  std::unique_ptr<DeliveryStore> store_;
};

constexpr auto kPending = DeliveryStatus::kPending, kDelivered = DeliveryStatus::kDelivered,
               kFailed = DeliveryStatus::kFailed;

TEST_F(DeliveryStoreTest, ListsTheNewestFirstAndByStatus) {
  put({delivery(1, kDelivered), delivery(2, kPending), delivery(3, kFailed)});
  put({delivery(4, kDelivered)}, kOther);
  EXPECT_EQ(listed(), "3: 3 2 1");
  EXPECT_EQ(listed({}, 1, 1), "3: 2");
  EXPECT_EQ(listed({}, 5, 20), "3:");
  EXPECT_EQ(listed(kPending), "1: 2");
  EXPECT_EQ(listed(kFailed), "1: 3");
}

TEST_F(DeliveryStoreTest, RemembersEverythingOverAStart) {
  DeliveryStore::Batch batch;
  batch.put(kWebhook, DeliveryStore::Progress{42, 44, {kNoon, {}}, "It is gone.", kNoon});
  batch.put(kWebhook, DeliveryStore::Replay{.id = kOther.uuid,
                                            .next_version = 3,
                                            .end_version = 9,
                                            .since = kNoon,
                                            .types = {{"tilth.*"}}});
  ASSERT_TRUE(store_->write(batch));
  put({delivery(1, kDelivered), delivery(2, kPending)});
  open();
  const auto known = known_of(kWebhook);
  ASSERT_TRUE(known.progress);
  EXPECT_EQ(known.progress->next_version, 42);
  EXPECT_EQ(known.progress->next_request_version, 44);
  EXPECT_EQ(known.progress->activity.last_success_at, kNoon);
  EXPECT_EQ(known.progress->disabling, "It is gone.");
  ASSERT_EQ(known.replays.size(), 1U);
  EXPECT_EQ(known.replays[0].end_version, 9);
  EXPECT_EQ(known.replays[0].types.value(), std::vector<std::string>{"tilth.*"});
  ASSERT_EQ(known.pending.size(), 1U);
  EXPECT_EQ(known.pending[0].event_version, 2);
  EXPECT_EQ(known.pending[0].error, "No \"answer\".");
  EXPECT_EQ(known.deliveries, 2U);
  EXPECT_FALSE(known_of(kOther).progress);
}

TEST_F(DeliveryStoreTest, ADeliveryThatIsSettledIsNoLongerPending) {
  put({delivery(2, kPending)});
  put({delivery(2, kDelivered)});
  EXPECT_TRUE(known_of(kWebhook).pending.empty());
  const auto id = delivery(2, kPending).id;
  EXPECT_EQ((*store_->find(kWebhook, id)).value().status, kDelivered);
  EXPECT_FALSE(*store_->find(kOther, id));
}

TEST_F(DeliveryStoreTest, FindsWhatIsOldAndSettled) {
  put({delivery(1, kDelivered), delivery(2, kPending), delivery(3, kFailed),
       delivery(4, kDelivered)});
  const auto before = [](int millis) {
    return Timestamp{Timestamp{}.at + std::chrono::milliseconds(millis)};
  };
  const auto old = store_->settled_before(kWebhook, before(4), 10);
  ASSERT_EQ(old.size(), 2U);
  EXPECT_EQ(old[1], delivery(3, kFailed).id);
  EXPECT_EQ(store_->settled_before(kWebhook, before(100), 1).size(), 1U);
  DeliveryStore::Batch batch;
  for (const auto& id : old) batch.erase_delivery(kWebhook, id);
  ASSERT_TRUE(store_->write(batch));
  EXPECT_EQ(listed(), "2: 4 2");
}

TEST_F(DeliveryStoreTest, ForgetsAWebhookAndNoOther) {
  put({delivery(1, kPending)});
  put({delivery(1, kPending)}, kOther);
  DeliveryStore::Batch batch;
  batch.forget(kOther);
  ASSERT_TRUE(store_->write(batch));
  EXPECT_EQ(known_of(kOther).deliveries, 0U);
  EXPECT_TRUE(known_of(kOther).pending.empty());
  EXPECT_EQ(listed(), "1: 1");
}

TEST_F(DeliveryStoreTest, LeavesOutWhatIsNoBatchOfAnotherNode) {
  put({delivery(1, kDelivered)});
  DeliveryStore::Batch batch;
  batch.put(kWebhook, delivery(2, kDelivered));
  auto wrong = batch.bytes();
  wrong[12] = '\x7F';  // an unknown kind of change
  EXPECT_TRUE(store_->apply(wrong));
  EXPECT_TRUE(store_->apply(batch.bytes().substr(0, 20)));
  EXPECT_TRUE(store_->apply(std::string(64, '\xFF')));
  EXPECT_TRUE(store_->apply({}));
  EXPECT_EQ(listed(), "1: 1");
  ASSERT_TRUE(store_->apply(batch.bytes()));
  EXPECT_EQ(listed(), "2: 2 1");
  open();
  EXPECT_EQ(listed(), "2: 2 1");
}

TEST_F(DeliveryStoreTest, KnowsThePlaceThatWasKept) {
  EXPECT_FALSE(store_->place());
  for (const char* const leader : {"", "a run"}) {
    ASSERT_TRUE(store_->keep_place({.offset = 7, .term = 3, .leader = leader}));
    open();
    const auto place = store_->place().value();
    EXPECT_EQ(place.offset, 7);
    EXPECT_EQ(place.term, 3);
    EXPECT_EQ(place.leader, leader);
  }
}

class DeliveryStoreOnAFullDisk : public DeliveryStoreTest,
                                 public ::testing::WithParamInterface<testing::FaultyDisk::Fault> {
 protected:
  void TearDown() override { disk_->fault = testing::FaultyDisk::Fault::kNone; }
};

TEST_P(DeliveryStoreOnAFullDisk, IsWrittenAgainOnceThereIsSpaceAndLosesNothing) {
  put({delivery(1, kDelivered)});
  DeliveryStore::Batch batch;
  batch.put(kWebhook, delivery(2, kDelivered));
  disk_->fault = GetParam();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(store_->write(batch));
  EXPECT_FALSE(batch.empty());
  EXPECT_FALSE(store_->keep_place({.offset = 7}));
  EXPECT_FALSE(store_->find(kWebhook, delivery(1, kDelivered).id)) << "it is not missing";
  disk_->fault = testing::FaultyDisk::Fault::kNone;
  ASSERT_TRUE(store_->write(batch));
  EXPECT_EQ(listed(), "2: 2 1");
  EXPECT_FALSE(store_->place());
  open();
  EXPECT_EQ(listed(), "2: 2 1");
}

INSTANTIATE_TEST_SUITE_P(Faults, DeliveryStoreOnAFullDisk,
                         ::testing::Values(testing::FaultyDisk::Fault::kFull,
                                           testing::FaultyDisk::Fault::kHalfFull,
                                           testing::FaultyDisk::Fault::kBroken));

}  // namespace
}  // namespace tilth
