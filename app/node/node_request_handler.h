// What nodes of a cluster ask of one another: the requests of their clients, and to give away what
// they hold.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/http/refusal.h"
#include "api/platform/dispatcher.h"
#include "infra/peers/peer_client.h"

namespace tilth {

// Has the node at that address give away what it holds. `done` gets kConflict if no other node
// could take that, kUnavailable if it is not ready or was lost.
void ask_to_drain(PeerClient& peers, const std::string& address,
                  std::function<void(const Status&)> done);

// What other nodes ask of this one: the requests of their clients that they forward, and, for an
// operator, that it gives away what it holds.
class NodeRequestHandler final : public HttpHandler {
 public:
  static constexpr std::string_view kDrain = "/nodes/self/drain";  // no path of a client

  NodeRequestHandler(Dispatcher& dispatcher, std::function<Status()> drain)
      : dispatcher_(dispatcher), drain_(std::move(drain)) {}

  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override {
    if (request.path != kDrain) {
      return dispatcher_.handle_forwarded(std::move(request), std::move(responder));
    }
    const auto drains = drain_();
    responder->respond(drains ? HttpResponse{.status = 204} : refusal(drains.error()));
  }
  HttpResponse refuse(int status, std::string_view reason, const HttpRequest& request) override {
    return dispatcher_.refuse(status, reason, request);
  }

 private:
  Dispatcher& dispatcher_;
  const std::function<Status()> drain_;
};

}  // namespace tilth
