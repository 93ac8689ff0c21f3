#include "infra/http/server.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <pistache/reactor.h>
#include <sys/socket.h>

#include "infra/http/acceptor.h"
#include "infra/http/response_head.h"
#include "infra/http/worker.h"

namespace tilth {
namespace {

// Connections beyond a limit for which the workers may make room. Later ones get a 503 at once.
constexpr std::int64_t kInExcess = 64;
constexpr std::string_view kFull = "The server has reached its limit of connections.";

}  // namespace

struct HttpServer::Parts {
  std::string address;
  std::shared_ptr<Worker::Shared> shared;
  std::shared_ptr<Pistache::Aio::Reactor> reactor;
  std::vector<std::shared_ptr<Worker>> workers;
  std::size_t next_worker = 0;  // used by the acceptor
  std::optional<Acceptor> acceptor;

  void hand_over(Descriptor socket, std::string peer, const std::string& counted_for) {
    const auto& options = shared->options;
    shared->open.wait_for_workers(kInExcess);
    auto [group, open] = shared->open.add(counted_for);
    const bool limited = !options.is_shared_address || !options.is_shared_address(peer);
    const auto over = open - static_cast<std::int64_t>(options.max_connections);
    const auto over_of_address =
        limited ? group->open - static_cast<std::int64_t>(options.max_connections_per_address) : 0;
    if (over > kInExcess || over_of_address > kInExcess) {
      shared->open.received();
      shared->open.remove(*group);
      return turn_away(socket, std::move(peer));
    }
    NewClient client{.socket = std::move(socket),
                     .peer = std::move(peer),
                     .group = std::move(group),
                     .server_full = over > 0,
                     .address_full = over_of_address > 0};
    workers[next_worker++ % workers.size()]->mailbox()->post({.content = std::move(client)});
  }

  // Without waiting for the client: it has most likely sent nothing yet, so that it can read this.
  void turn_away(const Descriptor& socket, std::string peer) const {
    shared->options.on_turned_away();
    HttpRequest refused;
    refused.peer = std::move(peer);
    const auto response = shared->handler.refuse(503, kFull, refused);
    std::string text;
    append_head(text, response, {.keep_alive = false}, Framing::kLength);
    text += response.body;
    ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(socket.get(), SHUT_WR);
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
  for (const auto& worker : parts->workers) parts->shared->mailboxes.push_back(worker->mailbox());
  parts->reactor->run();
  parts->acceptor.emplace(
      std::move(listening.socket),
      [parts = parts.get()](Descriptor client, std::string peer, const std::string& address) {
        parts->hand_over(std::move(client), std::move(peer), address);
      },
      parts->shared->options.log);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpServer::~HttpServer() { parts_->stop(); }

std::string HttpServer::address() const { return parts_->address; }

void HttpServer::drain(std::chrono::milliseconds at_most) {
  parts_->acceptor.reset();
  for (const auto& worker : parts_->workers) worker->mailbox()->post({.content = DrainBegins{}});
  parts_->shared->open.wait_for_none(at_most);
  parts_->stop();
}

}  // namespace tilth
