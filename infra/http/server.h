// Carries HTTP/1.1 over TCP for anyone who serves the port HttpHandler.

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "events/values/result.h"
#include "infra/http/server_options.h"

namespace tilth {

struct Listening;

// Answers leave each connection in the order of its requests, and never another connection.
// Threads: one accepts, options.workers serve; the functions here may be called from any thread
// that is not one of these. Nothing survives a crash.
class HttpServer {
 public:
  // Listens and serves; `handler` must outlive the server, responders need not die before it.
  // kUnavailable when the host is unknown or the port cannot be had: one plain sentence.
  static Result<std::unique_ptr<HttpServer>> start(ServerOptions options, HttpHandler& handler);

  // Cuts what is still open.
  ~HttpServer();

  // What clients connect to: "127.0.0.1:40123", "[::1]:40123".
  std::string address() const;

  // Accepts no one any more, lets requests in flight be answered with Connection: close, tells
  // streams to stop, and returns when every client is gone or the time is over; then cuts the rest.
  void drain(std::chrono::milliseconds at_most);

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  static std::unique_ptr<HttpServer> serve(Listening listening, ServerOptions options,
                                           HttpHandler& handler);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tilth
