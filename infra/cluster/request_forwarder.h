// Forwards requests to the nodes that have the rows which this one has not.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "api/platform/forwarding.h"
#include "command/loop/cells.h"
#include "events/log/streams.h"
#include "infra/cluster/asking_nodes.h"
#include "infra/cluster/land_holders.h"
#include "infra/cluster/nodes_to_ask.h"
#include "infra/log_lines/log_lines.h"
#include "infra/metrics/metrics.h"
#include "infra/peers/lost_request.h"

namespace tilth {

// Operation: a request takes one hop. Its head and body go to the node that LandHolders names
// first; if that one cannot be reached or has not the rows, the next one is asked. Once a change
// may have been carried out it is sent again only with an Idempotency-Key; without one its client
// is told that the outcome is not known.
//
// What belongs to the client's connection is done by the node that it has reached: counting,
// compression, conditional requests, and the headers of every response.
//
// Threads: any.
class RequestForwarder final : public Forwarding {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    const LandHolders& holders;
    // As PeerClient::send(), which says how it is called back.
    std::function<void(const std::string& address, HttpRequest, std::unique_ptr<Responder>, OnLost)>
        send;
    CommandLoop& access;
    Cells& registry;
    EventLog& log;
    LogLines& log_lines;
    std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  };

  explicit RequestForwarder(const Parts& parts);

  // This node has folded an event of keys and users, or of the reference data.
  void on_access(Position at) { access_.offset = at.offset; }
  void on_reference(Position at) { reference_.offset = at.offset; }

  bool is_here(const std::string& user_id) const override {
    return parts_.holders.is_here(user_id);
  }
  std::size_t cells() const override { return parts_.holders.cells(); }
  bool is_here(std::size_t cell) const override { return parts_.holders.is_here(cell); }
  void ask_cells(const Call& call, std::chrono::milliseconds within, CellTexts asks,
                 std::function<void(Result<CellTexts>)> done) override;
  void forward(Call call) override;
  void when_known(const HttpRequest& request, std::function<void(bool)> done) override;

  void report(Samples& to) const;  // metrics

 private:
  class Answer;
  // A call under way.
  struct ForwardedCall {
    Call call;
    NodesToAsk nodes;
  };

  HttpRequest request_for(const Call& call) const;
  using Steady = std::chrono::steady_clock;
  void ask(const Call& call, Steady::time_point until, const std::string& node,
           const CellTexts& asks, AskingNodes::OnAnswer done);
  void send(const std::shared_ptr<ForwardedCall>& forwarded);
  void on_lost(const std::shared_ptr<ForwardedCall>& forwarded, Lost lost, const std::string& why);
  void refuse_unheld(const Call& call);

  // The last event of a stream that this node has folded; none: -1.
  struct LastEvent {
    int partition;
    std::atomic<std::int64_t> offset = -1;
  };
  static void set_known(HttpRequest& request, std::string_view header, const LastEvent& last);

  const Parts parts_;
  LastEvent access_{parts_.log.partition_of(kAccessStream)};
  LastEvent reference_{parts_.log.partition_of(kReferenceStream)};
  std::atomic<std::uint64_t> answered_ = 0, asked_another_ = 0, unknown_ = 0, refused_ = 0;
  std::atomic<std::uint64_t> asked_parts_ = 0;
};

}  // namespace tilth
