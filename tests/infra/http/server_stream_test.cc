// Response bodies that are written piece by piece.

#include <thread>

#include <gmock/gmock.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;

class ServerStream : public Serving {
 protected:
  std::unique_ptr<BodyStream> stream_for(RawClient& client, const std::string& request) {
    client.send(request);
    return handler.next_later().responder->stream({200, {{"Content-Type", "text/plain"}}, ""});
  }
};

TEST_F(ServerStream, SendsEachPieceAndKeepsTheConnection) {
  start();
  RawClient client(server->address());
  auto stream = stream_for(client, get("/later"));
  EXPECT_TRUE(stream->write("one, "));
  EXPECT_TRUE(stream->write(""));
  EXPECT_TRUE(stream->write("two"));
  stream->end();
  stream.reset();
  const auto answer = client.receive();
  EXPECT_THAT(answer.body, Eq("one, two"));
  EXPECT_THAT(answer.header("Content-Length"), Eq(""));
  EXPECT_THAT(client.ask(get("/")).status, Eq(200));
}

TEST_F(ServerStream, TellsItsWriterWhenThereIsRoom) {
  start();
  RawClient client(server->address());
  auto stream = stream_for(client, get("/later"));
  auto moved = std::make_shared<Watched<int>>();
  stream->on_room([moved] { moved->change([](int& times) { ++times; }); });
  EXPECT_TRUE(stream->has_room());
  constexpr std::size_t kPiece = std::size_t{32} << 20;  // more than sockets take
  EXPECT_TRUE(stream->write(std::string(kPiece, 'x')));
  EXPECT_TRUE(stream->write(std::string(kPiece, 'y')));
  EXPECT_FALSE(stream->has_room());
  std::thread reader([&] { EXPECT_THAT(client.receive().body.size(), Eq(2 * kPiece)); });
  while (!stream->has_room()) {
    EXPECT_TRUE(moved->becomes([](int times) { return times > 0; }));
    moved->take();
  }
  stream->end();
  reader.join();
}

TEST_F(ServerStream, TellsItsWriterThatTheClientIsGone) {
  start();
  auto client = std::make_unique<RawClient>(server->address());
  auto stream = stream_for(*client, get("/later"));
  auto gone = std::make_shared<Watched<bool>>();
  stream->on_room([gone, body = stream.get()] {
    gone->change([&](bool& closed) { closed = body->closed(); });
  });
  EXPECT_FALSE(stream->closed());
  client.reset();
  EXPECT_TRUE(gone->becomes([](bool closed) { return closed; }));
}

TEST_F(ServerStream, KnowsBeforeTheResponseThatTheClientIsGone) {
  start();
  RawClient patient(server->address());
  auto client = std::make_unique<RawClient>(server->address());
  patient.send(get("/later/1"));
  const auto waits = handler.next_later().responder;
  client->send(get("/later/2"));
  const auto abandoned = handler.next_later().responder;
  EXPECT_FALSE(abandoned->abandoned());
  client.reset();
  while (!abandoned->abandoned()) std::this_thread::yield();
  EXPECT_FALSE(waits->abandoned());
}

TEST_F(ServerStream, ComesInItsTurn) {
  start();
  RawClient client(server->address());
  client.send(get("/later/1") + get("/later/2") + get("/3"));
  auto first = handler.next_later().responder;
  auto stream = handler.next_later().responder->stream({});
  EXPECT_TRUE(stream->write("streamed"));
  stream->end();
  first->respond({200, {}, "first"});
  EXPECT_THAT(client.receive().body, Eq("first"));
  EXPECT_THAT(client.receive().body, Eq("streamed"));
  EXPECT_THAT(client.receive().body, Eq("GET /3 "));
}

TEST_F(ServerStream, EndsWithTheConnectionInHttp10) {
  start();
  RawClient client(server->address());
  auto stream = stream_for(client, "GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(stream->write("one"));
  stream->end();
  const auto answer = client.receive();
  EXPECT_THAT(answer.body, Eq("one"));
  EXPECT_THAT(answer.header("Connection"), Eq("close"));
  EXPECT_THAT(answer.header("Transfer-Encoding"), Eq(""));
}

TEST_F(ServerStream, SendsNoBodyToHead) {
  start();
  RawClient client(server->address());
  auto stream = stream_for(client, "HEAD /later HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.receive(true).status, Eq(200));
  EXPECT_FALSE(stream->write("unseen"));
  EXPECT_THAT(client.ask(get("/")).body, Eq("GET / "));
}

TEST_F(ServerStream, IsCutVisiblyWhenItsWriterDies) {
  start();
  RawClient chunked(server->address());
  auto stream = stream_for(chunked, get("/later"));
  EXPECT_TRUE(stream->write("one"));
  stream.reset();
  EXPECT_THAT(chunked.receive().status, Eq(0)) << "the last chunk is missing";

  RawClient closed(server->address());
  stream = stream_for(closed, "GET /later HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(stream->write("one"));
  stream.reset();
  closed.receive();
  EXPECT_TRUE(closed.was_reset());
}

TEST_F(ServerStream, LosesNothingOnTheWayToASlowReader) {
  start();
  RawClient client(server->address(), 4096);
  auto stream = stream_for(client, get("/later"));
  std::string expected;
  for (int i = 0; i < 2'000; ++i) expected += std::string(4'000, static_cast<char>('a' + i % 26));
  std::jthread writing([&] {
    for (std::size_t at = 0; at < expected.size(); at += 4'000) {
      ASSERT_TRUE(stream->write(expected.substr(at, 4'000)));
    }
    stream->end();
  });
  EXPECT_TRUE(client.receive().body == expected);
  writing.join();
}

TEST_F(ServerStream, MakesItsWriterWaitForAClientThatDoesNotRead) {
  start({.write_deadline = std::chrono::milliseconds(200)});
  RawClient client(server->address());
  auto stream = stream_for(client, get("/later"));
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::size_t accepted = 0;
  while (accepted < (std::size_t{256} << 20) && stream->write(std::string(kPiece, 'x'))) {
    accepted += kPiece;
  }
  EXPECT_LT(accepted, std::size_t{32} << 20) << "more than socket buffers hold";
  EXPECT_TRUE(stream->closed());
}

TEST_F(ServerStream, LearnsThatItsClientIsGoneWithoutWriting) {
  start();
  RawClient client(server->address());
  auto stream = stream_for(client, get("/later"));
  EXPECT_FALSE(stream->closed());
  client.end_sending();
  EXPECT_TRUE(connections_become(0));
  EXPECT_TRUE(stream->closed());
  EXPECT_FALSE(stream->write("unseen"));
}

}  // namespace
}  // namespace tilth
