#include "command/access/audit.h"
#include "command/access/operator.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

const OperatorId kId = id<OperatorId>('9');
const OperatorAdded kAdded{kId, "amina", OperatorRole::kOperate, "digest", kThen};

Spec given_operator() { return Spec().given(kAdded); }
Spec given_removed() { return given_operator().given(OperatorRemoved{kId, kThen}); }

TEST(AddOperator, Acts) {
  Spec()
      .when(AddOperator{"amina", OperatorRole::kRead, "digest"})
      .then(OperatorAdded{kId, "amina", OperatorRole::kRead, "digest", kNow});
}

TEST(AddOperator, RefusesANameThatAnOperatorHasOrHad) {
  const AddOperator command{"amina", OperatorRole::kRead, "other"};
  given_operator().when(command).then_refused(ErrorCode::kConflict);
  given_removed().when(command).then_refused(ErrorCode::kConflict);
}

TEST(AddOperator, RefusesTheNameOfTheBuiltInOperator) {
  Spec()
      .when(AddOperator{"operator", OperatorRole::kRead, "digest"})
      .then_refused(ErrorCode::kConflict);
}

TEST(AmendOperator, Acts) {
  given_operator()
      .when(AmendOperator{"amina", OperatorRole::kAdminister})
      .then(OperatorAmended{kId, OperatorRole::kAdminister, kNow});
}

TEST(AmendOperator, StaysQuietWhenTheOperatorHasThatRole) {
  given_operator().when(AmendOperator{"amina", OperatorRole::kOperate}).then_nothing();
}

TEST(RotateOperatorToken, Acts) {
  given_operator()
      .when(RotateOperatorToken{"amina", "another digest"})
      .then(OperatorTokenRotated{kId, "another digest", kNow});
}

TEST(RemoveOperator, Acts) {
  given_operator().when(RemoveOperator{"amina"}).then(OperatorRemoved{kId, kNow});
}

TEST(RemoveOperator, IsForGood) {
  auto spec = given_removed();
  spec.when(RemoveOperator{"amina"}).then_refused(ErrorCode::kNotFound);
  spec.when(RotateOperatorToken{"amina", "digest"}).then_refused(ErrorCode::kNotFound);
  spec.when(AmendOperator{"amina", OperatorRole::kRead}).then_refused(ErrorCode::kNotFound);
  const auto row = find_operator(spec.rows(), "amina");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->removed_at, kThen);
}

TEST(ChangesOfOperators, NeedThatOperator) {
  given_operator()
      .when(AmendOperator{"omar", OperatorRole::kRead})
      .then_refused(ErrorCode::kNotFound);
  given_operator().when(RotateOperatorToken{"omar", "digest"}).then_refused(ErrorCode::kNotFound);
  given_operator().when(RemoveOperator{"omar"}).then_refused(ErrorCode::kNotFound);
}

TEST(RowsOfOperators, FollowTheirEvents) {
  const auto spec = given_operator().given(OperatorAmended{kId, OperatorRole::kRead, kNow},
                                           OperatorTokenRotated{kId, "another digest", kNow});
  const auto row = find_operator(spec.rows(), "amina");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->role, OperatorRole::kRead);
  EXPECT_EQ(row->token_digest, "another digest");
  EXPECT_EQ(row->created_at, kThen);
  EXPECT_EQ(row->updated_at, kNow);
}

TEST(NamesOfOperators, AreShortAndPlain) {
  for (const auto* name : {"a", "amina", "amina.b-c_2"}) EXPECT_TRUE(is_operator_name(name));
  for (const auto* name : {"", "Amina", "2nd", "a b", "a/b", "a:b", ".a", "é"}) {
    EXPECT_FALSE(is_operator_name(name)) << name;
  }
  EXPECT_FALSE(is_operator_name(std::string(65, 'a')));
}

const AuditRecorded kEntry{.audit_id = {id<Uuid>('1')},
                           .operator_name = "amina",
                           .role = OperatorRole::kOperate,
                           .action = "Stand still",
                           .method = "POST",
                           .target = "/operator/v1/projections/market/pause",
                           .created = {},
                           .status = 200,
                           .request_id = "request",
                           .address = "192.0.2.7",
                           .at = kThen};

TEST(RecordAudit, Acts) { Spec(kAuditStream).when(RecordAudit{kEntry}).then(kEntry); }

TEST(RecordAudit, StaysQuietWhenTheEntryIsThere) {
  Spec(kAuditStream).given(kEntry).when(RecordAudit{kEntry}).then_nothing();
}

}  // namespace
}  // namespace tilth::testing
