// An HTTP/1.1 server over TCP for an implementation of the port HttpHandler.

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "events/values/result.h"
#include "infra/http/server_options.h"

namespace tilth {

struct Listening;

// Responses are sent in the order of the connection's requests, and never on another connection.
// Threads: one accepts, options.workers serve; the functions here may be called from any other
// thread. Nothing survives a crash.
class HttpServer {
 public:
  // Listens and serves; `handler` must outlive the server, responders may outlive it. kUnavailable,
  // with one plain sentence: the host is unknown or the port cannot be bound.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, HttpHandler& handler);

  // Closes the connections that are still open.
  ~HttpServer();

  // What clients connect to: "127.0.0.1:40123", "[::1]:40123".
  std::string address() const;

  // Stops accepting clients, lets requests in flight complete with Connection: close, tells streams
  // to stop, waits until every client is gone or the time is over, and closes the rest.
  void drain(std::chrono::milliseconds at_most);

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  static std::unique_ptr<HttpServer> serve(Listening listening, ServerOptions options,
                                           HttpHandler& handler);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
