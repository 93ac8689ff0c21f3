// A request that this node has forwarded to another one, until its answer has come back.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/http/http.h"
#include "infra/peers/lost_request.h"

namespace tilth {

// Threads: that which sends it, then the client's.
struct ForwardedRequest {
  HttpRequest request;
  std::unique_ptr<Responder> to;
  OnLost lost;
  std::uint64_t place = 0;  // see PeerLink::send()
  bool body_begun = false;  // its file was read from
  // What the other node allowed of its body before this one had begun to send it.
  std::uint64_t allowed_early = 0;

  // Of the answer.
  std::optional<HttpResponse> response;  // whole, as far as it has come
  std::uint64_t left = 0;                // of its body
  std::unique_ptr<BodyStream> stream;
  std::string held;  // pieces for which the stream has no room
  enum class End : std::uint8_t { kNotYet, kEnded, kCut } end = End::kNotYet;
  std::uint64_t taken = 0;  // since more was allowed

  // Whether the client waits for no answer.
  bool abandoned() const { return stream ? stream->closed() : to->abandoned(); }
};

}  // namespace tilth
