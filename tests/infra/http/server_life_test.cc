// How a server starts, how many clients it takes, and how it stops.

#include <list>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class ServerLife : public Serving {
 protected:
  // Waits until no connection is accepted any more.
  bool refuses_connections() {
    for (int i = 0; i < 100'000; ++i) {
      if (!RawClient(server->address()).connected()) return true;
    }
    return false;
  }
};

TEST_F(ServerLife, SaysWhyItCannotStart) {
  start();
  EXPECT_THAT(server->address(), StartsWith("127.0.0.1:"));
  const auto port = static_cast<std::uint16_t>(
      std::atoi(server->address().c_str() + std::string("127.0.0.1:").size()));
  const auto taken = HttpServer::start({.port = port}, handler);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message,
              Eq("Cannot listen on " + server->address() + ": Address already in use."));
  const auto unknown = HttpServer::start({.host = "no.such.host.invalid"}, handler);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, StartsWith("Cannot listen on no.such.host.invalid:0: "));
}

TEST_F(ServerLife, ListensOnIpv6) {
  auto started = HttpServer::start({.host = "::1"}, handler);
  if (!started) GTEST_SKIP() << started.error().message;
  EXPECT_THAT((*started)->address(), StartsWith("[::1]:"));
}

TEST_F(ServerLife, TurnsClientsBeyondTheCapAwayWhileAllOthersAreBusy) {
  start({.max_connections = 3});
  std::list<RawClient> taken;
  for (int i = 0; i < 3; ++i) taken.emplace_back(server->address()).send(get("/later"));
  ASSERT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == 3; }));
  RawClient beyond(server->address());
  const auto answer = beyond.receive();
  EXPECT_THAT(answer.status, Eq(503));
  EXPECT_THAT(answer.header("Connection"), Eq("close"));
  EXPECT_TRUE(beyond.ends());
  beyond.reset();

  taken.back().reset();
  ASSERT_TRUE(connections_become(2));
  EXPECT_THAT(RawClient(server->address()).ask(get("/")).status, Eq(200));
  handler.later.take();  // these responders die
  EXPECT_THAT(taken.front().receive().status, Eq(500));
}

TEST_F(ServerLife, ClosesAnIdleConnectionInFavorOfANewOne) {
  handler.play = [](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path == "/known") responder->vouch("known");
    return false;
  };
  start({.workers = 1, .max_connections = 4});
  RawClient known(server->address(), 0, "127.0.0.1");
  EXPECT_THAT(known.ask(get("/known")).status, Eq(200));
  RawClient neighbor(server->address(), 0, "127.0.0.2");
  RawClient first(server->address(), 0, "127.0.0.3");
  RawClient second(server->address(), 0, "127.0.0.3");
  for (auto* each : {&neighbor, &first, &second}) EXPECT_THAT(each->ask(get("/")).status, Eq(200));

  RawClient third(server->address(), 0, "127.0.0.3");
  EXPECT_TRUE(first.ends()) << "the longest idle one of the address with the most";
  EXPECT_THAT(third.ask(get("/")).status, Eq(200));
  RawClient late(server->address(), 0, "127.0.0.4");
  EXPECT_TRUE(second.ends());
  third.send("GET / HT");  // longer in a request than the neighbor is idle
  EXPECT_THAT(late.ask(get("/")).status, Eq(200));
  RawClient later(server->address(), 0, "127.0.0.5");
  EXPECT_TRUE(neighbor.ends());
  EXPECT_THAT(later.ask(get("/known")).status, Eq(200));
  EXPECT_THAT(known.ask(get("/")).status, Eq(200))
      << "its client has shown a key, so it stays the longest";
}

TEST_F(ServerLife, LetsABurstWaitForAWorkerThatIsLate) {
  Watched<bool> released;
  handler.play = [&](const HttpRequest& request, auto&) {
    if (request.path == "/late") released.becomes([](bool now) { return now; });
    return false;
  };
  start({.workers = 1, .max_connections = 4});
  RawClient late(server->address());
  late.send(get("/late"));
  std::list<RawClient> idle;
  for (int i = 0; i < 200; ++i) idle.emplace_back(server->address());
  RawClient last(server->address());
  last.send(get("/"));
  EXPECT_TRUE(connections.becomes([](std::int64_t open) { return open > 60; }));
  released.change([](bool& now) { now = true; });
  EXPECT_THAT(late.receive().status, Eq(200));
  EXPECT_THAT(last.receive().status, Eq(200));
}

TEST_F(ServerLife, AnswersAnUnfinishedRequestThatHasToGo) {
  start({.workers = 1, .max_connections = 1});
  RawClient slow(server->address());
  slow.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  slow.send("GET / HT");
  // The server has read these bytes when a further connection is answered.
  for (int i = 0; i < 100 && !slow.hears_something(); ++i) {
    RawClient(server->address()).ask(get("/"));
  }
  EXPECT_THAT(slow.receive().status, Eq(503));
  EXPECT_TRUE(slow.ends());
}

TEST_F(ServerLife, GrantsAnAddressOnlyItsShare) {
  ServerOptions options;
  options.workers = 1;
  options.max_connections_per_address = 2;
  options.is_shared_address = [](const std::string& peer) { return peer == "127.0.0.9"; };
  start(options);
  RawClient one(server->address(), 0, "127.0.0.2");
  RawClient other(server->address(), 0, "127.0.0.2");
  one.send(get("/later"));
  const auto busy = handler.next_later();
  EXPECT_THAT(other.ask(get("/")).status, Eq(200));
  RawClient third(server->address(), 0, "127.0.0.2");
  EXPECT_TRUE(other.ends());
  third.send(get("/later"));
  const auto busy_too = handler.next_later();
  RawClient fourth(server->address(), 0, "127.0.0.2");
  EXPECT_THAT(fourth.receive().status, Eq(503)) << "all others are busy";
  std::list<RawClient> proxied;
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(proxied.emplace_back(server->address(), 0, "127.0.0.9").ask(get("/")).status,
                Eq(200));
  }
  for (auto& each : proxied) EXPECT_THAT(each.ask(get("/")).status, Eq(200));
}

TEST_F(ServerLife, GoesOnWhenDescriptorsAreThereAgain) {
  start();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{256, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  std::list<Descriptor> hoarded;
  while (hoarded.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC))) {
  }
  hoarded.resize(hoarded.size() - 2);  // one is the failed one, one is for the client
  RawClient client(server->address());
  client.send(get("/"));
  EXPECT_TRUE(log.becomes([](const auto& lines) { return !lines.empty(); }));
  hoarded.clear();
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(client.receive().status, Eq(200));
  const auto lines = log.take();
  ASSERT_THAT(lines, SizeIs(1)) << "it is logged once";
  EXPECT_THAT(lines.front(), HasSubstr("Too many open files"));
}

TEST_F(ServerLife, AnswersWhatIsInFlightBeforeItStops) {
  start();
  RawClient waiting(server->address());
  RawClient pipelining(server->address());
  RawClient sending(server->address());
  RawClient idle(server->address());
  waiting.send(get("/later/1"));
  auto first = handler.next_later();
  pipelining.send(get("/later/2") + get("/later/3"));
  auto second = handler.next_later();
  auto third = handler.next_later();
  EXPECT_THAT(idle.ask(get("/")).status, Eq(200));
  sending.ask("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  sending.send("a");

  std::jthread draining([&] { server->drain(std::chrono::seconds(20)); });
  EXPECT_TRUE(refuses_connections());
  EXPECT_TRUE(idle.ends());
  third.responder->respond({200, {}, "third"});
  second.responder->respond({200, {}, "second"});
  first.responder->respond({200, {}, "first"});
  const auto answer = waiting.receive();
  EXPECT_THAT(answer.body, Eq("first"));
  EXPECT_THAT(answer.header("Connection"), Eq("close"));
  EXPECT_TRUE(waiting.ends());
  EXPECT_THAT(pipelining.receive().body, Eq("second"));
  const auto last = pipelining.receive();
  EXPECT_THAT(last.body, Eq("third"));
  EXPECT_THAT(last.header("Connection"), Eq("close"));
  EXPECT_TRUE(pipelining.ends());
  const auto sent = sending.ask("b");
  EXPECT_THAT(sent.body, Eq("POST / ab"));
  EXPECT_THAT(sent.header("Connection"), Eq("close"));
  EXPECT_TRUE(sending.ends());
  for (auto* client : {&waiting, &pipelining, &sending, &idle}) client->reset();
  draining.join();
}

TEST_F(ServerLife, TellsStreamsToEndWhenItStops) {
  start();
  RawClient client(server->address());
  client.send(get("/later"));
  auto stream = handler.next_later().responder->stream({});
  ASSERT_TRUE(stream->write("one"));
  std::jthread draining([&] { server->drain(std::chrono::seconds(20)); });
  while (stream->write("more")) {
  }
  EXPECT_TRUE(stream->closed());
  stream->end();
  const auto answer = client.receive();
  EXPECT_THAT(answer.status, Eq(200)) << "the response is complete";
  EXPECT_THAT(answer.body, StartsWith("onemore"));
  EXPECT_TRUE(client.ends());
  client.reset();
  draining.join();
}

TEST_F(ServerLife, CutsWhatDoesNotEndInTime) {
  start();
  RawClient client(server->address());
  client.send(get("/later"));
  const auto unanswered = handler.next_later();
  server->drain(std::chrono::milliseconds(50));
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace tilth
