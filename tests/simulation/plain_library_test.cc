// The simulation's crop library tells what each kind may be said to take.

#include "tests/simulation/plain_library.h"

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "events/log/streams.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const auto kWheat = id<AdminCropId>('a');
const auto kEarly = id<VarietyId>('b');

AdminCropDescribed wheat(std::optional<std::int64_t> days, std::optional<std::int64_t> of_early) {
  AdminCropDescribed event;
  event.admin_crop_id = kWheat;
  event.described_at = kNow;
  event.details.name = "Wheat";
  event.details.days_to_maturity = days;
  event.varieties.emplace_back().variety_id = kEarly;
  event.varieties.back().details.days_to_maturity = of_early;
  return event;
}

void take(PlainLibrary& library, Event event) {
  Record record{.stream = std::string(kReferenceStream), .envelope = {.time = kNow}};
  write_event(std::move(event), record);
  library.take(record);
}

TEST(PlainLibrary, AVarietyCountsBeforeItsCrop) {
  PlainLibrary library;
  take(library, wheat(90, 60));
  EXPECT_EQ(library.crop_of(kEarly.text()), kWheat.text());
  EXPECT_EQ(library.days_to_maturity(kWheat.text(), kEarly.text()), PlainLibrary::Days{60});
  EXPECT_EQ(library.days_to_maturity(kWheat.text(), ""), PlainLibrary::Days{90});
}

TEST(PlainLibrary, TellsAllThatThereEverWas) {
  PlainLibrary library;
  take(library, wheat(90, std::nullopt));
  take(library, wheat(100, 60));
  EXPECT_EQ(library.days_to_maturity("", kEarly.text()), (PlainLibrary::Days{60, 90, 100}));
}

TEST(PlainLibrary, KnowsNothingOfWhatThereNeverWas) {
  const PlainLibrary library;
  EXPECT_FALSE(library.knows(kWheat.text()));
  EXPECT_EQ(library.crop_of(kEarly.text()), "");
  EXPECT_EQ(library.days_to_maturity("", ""), PlainLibrary::Days{std::nullopt});
}

}  // namespace
}  // namespace tilth::testing
