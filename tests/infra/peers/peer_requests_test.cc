// Requests that one node forwards to another, and their answers.

#include <array>
#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "infra/http/spooled_body.h"
#include "infra/peers/peer_frames.h"
#include "tests/infra/peers/peering.h"

namespace tilth {
namespace {

using testing::wait_until;

class PeerRequests : public Peering {
 protected:
  // Letters that do not repeat in step with frames.
  static std::string long_text(std::size_t bytes) {
    std::string text(bytes, ' ');
    for (std::size_t at = 0; at < bytes; ++at) text[at] = static_cast<char>('a' + at % 23);
    return text;
  }
};

TEST_F(PeerRequests, ArriveAsTheyWereAndAreAnswered) {
  start();
  auto request = of("POST", "/later/farms/a%20b", "some body");
  request.query = "page=2";
  request.headers = {{"accept", "*/*"}, {"x", ""}};
  request.peer = "192.0.2.1";
  const auto outcome = send(request);
  auto [arrived, responder] = asked();
  EXPECT_EQ(arrived.method, "POST");
  EXPECT_EQ(arrived.path, "/later/farms/a%20b");
  EXPECT_EQ(arrived.query, "page=2");
  EXPECT_EQ(arrived.headers, request.headers);
  EXPECT_EQ(arrived.body, "some body");
  EXPECT_EQ(arrived.peer, "192.0.2.1");
  EXPECT_FALSE(responder->abandoned());

  responder->respond({201, {{"Location", "/farms/1"}, {"ETag", "\"1\""}}, "the farm"});
  const auto response = outcome->response();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers,
            (std::vector<HttpHeader>{{"Location", "/farms/1"}, {"ETag", "\"1\""}}));
  EXPECT_EQ(response.body, "the farm");
}

TEST_F(PeerRequests, CarryLargeBodiesBothWays) {
  start();
  const auto body = long_text(std::size_t{900} << 10);
  EXPECT_EQ(send(put("/farms", body))->response().body, "PUT /farms " + body);
  const auto answer = std::make_shared<const std::string>(long_text(std::size_t{5} << 20));
  const auto outcome = send(get("/later"));
  asked().responder->respond({.shared_body = {*answer, answer}});
  EXPECT_EQ(outcome->response().body, *answer);
}

TEST_F(PeerRequests, ABodyBeyondTheLimitIsNotTaken) {
  start();
  const auto body = long_text(std::size_t{1025} << 10);
  EXPECT_EQ(send(put("/farms", body))->response().body, "PUT /farms  too large");
}

TEST_F(PeerRequests, ABodyForWhichThereIsNoMemoryIsRefused) {
  auto budgets = std::make_shared<MemoryBudgets>();
  budgets->bodies = std::make_shared<MemoryBudget>(MemoryBudget::Limits{.bytes = 100'000});
  auto parts = server_parts();
  parts.memory = budgets;
  start(std::move(parts), client_parts());
  EXPECT_EQ(send(put("/farms", long_text(100'001)))->response().status, 503);
  EXPECT_EQ(send(put("/farms", long_text(99'999)))->response().status, 200);
  EXPECT_EQ(budgets->bodies->used(), 0U);
}

TEST_F(PeerRequests, PileUpToALimitForANodeThatReadsNothing) {
  std::promise<void> is_stuck, go_on;
  handler.play = [&, first = true](const auto&, const auto&) mutable {
    if (!std::exchange(first, false)) return false;
    is_stuck.set_value();
    go_on.get_future().wait();
    return false;
  };
  start();
  std::vector<std::shared_ptr<Outcome>> outcomes{send(get("/farms"))};
  is_stuck.get_future().wait();
  constexpr std::size_t kMost = 2'000;  // 40 MB
  while (outcomes.size() < kMost && outcomes.back()->why().empty()) {
    outcomes.push_back(send(put("/farms", long_text(std::size_t{20} << 10))));
  }
  go_on.set_value();
  std::size_t refused = 0;
  for (const auto& outcome : outcomes) {
    if (outcome->response().status == 200) continue;
    EXPECT_THAT(outcome->why(), ::testing::HasSubstr("does not read what is sent to it"));
    ++refused;
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(PeerRequests, HeadersThatFitIntoNoFrameAreAFailureOfThatRequestAlone) {
  start();
  const auto other = send(get("/later")), outcome = send(get("/later"));
  auto waits = asked(), fails = asked();
  fails.responder->respond({200, {{"x", std::string(peer_frames::kMostFrame, 'x')}}, "body"});
  waits.responder->respond({204});
  EXPECT_EQ(outcome->response().status + other->response().status, 500 + 204);
}

TEST_F(PeerRequests, CarryBodiesInFiles) {
  start();
  const auto body = long_text(std::size_t{3} << 20);
  auto file = *SpooledBody::make(directory.path());
  ASSERT_TRUE(file->append(body));
  auto request = of("POST", "/later", "");
  request.large_body = file;
  const auto outcome = send(std::move(request));
  auto [arrived, responder] = asked();
  ASSERT_NE(arrived.large_body, nullptr);
  std::string read(body.size() + 1, ' ');
  std::size_t bytes = 0;
  for (std::ptrdiff_t got = 1; got > 0;) {
    got = arrived.large_body->read(read.data() + bytes, read.size() - bytes);
    bytes += static_cast<std::size_t>(got);
  }
  EXPECT_EQ(read.substr(0, bytes), body);
  responder->respond({204});
  EXPECT_EQ(outcome->response().status, 204);
}

// The other node may allow the body while this one's loop is still on its way to it.
TEST_F(PeerRequests, CarryABodyInAFileThatIsAllowedEarly) {
  start();
  send(get("/farms"))->response();
  std::promise<void> loop_waits, go_on;
  auto too_large = get("/farms");
  too_large.headers = {{"x", std::string(peer_frames::kMostFrame, ' ')}};
  client->send(address, std::move(too_large),
               std::make_unique<OutcomeResponder>(std::make_shared<Outcome>()),
               [&](Lost, const std::string&, const HttpRequest&, std::unique_ptr<Responder>) {
                 loop_waits.set_value();
                 go_on.get_future().wait();
               });
  loop_waits.get_future().wait();
  const auto sent_before = server_metric("bytes_total server sent");
  auto request = of("POST", "/later", "");
  auto file = *SpooledBody::make(directory.path());
  ASSERT_TRUE(file->append("some body"));
  request.large_body = file;
  send(std::move(request));
  wait_until([&] { return server_metric("bytes_total server sent") > sent_before; });
  go_on.set_value();
  auto [arrived, responder] = asked();
  ASSERT_NE(arrived.large_body, nullptr);
  std::string read(20, ' ');
  read.resize(static_cast<std::size_t>(arrived.large_body->read(read.data(), read.size())));
  EXPECT_EQ(read, "some body");
}

TEST_F(PeerRequests, StreamsArriveInPiecesUpToTheirEnd) {
  start();
  const auto outcome = send(get("/later"));
  const auto stream = asked().responder->stream({200, {{"Content-Type", "text/csv"}}});
  EXPECT_TRUE(stream->write("one,"));
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.pieces == "one,"; }));
  EXPECT_TRUE(stream->write("two"));
  stream->end();
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.ended; }));
  const auto state = outcome->state.take();
  EXPECT_EQ(state.pieces, "one,two");
  EXPECT_TRUE(state.streamed && !state.cut);
  EXPECT_EQ(*state.response->header("Content-Type"), "text/csv");
}

TEST_F(PeerRequests, AStreamThatIsNotEndedArrivesCut) {
  start();
  const auto outcome = send(get("/later"));
  asked().responder->stream({})->write("half of");
  EXPECT_TRUE(outcome->becomes([](const auto& now) { return now.cut; }));
  const auto state = outcome->state.take();
  EXPECT_EQ(state.pieces, "half of");
  EXPECT_FALSE(state.ended);
}

TEST_F(PeerRequests, ASlowClientHoldsUpItsOwnStreamOnly) {
  start();
  const auto slow = std::make_shared<Outcome>();
  slow->room = 0;
  send(get("/later/slow"), slow);
  const std::shared_ptr<BodyStream> stream = asked().responder->stream({});
  const auto piece = long_text(std::size_t{64} << 10);
  std::size_t written = 0;
  while (stream->has_room()) {
    ASSERT_TRUE(stream->write(piece));
    written += piece.size();
    ASSERT_LT(written, std::size_t{64} << 20) << "nothing holds it up";
  }
  EXPECT_EQ(send(get("/others"))->response().body, "GET /others ");

  std::jthread writing([&] {
    stream->write("the end");  // waits
    stream->end();
  });
  slow->take(std::size_t{1} << 40);
  EXPECT_TRUE(slow->becomes([](const auto& now) { return now.ended; }));
  EXPECT_EQ(slow->state.take().pieces.size(), written + 7);
}

TEST_F(PeerRequests, AWriterHearsOfRoom) {
  start();
  const auto slow = std::make_shared<Outcome>();
  slow->room = 0;
  send(get("/later/slow"), slow);
  const auto stream = asked().responder->stream({});
  const auto moved = std::make_shared<std::atomic<int>>(0);  // it may outlive the stream
  stream->on_room([moved] { ++*moved; });
  const auto piece = long_text(std::size_t{256} << 10);
  wait_until([&] {
    if (!stream->has_room()) return true;
    stream->write(piece);
    return false;
  });
  const int before = *moved;
  slow->take(std::size_t{1} << 40);
  wait_until([&] { return *moved > before && stream->has_room(); });
  stream->end();
}

TEST_F(PeerRequests, EndWhenTheirClientIsGone) {
  start();
  const auto whole = send(get("/later/whole"));
  const auto held = asked();
  const auto streamed = send(get("/later/streamed"));
  const auto stream = asked().responder->stream({});
  EXPECT_FALSE(held.responder->abandoned());
  EXPECT_FALSE(stream->closed());
  whole->gone = true;
  streamed->gone = true;
  wait_until([&] { return held.responder->abandoned() && stream->closed(); });
  EXPECT_FALSE(stream->write("more"));
  EXPECT_EQ(whole->response().status, 503);
  wait_until([&] { return server_metric("requests_in_flight server") == 0; });
  EXPECT_EQ(client_metric("requests_in_flight client"), 0);
  EXPECT_EQ(server_metric("cancelled_requests_total server"), 2);
}

TEST_F(PeerRequests, AResponderThatWasForgottenAnswers500) {
  start();
  const auto outcome = send(get("/later"));
  asked().responder.reset();
  EXPECT_EQ(outcome->response().status, 500);
}

TEST_F(PeerRequests, ManyThreadsSendAtOnce) {
  start();
  constexpr int kThreads = 4, kEach = 500;
  std::atomic<int> right = 0;
  std::jthread answering([this] {
    for (;;) {
      auto [request, responder] = asked();
      if (!responder || request.path == "/later/stop") return;
      responder->respond(PlayedHandler::echo(request));
    }
  });
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<std::pair<std::string, std::shared_ptr<Outcome>>> sent;
      for (int each = 0; each < kEach; ++each) {
        std::string path = each % 2 == 0 ? "/" : "/later/";
        path.append(std::to_string(thread)).append("/").append(std::to_string(each));
        const auto body = each % 50 == 0 ? long_text(100'000) : std::string();
        auto expected = "PUT " + path;
        expected.append(" ").append(body);
        sent.emplace_back(std::move(expected), send(put(path, body)));
      }
      for (const auto& [expected, outcome] : sent) {
        if (outcome->response().body == expected) ++right;
      }
    });
  }
  threads.clear();
  send(get("/later/stop"));
  EXPECT_EQ(right, kThreads * kEach);
  EXPECT_EQ(server_metric("connections server"), 1);
}

TEST_F(PeerRequests, NoAnswerOfTenThousandAbortedRequestsReachesAStranger) {
  start();
  constexpr int kAborted = 10'000;
  const auto body_for = [](const HttpRequest& request) {
    const bool large = request.path.find("large") != std::string::npos;
    return request.path + std::string(large ? 70'000 : 0, '.') + request.path;
  };
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    responder->respond({200, {}, body_for(request)});
    return true;
  };
  std::jthread answering([&] {
    for (;;) {
      auto [request, responder] = asked();
      if (!responder || request.path == "/later/stop") return;
      if (request.path.find("streamed") == std::string::npos) {
        responder->respond({200, {}, body_for(request)});
      } else {
        const auto stream = responder->stream({});
        if (stream->write(body_for(request))) stream->end();
      }
    }
  });
  static constexpr std::array kKinds = {"/small/", "/later/small/", "/later/large/", "/large/",
                                        "/later/streamed/"};
  std::vector<std::pair<std::string, std::shared_ptr<Outcome>>> all;
  for (int number = 0; number < kAborted; ++number) {
    const auto path =
        kKinds.at(static_cast<std::size_t>(number) % kKinds.size()) + std::to_string(number);
    const auto outcome = send(get(path));
    if (number % 20 != 0) outcome->gone = true;  // the others are the strangers
    all.emplace_back(path, outcome);
  }
  for (const auto& [path, outcome] : all) {
    const bool is_stranger = !outcome->gone;
    ASSERT_TRUE(outcome->becomes([&](const auto& now) {
      return is_stranger ? now.ended || (now.response && !now.streamed) : now.response.has_value();
    })) << path;
    const auto state = outcome->state.take();
    const auto expected = body_for(get(path));
    const auto& got = state.streamed ? state.pieces : state.response->body;
    EXPECT_TRUE(got == expected || (!is_stranger && expected.starts_with(got)))
        << path << " got " << got.substr(0, 100);
    EXPECT_EQ(state.outcomes, 1);
  }
  send(get("/later/stop"));
}

}  // namespace
}  // namespace tilth
