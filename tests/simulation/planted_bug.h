// The mistakes that a simulation must notice.

#pragma once

#include <cstdint>
#include <ostream>

namespace tilth::testing {

// Each stands for one that a program could have; they are made where the program meets the world,
// so that no product code knows of them.
enum class PlantedBug : std::uint8_t {
  kNone,
  kReadBeforeSync,             // the log shows what a power failure then loses
  kReaderSkipsARecord,         // a reader that starts again leaves out the first record
  kEndIsOld,                   // the log tells an end that acknowledged records have passed
  kSaysThatItIsSequential,     // a log with several writers claims to have only one
  kPredecessorIsNotStored,     // the log keeps records without what they were decided upon
  kNodeMissesPredecessors,     // one node reads them without
  kFollowersAreKept,           // records behind one that does not count are put behind the other
  kRetryGetsANewId,            // a record that is appended again is taken for another one
  kCommitLosesChanges,         // a commit leaves out its last row
  kCommitIsTorn,               // a commit that fails has stored a part
  kForgetsAfterACrash,         // rows of a later commit outlive one of an earlier commit
  kCascadeForgetsATable,       // on one node, a farm's tasks outlive it
  kFoldReadsTheClock,          // one node folds the time at which it reads
  kIdempotencyKeyIsDropped,    // a request that is sent again has lost its key
  kPreconditionIsIgnored,      // If-Match is not looked at
  kPartitionIsForgotten,       // a reader that starts again leaves out a record of one partition
  kCellFollowsTooMuch,         // a cell folds the streams of another one, too
  kOwnersAreDealtOtherwise,    // on one node, a stream is asked for in a cell that has it not
  kReadDoesNotWait,            // a read does not wait for what its client has seen
  kReadersMissARow,            // readers see a commit without its first row, until the next one
  kSweptRowsAreShown,          // a read shows what a removal has yet to erase
  kSwitchIsTooEarly,           // a cell switches to rows that are behind the live ones
  kOneCellIsWaitedFor,         // reference data is acknowledged once its own cell has read it
  kLostVersionIsTaken,         // the log refuses the version of a record that it has not stored
  kAnnouncedTooEarly,          // a node announces a cell that it has not caught up with
  kGivenUpTooEarly,            // one node believes that the others hold whatever it holds
  kResendLosesItsKey,          // a request that is forwarded again has lost its Idempotency-Key
  kUnknownIsSentAgain,         // so is a change without one whose node was lost
  kAnswersAreMixedUp,          // an answer that is passed back reaches another client
  kForwardedReadDoesNotWait,   // a read that is forwarded does not say what its client has seen
  kPartIsOfAnother,            // a node says for one cell what is of the next
  kLeaseIsTooLong,             // one node trusts its keys for longer than the others wait
  kClocksAreTrusted,           // who waits for others' leases takes its clock for as fast as theirs
  kOthersAreNotHeard,          // one node trusts its keys, whatever the others say that they know
  kLeaseIsAskedLater,          // a node looks up a key before it knows that its lease holds
  kOthersAreNotTold,           // a revocation does not wait until the others can know of it
  kPageLeavesOneOut,           // webhooks do not get the first event of some pages
  kPageIsOfAnother,            // nor their own, but those of another owner
  kSilenceIsAnAnswer,          // a receiver that does not answer has got the event
  kRemovalIsNotHeard,          // one node does not hear that webhooks are removed
  kRetriesAreEarly,            // an event is sent again much sooner than is documented
  kSettledIsSkipped,           // a node that starts misses what others have sent meanwhile
  kMovesAreNotNoticed,         // a node does not notice for which owners it is the first
  kActorIsNotStored,           // the log keeps records as those of another key
  kSilenceIsTooLong,           // one node whose clock is slow takes others to live for too long
  kReplayShowsNoRow,           // a client that asks again is not shown what it was shown first
  kBatchGoesOnAfterAFailure,   // a batch that is to stop at a failure goes on
  kBatchedRequestLosesItsKey,  // a request within a batch has no Idempotency-Key
  kResentBatchReadsOldRows,    // a node goes on with a batch although it lags
  kLogIsNotSynced,             // the disk of an embedded log leaves syncs out
  kDayHasOneTaskMore,          // rules make one task more on a day than they may
  kKeysAreNotSynced,           // nor are owners' keys and archived files synced
};

// Its name without the k, for the names of tests.
std::ostream& operator<<(std::ostream& out, PlantedBug bug);

}  // namespace tilth::testing
