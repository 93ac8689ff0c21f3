// What was asked and what was told, and whether the log and the nodes bear it out.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "command/decision.h"
#include "projections/rows/row_batch.h"
#include "tests/simulation/attempt.h"
#include "tests/simulation/plain_answers.h"
#include "tests/simulation/plain_library.h"
#include "tests/simulation/plain_rules.h"
#include "tests/simulation/row_comparison.h"
#include "tests/simulation/simulated_log.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class Ledger {
 public:
  Ledger(World& world, SimulatedTopic& topic, std::int64_t rule_tasks_a_day = kRuleTasksADay)
      : world_(world), topic_(topic), log_(world, topic), rule_tasks_a_day_(rule_tasks_a_day) {}

  // `asked`: see Attempt.
  std::shared_ptr<Attempt> begin(const CommandRequest& request,
                                 const std::optional<PlainRequest>& asked);
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

  // Whether all that an owner had was erased at some time. After check().
  bool was_erased(const std::string& stream) const { return expected_.erased_at.contains(stream); }
  // What the log leads to. After check().
  RowComparison::Expected& expected() { return expected_; }

  // A node has read a stream that is to be at least as new as `since`, and found it at `version`.
  void was_read(const std::string& stream, const Position& since, std::uint64_t version);
  // No node could say.
  void was_not_read() { ++unavailable_; }

  // Counts for a report.
  std::size_t attempts() const { return attempts_.size(); }
  std::size_t known() const { return known_; }
  // How many of a stream's records count up to there.
  std::uint64_t version_at(const std::string& stream, const Position& position) const;
  std::size_t records() const { return records_; }
  std::size_t unavailable() const { return unavailable_; }  // requests and reads

 private:
  struct Stream;

  std::string decided_again(const Attempt& attempt, const Attempt::Decided& decided,
                            std::uint64_t least_reference, const Stream& stream) const;
  bool was_due(const Record& record, const Stream& stream) const;
  PlainRules& rules_of(const std::string& stream);
  void fold_reference();
  void check_partition(int partition);
  void take(Stream& stream, const LoggedRecord& logged);
  void judge_answers(Stream& stream, std::int64_t before);
  void check_record(Stream& stream, const LoggedRecord& logged);
  void justify(const Stream& stream, std::int64_t from, std::int64_t to);
  bool has_used_keys(const std::string& stream);
  void check_result(const Attempt& attempt);
  static bool needs_justification(const Attempt& attempt);
  bool is_right(const Attempt& attempt, const Attempt::Decided& decided,
                const Stream& stream) const;
  bool is_plain(const Attempt& attempt, const Attempt::Decided& decided,
                const Stream& stream) const;

  World& world_;
  SimulatedTopic& topic_;
  const SimulatedLog log_;  // knows where streams are
  const std::int64_t rule_tasks_a_day_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  // by request
  std::set<std::pair<std::string, std::string>> keys_;        // of each stream, all that were sent
  std::map<std::string, std::int64_t> newest_known_;          // by stream: an offset
  std::deque<RowBatch> reference_ = std::deque<RowBatch>(1);  // by version
  // When each key was accepted, by stream and after how many erasures of its owner.
  std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<Timestamp>> by_key_;
  std::map<std::pair<int, std::int64_t>, const Record*> accepted_;
  RowComparison::Expected expected_;
  PlainLibrary library_;
  std::uint64_t reference_known_ = 0;  // the newest version that anybody knew of
  std::size_t known_ = 0, records_ = 0, unavailable_ = 0;
};

}  // namespace tilth::testing
