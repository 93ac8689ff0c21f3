#include "command/access/ai_request.h"
#include "projections/access/ai_request.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const std::string kUser = "user_AAAAAAAAAAAAAAAAAAAAA";
const UserRegistered kRegistered{kUser, "aisha@farm.example", {}, "seed", {}, kThen};

Spec given_user() { return Spec().given(kRegistered); }

AiRequestReported reported(std::string_view requested_at,
                           AiRequestStatus status = AiRequestStatus::kSucceeded) {
  return {kUser, status, parsed<Timestamp>(requested_at), kNow};
}

std::int64_t used(const Spec& spec, std::string_view month) {
  const auto id = *nanoid_bits(User::kIdPrefix, kUser);
  const auto use = spec.rows().find(Id<AiUse>{id});
  return use ? use->in(Month::of(parsed<Timestamp>(month))) : 0;
}

TEST(ReportAiRequest, HappenedNowUnlessSaidOtherwise) {
  given_user()
      .when(ReportAiRequest{kUser, AiRequestStatus::kFailed})
      .then(AiRequestReported{kUser, AiRequestStatus::kFailed, kNow, kNow});
  given_user()
      .when(ReportAiRequest{kUser, AiRequestStatus::kSucceeded, kThen})
      .then(AiRequestReported{kUser, AiRequestStatus::kSucceeded, kThen, kNow});
}

TEST(ReportAiRequest, NeedsThatUser) {
  Spec().when(ReportAiRequest{kUser}).then_refused(ErrorCode::kNotFound);
  given_user().when(ReportAiRequest{"user_1"}).then_refused(ErrorCode::kNotFound);
}

TEST(AiUse, CountsByTheMonthOfUtcInWhichTheyWereMade) {
  const auto spec =
      given_user().given(reported("2026-02-28T23:59:59.999Z"), reported("2026-03-01T00:00:00Z"),
                         reported("2026-03-31T23:59:59.999Z"), reported("2025-03-15T00:00:00Z"));
  EXPECT_EQ(used(spec, "2026-02-01"), 1);
  EXPECT_EQ(used(spec, "2026-03-31"), 2);
  EXPECT_EQ(used(spec, "2026-04-01"), 0);
}

TEST(AiUse, CountsOnlyWhatSucceeded) {
  const auto spec = given_user().given(reported("2026-03-01", AiRequestStatus::kFailed),
                                       reported("2026-03-01", AiRequestStatus::kPending));
  EXPECT_EQ(used(spec, "2026-03-01"), 0);
}

}  // namespace
}  // namespace tilth::testing
