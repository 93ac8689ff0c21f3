#include "tests/simulation/planted_bug.h"

namespace tilth::testing {
namespace {

const char* name_of(PlantedBug bug) {
  switch (bug) {
    using enum PlantedBug;
    case kNone:
      return "None";
    case kReadBeforeSync:
      return "ReadBeforeSync";
    case kReaderSkipsARecord:
      return "ReaderSkipsARecord";
    case kEndIsOld:
      return "EndIsOld";
    case kSaysThatItIsSequential:
      return "SaysThatItIsSequential";
    case kPredecessorIsNotStored:
      return "PredecessorIsNotStored";
    case kNodeMissesPredecessors:
      return "NodeMissesPredecessors";
    case kFollowersAreKept:
      return "FollowersAreKept";
    case kRetryGetsANewId:
      return "RetryGetsANewId";
    case kCommitLosesChanges:
      return "CommitLosesChanges";
    case kCommitIsTorn:
      return "CommitIsTorn";
    case kForgetsAfterACrash:
      return "ForgetsAfterACrash";
    case kCascadeForgetsATable:
      return "CascadeForgetsATable";
    case kFoldReadsTheClock:
      return "FoldReadsTheClock";
    case kIdempotencyKeyIsDropped:
      return "IdempotencyKeyIsDropped";
    case kPreconditionIsIgnored:
      return "PreconditionIsIgnored";
    case kPartitionIsForgotten:
      return "PartitionIsForgotten";
    case kCellFollowsTooMuch:
      return "CellFollowsTooMuch";
    case kOwnersAreDealtOtherwise:
      return "OwnersAreDealtOtherwise";
    case kReadDoesNotWait:
      return "ReadDoesNotWait";
    case kReadersMissARow:
      return "ReadersMissARow";
    case kSweptRowsAreShown:
      return "SweptRowsAreShown";
    case kSwitchIsTooEarly:
      return "SwitchIsTooEarly";
    case kOneCellIsWaitedFor:
      return "OneCellIsWaitedFor";
    case kLostVersionIsTaken:
      return "LostVersionIsTaken";
    case kAnnouncedTooEarly:
      return "AnnouncedTooEarly";
    case kGivenUpTooEarly:
      return "GivenUpTooEarly";
    case kResendLosesItsKey:
      return "ResendLosesItsKey";
    case kUnknownIsSentAgain:
      return "UnknownIsSentAgain";
    case kAnswersAreMixedUp:
      return "AnswersAreMixedUp";
    case kForwardedReadDoesNotWait:
      return "ForwardedReadDoesNotWait";
    case kPartIsOfAnother:
      return "PartIsOfAnother";
    case kLeaseIsTooLong:
      return "LeaseIsTooLong";
    case kClocksAreTrusted:
      return "ClocksAreTrusted";
    case kOthersAreNotHeard:
      return "OthersAreNotHeard";
    case kLeaseIsAskedLater:
      return "LeaseIsAskedLater";
    case kOthersAreNotTold:
      return "OthersAreNotTold";
    case kPageLeavesOneOut:
      return "PageLeavesOneOut";
    case kPageIsOfAnother:
      return "PageIsOfAnother";
    case kSilenceIsAnAnswer:
      return "SilenceIsAnAnswer";
    case kRemovalIsNotHeard:
      return "RemovalIsNotHeard";
    case kRetriesAreEarly:
      return "RetriesAreEarly";
    case kSettledIsSkipped:
      return "SettledIsSkipped";
    case kMovesAreNotNoticed:
      return "MovesAreNotNoticed";
    case kActorIsNotStored:
      return "ActorIsNotStored";
    case kSilenceIsTooLong:
      return "SilenceIsTooLong";
    case kReplayShowsNoRow:
      return "ReplayShowsNoRow";
    case kBatchGoesOnAfterAFailure:
      return "BatchGoesOnAfterAFailure";
    case kBatchedRequestLosesItsKey:
      return "BatchedRequestLosesItsKey";
    case kResentBatchReadsOldRows:
      return "ResentBatchReadsOldRows";
    case kLogIsNotSynced:
      return "LogIsNotSynced";
    case kDayHasOneTaskMore:
      return "DayHasOneTaskMore";
    case kKeysAreNotSynced:
      return "KeysAreNotSynced";
  }
  return "?";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, PlantedBug bug) { return out << name_of(bug); }

}  // namespace tilth::testing
