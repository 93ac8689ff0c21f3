#include "tests/simulation/batched_request.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "api/platform/batch_request.h"
#include "command/land/farm.h"
#include "tests/simulation/land_wishes.h"

namespace tilth::testing {
namespace {

// A farm and three fields, of which some refer to it.
std::vector<BatchedWish> farm_and_fields(std::uint64_t seed) {
  World world(seed);
  KnownByOwner known;
  const Chooser chooser(world, known, "user_1");
  return batched(world, {a_new_farm(chooser), a_new_field(chooser), a_new_field(chooser),
                         a_new_field(chooser)});
}

TEST(BatchedRequest, IsReadAsABatch) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto wishes = farm_and_fields(seed);
    const auto body = body_of(wishes, true);
    const auto form = read_batch(body, [] { return true; });
    ASSERT_TRUE(form) << body;
    EXPECT_TRUE(form->stops_on_error);
    ASSERT_EQ(form->requests.size(), wishes.size());
    for (std::size_t place = 0; place < wishes.size(); ++place) {
      auto refers_to = wishes[place].refers_to;
      std::ranges::sort(refers_to);
      EXPECT_EQ(form->requests[place].refers_to, refers_to) << body;
      EXPECT_EQ(form->requests[place].reads(), wishes[place].reads());
    }
  }
}

TEST(BatchedRequest, AsksForWhatItRefersToOnceThatIsKnown) {
  const PlainRequest asked{.table = "field",
                           .what = PlainRequest::What::kChange,
                           .id = "{$r1}",
                           .place = {{"farmId", R"("{$r0}")"}},
                           .body = {{"name", R"("North")"}}};
  EXPECT_TRUE(refers(asked));
  const auto half = with_ids(asked, [](auto place) { return place == 0 ? "farm" : ""; });
  EXPECT_EQ(half.place.at("farmId"), R"("farm")");
  EXPECT_TRUE(refers(half));
  const auto whole = with_ids(asked, [](auto place) { return place == 0 ? "farm" : "field"; });
  EXPECT_EQ(whole.id, "field");
  EXPECT_EQ(whole.body, asked.body);
  EXPECT_FALSE(refers(whole));
}

TEST(BatchedRequest, RefersToRecordsThatTheBatchMakes) {
  std::size_t references = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& wish : farm_and_fields(seed)) references += wish.refers_to.size();
  }
  EXPECT_GT(references, 20U);
}

}  // namespace
}  // namespace tilth::testing
