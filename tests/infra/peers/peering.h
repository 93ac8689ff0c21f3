// Two nodes: one that forwards requests, and one whose handler a test controls.

#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "infra/peers/peer_client.h"
#include "infra/peers/peer_server.h"
#include "infra/system/clock.h"
#include "infra/system/descriptor.h"
#include "infra/system/whole_file.h"
#include "tests/fixtures/set_time.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/infra/http/serving.h"

namespace tilth {

// What became of a request that was forwarded.
class Outcome {
 public:
  struct State {
    std::optional<HttpResponse> response;  // a stream's: its head
    std::string pieces;
    bool streamed = false, ended = false, cut = false;
    std::optional<Lost> lost;
    std::string why;
    HttpRequest given_back;
    bool has_responder = false;
    int outcomes = 0;  // one is right
  };

  bool becomes(const std::function<bool(const State&)>& expected) {
    return state.becomes(expected);
  }
  HttpResponse response() {
    EXPECT_TRUE(becomes([](const auto& now) { return now.response || now.lost; }));
    HttpResponse response{0};
    state.change([&](auto& now) {
      if (now.response) response = *now.response;
      if (now.lost) response.body = now.why;
    });
    return response;
  }
  std::optional<Lost> lost() {
    EXPECT_TRUE(becomes([](const auto& now) { return now.response || now.lost; }));
    std::optional<Lost> lost;
    state.change([&](auto& now) { lost = now.lost; });
    return lost;
  }
  std::string why() {
    std::string why;
    state.change([&](auto& now) { why = now.why; });
    return why;
  }
  // As much more of a stream as its client now takes.
  void take(std::size_t bytes) {
    room += static_cast<std::int64_t>(bytes);
    tell_moved();
  }
  void tell_moved() {
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex);
      tell = moved;
    }
    if (tell) tell();
  }

  Watched<State> state;
  std::atomic<bool> gone = false;  // the client
  std::atomic<std::int64_t> room = std::int64_t{1} << 40;
  std::mutex mutex;
  std::function<void()> moved;
};

class OutcomeResponder final : public Responder {
 public:
  explicit OutcomeResponder(std::shared_ptr<Outcome> outcome) : outcome_(std::move(outcome)) {}

  void respond(HttpResponse response) override {
    outcome_->state.change([&](auto& now) {
      now.response = std::move(response);
      ++now.outcomes;
    });
  }
  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    outcome_->state.change([&](auto& now) {
      now.response = std::move(head);
      now.streamed = true;
      ++now.outcomes;
    });
    return std::make_unique<Stream>(outcome_);
  }
  bool abandoned() const override { return outcome_->gone; }

 private:
  class Stream final : public BodyStream {
   public:
    explicit Stream(std::shared_ptr<Outcome> outcome) : outcome_(std::move(outcome)) {}
    ~Stream() override {
      if (!ended_) outcome_->state.change([](auto& now) { now.cut = true; });
    }
    bool write(std::string piece) override {
      outcome_->room -= static_cast<std::int64_t>(piece.size());
      outcome_->state.change([&](auto& now) { now.pieces += piece; });
      return !outcome_->gone;
    }
    bool closed() const override { return outcome_->gone; }
    bool has_room() const override { return outcome_->room > 0; }
    void on_room(std::function<void()> moved) override {
      const std::lock_guard lock(outcome_->mutex);
      outcome_->moved = std::move(moved);
    }
    void end() override {
      ended_ = true;
      outcome_->state.change([](auto& now) { now.ended = true; });
    }

   private:
    const std::shared_ptr<Outcome> outcome_;
    bool ended_ = false;
  };

  const std::shared_ptr<Outcome> outcome_;
};

// Metrics by name and labels: "tilth_peer_requests_total server" is 3.
class ListedSamples final : public Samples {
 public:
  void gauge(std::string_view name, std::string_view, MetricLabels labels, double value) override {
    std::string text(name);
    for (const auto& [label, of] : labels) text += " " + of;
    values[text] = value;
  }
  void counter(std::string_view name, std::string_view help, MetricLabels labels,
               double value) override {
    gauge(name, help, std::move(labels), value);
  }
  std::map<std::string, double> values;
};

class Peering : public ::testing::Test {
 protected:
  static constexpr std::string_view kSecret = "a secret of 16 characters and more";

  PeerServer::Parts server_parts() {
    return {.at = {"127.0.0.1", 0},
            .secret = secret,
            .cluster = "farms",
            .node = "b",
            .handler = handler,
            .log_lines = lines,
            .spool_directory = directory.path(),
            .steady = [this] { return time.now(); }};
  }
  PeerClient::Parts client_parts() {
    return {
        .secret = secret, .cluster = "farms", .node = "a", .log_lines = lines, .steady = [this] {
          return time.now();
        }};
  }
  void start() { start(server_parts(), client_parts()); }
  void start(PeerServer::Parts of_server, PeerClient::Parts of_client) {
    auto started = PeerServer::start(std::move(of_server));
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
    address = server->address();
    client = std::make_unique<PeerClient>(std::move(of_client));
  }
  void TearDown() override {
    if (client) client->stop();
    if (server) server->stop();
  }

  static HttpRequest get(std::string path) { return of("GET", std::move(path), ""); }
  static HttpRequest put(std::string path, std::string body) {
    return of("PUT", std::move(path), std::move(body));
  }
  static HttpRequest of(std::string method, std::string path, std::string body) {
    HttpRequest request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.body = std::move(body);
    return request;
  }

  std::shared_ptr<Outcome> send(HttpRequest request) {
    return send(std::move(request), std::make_shared<Outcome>());
  }
  std::shared_ptr<Outcome> send(HttpRequest request, std::shared_ptr<Outcome> outcome) {
    client->send(address, std::move(request), std::make_unique<OutcomeResponder>(outcome),
                 [outcome](Lost lost, std::string why, HttpRequest given_back,
                           std::unique_ptr<Responder> to) {
                   outcome->state.change([&](auto& now) {
                     now.lost = lost;
                     now.why = std::move(why);
                     now.given_back = std::move(given_back);
                     now.has_responder = to != nullptr;
                     ++now.outcomes;
                   });
                 });
    return outcome;
  }
  // A request that has arrived and was not answered.
  Asked asked() { return handler.next_later(); }

  double server_metric(const std::string& name) {
    ListedSamples samples;
    server->report(samples);
    return samples.values.at("tilth_peer_" + name);
  }
  double client_metric(const std::string& name) {
    ListedSamples samples;
    client->report(samples);
    return samples.values.at("tilth_peer_" + name);
  }
  // Lets that time pass in steps that both nodes notice.
  void pass_until(const std::function<bool()>& holds) {
    testing::wait_until([&] {
      if (holds()) return true;
      time.pass(std::chrono::milliseconds(100));
      return false;
    });
  }
  std::string logged() const { return read_whole_file(directory.path() / "log")->value(); }

  testing::TemporaryDirectory directory;
  testing::SetTime time;
  SystemClock clock;
  Descriptor log{::open((directory.path() / "log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600)};
  LogLines lines{clock, log.get(), LogLines::Form::kText, LogLevel::kInfo};
  PeerSecret secret{kSecret};
  PlayedHandler handler;
  std::unique_ptr<PeerServer> server;
  std::unique_ptr<PeerClient> client;
  std::string address;
};

}  // namespace tilth
