// A small world with its own time and chance, in which one seed always has the same course.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/ids.h"
#include "events/values/time.h"

namespace tilth::testing {

// Mistakes that a simulation must notice. Each stands for one that a program could have; they are
// made where the program meets the world, so that no product code knows of them.
enum class PlantedBug : std::uint8_t {
  kNone,
  kReadBeforeSync,           // the log shows what a power failure then loses
  kReaderSkipsARecord,       // a reader that starts again leaves out the first record
  kEndIsOld,                 // the log tells an end that acknowledged records have passed
  kSaysThatItIsSequential,   // a log with several writers claims to have only one
  kPredecessorIsNotStored,   // the log keeps records without what they were decided upon
  kNodeMissesPredecessors,   // one node reads them without
  kFollowersAreKept,         // records behind one that does not count are put behind the other
  kRetryGetsANewId,          // a record that is appended again is taken for another one
  kCommitLosesChanges,       // a commit leaves out its last row
  kCommitIsTorn,             // a commit that fails has stored a part
  kForgetsAfterACrash,       // rows of a later commit outlive one of an earlier commit
  kCascadeForgetsATable,     // on one node, a farm's tasks outlive it
  kFoldReadsTheClock,        // one node folds the time at which it reads
  kIdempotencyKeyIsDropped,  // a request that is sent again has lost its key
  kPreconditionIsIgnored,    // If-Match is not looked at
  kPartitionIsForgotten,     // a reader that starts again leaves out a record of one partition
  kCellFollowsTooMuch,       // a cell folds the streams of another one, too
  kOwnersAreDealtOtherwise,  // on one node, a stream is asked for in a cell that has it not
  kReadDoesNotWait,          // a read does not wait for what its client has seen
  kSwitchIsTooEarly,         // a cell switches to rows that are behind the live ones
  kOneCellIsWaitedFor,       // reference data is acknowledged once its own cell has read it
  kAnnouncedTooEarly,        // a node announces a cell that it has not caught up with
  kGivenUpTooEarly,          // one node believes that the others hold whatever it holds
  kResendLosesItsKey,        // a request that is passed on again has lost its Idempotency-Key
  kUnknownIsSentAgain,       // so is a change without one whose node was lost
  kAnswersAreMixedUp,        // an answer that is passed back reaches another client
  kPassedOnReadDoesNotWait,  // a read that is passed on does not say what its client has seen
  kLeaseIsTooLong,           // one node trusts its keys for longer than the others wait
  kClocksAreTrusted,         // who waits for others' leases takes its clock for as fast as theirs
  kOthersAreNotHeard,        // one node trusts its keys, whatever the others say that they know
  kLeaseIsAskedLater,        // a node looks up a key before it knows that its lease holds
  kOthersAreNotTold,         // a revocation does not wait until the others can know of it
  kPageLeavesOneOut,         // webhooks do not get the first event of some pages
  kPageIsOfAnother,          // nor their own, but those of another owner
  kSilenceIsAnAnswer,        // a receiver that does not answer has got the event
  kRemovalIsNotHeard,        // one node does not hear that webhooks are removed
  kRetriesAreEarly,          // an event is sent again much sooner than is documented
  kLeadIsTooLong,            // one node believes for too long that it delivers
  kSettledIsSkipped,         // a node that starts misses a record of what others have sent
  kMovesAreNotNoticed,       // a node does not notice for which owners it is the first
};

class World {
 public:
  using Steady = std::chrono::steady_clock;
  using Micros = std::chrono::microseconds;

  explicit World(std::uint64_t seed, PlantedBug bug = PlantedBug::kNone)
      : chance_(seed * 0x9E3779B97F4A7C15U + 1), bug_(bug) {}

  Steady::time_point now() const { return now_; }
  Timestamp wall_clock() const;
  // Moves the wall clock alone.
  void pass(std::chrono::hours time) { passed_ += time; }

  // Happens once `delay` has passed. What is due at the same time happens in the order of the
  // calls.
  void after(Micros delay, std::function<void()> what);
  // The next thing happens. False: nothing is left.
  bool step();
  std::uint64_t steps() const { return steps_; }
  // Lets things happen until that is so. If it never is, within that many steps of the world, there
  // are `otherwise`, which is a violation. Ends at any violation.
  template <class Done>
  void run_until(const Done& done, std::uint64_t most_steps, const std::string& otherwise) {
    while (violations_.empty() && !done()) {
      if (!step() || steps_ > most_steps) return violated("There are " + otherwise + ".");
    }
  }

  // Below `limit`, which is not 0.
  std::uint64_t below(std::uint64_t limit) { return chance_() % limit; }
  Micros between(Micros least, Micros most);
  // Whether something happens that does so once in `times`.
  bool once_in(std::uint64_t times) { return below(times) == 0; }
  // The same for faults, of which there are none in a calm world.
  bool fails_once_in(std::uint64_t times) { return once_in(times) && !calm_; }
  void become_calm() { calm_ = true; }
  bool calm() const { return calm_; }
  Uuid uuid();

  bool has(PlantedBug bug) const { return bug_ == bug; }

  // Prints what happens, if the environment has TILTH_TRACE.
  void note(std::string_view what) const;

  // Something that must never be so.
  void violated(std::string what) { violations_.push_back(std::move(what)); }
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  std::mt19937_64 chance_;
  const PlantedBug bug_;
  Steady::time_point now_{};
  std::chrono::milliseconds passed_{0};
  std::uint64_t arranged_ = 0, steps_ = 0;
  std::map<std::pair<Steady::time_point, std::uint64_t>, std::function<void()>> to_come_;
  bool calm_ = false;
  std::vector<std::string> violations_;
};

}  // namespace tilth::testing
