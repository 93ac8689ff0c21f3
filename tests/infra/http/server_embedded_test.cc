// Another loop that the threads of a server run.

#include <thread>
#include <unordered_set>

#include <gmock/gmock.h>
#include <sys/eventfd.h>

#include "infra/system/descriptor.h"
#include "tests/infra/http/raw_client.h"
#include "tests/infra/http/serving.h"

namespace tilth {
namespace {

using testing::Eq;
using testing::SizeIs;

// Answers what the tests give it, once its thread runs it.
class PlayedLoop final : public EmbeddedLoop {
 public:
  struct State {
    std::vector<std::unique_ptr<Responder>> given;
    std::unordered_set<std::thread::id> ran_on;
    bool destroyed = false;
  };

  explicit PlayedLoop(std::shared_ptr<Watched<State>> state) : state_(std::move(state)) {}
  ~PlayedLoop() override {
    state_->change([](auto& now) { now.destroyed = true; });
  }

  void give(std::unique_ptr<Responder> responder) {
    state_->change([&](auto& now) { now.given.push_back(std::move(responder)); });
    ::eventfd_write(event_.get(), 1);
  }

  int descriptor() const override { return event_.get(); }
  void run_ready() override {
    eventfd_t ignored = 0;
    ::eventfd_read(event_.get(), &ignored);
    std::vector<std::unique_ptr<Responder>> given;
    state_->change([&](auto& now) {
      now.ran_on.insert(std::this_thread::get_id());
      given = std::exchange(now.given, {});
    });
    for (const auto& each : given) each->respond({200, {}, "by the loop"});
  }

 private:
  const Descriptor event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  const std::shared_ptr<Watched<State>> state_;
};

class ServerEmbedded : public Serving {
 protected:
  void start_with(int workers) {
    ServerOptions options;
    options.workers = workers;
    options.embed = [this] {
      auto loop = std::make_unique<PlayedLoop>(
          states.emplace_back(std::make_shared<Watched<PlayedLoop::State>>()));
      loops.push_back(loop.get());
      return loop;
    };
    start(std::move(options));
  }

  std::vector<std::shared_ptr<Watched<PlayedLoop::State>>> states;
  std::vector<PlayedLoop*> loops;
};

TEST_F(ServerEmbedded, EachThreadRunsALoopOfItsOwn) {
  std::thread::id handled_on;
  handler.play = [&](HttpRequest& request, std::unique_ptr<Responder>& responder) {
    if (request.path != "/passed") return false;
    handled_on = std::this_thread::get_id();
    loops.front()->give(std::move(responder));
    return true;
  };
  start_with(1);
  ASSERT_THAT(loops, SizeIs(1));
  RawClient client(server->address());
  EXPECT_THAT(client.ask(get("/passed")).body, Eq("by the loop"));
  EXPECT_THAT(client.ask(get("/") + get("/passed")).body, Eq("GET / "));
  EXPECT_THAT(client.receive().body, Eq("by the loop"));
  states.front()->change(
      [&](const auto& now) { EXPECT_THAT(now.ran_on, testing::ElementsAre(handled_on)); });
}

TEST_F(ServerEmbedded, AnswersClientsOfOtherThreads) {
  start_with(2);
  ASSERT_THAT(loops, SizeIs(2));
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int each = 0; each < 4; ++each) {
    clients.push_back(std::make_unique<RawClient>(server->address()));
    clients.back()->send(get("/later"));
    loops[static_cast<std::size_t>(each) % 2]->give(std::move(handler.next_later().responder));
  }
  for (const auto& client : clients) EXPECT_THAT(client->receive().body, Eq("by the loop"));
}

TEST_F(ServerEmbedded, LoopsEndWithTheServer) {
  start_with(2);
  RawClient client(server->address());
  client.send(get("/later"));
  const auto unanswered = handler.next_later();
  server->drain(std::chrono::milliseconds(10));
  for (const auto& state : states) {
    state->change([](const auto& now) { EXPECT_TRUE(now.destroyed); });
  }
}

}  // namespace
}  // namespace tilth
