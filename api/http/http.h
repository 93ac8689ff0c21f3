// HTTP as data. The API answers requests without knowing a socket; a server in infra/http carries
// both over the wire.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilth {

// A body that lies in a file, since it may be too large for memory. To be read once, by one thread.
class LargeBody {
 public:
  virtual ~LargeBody() = default;
  // Reads up to `size` bytes of what comes next; 0 at the end, -1 where the disk fails.
  virtual std::ptrdiff_t read(char* to, std::size_t size) = 0;
};

using HttpHeader = std::pair<std::string, std::string>;

// One request as it was received. Header names are in lower case, values without surrounding
// blanks, in the order sent; nothing is percent-decoded. HEAD arrives as HEAD.
struct HttpRequest {
  std::string method;
  std::string path;   // up to '?', as sent: "/api/v1/farms/a%20b"
  std::string query;  // after '?', as sent; empty without one
  std::vector<HttpHeader> headers;
  std::string body;
  bool body_too_large = false;  // it exceeded the server's limit and was not kept
  std::string peer;             // the address that connected, without port: "127.0.0.1" or "::1"
  std::shared_ptr<LargeBody> large_body = {};  // in place of `body`, where the server keeps such

  // The first header of that (lower-case) name; null if there is none.
  const std::string* header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return &value;
    }
    return nullptr;
  }

  // Whether there are several headers of that (lower-case) name.
  bool repeats(std::string_view name) const {
    return std::count_if(headers.begin(), headers.end(),
                         [&](const auto& header) { return header.first == name; }) > 1;
  }

  // All headers of that name as one list; null if there is none.
  std::optional<std::string> joined(std::string_view name) const {
    std::optional<std::string> all;
    for (const auto& [key, value] : headers) {
      if (key == name) all = all ? *all + ", " + value : value;
    }
    return all;
  }
};

// The server adds Content-Length, Date and Connection, and leaves out the body of an answer to
// HEAD, of a 204 and of a 304.
struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

// A body that is written piece by piece (chunked). Threads: one writer, and not one of the server's
// own, since write() may wait for the client. Destroying it without end() cuts the connection, so
// that the client can tell.
class BodyStream {
 public:
  virtual ~BodyStream() = default;

  // Queues a piece; waits while more than about a megabyte is unsent. False once the client is gone
  // or the server stops: write no more.
  virtual bool write(std::string piece) = 0;

  // True once the client is gone or the server stops. For writers that have nothing to write.
  virtual bool closed() const = 0;

  virtual void end() = 0;
};

// Where the answer to one request goes: call one of the two, once, from any thread, at any time. If
// the client is gone by then the answer goes nowhere, and never to another client. Destroying it
// unanswered answers 500 and says so in the log.
class Responder {
 public:
  virtual ~Responder() = default;
  virtual void respond(HttpResponse response) = 0;
  virtual std::unique_ptr<BodyStream> stream(HttpResponse head) = 0;
};

// Port: what a server serves. Threads: called from several at once; must not wait, since other
// clients of that thread would wait with it.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void handle(HttpRequest request, std::unique_ptr<Responder> responder) = 0;

  // Whether that request, which has no body yet, is answered from its head alone, as one is that
  // shows no token. Then its body is not read, nor anything after it on that connection.
  virtual bool answers_from_head(const HttpRequest&) const { return false; }

  // Whether the body of that request, which has none yet, may be large and goes to a file: to
  // HttpRequest::large_body, unless the server keeps none.
  virtual bool takes_large_body(const HttpRequest&) const { return false; }

  // What to say when the server itself must say no: 400, 408, 414, 417 or 431 to bytes
  // that are no request, 503 when it is full, 500 for a responder that died. But for the 500 the
  // server sends it with Connection: close. `reason` is one plain sentence; `heard` has who
  // connected and, as far as they could be told, the headers that came with those bytes.
  virtual HttpResponse refuse(int status, std::string_view reason, const HttpRequest& heard) = 0;
};

}  // namespace tilth
