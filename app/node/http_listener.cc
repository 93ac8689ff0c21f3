#include "app/node/http_listener.h"

#include <utility>

namespace tilth {

Result<std::unique_ptr<HttpListener>> HttpListener::open(ServerOptions options,
                                                         Dispatcher::Parts parts,
                                                         std::vector<Route> routes) {
  std::unique_ptr<HttpListener> listener(new HttpListener(std::move(parts), std::move(routes)));
  auto started = HttpServer::start(std::move(options), listener->dispatcher_);
  if (!started) return started.error();
  listener->server_ = std::move(*started);
  return listener;
}

}  // namespace tilth
