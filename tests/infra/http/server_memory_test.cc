// No client can make the server hold more than its budgets grant.

#include <atomic>
#include <list>
#include <thread>

#include <gmock/gmock.h>

#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;
using testing::Le;

constexpr std::size_t kLarge = std::size_t{4} << 20;

class ServerMemory : public Serving {
 protected:
  // All clients share one thread: what one of them got shows that earlier bytes were handled.
  void start_with(MemoryBudget::Limits limits) {
    const auto budget = [&] { return std::make_shared<MemoryBudget>(limits); };
    memory = std::make_shared<const MemoryBudgets>(MemoryBudgets{budget(), budget(), budget()});
    ServerOptions options;
    options.workers = 1;
    options.memory = memory;
    start(options);
  }

  void others_are_served() {
    for (int i = 0; i < 2; ++i) {
      ASSERT_THAT(RawClient(server->address()).ask(get("/")).status, Eq(200));
    }
  }

  static bool becomes(const std::function<bool()>& expected) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!expected() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    return expected();
  }

  static std::string post(const std::string& path, const std::string& rest) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + rest;
  }

  std::shared_ptr<const MemoryBudgets> memory;
};

TEST_F(ServerMemory, TheNextAnswerIsBuiltWhenTheEarlierOnesAreNearlySent) {
  std::atomic<int> built = 0;
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path != "/large") return false;
    ++built;
    EXPECT_TRUE(responder->reserve(kLarge, ""));
    responder->respond({200, {}, std::string(kLarge, 'x')});
    return true;
  };
  start_with({std::size_t{1} << 30, std::size_t{1} << 30});
  RawClient client(server->address(), 4096);
  std::string all;
  for (int i = 0; i < 32; ++i) all += get("/large");
  client.send(all);
  others_are_served();
  EXPECT_THAT(built.load(), Le(8)) << "some are in the socket's buffer";
  EXPECT_THAT(memory->answers->used(), Le(2 * kLarge));
  for (int i = 0; i < 32; ++i) EXPECT_THAT(client.receive().body.size(), Eq(kLarge));
  EXPECT_TRUE(becomes([&] { return memory->answers->used() == 0; }));
}

TEST_F(ServerMemory, FewerRequestsWaitAtATimeOnceAnswersAreLarge) {
  start_with({});
  RawClient client(server->address());
  client.send(get("/later/first"));
  handler.next_later().responder->respond({200, {}, std::string(kLarge, 'x')});
  EXPECT_THAT(client.receive().status, Eq(200));
  std::string all;
  for (int i = 0; i < 32; ++i) all += get("/later");
  client.send(all);
  others_are_served();
  EXPECT_TRUE(handler.later.becomes([](const auto& asked) { return asked.size() == 2; }));
  for (int i = 0; i < 32; ++i) {
    handler.next_later().responder->respond({});
    EXPECT_THAT(client.receive().status, Eq(200));
  }
}

TEST_F(ServerMemory, AnswersBeyondTheBudgetAreRefusedUntilTheOthersAreSent) {
  const std::size_t size = std::size_t{32} << 20;  // more than a socket's buffers
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path != "/large") return false;
    const auto* account = request.header("account");
    if (!responder->reserve(size, account == nullptr ? "" : *account)) {
      responder->respond({503, {}, "none"});
    } else {
      responder->respond({200, {}, std::string(size, 'x')});
    }
    return true;
  };
  start_with({3 * size, size});
  const auto large = [](const std::string& account) {
    return "GET /large HTTP/1.1\r\nHost: a\r\nAccount: " + account + "\r\n\r\n";
  };
  std::list<RawClient> unread;
  for (const auto* account : {"a", "b"})
    unread.emplace_back(server->address()).send(large(account));
  ASSERT_TRUE(becomes([&] { return memory->answers->used() == 2 * size; }));
  RawClient client(server->address());
  EXPECT_THAT(client.ask(large("a")).status, Eq(503)) << "its account holds its share";
  EXPECT_THAT(client.ask(large("c")).status, Eq(200));
  EXPECT_THAT(memory->answers->refusals(), Eq(1U));
  EXPECT_THAT(unread.front().receive().body.size(), Eq(size));
  unread.pop_back();  // it is gone with its response unread
  EXPECT_TRUE(becomes([&] { return memory->answers->used() == 0; }));
}

TEST_F(ServerMemory, SharedBytesAreSentToEachAndCountForNone) {
  const auto page = std::make_shared<const std::string>(kLarge, 'x');
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path == "/page") responder->respond({200, {}, {}, {*page, page}});
    if (request.path == "/word") responder->respond({200, {}, {}, {"word", {}}});
    return request.path == "/page" || request.path == "/word";
  };
  start_with({kLarge / 2, kLarge / 2});
  RawClient client(server->address());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.ask(get("/page")).body == *page);
    EXPECT_THAT(client.ask(get("/word")).body, Eq("word"));
  }
  client.send("HEAD /page HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.receive(true).header("Content-Length"), Eq(std::to_string(kLarge)));
  client.send(get("/page") + get("/word") + get("/page"));
  EXPECT_TRUE(client.receive().body == *page);
  EXPECT_THAT(client.receive().body, Eq("word"));
  EXPECT_TRUE(client.receive().body == *page);
  EXPECT_THAT(memory->answers->used(), Eq(0U));
  EXPECT_TRUE(becomes([&] { return page.use_count() == 1; })) << "no response holds it";
}

TEST_F(ServerMemory, BodiesBeyondTheBudgetAreRefused) {
  constexpr std::size_t kBody = std::size_t{512} << 10;
  start_with({3 * kBody, 2 * kBody});
  const auto head = [&](const std::string& account) {
    return post(
        "/", "Account: " + account + "\r\nContent-Length: " + std::to_string(kBody) + "\r\n\r\n");
  };
  const std::string most(kBody - 1, 'x');
  std::list<RawClient> senders;
  for (const auto* account : {"a", "a", "b"}) {
    senders.emplace_back(server->address()).send(head(account) + most);
  }
  ASSERT_TRUE(becomes([&] { return memory->bodies->used() >= 3 * (kBody - 1); }));
  RawClient further(server->address());
  const auto refused = further.ask(head("c") + most);
  EXPECT_THAT(refused.status, Eq(503));
  EXPECT_THAT(refused.header("Connection"), Eq("close"));
  for (auto& sender : senders) EXPECT_THAT(sender.ask("x").status, Eq(200));
  EXPECT_TRUE(becomes([&] { return memory->bodies->used() == 0; }));

  senders.clear();
  for (const auto* account : {"a", "a"}) {
    senders.emplace_back(server->address()).send(head(account) + most);
  }
  ASSERT_TRUE(becomes([&] { return memory->bodies->used() >= 2 * (kBody - 1); }));
  EXPECT_THAT(RawClient(server->address()).ask(head("a") + most).status, Eq(503));
  EXPECT_THAT(RawClient(server->address()).ask(head("b") + most + "x").status, Eq(200));
  senders.clear();
  EXPECT_TRUE(becomes([&] { return memory->bodies->used() == 0; })) << "their clients are gone";
}

TEST_F(ServerMemory, ABodyIsHeldUntilItsRequestIsDone) {
  start_with({});
  RawClient client(server->address());
  client.send(post("/later", "Content-Length: 100000\r\n\r\n" + std::string(100'000, 'x')));
  auto asked = handler.next_later();
  EXPECT_GE(memory->bodies->used(), 100'000U);
  asked.responder->respond({});
  asked = {};
  EXPECT_THAT(client.receive().status, Eq(200));
  EXPECT_EQ(memory->bodies->used(), 0U);
}

TEST_F(ServerMemory, ARefusalByTheHeadComesBeforeTheBody) {
  start_with({});
  const auto expect_closing_answer = [&](const std::string& request) {
    RawClient client(server->address());
    const auto answer = client.ask(request);
    EXPECT_THAT(answer.body, Eq("POST /closed "));
    EXPECT_THAT(answer.header("Connection"), Eq("close"));
    EXPECT_TRUE(client.ends());
  };
  expect_closing_answer(post("/closed", "Content-Length: 1000\r\n\r\n"));
  expect_closing_answer(post("/closed", "Transfer-Encoding: chunked\r\n\r\n"));
  expect_closing_answer(post("/closed", "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"));
  RawClient whole(server->address());
  EXPECT_THAT(whole.ask(post("/closed", "Content-Length: 2\r\n\r\nab")).body,
              Eq("POST /closed ab"));
  EXPECT_THAT(whole.ask(get("/next")).status, Eq(200)) << "nothing of it is left to come";
}

TEST_F(ServerMemory, StreamsTakeOnePieceAtATimeWhileTheirBudgetIsUsedUp) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  start_with({4 * kPiece, 4 * kPiece});
  RawClient client(server->address(), 4096);
  client.send(get("/later"));
  auto stream = handler.next_later().responder->stream({});
  std::atomic<std::size_t> written = 0;
  std::jthread writing([&] {
    while (written < 400 && stream->write(std::string(kPiece, 'x'))) ++written;
    stream->end();
  });
  EXPECT_TRUE(becomes([&] { return memory->streams->refusals() > 0; }));
  EXPECT_LE(memory->streams->used(), 4 * kPiece);
  EXPECT_THAT(client.receive().body.size(), Eq(400 * kPiece)) << "and it comes to its end";
  writing.join();
  EXPECT_TRUE(becomes([&] { return memory->streams->used() == 0; }));
}

}  // namespace
}  // namespace tilth
