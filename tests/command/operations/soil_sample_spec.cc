// Which sample sets a field's soilPh, and for how long.

#include "projections/operations/soil_sample.h"
#include "tests/fixtures/land.h"

namespace tilth::testing {
namespace {

const auto kLater = parsed<Timestamp>("2026-03-02T00:00:00Z");

// A field whose samples are recorded and removed.
class SoilPh : public ::testing::Test {
 protected:
  void sample(char digit, const char* taken, std::optional<std::int64_t> ph, Timestamp now = kNow) {
    SoilSampleDetails details{.sampled_at = parsed<Timestamp>(taken)};
    if (ph) details.ph = Decimal(*ph);
    spec.given(SoilSampleRecorded{
        {id<SoilSampleId>(digit), {kFarm.farm_id, kField.field_id}, details, now}});
  }
  void remove(char digit, Timestamp now = kNow) {
    spec.given(SoilSampleRemoved{{id<SoilSampleId>(digit), now}});
  }
  void amend(const FieldDetails<Patch>& changes) {
    spec.given(FieldAmended{kField.field_id, changes, kNow});
  }
  std::string ph() const {
    const auto& found = field().details.soil_ph;
    return found ? found->text() : "null";
  }
  Timestamp updated_at() const { return field().updated_at; }
  Field field() const { return spec.rows().find(kField.field_id).value(); }

  Spec spec = given_field();
};

TEST_F(SoilPh, IsThatOfTheSampleTakenLast) {
  sample('1', "2026-02-01", 6);
  EXPECT_EQ(ph(), "6");
  EXPECT_EQ(updated_at(), kNow);
  sample('2', "2026-01-01", 5, kLater);
  EXPECT_EQ(ph(), "6") << "an older one changes nothing";
  EXPECT_EQ(updated_at(), kNow);
  sample('3', "2026-02-02", 7, kLater);
  EXPECT_EQ(ph(), "7");
  EXPECT_EQ(updated_at(), kLater);
}

TEST_F(SoilPh, IsToldBySamplesWithAPhOnly) {
  sample('1', "2026-02-01", 6);
  sample('2', "2026-02-02", std::nullopt, kLater);
  EXPECT_EQ(ph(), "6");
  EXPECT_EQ(updated_at(), kNow);
  remove('1', kLater);
  EXPECT_EQ(ph(), "6") << "no sample with a pH is left";
}

TEST_F(SoilPh, OfTwoSamplesTakenAtOnceIsThatOfTheOneRecordedLast) {
  sample('2', "2026-02-01", 6, kThen);
  sample('1', "2026-02-01", 7, kNow);
  EXPECT_EQ(ph(), "7");
}

TEST_F(SoilPh, FallsBackWhenItsSampleIsRemoved) {
  sample('1', "2026-02-01", 5), sample('2', "2026-02-02", 6), sample('3', "2026-02-03", 7);
  remove('2', kLater);
  EXPECT_EQ(ph(), "7");
  EXPECT_EQ(updated_at(), kNow) << "the value came from another sample";
  remove('3', kLater);
  EXPECT_EQ(ph(), "5");
  EXPECT_EQ(updated_at(), kLater);
  remove('1');
  EXPECT_EQ(ph(), "5") << "the value stays when no sample is left";
  EXPECT_EQ(updated_at(), kLater);
  sample('4', "2020-01-01", 4);
  EXPECT_EQ(ph(), "4") << "the newest sample that is left";
}

TEST_F(SoilPh, OfTheFarmerHoldsUntilASampleNewerThanAllOthersComes) {
  sample('1', "2026-02-01", 6), sample('2', "2026-02-02", 7);
  amend({.soil_ph = {Decimal(5)}});
  sample('3', "2026-01-01", 8);
  EXPECT_EQ(ph(), "5");
  remove('2');
  EXPECT_EQ(ph(), "5") << "it no longer came from that sample";
  sample('4', "2026-02-03", 4);
  EXPECT_EQ(ph(), "4");
  amend({.soil_ph = null<Decimal>()});
  remove('4');
  EXPECT_EQ(ph(), "null");
}

TEST_F(SoilPh, IsNotTheFarmersWordWhenSomethingElseIsAmended) {
  sample('1', "2026-02-01", 6), sample('2', "2026-02-02", 7);
  amend({.name = {"South"}});
  remove('2');
  EXPECT_EQ(ph(), "6");
}

TEST_F(SoilPh, LeavesTheSampleAsWhatTheEventIsAbout) {
  RowBatch store;
  fold(store, "user_1", farm_registered());
  fold(store, "user_1", field_registered());
  MutableRows rows(store, "user_1", 2);
  evolve(rows, SoilSampleRecorded{{id<SoilSampleId>('1'),
                                   {kFarm.farm_id, kField.field_id},
                                   {.sampled_at = kThen, .ph = Decimal(6)},
                                   kNow}});
  EXPECT_EQ(rows.first_put()->table, "soil_sample");
}

TEST(SoilSampleDetails, HasBothDepthsOrNeitherTheUpperOneFirst) {
  const auto faults = [](std::optional<std::int64_t> from, std::optional<std::int64_t> to) {
    SoilSampleDetails details;
    if (from) details.depth_from_cm = Decimal(*from);
    if (to) details.depth_to_cm = Decimal(*to);
    Issues issues;
    details.check(issues);
    return issues.empty() ? "" : issues.begin()->first;
  };
  EXPECT_EQ(faults({}, {}), "");
  EXPECT_EQ(faults(0, 30), "");
  EXPECT_EQ(faults(0, {}), "depthToCm");
  EXPECT_EQ(faults({}, 30), "depthFromCm");
  EXPECT_EQ(faults(30, 30), "depthToCm");
}

}  // namespace
}  // namespace tilth::testing
