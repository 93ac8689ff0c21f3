#include "projections/fold/progress_tracker.h"

#include <gtest/gtest.h>

namespace tilth {
namespace {

const Timestamp kFoldedAt = Timestamp::parse("2026-03-01T12:00:00Z").value();
const Position kPoison{2, 7};
const Error kNotKnown{ErrorCode::kDamaged, "The event is not known."};
const Error kNoRows{ErrorCode::kDamaged, "The rows cannot be read."};
const Result<bool> kFullDisk = Error{ErrorCode::kUnavailable, "The disk is full."};

OperatorOverrides skipping(const Position& at) {
  return {.skipped = {{at.partition, at.offset, "the-poison", "It is poison.", kFoldedAt}}};
}

// The state, why, and whether it is held up.
std::string text_of(const ProgressTracker& tracker) {
  const auto progress = tracker.progress();
  std::string text(name_of(progress.state));
  if (!progress.reason.empty()) text += ": " + progress.reason;
  if (progress.poison) text += " (" + progress.poison->event_id + ')';
  return progress.held_up ? text + " It is held up." : text;
}

TEST(ProgressTracker, CatchesUpAtFirstAndThenRuns) {
  ProgressTracker tracker;
  EXPECT_EQ(text_of(tracker), "catching_up");
  tracker.set_running();
  EXPECT_EQ(text_of(tracker), "running");
  EXPECT_FALSE(tracker.is_halted());
  EXPECT_FALSE(tracker.fault());
}

TEST(ProgressTracker, RunsNoMoreWhileItIsPaused) {
  ProgressTracker tracker;
  tracker.set_running();
  tracker.apply_overrides({.paused = true});
  tracker.set_lacks_events();
  tracker.set_running();
  EXPECT_EQ(text_of(tracker), "paused: Paused by an operator.");
  EXPECT_TRUE(tracker.paused());
  EXPECT_TRUE(tracker.is_halted());
  EXPECT_FALSE(tracker.faulted());
  EXPECT_TRUE(tracker.lacks_events());

  tracker.apply_overrides({});
  EXPECT_EQ(text_of(tracker), "catching_up");
  EXPECT_FALSE(tracker.is_halted());
  EXPECT_FALSE(tracker.lacks_events());
}

TEST(ProgressTracker, IsFaultedAtAnEventUntilThatIsSkipped) {
  ProgressTracker tracker;
  EXPECT_EQ(tracker.set_fault(kNotKnown, Poison{kPoison, "the-poison"}).message, kNotKnown.message);
  EXPECT_EQ(text_of(tracker), "faulted: The event is not known. (the-poison)");
  EXPECT_EQ(tracker.fault()->message, kNotKnown.message);
  EXPECT_TRUE(tracker.lacks_events());
  EXPECT_FALSE(tracker.unreadable());

  const Position other{kPoison.partition, kPoison.offset - 1};
  tracker.apply_overrides(skipping(other));
  EXPECT_TRUE(tracker.skips(other));
  EXPECT_FALSE(tracker.skips(kPoison));
  EXPECT_TRUE(tracker.faulted());
  EXPECT_TRUE(tracker.lacks_events());

  tracker.apply_overrides(skipping(kPoison));
  EXPECT_TRUE(tracker.skips(kPoison));
  EXPECT_FALSE(tracker.skips(other)) << "the former overrides are withdrawn";
  EXPECT_EQ(text_of(tracker), "catching_up");
  EXPECT_FALSE(tracker.lacks_events());
}

TEST(ProgressTracker, StaysFaultedByTheLogWhateverIsSkipped) {
  ProgressTracker tracker;
  tracker.set_fault({ErrorCode::kLost, "The record is gone."});
  tracker.apply_overrides(skipping(kPoison));
  EXPECT_EQ(text_of(tracker), "faulted: The record is gone.");
}

TEST(ProgressTracker, StaysPausedWhenItsRowsAreReplaced) {
  ProgressTracker tracker;
  tracker.apply_overrides({.paused = true});
  EXPECT_FALSE(tracker.clear_rows_fault()) << "they could be read";
  tracker.set_rows_fault(kNoRows);
  tracker.set_rows_fault({ErrorCode::kDamaged, "Later."});
  EXPECT_EQ(text_of(tracker), "faulted: The rows cannot be read.");
  EXPECT_TRUE(tracker.unreadable());
  EXPECT_FALSE(tracker.lacks_events()) << "what could be read of them is shown";
  EXPECT_TRUE(tracker.clear_rows_fault());
  EXPECT_EQ(text_of(tracker), "paused: Paused by an operator.");
  EXPECT_FALSE(tracker.unreadable());
}

TEST(ProgressTracker, StaysFaultedAtItsPoisonWhenItsRowsAreReplaced) {
  ProgressTracker tracker;
  tracker.set_fault(kNotKnown, Poison{kPoison, "the-poison"});
  tracker.set_rows_fault(kNoRows);
  EXPECT_EQ(tracker.fault()->message, kNotKnown.message);
  EXPECT_TRUE(tracker.clear_rows_fault());
  EXPECT_FALSE(tracker.unreadable());
  EXPECT_TRUE(tracker.lacks_events());
  EXPECT_EQ(text_of(tracker), "faulted: The event is not known. (the-poison)");
}

TEST(ProgressTracker, StaysFaultedByItsRowsWhenItsPoisonIsSkipped) {
  ProgressTracker tracker;
  tracker.set_fault(kNotKnown, Poison{kPoison, "the-poison"});
  tracker.set_rows_fault(kNoRows);
  tracker.apply_overrides(skipping(kPoison));
  EXPECT_EQ(text_of(tracker), "faulted: The rows cannot be read.");
  EXPECT_TRUE(tracker.lacks_events());
}

TEST(ProgressTracker, IsHeldUpUntilItFollowsAgain) {
  ProgressTracker tracker;
  tracker.set_running();
  tracker.note_followed(kFullDisk);
  EXPECT_EQ(text_of(tracker), "catching_up: The disk is full. It is held up.");
  EXPECT_FALSE(tracker.is_halted());
  tracker.note_followed(true);
  EXPECT_EQ(text_of(tracker), "catching_up");
}

TEST(ProgressTracker, IsNotHeldUpByWhatHaltsIt) {
  ProgressTracker tracker;
  tracker.note_followed(kFullDisk);
  tracker.apply_overrides({.paused = true});
  tracker.note_followed(Error{ErrorCode::kUnavailable, std::string(kPausedByAnOperator)});
  EXPECT_EQ(text_of(tracker), "paused: Paused by an operator.");
  tracker.note_followed(true);
  EXPECT_EQ(text_of(tracker), "paused: Paused by an operator.");
}

TEST(ProgressTracker, TellsHowFarItIs) {
  ProgressTracker tracker;
  tracker.publish({{0, 0}, {2, 0}}, {}, 0);
  EXPECT_FALSE(tracker.has_read_any());
  tracker.publish({{0, 0}, {2, 8}}, kFoldedAt, 8);
  tracker.publish({{0, 0}, {2, 9}}, {}, 1);
  const auto progress = tracker.progress();
  EXPECT_EQ(progress.next, (std::vector<Position>{{0, 0}, {2, 9}}));
  EXPECT_EQ(progress.folded, 9U);
  EXPECT_EQ(progress.last_time, kFoldedAt) << "the newest that is known";
  EXPECT_TRUE(tracker.has_read_any());
  EXPECT_TRUE(tracker.has_read({2, 8}));
  EXPECT_FALSE(tracker.has_read({2, 9}));
  EXPECT_FALSE(tracker.has_read({0, 0}));
  EXPECT_FALSE(tracker.has_read({1, 0})) << "of a partition that it does not read";
}

TEST(ProgressTracker, KeepsThePauseWhenItStartsOver) {
  ProgressTracker tracker;
  tracker.publish({{2, 7}}, kFoldedAt, 7);
  tracker.set_fault(kNotKnown, Poison{kPoison, "the-poison"});
  tracker.set_rows_fault(kNoRows);
  tracker.start_over();
  EXPECT_EQ(text_of(tracker), "catching_up");
  EXPECT_FALSE(tracker.unreadable());
  EXPECT_FALSE(tracker.lacks_events());
  EXPECT_FALSE(tracker.progress().last_time);
  EXPECT_EQ(tracker.progress().folded, 7U) << "of all since the start";
  tracker.apply_overrides({.paused = true});
  tracker.start_over();
  EXPECT_EQ(text_of(tracker), "paused: Paused by an operator.");
}

}  // namespace
}  // namespace tilth
