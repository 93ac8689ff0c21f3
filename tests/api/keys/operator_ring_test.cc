#include "api/keys/operator_ring.h"

#include <gtest/gtest.h>

#include "projections/access/operator.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const OperatorId kId = id<OperatorId>('1');
const std::string kDigest(64, 'a'), kOtherDigest(64, 'b');
const OperatorAdded kAdded{kId, "amina", OperatorRole::kOperate, kDigest, kThen};

TEST(OperatorRing, KnowsThoseWhoWereAdded) {
  OperatorRing ring;
  EXPECT_FALSE(ring.find(kDigest));
  ring.on_event(kAdded);
  const auto found = ring.find(kDigest);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "amina");
  EXPECT_EQ(found->role, OperatorRole::kOperate);
  EXPECT_EQ(found->actor, "operator:amina");
  EXPECT_EQ(OperatorIdentity::built_in()->actor, "operator");
}

TEST(OperatorRing, TakesTheNewestRoleAndToken) {
  OperatorRing ring;
  ring.on_event(kAdded);
  ring.on_event(OperatorAmended{kId, OperatorRole::kRead, kNow});
  EXPECT_EQ(ring.find(kDigest)->role, OperatorRole::kRead);
  ring.on_event(OperatorTokenRotated{kId, kOtherDigest, kNow});
  EXPECT_FALSE(ring.find(kDigest));
  EXPECT_EQ(ring.find(kOtherDigest)->role, OperatorRole::kRead);
}

TEST(OperatorRing, ForgetsThoseWhoWereRemoved) {
  OperatorRing ring;
  ring.on_event(kAdded);
  ring.on_event(OperatorRemoved{kId, kNow});
  ring.on_event(OperatorAmended{kId, OperatorRole::kRead, kNow});
  EXPECT_FALSE(ring.find(kDigest));
}

TEST(OperatorRing, IsFilledFromTheRows) {
  const OperatorId other = id<OperatorId>('2');
  const auto spec =
      Spec().given(kAdded, OperatorAdded{other, "omar", OperatorRole::kRead, kOtherDigest, kThen},
                   OperatorRemoved{kId, kNow});
  OperatorRing ring;
  ring.fill(spec.rows());
  EXPECT_FALSE(ring.find(kDigest));
  EXPECT_EQ(ring.find(kOtherDigest)->name, "omar");
}

}  // namespace
}  // namespace tilth::testing
