// The simulation's judge of answers can fail: what clients are told otherwise than the log says is
// noticed.

#include "tests/simulation/plain_answers.h"

#include <utility>

#include <gtest/gtest.h>

#include "events/log/event_record.h"
#include "projections/land/farm.h"
#include "tests/fixtures/spec.h"

namespace tilth::testing {
namespace {

constexpr std::string_view kStream = "user_1";
constexpr std::int64_t kOffset = 7;

// A farm that a request has registered, and what the request was told.
class Answered : public ::testing::Test {
 protected:
  void SetUp() override {
    attempt_->request_id = "request-1";
    attempt_->request.stream = kStream;
    attempt_->request.actor = "key_1";
    attempt_->request.idempotency = Idempotency{"key", "hash"};
    attempt_->sent_at = attempt_->ended_at = kNow;
    attempt_->result = CommandResult{
        .event = registered_, .row = row("Birch"), .at = kNow, .position = Position{0, kOffset}};
    record_ = of(registered_);
    EXPECT_EQ(records_.take(record_), "");
  }

  static FarmRegistered farm(std::string name) {
    return {{id<FarmId>('a'), {}, {.name = std::move(name), .total_area = Decimal(10)}, kNow}};
  }
  static RowBytes row(std::string name) {
    const auto made = farm(std::move(name));
    return {std::string(Farm::kTable),
            RowCodec<Farm>::encode(Farm{made.id, made.details, kNow, kNow})};
  }
  Record of(Event event) const {
    Record record{.stream = attempt_->request.stream,
                  .envelope = {.source = "node-0",
                               .time = kNow,
                               .correlation_id = "request-1",
                               .causation_id = "request-1",
                               .actor = "key_1",
                               .idempotency = attempt_->request.idempotency}};
    write_event(std::move(event), record);
    return record;
  }
  CommandResult& result() { return **attempt_->result; }
  std::string judge() const {
    PlainAnswers answers;
    answers.add(attempt_);
    return answers.judge(kOffset + 1, kOffset, &record_, records_);
  }

  const FarmRegistered registered_ = farm("Birch");
  std::shared_ptr<Attempt> attempt_ = std::make_shared<Attempt>();
  Record record_;
  PlainRecords records_;
};

TEST_F(Answered, RequestsAreShownTheRowOfTheirRecord) {
  EXPECT_EQ(judge(), "");
  result().row = row("Oak");
  EXPECT_NE(judge(), "");
}

TEST_F(Answered, ReplaysShowTheSameRow) {
  result().event.reset();
  result().replayed = true;
  EXPECT_EQ(judge(), "");
  result().row.reset();
  EXPECT_EQ(judge(), "request-1: it shows no row");
}

TEST_F(Answered, ReplaysHaveTheFirstTime) {
  result().event.reset();
  result().replayed = true;
  result().at.at += std::chrono::seconds(1);
  EXPECT_EQ(judge(), "request-1: it has another time than its record");
}

TEST_F(Answered, PositionsAreThoseOfRecords) {
  result().position->offset -= 1;
  EXPECT_EQ(judge(), "request-1: its position is that of no record of its owner");
}

TEST_F(Answered, RecordsSayWhoAsked) {
  EXPECT_EQ(wrong_in_envelope(record_, *attempt_), "");
  record_.envelope.actor = "key_2";
  EXPECT_EQ(wrong_in_envelope(record_, *attempt_), "it has another actor");
}

TEST_F(Answered, RecordsAreNotOlderThanTheirRequest) {
  record_.envelope.time.at -= std::chrono::milliseconds(1);
  EXPECT_EQ(wrong_in_envelope(record_, *attempt_), "it was decided before it was asked for");
}

TEST_F(Answered, RefusalsAreKeptUnderTheirKey) {
  attempt_->result = Error{ErrorCode::kNotFound, "There is no such farm."};
  EXPECT_EQ(wrong_in_result(*attempt_), "its refusal is not kept under its key");
  const auto kept = of(RequestRefused{"NOT_FOUND", "There is no such farm.", {}, kNow});
  attempt_->record = &kept;
  EXPECT_EQ(wrong_in_result(*attempt_), "");
  const auto other = of(RequestRefused{"NOT_FOUND", "There is no such field.", {}, kNow});
  attempt_->record = &other;
  EXPECT_EQ(wrong_in_result(*attempt_), "another refusal is kept under its key");
}

TEST_F(Answered, RequestsThatChangeNothingAreKeptUnderTheirKey) {
  result().event.reset();
  EXPECT_EQ(wrong_in_result(*attempt_), "that nothing changes is not kept under its key");
}

TEST_F(Answered, ThatNothingChangesIsNoEvent) {
  const auto kept = of(RequestAnswered{std::string(Farm::kTable), registered_.id.uuid, kNow});
  attempt_->record = &kept;
  EXPECT_EQ(wrong_in_result(*attempt_), "that nothing changes is reported as an event");
  result().event.reset();
  EXPECT_EQ(wrong_in_result(*attempt_), "");
}

}  // namespace
}  // namespace tilth::testing
