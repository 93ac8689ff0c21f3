// The simulation's judge of decisions can fail: what is decided otherwise than the request and the
// records say is noticed.

#include "tests/simulation/plain_request.h"

#include <utility>

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const FieldPath kNorthOfBirch{id<FarmId>('a'), id<FieldId>('f')};
const BlockPath kBlockOfBirch{id<FarmId>('a'), id<FieldId>('f'), id<BlockId>('b')};
const auto kWheat = id<AdminCropId>('a');
const auto kBarley = id<AdminCropId>('9');
const auto kEarly = id<VarietyId>('b');

// A German farm with a field, a crop, and a block with one plant.
class Requested : public ::testing::Test {
 protected:
  void SetUp() override {
    FarmDetails<Own> farm{.name = "Birch", .total_area = Decimal(10)};
    farm.country = Country::stored("Germany");
    take(FarmRegistered{{kNorthOfBirch.farm_id, {}, farm, kThen}});
    take(FieldRegistered{{kNorthOfBirch.field_id,
                          {kNorthOfBirch.farm_id},
                          {.name = "North", .area = Decimal(4)},
                          kThen}});
    take(CropRegistered{{id<CropId>('c'),
                         {kNorthOfBirch.farm_id, kNorthOfBirch.field_id},
                         {.crop_type = "Wheat"},
                         kThen}});
    take(BlockRegistered{{kBlockOfBirch.block_id,
                          {kNorthOfBirch.farm_id, kNorthOfBirch.field_id},
                          {.crop_id = id<CropId>('c'), .name = "A"},
                          kThen}});
    take(PlantRegistered{{id<PlantId>('e'),
                          {kBlockOfBirch.farm_id, kBlockOfBirch.field_id, kBlockOfBirch.block_id},
                          {.label = "One", .tag_id = "tag"},
                          kThen}});
  }

  void take(Event event) {
    Record record{.stream = "user_1",
                  .envelope = {.source = "node-0", .time = kThen, .actor = "key_1"}};
    write_event(std::move(event), record);
    EXPECT_EQ(records_.take(record), "");
  }
  // A crop of 90 days with a variety of 60, and another crop.
  void describe() {
    AdminCropDescribed wheat;
    wheat.admin_crop_id = kWheat;
    wheat.described_at = kThen;
    wheat.details.days_to_maturity = 90;
    auto other = wheat;
    other.admin_crop_id = kBarley;
    wheat.varieties.emplace_back().variety_id = kEarly;
    wheat.varieties.back().details.days_to_maturity = 60;
    for (auto* event : {&wheat, &other}) {
      Record record{.stream = std::string(kReferenceStream), .envelope = {.time = kThen}};
      write_event(std::move(*event), record);
      library_.take(record);
    }
  }
  PlainState state() const { return {.records = records_, .now = kNow, .library = library_}; }
  const PlainRecords::Members& record(const std::string& table, const Uuid& of) const {
    return *records_.find({table, of.text()});
  }

  PlainRecords records_;
  PlainLibrary library_;
};

TEST_F(Requested, ATagThatIsTakenIsRefusedAndNeverAccepted) {
  const auto request =
      *said_plainly(Create<Plant>{kBlockOfBirch, {.label = "Two", .tag_id = "tag"}});
  EXPECT_NE(wrong_in_acceptance(request, state()), "");
  EXPECT_TRUE(may_be_refused(request, state(), ErrorCode::kConflict));
  EXPECT_FALSE(may_be_refused(request, state(), ErrorCode::kNotFound));
}

TEST_F(Requested, WhatNothingSpeaksAgainstIsNotRefused) {
  Update<Plant> update{{kBlockOfBirch, id<PlantId>('e')}, {}};
  update.changes.tag_id.to = "tag";  // its own
  const auto request = *said_plainly(update);
  EXPECT_EQ(wrong_in_acceptance(request, state()), "");
  EXPECT_FALSE(may_be_refused(request, state(), ErrorCode::kConflict));
  EXPECT_FALSE(may_change_nothing(request, state()));
}

TEST_F(Requested, APathLeadsOnlyWhereTheRecordIs) {
  auto at = kBlockOfBirch;
  at.field_id = id<FieldId>('9');
  const auto request = *said_plainly(Delete<Block>{at});
  EXPECT_NE(wrong_in_acceptance(request, state()), "");
  EXPECT_TRUE(may_be_refused(request, state(), ErrorCode::kNotFound));
  EXPECT_EQ(wrong_in_acceptance(*said_plainly(Delete<Block>{kBlockOfBirch}), state()), "");
}

TEST_F(Requested, IfMatchDecidesWhatItHolds) {
  const auto request = *said_plainly(Delete<Block>{kBlockOfBirch});
  auto old = state();
  old.if_match_holds = false;
  EXPECT_NE(wrong_in_acceptance(request, old), "");
  EXPECT_TRUE(may_be_refused(request, old, ErrorCode::kPreconditionFailed));
  EXPECT_FALSE(may_be_refused(request, state(), ErrorCode::kPreconditionFailed));
}

TEST_F(Requested, AChangeIsWhatWasAskedForAndNothingElse) {
  Update<Plant> update{{kBlockOfBirch, id<PlantId>('e')}, {}};
  update.changes.label.to = "Other";
  const auto request = *said_plainly(update);
  const auto before = record("plant", id<PlantId>('e').uuid);
  EXPECT_NE(wrong_in_change(request, state(), &before, &before), "");
  auto after = before;
  after["label"] = R"("Other")";
  EXPECT_EQ(wrong_in_change(request, state(), &before, &after), "");
  after["tagId"] = "null";
  EXPECT_NE(wrong_in_change(request, state(), &before, &after), "");
}

TEST_F(Requested, MoneyIsInTheCurrencyOfItsFarm) {
  const auto request = *said_plainly(Create<Overhead>{{kNorthOfBirch.farm_id}, {}});
  auto entry = request.body;
  entry["farmId"] = request.place.at("farmId");
  entry["currency"] = R"("EUR")";
  EXPECT_EQ(wrong_in_change(request, state(), nullptr, &entry), "");
  entry["currency"] = R"("USD")";
  EXPECT_NE(wrong_in_change(request, state(), nullptr, &entry), "");
}

TEST_F(Requested, AnAcceptedCropHasAVarietyOfItsKind) {
  describe();
  CreateCrop create{{}, kNorthOfBirch.farm_id, kNorthOfBirch.field_id, {.crop_type = "Wheat"}};
  create.details.variety_id = kEarly;
  EXPECT_EQ(wrong_in_acceptance(*said_plainly(create), state()), "");
  create.details.admin_crop_id = kBarley;
  EXPECT_NE(wrong_in_acceptance(*said_plainly(create), state()), "");
}

TEST_F(Requested, AHarvestIsExpectedByTheVariety) {
  describe();
  CreateCrop create{{}, kNorthOfBirch.farm_id, kNorthOfBirch.field_id, {.crop_type = "Wheat"}};
  create.details.variety_id = kEarly;
  create.details.planting_date = parsed<Date>("2026-03-01");
  const auto request = *said_plainly(create);
  auto crop = request.body;
  crop["adminCropId"] = '"' + kWheat.text() + '"';
  crop["expectedHarvestDate"] = R"("2026-04-30")";
  EXPECT_EQ(wrong_in_change(request, state(), nullptr, &crop), "");
  crop["expectedHarvestDate"] = R"("2026-05-30")";
  EXPECT_NE(wrong_in_change(request, state(), nullptr, &crop), "");
  crop["expectedHarvestDate"] = R"("2026-04-30")";
  crop["adminCropId"] = "null";
  EXPECT_NE(wrong_in_change(request, state(), nullptr, &crop), "");
}

TEST_F(Requested, NothingChangesOnlyWhereNothingWasAskedFor) {
  Update<Block> update{kBlockOfBirch, {}};
  EXPECT_TRUE(may_change_nothing(*said_plainly(update), state()));
  EXPECT_NE(wrong_in_acceptance(*said_plainly(update), state()), "");
  update.changes.name.to = "A";
  EXPECT_FALSE(may_change_nothing(*said_plainly(update), state()));
}

}  // namespace
}  // namespace tilth::testing
