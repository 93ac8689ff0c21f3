// Measures what it costs to forward a request from one node to another: both nodes in this process,
// a handler that answers at once.
//
//   peer_client_bench [requests [in-flight [answer-bytes]]]

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "infra/peers/peer_client.h"
#include "infra/peers/peer_server.h"
#include "infra/system/clock.h"

namespace {

using Steady = std::chrono::steady_clock;

class FixedAnswer final : public tilth::HttpHandler {
 public:
  explicit FixedAnswer(std::size_t bytes)
      : answer_{200,
                {{"Content-Type", "application/json"}, {"ETag", "\"1\""}},
                std::string(bytes, 'a')} {}

  void handle(tilth::HttpRequest, std::unique_ptr<tilth::Responder> responder) override {
    responder->respond(answer_);
  }
  tilth::HttpResponse refuse(int status, std::string_view, const tilth::HttpRequest&) override {
    return {status};
  }

 private:
  const tilth::HttpResponse answer_;
};

// One thread of clients, each of which sends the next request once the last is answered.
class Clients {
 public:
  Clients(tilth::PeerClient& client, std::string address, int requests)
      : client_(client), address_(std::move(address)), left_(requests), unanswered_(requests) {}

  void run(int in_flight) {
    for (int each = 0; each < in_flight; ++each) send();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return unanswered_ == 0; });
  }
  std::vector<std::int64_t>& took_ns() { return took_ns_; }

 private:
  class Answered final : public tilth::Responder {
   public:
    explicit Answered(Clients& clients) : clients_(clients) {}
    void respond(tilth::HttpResponse) override { clients_.answered(Steady::now() - begun_); }
    std::unique_ptr<tilth::BodyStream> stream(tilth::HttpResponse) override { std::abort(); }

   private:
    Clients& clients_;
    const Steady::time_point begun_ = Steady::now();
  };

  void send() {
    {
      const std::lock_guard lock(mutex_);
      if (left_-- <= 0) return;
    }
    tilth::HttpRequest request;
    request.method = "GET";
    request.path = "/api/v1/farms/0197a0c2-7d5e-7c3a-8f6e-6a0f5a0d0a01/fields";
    request.headers = {{"host", "farms.example"},
                       {"authorization", "Bearer tilth_0123456789abcdef0123456789abcdef"},
                       {"accept", "application/json"}};
    request.peer = "192.0.2.1";
    client_.send(address_, std::move(request), std::make_unique<Answered>(*this),
                 [](tilth::Lost, const std::string& why, tilth::HttpRequest,
                    std::unique_ptr<tilth::Responder>) {
                   std::fprintf(stderr, "%s\n", why.c_str());
                   std::abort();
                 });
  }

  void answered(Steady::duration took) {
    {
      const std::lock_guard lock(mutex_);
      took_ns_.push_back(std::chrono::nanoseconds(took).count());
      if (--unanswered_ == 0) ended_.notify_all();
    }
    send();
  }

  tilth::PeerClient& client_;
  const std::string address_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int left_;
  int unanswered_;
  std::vector<std::int64_t> took_ns_;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) {
    return argc > at ? std::atoi(argv[at]) : otherwise;
  };
  const int requests = number(1, 100'000);
  const int in_flight = number(2, 1);
  FixedAnswer handler(static_cast<std::size_t>(number(3, 600)));
  tilth::SystemClock clock;
  tilth::LogLines lines(clock, STDERR_FILENO, tilth::LogLines::Form::kText, tilth::LogLevel::kInfo);
  const tilth::PeerSecret secret("a secret of 16 characters and more");
  const auto server = tilth::PeerServer::start({.at = {"127.0.0.1", 0},
                                                .secret = secret,
                                                .cluster = "bench",
                                                .node = "b",
                                                .handler = handler,
                                                .log_lines = lines});
  if (!server) return std::fprintf(stderr, "%s\n", server.error().message.c_str()), 1;
  tilth::PeerClient client({.secret = secret, .cluster = "bench", .node = "a", .log_lines = lines});
  Clients(client, (*server)->address(), 1'000).run(1);  // warm

  Clients clients(client, (*server)->address(), requests);
  const auto begun = Steady::now();
  const auto cpu_begun = cpu_seconds();
  clients.run(in_flight);
  const std::chrono::duration<double> took = Steady::now() - begun;
  const auto cpu = cpu_seconds() - cpu_begun;
  auto& each = clients.took_ns();
  std::sort(each.begin(), each.end());
  const auto at = [&](double share) {
    return static_cast<double>(each[static_cast<std::size_t>(share * (requests - 1))]) / 1e3;
  };
  std::printf("%d in flight: %.0f requests/s, p50 %.0f us, p99 %.0f us, %.1f us of CPU each\n",
              in_flight, requests / took.count(), at(0.5), at(0.99), cpu / requests * 1e6);
}
