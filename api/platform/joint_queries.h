// Answers questions about all owners, whose rows lie in several cells, here and on other nodes.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/platform/cell_texts.h"
#include "api/platform/expensive_queries.h"
#include "api/platform/fair_executor.h"
#include "api/platform/row_faults.h"
#include "api/routing/call.h"
#include "api/routing/operation.h"
#include "command/loop/cells.h"
#include "events/log/event_log.h"
#include "events/values/result.h"
#include "events/values/time.h"

namespace tilth {

class Forwarding;
class RowMeter;

// Operation: each cell that is held here is asked on the calling thread, as a query is, once it is
// as recent as the registry was and has aged; the other cells are asked of the nodes that hold
// them. The answer has what all cells say, or it is 503, as it is if it has waited too long for all
// of that. While other nodes are asked, equal questions wait, and are then asked as one.
//
// Threads: any. Stop the executor before this is destroyed.
class JointQueries {
 public:
  using Steady = std::chrono::steady_clock;
  // Borrowed; must outlive it.
  struct Parts {
    Cells& registry;
    const RowFaults& row_faults;
    const Clock& clock;
    FairExecutor& executor;  // for what reads too much for the calling thread
    Forwarding* forwarding;  // null: all cells are here
    std::function<Steady::time_point()> steady = Steady::now;
  };
  struct Asked {
    Call call;
    std::shared_ptr<JointQuestion> question;
    Cells* cells = nullptr;              // of the projection
    std::string stream;                  // of its rows
    std::optional<Position> since = {};  // the answer is at least that recent
    Steady::time_point until = {};       // set by JointQueries
  };

  explicit JointQueries(const Parts& parts) : parts_(parts) {}

  // Whether a question of these cells' projection has to be joined; else it is a query of its only
  // cell.
  bool has_to_join(const Cells& cells) const;

  // Sends the response, now or later.
  void answer(Asked asked);
  // The same for another node, which asks for the parts of some cells: those that are here. 421 if
  // none is, or if the other node divides the land otherwise.
  void answer_parts(Asked asked);

 private:
  using OnParts = std::function<void(Result<CellTexts>)>;
  struct Here;
  struct Joint;

  void begin(std::string key, std::vector<Asked> askers);
  void finish(Joint& joint, const HttpResponse& response);
  std::chrono::milliseconds left_of(const Asked& asked) const;
  void ask_here(const Asked& asked, CellTexts asks, OnParts done);
  void advance(const std::shared_ptr<Here>& here);
  void advance_later(const std::shared_ptr<Here>& here, bool waited, const char* otherwise);
  void compute(const std::shared_ptr<Here>& here);
  void run_later(const Call& call, std::function<void(WorkToken&)> work,
                 std::function<void(const Error&)> refused);
  void compute_later(const std::shared_ptr<Here>& here);
  bool is_answered_here(const Cells& cells, std::size_t cell) const;
  bool all_are_here(const Cells& cells) const;
  Result<CellTexts> computed(const Here& here, RowMeter& meter) const;
  void begin_round(const std::shared_ptr<Joint>& joint);
  void on_parts(const std::shared_ptr<Joint>& joint, Result<CellTexts> parts);
  void join(const std::shared_ptr<Joint>& joint);

  const Parts parts_;
  ExpensiveQueries expensive_;

  std::mutex mutex_;  // guards what follows
  // By the key of a question that is under way, those who wait until it has been answered.
  std::map<std::string, std::vector<Asked>> waiting_;
};

}  // namespace tilth
