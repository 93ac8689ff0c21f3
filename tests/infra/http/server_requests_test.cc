// Clients' requests and their responses.

#include <thread>

#include <gmock/gmock.h>

#include "tests/infra/http/doubtful_requests.h"
#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

class ServerRequests : public Serving {
 protected:
  void SetUp() override { start(); }
};

TEST_F(ServerRequests, KeepsAConnectionWithoutBeingAsked) {
  RawClient client(server->address());
  for (const std::string path : {"/1", "/2", "/3"}) {
    const auto answer = client.ask(get(path));
    EXPECT_THAT(answer.body, Eq("GET " + path + " "));
    EXPECT_THAT(answer.header("Connection"), Eq(""));
    EXPECT_THAT(answer.header("Date"), testing::EndsWith(" GMT"));
  }
}

TEST_F(ServerRequests, ClosesAfterTheAnswerWhenAskedTo) {
  RawClient client(server->address());
  const auto answer =
      client.ask("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get("/2"));
  EXPECT_THAT(answer.body, Eq("GET /1 "));
  EXPECT_THAT(answer.header("Connection"), Eq("close"));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerRequests, SpeaksHttp10) {
  RawClient closing(server->address());
  EXPECT_THAT(closing.ask("GET /1 HTTP/1.0\r\n\r\n").header("Connection"), Eq("close"));
  EXPECT_TRUE(closing.ends());

  RawClient keeping(server->address());
  const std::string kept = "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_THAT(keeping.ask(kept).header("Connection"), Eq("keep-alive"));
  EXPECT_THAT(keeping.ask(kept).status, Eq(200));
}

TEST_F(ServerRequests, LeavesTheBodyOutForHeadButNotItsLength) {
  RawClient client(server->address());
  client.send("HEAD /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.receive(true).header("Content-Length"), Eq("8"));
  EXPECT_THAT(client.ask(get("/2")).body, Eq("GET /2 "));
}

TEST_F(ServerRequests, SendsNoBodyWith204And304) {
  handler.play = [](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    responder->respond({std::atoi(request.path.c_str() + 1), {{"ETag", "\"1\""}}, "no body"});
    return true;
  };
  RawClient client(server->address());
  for (const std::string status : {"204", "304"}) {
    const auto answer = client.ask(get("/" + status));
    EXPECT_THAT(answer.head, testing::StartsWith("HTTP/1.1 " + status));
    EXPECT_THAT(answer.header("ETag"), Eq("\"1\""));
    EXPECT_THAT(answer.header("Content-Length"), Eq(""));
  }
  EXPECT_THAT(client.ask(get("/200")).body, Eq("no body"));
}

TEST_F(ServerRequests, LetsNoHeaderOfAnAnswerEndEarlyOrReplaceItsOwn) {
  handler.play = [](HttpRequest&, std::unique_ptr<Responder>& responder) {
    responder->respond({200,
                        {{"X-Request-Id", "1\r\nSet-Cookie: a=b"},
                         {"Content-Length", "1"},
                         {"Transfer-Encoding", "chunked"},
                         {"connection", "close"}},
                        "whole"});
    return true;
  };
  RawClient client(server->address());
  const auto answer = client.ask(get("/"));
  EXPECT_THAT(answer.header("X-Request-Id"), Eq("1  Set-Cookie: a=b"));
  EXPECT_THAT(answer.body, Eq("whole"));
  EXPECT_THAT(answer.head, Not(HasSubstr("chunked")));
  EXPECT_THAT(client.ask(get("/")).status, Eq(200));
}

TEST_F(ServerRequests, HandsOverThePathAsSentAndThePeer) {
  Watched<HttpRequest> seen;
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>&) {
    seen.change([&](auto& value) { value = request; });
    return false;
  };
  RawClient client(server->address());
  client.ask("GET /a%2Fb//?c=%20&c HTTP/1.1\r\nHOST: a\r\nCookie: x=\"y\r\nDate: never\r\n\r\n");
  const auto request = seen.take();
  EXPECT_THAT(request.path, Eq("/a%2Fb//"));
  EXPECT_THAT(request.query, Eq("c=%20&c"));
  EXPECT_THAT(request.peer, Eq("127.0.0.1"));
  ASSERT_NE(request.header("cookie"), nullptr);
  EXPECT_THAT(*request.header("cookie"), Eq("x=\"y"));
}

TEST_F(ServerRequests, TakesManySlashesForAPath) {
  RawClient client(server->address());
  const std::string slashes(16'000, '/');
  EXPECT_THAT(client.ask(get(slashes)).body, Eq("GET " + slashes + " "));
  EXPECT_THAT(client.ask(get(std::string(20'000, '/'))).status, Eq(414));
}

TEST_F(ServerRequests, ReadsChunkedBodies) {
  RawClient client(server->address());
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(client.ask(post + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n").body,
              Eq("POST / abcde"));
  EXPECT_THAT(client.ask(get("/")).status, Eq(200));
}

TEST_F(ServerRequests, SaysContinueWhenTheBodyWillBeRead) {
  RawClient client(server->address());
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ";
  EXPECT_THAT(client.ask(post + "3\r\n\r\n").head, Eq("HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_THAT(client.ask("abc").body, Eq("POST / abc"));
  const auto refused = client.ask(post + "3000000\r\n\r\n");
  EXPECT_THAT(refused.body, Eq("POST /  too large"));
  EXPECT_THAT(refused.header("Connection"), Eq("close"));
}

TEST_F(ServerRequests, SaysContinueInItsTurn) {
  RawClient client(server->address());
  client.send(get("/later") +
              "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  auto [request, responder] = handler.next_later();
  responder->respond({200, {}, "first"});
  EXPECT_THAT(client.receive().body, Eq("first"));
  EXPECT_THAT(client.receive().status, Eq(100));
  EXPECT_THAT(client.ask("a").body, Eq("POST / a"));
}

TEST_F(ServerRequests, LetsAClientReadThatItsBodyIsTooLarge) {
  RawClient sized(server->address());
  sized.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000000\r\n\r\n");
  const std::string part(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 8 && sized.send(part); ++i) {
  }
  const auto answer = sized.receive();
  EXPECT_THAT(answer.body, Eq("POST /  too large"));
  EXPECT_THAT(answer.header("Connection"), Eq("close"));
  EXPECT_TRUE(sized.ends());

  RawClient chunked(server->address());
  chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3 && chunked.send("80000\r\n" + part.substr(0, 0x80000) + "\r\n"); ++i) {
  }
  EXPECT_THAT(chunked.receive().body, Eq("POST /  too large"));
  EXPECT_TRUE(chunked.ends());
}

TEST_F(ServerRequests, SaysThatTheDiskTakesNoLargeBody) {
  ServerOptions options;
  options.spool_directory = "/proc/nowhere";
  start(options);
  RawClient client(server->address());
  EXPECT_THAT(client.ask("POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na").status,
              Eq(200));
  EXPECT_THAT(client.ask("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na").status,
              Eq(503));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerRequests, RefusesWhatIsDoubtfulAndReadsNothingAfterIt) {
  handler.play = [](HttpRequest& request, std::unique_ptr<Responder>&) {
    ADD_FAILURE() << "took " << request.method << " " << request.path;
    return false;
  };
  for (const auto& [name, bytes, status] : doubtful_requests()) {
    SCOPED_TRACE(name);
    RawClient client(server->address());
    const auto answer = client.ask(bytes + get("/smuggled"));
    EXPECT_THAT(answer.status, Eq(status));
    EXPECT_THAT(answer.header("Connection"), Eq("close"));
    EXPECT_TRUE(client.ends());
  }
  const auto expected = doubtful_requests().size();
  EXPECT_TRUE(refusals.becomes([&](const auto& all) { return all.size() == expected; }));
}

TEST_F(ServerRequests, AnswersEarlierRequestsBeforeItRefusesALaterOne) {
  RawClient client(server->address());
  client.send(get("/later") + "nonsense\r\n\r\n" + get("/smuggled"));
  auto [request, responder] = handler.next_later();
  responder->respond({200, {}, "first"});
  EXPECT_THAT(client.receive().body, Eq("first"));
  EXPECT_THAT(client.receive().status, Eq(400));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerRequests, CarriesOutAChangeBetweenWhatWasPipelinedBeforeAndBehindIt) {
  const auto begun = [this] {
    std::size_t count = 0;
    handler.later.change([&](const auto& asked) { count = asked.size(); });
    return count;
  };
  const auto answer = [this](const std::string& path) {
    auto [request, responder] = handler.next_later();
    EXPECT_THAT(request.path, Eq(path));
    responder->respond(PlayedHandler::echo(request));
  };
  RawClient client(server->address());
  const std::string put = "PUT /later/change HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab";
  client.send(get("/later/before") + put + put + get("/later/behind") + get("/later/last"));
  for (const auto* path : {"/later/before", "/later/change", "/later/change"}) {
    EXPECT_TRUE(handler.later.becomes([](const auto& asked) { return !asked.empty(); }));
    EXPECT_THAT(RawClient(server->address()).ask(get("/")).status, Eq(200));  // time to begin more
    EXPECT_THAT(begun(), Eq(1U)) << path;
    answer(path);
    EXPECT_THAT(client.receive().status, Eq(200));
  }
  EXPECT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == 2; }));
  answer("/later/behind");
  answer("/later/last");
  EXPECT_THAT(client.receive().body, Eq("GET /later/behind "));
  EXPECT_THAT(client.receive().body, Eq("GET /later/last "));
}

TEST_F(ServerRequests, AnswersPipelinedRequestsInTheirOrder) {
  constexpr int kRequests = 200;  // more than are started at a time
  RawClient client(server->address());
  std::string all;
  for (int i = 0; i < kRequests; ++i)
    all += get((i % 3 == 0 ? "/" : "/later/") + std::to_string(i));
  client.send(all);
  // Two threads respond to the waiting requests, the last one first.
  const auto answer_backwards = [&] {
    for (;;) {
      if (!handler.later.becomes([](const auto& asked) { return !asked.empty(); })) return;
      Asked last;
      handler.later.change([&](auto& asked) {
        if (asked.empty()) return;
        last = std::move(asked.back());
        asked.pop_back();
      });
      if (!last.responder) continue;
      if (last.request.path == "/later/stop") return last.responder->respond({});
      last.responder->respond(PlayedHandler::echo(last.request));
    }
  };
  std::jthread one(answer_backwards);
  std::jthread other(answer_backwards);
  for (int i = 0; i < kRequests; ++i) {
    EXPECT_THAT(client.receive().body,
                Eq((i % 3 == 0 ? "GET /" : "GET /later/") + std::to_string(i) + " "));
  }
  client.send(get("/later/stop") + get("/later/stop"));
  one.join();
  other.join();
}

TEST_F(ServerRequests, BeginsNoMoreRequestsOfAConnectionThanAreGranted) {
  RawClient client(server->address());
  for (int i = 0; i < 4; ++i) {  // short responses earn it more requests at a time
    client.send(get("/later/"));
    handler.next_later().responder->respond({});
    client.receive();
  }
  std::string all;
  for (int i = 0; i < 100; ++i) all += get("/later/" + std::to_string(i));
  client.send(all);
  ASSERT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == 64; }));
  // A second connection shows that the worker is not blocked, and that it had time for more.
  EXPECT_THAT(RawClient(server->address()).ask(get("/1")).status, Eq(200));
  EXPECT_THAT(RawClient(server->address()).ask(get("/2")).status, Eq(200));
  EXPECT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == 64; }));
  for (int i = 0; i < 100; ++i) {
    auto [request, responder] = handler.next_later();
    ASSERT_NE(responder, nullptr);
    responder->respond(PlayedHandler::echo(request));
    EXPECT_THAT(client.receive().body, Eq("GET /later/" + std::to_string(i) + " "));
  }
}

TEST_F(ServerRequests, AnswersAClientThatEndsItsSide) {
  RawClient client(server->address());
  client.send(get("/1") + get("/later"));
  client.end_sending();
  EXPECT_THAT(client.receive().status, Eq(200));
  handler.next_later().responder->respond({200, {}, "second"});
  EXPECT_THAT(client.receive().body, Eq("second"));
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerRequests, Answers500ForAResponderThatDiesAndSaysSo) {
  handler.play = [](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path == "/throws") throw std::runtime_error("a bug");
    responder.reset();
    return true;
  };
  RawClient client(server->address());
  EXPECT_THAT(client.ask(get("/dies")).status, Eq(500));
  EXPECT_THAT(client.ask(get("/throws")).status, Eq(500));
  client.send(get("/later"));
  handler.next_later().responder.reset();
  EXPECT_THAT(client.receive().status, Eq(500));
  EXPECT_THAT(log.take(), ElementsAre(HasSubstr("was not answered"),
                                      AnyOf(HasSubstr("was not answered"), HasSubstr("a bug")),
                                      AnyOf(HasSubstr("was not answered"), HasSubstr("a bug")),
                                      HasSubstr("was not answered")));
}

}  // namespace
}  // namespace tilth
