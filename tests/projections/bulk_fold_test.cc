// Whatever happened, and wherever a piece ends: bulk comes to the very bytes to which the projector
// comes.

#include "projections/bulk_fold.h"

#include <algorithm>
#include <random>
#include <set>

#include "tests/projector_fixture.h"

namespace tilth::testing {
namespace {

// Takes pieces into memory.
class MemoryBulkStore final : public BulkStore {
 public:
  explicit MemoryBulkStore(MemoryProjectionStore& store) : store_(store) {}

  std::shared_ptr<const RowReader> state() const override { return store_.snapshot(); }
  Status ingest(BulkRows& rows) override {
    RowBatch::Changes changes;
    std::string before;
    rows.take([&](std::string_view key, const auto& value) {
      EXPECT_LT(before, key) << "in order, and each once";
      before = key;
      changes.insert_or_assign(std::string(key), value);
    });
    if (std::exchange(fails_, false)) return Error{ErrorCode::kUnavailable, "The disk is full."};
    ++pieces;
    return store_.commit(changes);
  }
  void fail_once() { fails_ = true; }

  int pieces = 0;

 private:
  MemoryProjectionStore& store_;
  bool fails_ = false;
};

class BulkFoldTest : public ProjectorFixture {
 protected:
  static Uuid any_uuid(std::uint64_t number) {
    Uuid uuid;
    std::seed_seq seed{number};
    std::mt19937 bytes(seed);
    for (auto& byte : uuid.bytes) byte = static_cast<std::uint8_t>(bytes());
    return uuid;
  }

  // A lively farm: rows of many kinds come, change and go.
  void live(const std::string& user, int events, unsigned seed) {
    std::mt19937 chance(seed);
    happened(user, farm_registered(), field_registered(), crop_registered(), block_registered());
    for (int i = 0; i < events; ++i) {
      const auto number = chance() % 400;
      const Timestamp now{kNow.at + std::chrono::minutes(i)};
      const PlantId plant_id{any_uuid(number)};
      switch (chance() % 10) {
        case 0:
        case 1:
        case 2:
        case 3: {
          auto plant = plant_registered();
          plant.plant_id = plant_id;
          plant.details.label = "Palm " + std::to_string(chance() % 50);
          plant.details.tag_id.reset();
          plant.details.status = static_cast<PlantStatus>(chance() % 5);
          if (!there_.insert({user, number}).second) break;
          happened(user, plant);
          break;
        }
        case 4:
        case 5: {
          PlantAmended amended{plant_id, {}, now};
          amended.changes.label.to = "Tree " + std::to_string(chance() % 50);
          amended.changes.status.to = static_cast<PlantStatus>(chance() % 5);
          happened(user, amended);
          break;
        }
        case 6:
          there_.erase({user, number});
          happened(user, PlantRemoved{plant_id, now});
          break;
        case 7: {
          auto task = task_created();
          task.task_id = {any_uuid(chance())};
          task.details.due_date = Timestamp{kNow.at + std::chrono::hours(chance() % 9)};
          task.created_at = now;
          happened(user, task);
          break;
        }
        case 8: {
          SoilSampleRecorded sample;
          sample.id = {any_uuid(chance())};
          sample.where = {kFarm.farm_id, kField.field_id};
          sample.details.sampled_at = now;
          if (chance() % 2 == 0)
            sample.details.ph = Decimal(static_cast<std::int64_t>(chance() % 9));
          sample.recorded_at = now;
          happened(user, sample);
          break;
        }
        default:
          if (chance() % 60 > 0) break;
          for (auto each = there_.begin(); each != there_.end();) {
            each = each->first == user ? there_.erase(each) : std::next(each);
          }
          happened(user, BlockRemoved{kBlock.block_id, now}, block_registered());
      }
    }
  }

  void expect_same(std::size_t records_at_once, int failures = 0) {
    ASSERT_TRUE(begin());
    read_all();
    MemoryProjectionStore anew;
    MemoryBulkStore bulk_store(anew);
    const auto ends = projector->progress().next;
    std::vector<Position> until;
    for (const auto& [partition, end] : ends) until.push_back({partition, 0});
    bool there = false;
    while (!there) {  // pieces of so many records, as if it began again after each
      there = true;
      for (std::size_t i = 0; i < until.size(); ++i) {
        until[i].offset = std::min<std::int64_t>(
            ends[i].offset, until[i].offset + static_cast<std::int64_t>(records_at_once));
        there = there && until[i].offset == ends[i].offset;
      }
      const auto projection = registry();
      BulkFold fold(log, bulk_store, projection, {});
      for (bool finished = false; !finished;) {
        if (failures-- > 0) bulk_store.fail_once();
        const auto advanced = fold.advance(until);
        if (!advanced) {
          EXPECT_EQ(advanced.error().code, ErrorCode::kUnavailable);
          continue;
        }
        finished = *advanced;
      }
      EXPECT_EQ(fold.next(), until);
    }
    EXPECT_TRUE(store.kept() == anew.kept());
    for (const auto& [key, value] : store.kept()) {
      const auto found = anew.kept().find(key);
      if (found != anew.kept().end() && found->second == value) continue;
      ADD_FAILURE() << "the first that differs: " << ::testing::PrintToString(key);
      break;
    }
  }

  std::set<std::pair<std::string, std::uint64_t>> there_;
};

TEST_F(BulkFoldTest, ComesToTheSameBytesInOnePiece) {
  live("user_1", 1'200, 1);
  live("user_2", 200, 2);
  expect_same(1'000'000);
}

TEST_F(BulkFoldTest, ComesToTheSameBytesInManyPieces) {
  live("user_1", 500, 3);
  live("user_2", 300, 4);
  expect_same(97);
}

TEST_F(BulkFoldTest, ComesToTheSameBytesInPiecesThatAreSmallBesideTheLists) {
  live("user_1", 500, 5);
  expect_same(11);
}

TEST_F(BulkFoldTest, FoldsAPieceAgainThatTheStoreCouldNotTake) {
  live("user_1", 400, 6);
  expect_same(150, 2);
}

TEST_F(BulkFoldTest, CountsNoRecordThatWasDecidedOnAnotherVersion) {
  happened("user_1", farm_registered());
  append(log, record("user_1", 0, farm_registered(kFarm, "Late"), "late"));
  happened("user_1", field_registered());
  expect_same(1'000);
}

TEST_F(BulkFoldTest, StopsAtAnEventThatCannotBeRead) {
  happened("user_1", farm_registered());
  auto poison = record("user_1", versions["user_1"]++, field_registered(), "the-poison");
  poison.envelope.type = "tilth.field.enchanted";
  append(log, poison);
  MemoryProjectionStore anew;
  MemoryBulkStore bulk_store(anew);
  const auto projection = registry();
  const int partition = log.partition_of("user_1");
  std::vector<Position> ends;
  for (int each = 0; each < log.partitions(); ++each)
    ends.push_back({each, each == partition ? 2 : 0});
  {
    BulkFold fold(log, bulk_store, projection, {});
    const auto advanced = fold.advance(ends);
    ASSERT_FALSE(advanced);
    EXPECT_EQ(advanced.error().code, ErrorCode::kDamaged);
    EXPECT_NE(advanced.error().message.find("the-poison"), std::string::npos);
  }
  BulkFold fold(log, bulk_store, projection, {.skipped = {{partition, 1, "the-poison", "", {}}}});
  EXPECT_TRUE(*fold.advance(ends));
  EXPECT_EQ(anew.kept().at(std::string("user_1\0v", 8)), "2");
}

}  // namespace
}  // namespace tilth::testing
