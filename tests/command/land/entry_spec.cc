// What holds for every kind of entry: it is recorded if its parent exists, removed once, and listed
// by the time that it is about.

#include "command/record.h"
#include "projections/operations/fertigation.h"
#include "projections/operations/irrigation.h"
#include "projections/operations/leaf_sample.h"
#include "query/land/entries.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const IrrigationDetails kWatering{
    .started_at = kThen, .duration_minutes = 90, .water_volume = Decimal(12)};
const IrrigationId kNewId = id<IrrigationId>('9');  // Spec::context.new_id
const EntryPath<Irrigation> kWatered{kField, kNewId};
const OnField kOnField{kFarm.farm_id, kField.field_id};
const IrrigationRecorded kRecorded{{kNewId, kOnField, kWatering, kThen}};
const IrrigationRemoved kIrrigationRemoved{{kNewId, kThen}};

TEST(RecordEntry, Acts) {
  given_field()
      .when(Create<Irrigation>{kField, kWatering})
      .then(IrrigationRecorded{{kNewId, kOnField, kWatering, kNow}});
}

TEST(RecordEntry, NamesTheWholeWayToItsBlock) {
  const FertigationDetails feeding{.applied_at = kThen, .product = "Urea", .amount = Decimal(3)};
  given_block()
      .when(Create<Fertigation>{kBlock, feeding})
      .then(FertigationRecorded{{id<FertigationId>('9'),
                                 {kFarm.farm_id, kField.field_id, kBlock.block_id},
                                 feeding,
                                 kNow}});
}

TEST(RecordEntry, NeedsWhatItIsRecordedOn) {
  given_farm().when(Create<Irrigation>{kField, kWatering}).then_refused(ErrorCode::kNotFound);
  given_field()
      .when(Create<Irrigation>{{id<FarmId>('f'), kField.field_id}, kWatering})
      .then_refused(ErrorCode::kNotFound);
  given_field().when(Create<LeafSample>{kBlock, {}}).then_refused(ErrorCode::kNotFound);
}

TEST(RemoveEntry, HappensOnce) {
  auto spec = given_field().given(kRecorded);
  spec.when(Delete<Irrigation>{kWatered}).then(IrrigationRemoved{{kNewId, kNow}});
  spec.given(kIrrigationRemoved)
      .when(Delete<Irrigation>{kWatered})
      .then_refused(ErrorCode::kNotFound);
  EXPECT_EQ(spec.kept(), given_field().kept());
}

TEST(RemoveEntry, NeedsThatEntryJustThere) {
  const FieldPath south{kFarm.farm_id, id<FieldId>('e')};
  given_field()
      .given(field_registered(south, "South"), kRecorded)
      .when(Delete<Irrigation>{{south, kNewId}})
      .then_refused(ErrorCode::kNotFound);
  given_field()
      .given(kRecorded)
      .when(Delete<Irrigation>{{{id<FarmId>('f'), kField.field_id}, kNewId}})
      .then_refused(ErrorCode::kNotFound);
}

TEST(RemoveEntry, NeedsIfMatchToHold) {
  auto spec = given_field().given(kRecorded);
  const auto tag = tag_of(*spec.rows().find(kNewId));
  spec.if_match("\"old\"")
      .when(Delete<Irrigation>{kWatered})
      .then_refused(ErrorCode::kPreconditionFailed);
  spec.if_match(tag).when(Delete<Irrigation>{kWatered}).then(IrrigationRemoved{{kNewId, kNow}});
}

TEST(Entries, GoWithWhatTheyWereRecordedOn) {
  const LeafSampleRecorded leaves{
      {id<LeafSampleId>('8'), {kFarm.farm_id, kField.field_id, kBlock.block_id}, {}, kThen}};
  EXPECT_EQ(given_block().given(leaves, BlockRemoved{kBlock.block_id, kNow}).kept(),
            given_crop().kept());
  EXPECT_EQ(given_block().given(leaves, kRecorded, FieldRemoved{kField.field_id, kNow}).kept(),
            given_farm().kept());
  EXPECT_EQ(given_block().given(leaves, kRecorded, FarmRemoved{kFarm.farm_id, kNow}).kept(),
            Spec().kept());
}

TEST(ListEntries, OfAPeriodHaveBothItsEnds) {
  auto spec = given_field();
  const auto at = [&](char digit, const char* instant) {
    auto details = kWatering;
    details.started_at = parsed<Timestamp>(instant);
    spec.given(IrrigationRecorded{{id<IrrigationId>(digit), kOnField, details, kThen}});
  };
  at('1', "2026-02-01T00:00:00Z"), at('2', "2026-02-01T23:59:59.999Z"), at('3', "2026-02-02");
  const auto listed = [&](const char* from, const char* to) {
    ListEntries<Irrigation> query{kField, {}};
    if (from) query.period.from = parsed<Timestamp>(from);
    if (to) query.period.to = parsed<LastInstant>(to);
    std::string ids;
    const auto found = run_query(spec.rows(), query, {.order = Order::kAscending});
    for (const auto& row : found->rows) ids.push_back(row.id.text().back());
    EXPECT_EQ(found->total, ids.size());
    return ids;
  };
  EXPECT_EQ(listed(nullptr, nullptr), "123");
  EXPECT_EQ(listed("2026-02-01", "2026-02-01"), "12");
  EXPECT_EQ(listed("2026-02-01", "2026-02-01T00:00Z"), "1");
  EXPECT_EQ(listed("2026-02-01T00:00:00.001Z", nullptr), "23");
  EXPECT_EQ(listed(nullptr, "2026-02-01T23:59:59.998Z"), "1");
  EXPECT_EQ(listed("2026-02-01T23:59:59.999Z", "2026-02-02T00:00:00Z"), "23");
  EXPECT_EQ(listed("2026-02-03", nullptr), "");
}

TEST(ListEntries, NeedsWhatTheyAreRecordedOn) {
  const auto spec = given_farm();
  EXPECT_EQ(run_query(spec.rows(), ListEntries<Irrigation>{kField, {}}, {}).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace tilth::testing
