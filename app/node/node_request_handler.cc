#include "app/node/node_request_handler.h"

#include <utility>

namespace tilth {
namespace {

// Whether the other node has begun to drain.
class DrainAnswer final : public Responder {
 public:
  explicit DrainAnswer(std::function<void(const Status&)> done) : done_(std::move(done)) {}

  void respond(HttpResponse response) override {
    if (response.status == 204) return done_(kDone);
    const bool alone = response.status == 409;
    done_(alone
              ? Error{ErrorCode::kConflict, "There is no other node that could take what it holds."}
              : Error{.code = ErrorCode::kUnavailable,
                      .message = "The node is not ready.",
                      .retry_after_seconds = 1});
  }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override {
    respond({.status = 500});
    return nullptr;
  }

 private:
  const std::function<void(const Status&)> done_;
};

}  // namespace

void ask_to_drain(PeerClient& peers, const std::string& address,
                  std::function<void(const Status&)> done) {
  HttpRequest request;
  request.method = "POST";
  request.path = NodeRequestHandler::kDrain;
  peers.send(address, std::move(request), std::make_unique<DrainAnswer>(done),
             [done](Lost, const std::string& why, const HttpRequest&, const auto&) {
               done(Error{.code = ErrorCode::kUnavailable, .message = why});
             });
}

}  // namespace tilth
