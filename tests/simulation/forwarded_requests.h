// Requests that a node of a simulated cluster forwards to others, and those that it takes from
// them.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/http/exchange.h"
#include "api/http/http.h"
#include "api/platform/cell_texts.h"
#include "api/routing/call.h"
#include "command/loop/cells.h"
#include "command/loop/command_loop.h"
#include "infra/cluster/request_forwarder.h"
#include "infra/log_lines/log_lines.h"
#include "tests/simulation/simulated_cluster.h"
#include "tests/simulation/simulated_share.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

// The real RequestForwarder, its clients, and what a dispatcher does with a request of another
// node. It reports to the world what a client must not be told, and what a node must not take. One
// run of a process, which begins with nothing.
class ForwardedRequests {
 public:
  // Gets the version of a stream; null: the node could not say.
  using OnRead = std::function<void(std::optional<std::uint64_t>)>;

  // Borrowed; must outlive it.
  struct Parts {
    World& world;
    SimulatedCluster& cluster;
    std::string node;
    const SimulatedShare& share;
    Cells& cells;
    EventLog& log;
    LogLines& log_lines;
    std::uint64_t life;  // of the node: another one in each run
    std::function<Timestamp()> now;
    std::function<bool()> goes_on;  // whether that run has not ended
    // Carry out a command, and read a stream, on the rows of this node. A read waits until these
    // show what happened at `since`; null: it does not wait.
    std::function<void(CommandRequest, CommandLoop::OnDone)> carry_out;
    std::function<void(const std::string& stream, const std::optional<Position>& since, OnRead)>
        read;
  };

  explicit ForwardedRequests(Parts parts);

  // Carries out a command on another node. `done` runs once: with its result, or with kUnavailable
  // if no node had one in time. After end(): with its error.
  void carry_out(const CommandRequest& request, CommandLoop::OnDone done);
  // Reads a stream on another node, which waits until its rows show what happened at `since`.
  // `done` runs once.
  void read(const std::string& stream, const Position& since, OnRead done);
  // See SimulatedNode.
  void ask_cells(std::chrono::milliseconds within,
                 std::function<void(std::optional<Result<CellTexts>>)> done);

  // Another node has forwarded it.
  void take(HttpRequest request, std::unique_ptr<Responder> responder);

  // The node has folded an event of the reference data.
  void on_reference(const Position& at);
  // The last one; null: none in this run.
  const std::optional<Position>& reference() const { return reference_; }

  // Whether no client waits for another node.
  bool empty() const { return clients_.empty(); }
  // The run ends: tells each client that waits why.
  void end(const Error& why);

 private:
  class Client;
  using OnTold = std::function<void(const Result<HttpResponse>&)>;

  std::uint64_t admit(OnTold told);
  void forward(const std::string& stream, HttpRequest request, const std::string& request_id,
               OnTold told);
  Call call_of(std::uint64_t client, const std::string& stream, HttpRequest request,
               const std::string& request_id);
  void tell(std::uint64_t client, const std::string& stream, const std::string& request_id,
            const HttpResponse& response);
  Result<CommandResult> result_of(const HttpResponse& response);
  std::string id_of(const std::string& what, std::uint64_t number) const;
  void carry_out_here(const std::shared_ptr<Exchange>& exchange);
  void read_here(const std::shared_ptr<Exchange>& exchange);
  void answer_parts(Exchange& exchange) const;

  const Parts parts_;
  RequestForwarder forwarder_;
  std::optional<Position> reference_;
  std::map<std::uint64_t, OnTold> clients_;  // those that wait, by number
  std::uint64_t admitted_ = 0, reads_ = 0;   // so far
};

}  // namespace tilth::testing
