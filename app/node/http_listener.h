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

// Threads: one opens, drains and closes it; the server has its own.
class HttpListener {
 public:
  // Listens, and sends 503 until set_ready(). What `parts` and `routes` borrow must outlive it.
  // Errors: HttpServer::start()'s.
  static Result<std::unique_ptr<HttpListener>> open(ServerOptions options, Dispatcher::Parts parts,
                                                    std::vector<Route> routes);

  void set_ready() { dispatcher_.set_ready(true); }
  Dispatcher& dispatcher() { return dispatcher_; }
  std::string address() const { return server_->address(); }

  // Accepts no new connections; requests in flight get their responses, within that time.
  void drain(std::chrono::milliseconds at_most) {
    if (server_) server_->drain(at_most);
  }
  // Closes the remaining connections.
  void close() { server_.reset(); }

 private:
  HttpListener(Dispatcher::Parts parts, std::vector<Route> routes)
      : dispatcher_(std::move(parts), std::move(routes)) {}

  Dispatcher dispatcher_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace tilth
