// A running server with a handler that a test controls.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "infra/http/server.h"

namespace tilth {

// A value that other threads change and a test waits for.
template <class T>
class Watched {
 public:
  void change(const std::function<void(T&)>& change) {
    const std::lock_guard lock(mutex_);
    change(value_);
    changed_.notify_all();
  }

  bool becomes(const std::function<bool(const T&)>& expected) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return expected(value_); });
  }

  T take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(value_, T());
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

struct Asked {
  HttpRequest request;
  std::unique_ptr<Responder> responder;
};

// Echoes the request, except for paths that begin with "/later": those requests wait in `later`.
class PlayedHandler final : public HttpHandler {
 public:
  void handle(HttpRequest request, std::unique_ptr<Responder> responder) override {
    if (request.path.starts_with("/later")) {
      later.change([&](auto& asked) {
        asked.push_back({std::move(request), std::move(responder)});
      });
    } else if (play && play(request, responder)) {
      return;
    } else {
      responder->respond(echo(request));
    }
  }

  BodyPlan plan_body(const HttpRequest& head) const override {
    if (head.path == "/large") return {BodyUse::kFile};
    if (head.path == "/closed") return {BodyUse::kUnread};
    if (head.path == "/dropped") return {BodyUse::kDiscard};
    return {BodyUse::kMemory, head.header("account") ? *head.header("account") : ""};
  }

  HttpResponse refuse(int status, std::string_view reason, const HttpRequest&) override {
    return {status, {{"Content-Type", "text/plain"}}, std::string(reason)};
  }

  static HttpResponse echo(const HttpRequest& request) {
    const std::string too_large = request.body_too_large ? " too large" : "";
    return {200, {}, request.method + " " + request.path + " " + request.body + too_large};
  }

  // The oldest request that waits for a path under "/later"; waits until there is one.
  Asked next_later() {
    if (!later.becomes([](const auto& asked) { return !asked.empty(); })) return {};
    Asked first;
    later.change([&](auto& asked) {
      first = std::move(asked.front());
      asked.pop_front();
    });
    return first;
  }

  Watched<std::deque<Asked>> later;
  // A test's own responses; false leaves the request to the echo.
  std::function<bool(HttpRequest&, std::unique_ptr<Responder>&)> play;
};

class Serving : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.on_connections = [this](std::int64_t open) {
      connections.change([&](auto& value) { value = open; });
    };
    options.on_protocol_error = [this](int status) {
      refusals.change([&](auto& all) { all.push_back(status); });
    };
    options.log = [this](std::string_view line) {
      log.change([&](auto& lines) { lines.emplace_back(line); });
    };
    auto started = HttpServer::start(std::move(options), handler);
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }

  bool connections_become(std::int64_t count) {
    return connections.becomes([&](std::int64_t open) { return open == count; });
  }

  static std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  Watched<std::int64_t> connections;
  Watched<std::vector<int>> refusals;
  Watched<std::vector<std::string>> log;
  PlayedHandler handler;
  std::unique_ptr<HttpServer> server;
};

}  // namespace tilth
