// What nodes say to each other on one connection: requests, responses, pieces of their bodies, and
// what keeps them flowing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/http/http.h"

namespace tilth {

// Numbers of one connection's requests rise and are never used again. A view is into the bytes that
// were read.
namespace peer_frames {

// A record of the channel holds whole frames only. A head and what comes with it fit in one.
inline constexpr std::size_t kMostFrame = std::size_t{60} << 10;
inline constexpr std::size_t kMostPiece = std::size_t{24} << 10;
// How much of one body is under way unless it was allowed more. A body in a file waits until the
// other side has allowed some: while it is unread, the request can be sent elsewhere.
inline constexpr std::size_t kWindow = std::size_t{256} << 10;

struct Request {
  std::uint64_t id = 0;
  HttpRequest head;      // without body
  bool in_file = false;  // its body may not fit in memory: it follows in pieces up to an End
  std::uint64_t body_bytes = 0;
  std::string_view body = {};  // the beginning; the rest follows in pieces
};
struct Response {
  std::uint64_t id = 0;
  HttpResponse head;      // without body
  bool streamed = false;  // its body follows in pieces up to an End or a Cut
  std::uint64_t body_bytes = 0;
  std::string_view body = {};
};
struct Piece {
  std::uint64_t id = 0;
  std::string_view bytes = {};
};
struct Credit {  // so many more bytes of that body may be sent
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
};
struct Cancel {  // the client is gone: no response is needed
  std::uint64_t id = 0;
};
struct End {  // of a streamed body
  std::uint64_t id = 0;
};
struct Cut {  // a streamed body breaks off
  std::uint64_t id = 0;
};
struct NotTaken {  // the request was not carried out and will not be
  std::uint64_t id = 0;
};
struct Heartbeat {};
struct Draining {};  // requests from now on are not taken
struct Closing {};   // all that were taken have been answered
using Frame = std::variant<Request, Response, Piece, Credit, Cancel, End, Cut, NotTaken, Heartbeat,
                           Draining, Closing>;

void append(std::string& to, const Frame& frame);

// A response whose head is `head`, body apart.
void append_response(std::string& to, std::uint64_t id, const HttpResponse& head, bool streamed,
                     std::uint64_t body_bytes, std::string_view body);
void append_request(std::string& to, std::uint64_t id, const HttpRequest& head, bool in_file,
                    std::uint64_t body_bytes, std::string_view body);

// Takes the next frame from `bytes`, which are not empty. Nullopt: no node sends that.
std::optional<Frame> next(std::string_view& bytes);

}  // namespace peer_frames
}  // namespace tilth
