// What was asked and what was told, and whether the log and the nodes bear it out.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/decision.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/simulated_node.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// A request that was sent once. One that is sent again has the same key and another attempt.
struct Attempt {
  // A decision, and all that it depended on besides the rows.
  struct Decided {
    Context context;
    std::string line;
  };

  std::string request_id;
  CommandRequest request;
  std::vector<Decided> decided = {};
  // The newest record of its stream that anybody knew to have happened when it was sent; -1: none.
  std::int64_t known_before = -1;
  std::int64_t end_after = 0;  // of the partition, when it ended
  std::optional<Result<CommandResult>> result = {};
  bool sent = true;

  // Of the rest, on the model.
  int accepted = 0;
  bool justified = false;
};

class Ledger {
 public:
  Ledger(World& world, SimulatedTopic& topic) : world_(world), topic_(topic), log_(world, topic) {}

  std::shared_ptr<Attempt> begin(const CommandRequest& request);
  // The attempt's decision, which takes down each time what it is decided on.
  static Decide watched(const std::shared_ptr<Attempt>& attempt);
  void ended(const std::shared_ptr<Attempt>& attempt, const Result<CommandResult>& result);
  static void not_sent(const std::shared_ptr<Attempt>& attempt) { attempt->sent = false; }

  // Reports to the world what does not hold. Once everything is at rest.
  //
  // Decides again, on a model's rows, what each accepted record says that was decided; and what was
  // refused or changed nothing, on each state that the answer may have been about: from the newest
  // one that anybody knew of when the request was sent to the last one when it was answered.
  void check();

  // Counts for a report.
  std::size_t attempts() const { return attempts_.size(); }
  std::size_t known() const { return known_; }
  std::size_t records() const { return records_; }

 private:
  struct Stream;

  static std::string decided_again(const Attempt& attempt, const Attempt::Decided& decided,
                                   const Stream& stream);
  void check_partition(int partition);
  void check_record(Stream& stream, const LoggedRecord& logged);
  void justify(const Stream& stream, std::int64_t from, std::int64_t to);
  void check_result(const Attempt& attempt);
  static bool needs_justification(const Attempt& attempt);

  World& world_;
  const SimulatedTopic& topic_;
  const SimulatedLog log_;                                    // knows where streams are
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by request
  std::map<std::string, std::int64_t> newest_known_;          // by stream: an offset
  std::map<std::pair<std::string, std::string>, std::vector<Position>> by_key_;  // accepted
  std::map<std::pair<int, std::int64_t>, const Record*> accepted_;
  std::size_t known_ = 0, records_ = 0;
};

// Reports each difference between the rows of these nodes and the fold of the log.
void compare_rows(World& world, SimulatedTopic& topic,
                  const std::vector<std::unique_ptr<SimulatedNode>>& nodes);

}  // namespace tilth::testing
