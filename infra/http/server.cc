#include "infra/http/server.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <pistache/reactor.h>

#include "infra/http/acceptor.h"
#include "infra/http/worker.h"

namespace tilth {
namespace {

// Beyond the limit this many clients at a time get a 503; the others are closed at once.
constexpr std::int64_t kTurnedAwayPolitely = 64;

}  // namespace

struct HttpServer::Parts {
  std::string address;
  std::shared_ptr<Worker::Shared> shared;
  std::shared_ptr<Pistache::Aio::Reactor> reactor;
  std::vector<std::shared_ptr<Worker>> workers;
  std::size_t next_worker = 0;  // used by the acceptor
  std::optional<Acceptor> acceptor;

  void hand_over(NewClient client) {
    const auto cap = static_cast<std::int64_t>(shared->options.max_connections);
    const auto open = shared->open.add(1);
    if (open > cap + kTurnedAwayPolitely) {
      shared->open.add(-1);
      return;
    }
    client.welcome = open <= cap;
    workers[next_worker++ % workers.size()]->mailbox().post({.content = std::move(client)});
  }

  // Ends the workers' threads and with them the connections.
  void stop() {
    acceptor.reset();
    if (reactor == nullptr) return;
    reactor->shutdown();
    workers.clear();
    reactor.reset();
  }
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options, HttpHandler& handler) {
  auto listening = listen_on(options.host, options.port);
  if (!listening) return listening.error();
  try {
    return serve(std::move(*listening), std::move(options), handler);
  } catch (const std::exception& error) {  // out of threads or descriptors
    return Error{ErrorCode::kUnavailable, "Cannot serve: " + std::string(error.what()) + "."};
  }
}

std::unique_ptr<HttpServer> HttpServer::serve(Listening listening, ServerOptions options,
                                              HttpHandler& handler) {
  auto parts = std::make_unique<Parts>();
  parts->address = std::move(listening.address);
  const auto workers = static_cast<std::size_t>(std::max(options.workers, 1));
  auto on_connections = options.on_connections;
  parts->shared.reset(
      new Worker::Shared{std::move(options), handler, OpenConnections(std::move(on_connections))});
  parts->reactor = Pistache::Aio::Reactor::create();
  parts->reactor->init(Pistache::Aio::AsyncContext(workers, "http"));
  const auto key = parts->reactor->addHandler(std::make_shared<Worker>(parts->shared));
  for (const auto& worker : parts->reactor->handlers(key)) {
    parts->workers.push_back(std::static_pointer_cast<Worker>(worker));
  }
  parts->reactor->run();
  parts->acceptor.emplace(
      std::move(listening.socket),
      [parts = parts.get()](NewClient client) { parts->hand_over(std::move(client)); },
      parts->shared->options.log);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() { parts_->stop(); }

std::string HttpServer::address() const { return parts_->address; }

void HttpServer::drain(std::chrono::milliseconds at_most) {
  parts_->acceptor.reset();
  for (const auto& worker : parts_->workers) worker->mailbox().post({.content = DrainBegins{}});
  parts_->shared->open.wait_for_none(at_most);
  parts_->stop();
}

}  // namespace tilth
