// One port that serves HTTP: its routes, the checks before them, and the server.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/platform/dispatcher.h"
#include "events/values/result.h"
#include "infra/http/server.h"

namespace tilth {

// Threads: one opens, drains and closes it; it has the server's own.
class HttpListener {
 public:
  // Listens, and answers 503 until set_ready(). What `parts` and `routes` borrow outlives it.
  // Errors: HttpServer::start()'s.
  static Result<std::unique_ptr<HttpListener>> open(ServerOptions options, Dispatcher::Parts parts,
                                                    std::vector<Route> routes);

  void set_ready() { dispatcher_.set_ready(true); }
  std::string address() const { return server_->address(); }

  // No new connections; requests in flight are answered, for so long.
  void drain(std::chrono::milliseconds at_most) {
    if (server_) server_->drain(at_most);
  }
  // Cuts what is still open.
  void close() { server_.reset(); }

 private:
  HttpListener(Dispatcher::Parts parts, std::vector<Route> routes)
      : dispatcher_(std::move(parts), std::move(routes)) {}

  Dispatcher dispatcher_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace tilth
