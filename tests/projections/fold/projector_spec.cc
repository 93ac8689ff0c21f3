#include <algorithm>
#include <atomic>
#include <thread>

#include "events/log/event_record.h"
#include "projections/access/user.h"
#include "projections/fold/projector.h"
#include "projections/rows/rendered_row.h"
#include "tests/fixtures/failing_store.h"
#include "tests/fixtures/projector_fixture.h"

namespace tilth::testing {
namespace {

using Strings = std::vector<std::string>;

class ProjectorSpec : public ProjectorFixture {};

TEST_F(ProjectorSpec, FoldsWhatHappenedAndTellsOfEachRecordWhenItsRowsCanBeRead) {
  happened("user_1", farm_registered(), field_registered());
  ASSERT_TRUE(begin());
  EXPECT_FALSE(projector->view("user_1", position_of("user_1")));
  read_all();
  EXPECT_EQ(heard, (Strings{"user_1.0", "user_1.1"}));
  EXPECT_EQ(rows_heard, (Strings{"farm", "field"}));
  const auto view = projector->view("user_1", position_of("user_1"));
  ASSERT_TRUE(view);
  EXPECT_TRUE(find(view->rows, kField));
  EXPECT_EQ(projector->rows("user_1").version(), 2U);
  EXPECT_EQ(projector->progress().folded, 2U);
  EXPECT_EQ(projector->progress().state, ProjectionState::kRunning);
  EXPECT_EQ(projector->progress().last_time, kThen);
}

TEST_F(ProjectorSpec, GoesOnFromItsCheckpoint) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  happened("user_1", field_registered());
  ASSERT_TRUE(begin());
  EXPECT_EQ(projector->next(log.partition_of("user_1")), 1);
  EXPECT_TRUE(find(projector->view("user_1")->rows, kFarm));
  read_all();
  EXPECT_EQ(heard, (Strings{"user_1.0", "user_1.1"}));
}

TEST_F(ProjectorSpec, ComesToTheSameTwiceAndHoweverOftenItIsInterrupted) {
  MemoryProjectionStore interrupted, again;
  const auto restart_after_each = [&](const std::string& user, const auto&... events) {
    const auto restart = [&](const auto& event) {
      happened(user, event);
      ASSERT_TRUE(begin(interrupted));
      read_all();
    };
    (restart(events), ...);
  };
  for (const auto* user : {"user_1", "user_2", "user_3"}) {
    restart_after_each(user, farm_registered(), field_registered(), crop_registered(),
                       block_registered(), plant_registered(), CropRemoved{kCrop.crop_id, kNow});
  }
  ASSERT_TRUE(begin());
  read_all();
  ASSERT_TRUE(begin(again));
  read_all();
  EXPECT_TRUE(store.kept() == again.kept());
  EXPECT_TRUE(store.kept() == interrupted.kept());
}

TEST_F(ProjectorSpec, ShowsReadersWhatFollowsFromTheStateThatTheyRead) {
  constexpr int kChanges = 300;
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        const auto view = projector->view("user_1");
        wrong += find_rendered(view->rows, kFarm)->json != render_json(*find(view->rows, kFarm));
      }
    });
  }
  for (int i = 0; i < kChanges; ++i) {
    FarmDetails<Patch> changes;
    changes.name = {"Farm " + std::to_string(i)};
    happened("user_1", FarmAmended{kFarm.farm_id, changes, kThen});
    read_all();
  }
  over = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(find_rendered(projector->view("user_1")->rows, kFarm)->json.find("Farm 299"),
            std::string::npos);
}

TEST_F(ProjectorSpec, CountsNoRecordThatWasDecidedOnAnotherVersion) {
  happened("user_1", farm_registered());
  append(log, record("user_1", 0, farm_registered(kFarm, "Late"), "late"));
  append(log, record("user_1", 2, FarmRemoved{kFarm.farm_id, kNow}, "ahead"));
  happened("user_1", field_registered());
  ASSERT_TRUE(begin());
  read_all();
  EXPECT_EQ(heard, (Strings{"user_1.0", "late refused", "ahead refused", "user_1.1"}));
  EXPECT_EQ(projector->rows("user_1").find(kFarm.farm_id)->details.name, "Al Noor");
  EXPECT_EQ(projector->rows("user_1").version(), 2U);
}

TEST_F(ProjectorSpec, FollowsItsOwnStreamsOnly) {
  const UserRegistered user{"user_AAAAAAAAAAAAAAAAAAAAA", "a@farm.example", {}, "seed", {}, kThen};
  happened("access", user);
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  EXPECT_EQ(heard, (Strings{"user_1.0"}));
  EXPECT_TRUE(projector->view("access", position_of("access"))) << "it has read past it";
  heard.clear();
  MemoryProjectionStore other;
  ASSERT_TRUE(begin(other, access()));
  read_all();
  EXPECT_EQ(heard, (Strings{"access.0"}));
  EXPECT_EQ(projector->rows("access").count<User>({}), 1U);
}

TEST_F(ProjectorSpec, RemembersNowAndThenHowFarItReadWhatItDoesNotFollow) {
  const UserAmended nobody{"user_AAAAAAAAAAAAAAAAAAAAA", {"seed"}, {}, {}, kThen};
  for (int i = 0; i < 11'000; ++i) happened("access", nobody);
  ASSERT_TRUE(begin());
  read_all();
  ASSERT_TRUE(begin());
  EXPECT_GE(projector->next(log.partition_of("access")), 10'000);
}

TEST_F(ProjectorSpec, StoresAtTheEndHowFarItReadWhatItDoesNotFollow) {
  const UserRegistered user{"user_AAAAAAAAAAAAAAAAAAAAA", "a@farm.example", {}, "seed", {}, kThen};
  happened("access", user);
  ASSERT_TRUE(begin());
  read_all();
  ASSERT_TRUE(projector->keep_place());
  ASSERT_TRUE(begin());
  EXPECT_EQ(projector->next(log.partition_of("access")), 1);
}

TEST_F(ProjectorSpec, StopsAtAnEventThatItCannotReadAndNamesIt) {
  happened("user_1", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  happened("user_1", crop_registered());
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_TRUE(begin());
    const auto read = projector->follow(kAtOnce);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kDamaged);
    const auto progress = projector->progress();
    EXPECT_EQ(progress.state, ProjectionState::kFaulted);
    EXPECT_EQ(progress.reason, "Event the-poison at partition " +
                                   std::to_string(log.partition_of("user_1")) +
                                   ", offset 1: tilth.field.enchanted v1 is not known to this "
                                   "version of Tilth.");
    EXPECT_EQ(projector->follow(kAtOnce).error().code, ErrorCode::kDamaged) << "it stays faulted";
    EXPECT_TRUE(find(projector->view("user_1")->rows, kFarm)) << "earlier events are folded";
  }
  EXPECT_EQ(heard, (Strings{"user_1.0"})) << "and folded once";
}

TEST_F(ProjectorSpec, NamesAnEventWhoseJsonIsDamaged) {
  for (const auto* json : {"{", "[]", R"({"farmId":"no"})"}) {
    MemoryProjectionStore fresh;
    MemoryEventLog damaged{1};
    auto poison = record("user_1", 0, farm_registered(), "the-poison");
    poison.json = json;
    append(damaged, poison);
    Projector reader(damaged, fresh, registry(), [](const auto&...) { FAIL(); });
    ASSERT_TRUE(reader.open());
    const auto read = reader.follow(kAtOnce);
    ASSERT_FALSE(read) << json;
    EXPECT_NE(read.error().message.find("Event the-poison at partition 0, offset 0: "
                                        "tilth.farm.registered v1"),
              std::string::npos)
        << read.error().message;
  }
}

// The writer of a record may hand over its event with it.
TEST_F(ProjectorSpec, FoldsAnEventThatItIsHandedAsItFoldsItsBytes) {
  MemoryProjectionStore handed;
  MemoryEventLog other{1};
  std::uint64_t version = 0;
  for (const Event& event : {Event(farm_registered()), Event(field_registered()),
                             Event(crop_registered()), Event(block_registered()),
                             Event(plant_registered()), Event(CropRemoved{kCrop.crop_id, kNow})}) {
    auto known = record("user_1", version, event);
    write_event(event, known);
    append(other, std::move(known));
    append(log, record("user_1", version++, event));
  }
  ASSERT_TRUE(begin());
  read_all();
  const auto of_bytes = std::exchange(rows_heard, {});
  Projector reader(other, handed, registry(),
                   [this](const auto&, bool, const auto&, const auto& row) {
                     rows_heard.push_back(row ? row->table : "");
                   });
  ASSERT_TRUE(reader.open());
  ASSERT_TRUE(*reader.follow(kAtOnce));
  EXPECT_EQ(rows_heard, of_bytes);
  for (const auto& [key, value] : handed.kept()) {
    if (!key.starts_with("user_")) continue;
    EXPECT_EQ(store.newest().get(key), value);
  }
}

TEST_F(ProjectorSpec, CountsWhatItIgnoresAndDoesNotReadIt) {
  happened("user_1", farm_registered());
  auto of_no_matter = record("user_1", versions["user_1"]++, block_registered());
  of_no_matter.json = "{";
  append(log, of_no_matter);
  happened("user_1", field_registered());
  ASSERT_TRUE(begin(store, finance()));
  read_all();
  EXPECT_EQ(projector->rows("user_1").version(), 3U);

  auto poison = of_no_matter;
  poison.envelope.stream_version = 3;
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  EXPECT_FALSE(projector->follow(kAtOnce)) << "an unknown type might matter";
  EXPECT_TRUE(projector->faulted());
}

TEST_F(ProjectorSpec, RemembersHowRequestsEndedWhereCommandsAreDecided) {
  auto keyed = record("user_1", 0, farm_registered());
  keyed.envelope.idempotency = Idempotency{"key", "hash"};
  append(log, keyed);
  ASSERT_TRUE(begin());
  read_all();
  EXPECT_TRUE(find_idempotency_record(projector->rows("user_1"), "key", kThen));
  MemoryProjectionStore other;
  ASSERT_TRUE(begin(other, finance()));
  read_all();
  EXPECT_FALSE(find_idempotency_record(projector->rows("user_1"), "key", kThen));
}

TEST_F(ProjectorSpec, LosesNothingWhenItsStoreCannotCommit) {
  for (const auto* user : {"user_1", "user_2"}) {
    happened(user, farm_registered(), field_registered(), crop_registered(), block_registered());
    for (int i = 0; i < 1'200; ++i) {
      auto plant = plant_registered();
      plant.id.uuid.bytes[0] = static_cast<std::uint8_t>(i);
      plant.id.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
      plant.details.tag_id.reset();
      happened(user, plant);
    }
    happened(user, FarmRemoved{kFarm.farm_id, kNow}, farm_registered());
  }
  ASSERT_TRUE(begin());
  read_all();
  const auto heard_well = std::exchange(heard, {});

  MemoryProjectionStore under;
  FailingStore failing(under);
  ASSERT_TRUE(begin(failing));
  failing.fail_all_but_every(3);
  int refused = 0;
  for (bool more = true; more;) {
    const auto read = projector->follow(kAtOnce);
    if (!read) {
      ASSERT_EQ(read.error().code, ErrorCode::kUnavailable);
      ASSERT_LT(++refused, 1'000);
    }
    more = !read || *read;
  }
  EXPECT_GT(refused, 4);
  EXPECT_TRUE(store.kept() == under.kept());
  std::sort(heard.begin(), heard.end());
  auto sorted = heard_well;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(heard, sorted) << "each once";
  EXPECT_NE(projector->progress().state, ProjectionState::kFaulted);
}

// Their changes are moved into the commit, and are gone if it fails.
TEST_F(ProjectorSpec, FoldsAgainWhatWasFoldedAheadWhenItsStoreCannotCommit) {
  for (const std::size_t count : {1U, 2U}) {
    const std::string stream = "user_" + std::to_string(count);
    const std::vector<Record> records{record(stream, 0, farm_registered()),
                                      record(stream, 1, field_registered())};
    MemoryProjectionStore under;
    FailingStore failing(under);
    ASSERT_TRUE(begin(failing));
    read_all();
    for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(projector->fold_ahead(records[i]));
    EXPECT_EQ(projector->folded_ahead(stream), count);
    for (std::size_t i = 0; i < count; ++i) append(log, records[i]);
    failing.fail_all_but_every(2);
    EXPECT_FALSE(projector->follow(kAtOnce));
    if (count == 1) {
      EXPECT_EQ(projector->folded_ahead(stream), 0U) << "its rows ahead lack what was moved";
      EXPECT_FALSE(projector->fold_ahead(records[1]));
    }
    EXPECT_TRUE(projector->follow(kAtOnce));
    EXPECT_EQ(projector->rows(stream).version(), count);
    EXPECT_EQ(projector->folded_ahead(stream), 0U) << "all is read";

    MemoryProjectionStore read;
    ASSERT_TRUE(begin(read));
    read_all();
    EXPECT_TRUE(under.kept() == read.kept());
  }
}

TEST_F(ProjectorSpec, WillNotReadALogThatEndsBeforeItsCheckpoint) {
  happened("user_1", farm_registered());
  ASSERT_TRUE(begin());
  read_all();
  MemoryEventLog another{4};
  Projector reader(another, store, registry(), [](const auto&...) {});
  EXPECT_EQ(reader.open().error().code, ErrorCode::kLost);
}

TEST_F(ProjectorSpec, WaitsForTheLogUntilItIsWoken) {
  ASSERT_TRUE(begin());
  projector->wake();
  EXPECT_FALSE(*projector->follow(std::chrono::hours(1)));
  std::jthread writer([this] { happened("user_1", farm_registered()); });
  EXPECT_TRUE(*projector->follow(std::chrono::hours(1)));
}

}  // namespace
}  // namespace tilth::testing
