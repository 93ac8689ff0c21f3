// HTTP as data. The API handles requests without knowing about sockets; a server in infra/http
// carries requests and responses over the wire.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {

// A body stored in a file, since it may not fit in memory. Read it once, from one thread.
class LargeBody {
 public:
  virtual ~LargeBody() = default;
  // Reads the next bytes, at most `size`; 0 at the end, -1 if the disk fails.
  virtual std::ptrdiff_t read(char* to, std::size_t size) = 0;
};

using HttpHeader = std::pair<std::string, std::string>;

// One request as received. Header names are in lower case, values are trimmed, in the order sent;
// nothing is percent-decoded. HEAD arrives as HEAD.
struct HttpRequest {
  std::string method;
  std::string path;   // up to '?', as sent: "/api/v1/farms/a%20b"
  std::string query;  // after '?', as sent; empty if there is none
  std::vector<HttpHeader> headers;
  std::string body;
  bool body_too_large = false;  // it exceeded the server's limit and was discarded
  std::string peer;             // the address that connected, without port: "127.0.0.1" or "::1"
  std::shared_ptr<LargeBody> large_body = {};  // instead of `body`, if the server has such files
  bool body_unread = false;  // BodyUse::kUnread: there is a body, and it was not read
  std::shared_ptr<const void> body_memory = {};  // the body's part of the server's memory budget

  // The first header with that (lower-case) name; null if there is none.
  const std::string* header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  // Whether there are several headers with that (lower-case) name.
  bool repeats(std::string_view name) const {
    return std::count_if(headers.begin(), headers.end(),
                         [&](const auto& header) { return header.first == name; }) > 1;
  }

  // All headers with that name as one list; null if there is none.
  std::optional<std::string> joined(std::string_view name) const {
    std::optional<std::string> all;
    for (const auto& [key, value] : headers) {
      if (key == name) all = all ? *all + ", " + value : value;
    }
    return all;
  }
};

// Bytes that many responses send, such as a page; the server never copies them.
struct SharedBytes {
  std::string_view bytes = {};
  std::shared_ptr<const void> owner = {};  // null: they are part of the program
};

// The server adds Content-Length, Date and Connection, and omits the body of a response to HEAD, of
// a 204 and of a 304.
struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  SharedBytes shared_body = {};  // sent if `body` is empty

  // The first header with that name, spelled so; null if there is none.
  const std::string* header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  std::size_t body_size() const { return body.empty() ? shared_body.bytes.size() : body.size(); }
};

// A body written in pieces (chunked). Threads: one writer, never a server thread unless there is
// room, since write() may wait for the client. Destroying it without end() closes the connection,
// so that the client sees the truncation.
class BodyStream {
 public:
  virtual ~BodyStream() = default;

  // Queues a piece; waits while more than about a megabyte is unsent. Returns false once the client
  // is gone or the server stops; then stop writing.
  virtual bool write(std::string piece) = 0;

  // True once the client is gone or the server stops. For writers that have nothing to write.
  virtual bool closed() const = 0;

  // Whether the next write() does not wait.
  virtual bool has_room() const { return true; }

  // Calls `moved` whenever has_room() or closed() may have become true, on any thread, perhaps once
  // more after this is destroyed. It must not block. Set it once, before the first write().
  virtual void on_room(std::function<void()> /*moved*/) {}

  virtual void end() = 0;
};

// Sends the response to one request: call one of the two, once, from any thread, at any time. If
// the client is gone by then, the response is dropped and never reaches another client. Destroying
// it without a response sends 500 and logs that.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void respond(HttpResponse response) = 0;
  virtual std::unique_ptr<BodyStream> stream(HttpResponse head) = 0;

  // Whether the client has closed the connection, or its sending side, so that expensive work for
  // this response can stop. From any thread, before the response is sent.
  virtual bool abandoned() const { return false; }

  // Asks for the memory that a body of that size takes until it is sent, on account of `account`
  // (empty: the peer). False: there is none at the moment; respond with a short 503 instead. A
  // response that was not announced is sent anyway.
  virtual bool reserve(std::size_t /*body_bytes*/, std::string_view /*account*/) { return true; }

  // The client has shown valid credentials of `account`: when the server is full, its connection is
  // among the last to be closed, and its account has its own share of the server's threads. Call it
  // before responding.
  virtual void vouch(std::string_view /*account*/) {}
};

// What to do with a body that has not arrived.
enum class BodyUse : std::uint8_t {
  kMemory,   // read it into `body`
  kFile,     // read it into `large_body`, if the server has such files: it may be large
  kDiscard,  // read it and drop it: only its size matters
  kUnread,   // the response depends on the head alone: read neither the body nor anything after it
};

struct BodyPlan {
  BodyUse use = BodyUse::kMemory;
  std::string account = {};    // whose memory it takes; empty: the peer's
  bool vouched = false;        // the head shows valid credentials: see Responder::vouch()
  std::size_t most_bytes = 0;  // if more than the server's limit, the limit of a body in memory
};

// Port: what a server serves. Threads: called from several at once; must not block, since other
// clients of that thread would wait.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void handle(HttpRequest request, std::unique_ptr<Responder> responder) = 0;

  // What to do with the body of that request, which has not arrived. For kUnread the handler gets
  // the request with `body_unread`. Counts nothing: the request itself follows.
  virtual BodyPlan plan_body(const HttpRequest&) const { return {}; }

  // The response when the server itself refuses: 400, 408, 414, 417 or 431 to bytes that are not a
  // request, 503 when it is full, 500 for a responder destroyed without a response. The server
  // sends all but the 500 with Connection: close. `reason` is one plain sentence; `request` has the
  // peer and the headers that could be read.
  virtual HttpResponse refuse(int status, std::string_view reason, const HttpRequest& request) = 0;
};

}  // namespace tilth
