// No client can keep a connection beyond its deadlines.

#include <gmock/gmock.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using std::chrono::milliseconds;
using testing::Eq;

constexpr milliseconds kShort{60};

class ServerDeadlines : public Serving {};

TEST_F(ServerDeadlines, GivesUpOnHeadersThatTakeTooLong) {
  start({.header_deadline = kShort});
  RawClient client(server->address());
  EXPECT_THAT(client.ask("GET / HTTP/1.1\r\nHost: ").status, Eq(408));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerDeadlines, GivesUpOnLaterHeadersThatTakeTooLong) {
  start({.header_deadline = kShort});
  RawClient client(server->address());
  EXPECT_THAT(client.ask(get("/1")).status, Eq(200));
  EXPECT_THAT(client.ask(get("/2") + "G").status, Eq(200));
  EXPECT_THAT(client.receive().status, Eq(408));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerDeadlines, CountsHeadersFromTheirFirstByteHoweverTheyDrip) {
  start({.header_deadline = kShort});
  RawClient client(server->address());
  const std::string drip = "GET / HTTP/1.1\r\nX: " + std::string(30'000, 'x');
  std::size_t sent = 0;
  while (sent < drip.size() && !client.hears_something()) client.send(drip.substr(sent++, 1));
  EXPECT_THAT(client.receive().status, Eq(408));
}

TEST_F(ServerDeadlines, GivesUpOnABodyThatStalls) {
  start({.body_deadline = kShort});
  RawClient client(server->address());
  EXPECT_THAT(client.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc").status,
              Eq(408));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerDeadlines, GivesUpOnABodyThatStallsAfterItHasMadeProgress) {
  start({.body_deadline = kShort, .body_progress_bytes = 3});
  RawClient client(server->address());
  EXPECT_THAT(client
                  .ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                       "Expect: 100-continue\r\n\r\n")
                  .status,
              Eq(100));
  EXPECT_THAT(client.ask("abc").status, Eq(408));
}

TEST_F(ServerDeadlines, GivesUpOnABodyThatDrips) {
  start({.body_deadline = kShort, .body_progress_bytes = std::size_t{1} << 30});
  RawClient client(server->address());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  while (!client.hears_something()) client.send("x");
  EXPECT_THAT(client.receive().status, Eq(408));
}

TEST_F(ServerDeadlines, WaitsForABodyThatMakesProgress) {
  start(
      {.max_body_bytes = std::size_t{1} << 30,
       .body_deadline = milliseconds(500),  // a busy machine may leave a client waiting for a while
       .body_progress_bytes = 1,
       .idle_deadline = milliseconds(3000)});
  RawClient idle(server->address());
  RawClient client(server->address());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  // Until the other connection is closed for idleness, which takes many of this one's deadlines.
  while (!idle.hears_something()) client.send("1\r\nx\r\n");
  EXPECT_THAT(client.ask("0\r\n\r\n").status, Eq(200));
}

TEST_F(ServerDeadlines, ClosesIdleConnectionsWithoutAWord) {
  start({.idle_deadline = kShort});
  RawClient fresh(server->address());
  EXPECT_TRUE(fresh.ends());
  RawClient used(server->address());
  EXPECT_THAT(used.ask(get("/")).status, Eq(200));
  EXPECT_TRUE(used.ends());
  EXPECT_TRUE(connections_become(0));
}

TEST_F(ServerDeadlines, DoesNotCountTheHandlersTimeAsIdleness) {
  start({.header_deadline = kShort, .body_deadline = kShort, .idle_deadline = kShort});
  RawClient waiting(server->address());
  waiting.send(get("/later"));
  auto [request, responder] = handler.next_later();
  RawClient idle(server->address());
  EXPECT_TRUE(idle.ends());  // connected later, and is closed
  responder->respond({200, {}, "at last"});
  EXPECT_THAT(waiting.receive().body, Eq("at last"));
}

TEST_F(ServerDeadlines, CutsAClientThatDoesNotRead) {
  handler.play = [](HttpRequest&, std::unique_ptr<Responder>& responder) {
    responder->respond({200, {}, std::string(std::size_t{64} << 20, 'x')});
    return true;
  };
  start({.write_deadline = kShort});
  RawClient client(server->address());
  client.send(get("/"));
  EXPECT_TRUE(connections_become(1));
  EXPECT_TRUE(connections_become(0));
}

TEST_F(ServerDeadlines, DoesNotWaitForALingererForever) {
  start({.linger_deadline = kShort});
  RawClient client(server->address());
  EXPECT_THAT(client.ask("GET / HTTP/1.0\r\n\r\n").status, Eq(200));
  EXPECT_TRUE(connections_become(0));  // though the client keeps its side open
}

}  // namespace
}  // namespace tilth
