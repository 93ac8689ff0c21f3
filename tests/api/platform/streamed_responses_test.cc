// Long responses are produced at their clients' pace and have no thread of their own.

#include "api/platform/streamed_responses.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "api/platform/metered_rows.h"
#include "projections/rows/row_batch.h"

namespace tilth {
namespace {

// What a client and its connection do.
struct Client {
  std::mutex mutex;
  std::condition_variable changed;
  std::string received;  // "|" is the end, "!" a response that broke off
  std::size_t room = 1'000;
  bool gone = false;
  std::function<void()> moved;

  std::string after(const std::string& expected) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return received.size() >= expected.size(); });
    return received;
  }
  void read(std::size_t more) {
    change([&] { room += more; });
  }
  void leave() {
    change([&] { gone = true; });
  }

 private:
  void change(const std::function<void()>& how) {
    std::function<void()> call;
    {
      const std::lock_guard lock(mutex);
      how();
      call = moved;
    }
    call();
  }
};

class FakeBody final : public BodyStream {
 public:
  explicit FakeBody(Client& client) : client_(client) {}
  ~FakeBody() override {
    if (!ended_) put("!");
  }

  bool write(std::string piece) override {
    put(piece);
    return !closed();
  }
  bool closed() const override {
    const std::lock_guard lock(client_.mutex);
    return client_.gone;
  }
  bool has_room() const override {
    const std::lock_guard lock(client_.mutex);
    return client_.gone || client_.received.size() < client_.room;
  }
  void on_room(std::function<void()> moved) override {
    const std::lock_guard lock(client_.mutex);
    client_.moved = std::move(moved);
  }
  void end() override {
    ended_ = true;
    put("|");
  }

 private:
  void put(const std::string& text) {
    const std::lock_guard lock(client_.mutex);
    client_.received += text;
    client_.changed.notify_all();
  }

  Client& client_;
  bool ended_ = false;
};

// One piece for each letter: '.' is idle until the source is woken, 'X' breaks off.
class Letters final : public PieceSource {
 public:
  explicit Letters(std::string letters, std::function<void()>* wake = nullptr)
      : letters_(std::move(letters)), wake_(wake) {}

  Next next(std::string& piece, WorkToken&) override {
    if (next_ == letters_.size()) return Next::kEnd;
    const char letter = letters_[next_++];
    if (letter == '.') return Next::kIdle;
    if (letter == 'X') return Next::kBreak;
    piece = letter;
    return Next::kMore;
  }
  void wake_with(std::function<void()> wake) override {
    if (wake_ != nullptr) *wake_ = std::move(wake);
  }

 private:
  const std::string letters_;
  std::size_t next_ = 0;
  std::function<void()>* const wake_;
};

class StreamedResponsesTest : public ::testing::Test {
 protected:
  void send(const std::string& letters, std::function<void()>* wake = nullptr,
            FairPlaces::Place place = nullptr) {
    streams->send("aisha", std::make_unique<FakeBody>(client),
                  std::make_unique<Letters>(letters, wake), std::move(place));
  }

  Client client;
  FairExecutor executor{FairExecutor::Limits{}};
  std::unique_ptr<StreamedResponses> streams = std::make_unique<StreamedResponses>(executor);
};

TEST_F(StreamedResponsesTest, SendsAllPieces) {
  send("abc");
  EXPECT_EQ(client.after("abc|"), "abc|");
}

TEST_F(StreamedResponsesTest, BreaksOffWhatCannotBeCompleted) {
  send("abX");
  EXPECT_EQ(client.after("ab!"), "ab!");
}

TEST_F(StreamedResponsesTest, ProducesNothingThatTheClientHasNoRoomFor) {
  client.room = 2;
  send("abcd");
  EXPECT_EQ(client.after("ab"), "ab");
  client.read(1);
  EXPECT_EQ(client.after("abc"), "abc");
  client.read(1'000);
  EXPECT_EQ(client.after("abcd|"), "abcd|");
}

TEST_F(StreamedResponsesTest, ContinuesWhenItIsWoken) {
  std::function<void()> wake;
  send("a.b", &wake);
  EXPECT_EQ(client.after("a"), "a");
  wake();  // also while it still runs
  EXPECT_EQ(client.after("ab|"), "ab|");
  wake();  // also when it is over
}

TEST_F(StreamedResponsesTest, EndsWhenAClientWithoutRoomIsGone) {
  client.room = 1;
  send("abc");
  EXPECT_EQ(client.after("a"), "a");
  client.leave();
  EXPECT_EQ(client.after("a!"), "a!");
}

TEST_F(StreamedResponsesTest, EndsWhenTheClientOfAnIdleOneIsGone) {
  send("a.b");
  EXPECT_EQ(client.after("a"), "a");
  while (executor.counts().at(static_cast<std::size_t>(WorkKind::kStream)).running > 0) {
    std::this_thread::yield();
  }
  client.leave();
  EXPECT_EQ(client.after("a!"), "a!");
}

TEST_F(StreamedResponsesTest, ReleasesItsPlaceAtTheEnd) {
  FairPlaces places({.all = 1, .per_owner = 1});
  client.room = 1;
  send("abc", nullptr, places.take("aisha"));
  EXPECT_FALSE(places.take("aisha"));
  client.read(1'000);
  EXPECT_EQ(client.after("abc|"), "abc|");
  streams.reset();
  EXPECT_TRUE(places.take("aisha"));
}

TEST_F(StreamedResponsesTest, AreCutShortAtTheEnd) {
  send("a.b");
  EXPECT_EQ(client.after("a"), "a");
  streams.reset();
  EXPECT_EQ(client.received, "a!");
}

TEST_F(StreamedResponsesTest, AreCutShortOnceTheExecutorIsStopped) {
  std::function<void()> wake;
  send("a.b", &wake);
  EXPECT_EQ(client.after("a"), "a");
  executor.stop();
  wake();
  EXPECT_EQ(client.after("a!"), "a!");
}

TEST(FairPlaces, LeaveTheLastQuarterToOwnersWhoHaveFew) {
  FairPlaces places({.all = 8, .per_owner = 4, .few = 1});
  std::deque<FairPlaces::Place> taken;
  const auto take = [&](const std::string& owner) {
    if (auto place = places.take(owner)) taken.push_back(std::move(place));
    return taken.size();
  };
  for (int i = 0; i < 5; ++i) take("aisha");
  EXPECT_EQ(taken.size(), 4);
  for (int i = 0; i < 5; ++i) take("omar");
  EXPECT_EQ(taken.size(), 6);
  EXPECT_EQ(take("zainab"), 7);
  EXPECT_EQ(take("zainab"), 7);
  EXPECT_EQ(take("maryam"), 8);
  EXPECT_EQ(take("yusuf"), 8);
  taken.erase(taken.begin(), taken.begin() + 3);
  EXPECT_EQ(take("aisha"), 6);
}

class Never final : public WorkToken {
 public:
  bool go_on() override { return ++asked, false; }
  Error error() const override { return {}; }
  int asked = 0;
};

TEST(MeteredRows, EndAQueryThatReadsTooMuchForAServerThread) {
  RowBatch batch;
  for (char c = 'a'; c <= 'z'; ++c) batch.put(std::string(1, c), "value");
  RowMeter meter;
  const MeteredRows rows(batch, meter);
  EXPECT_EQ(rows.get("c"), "value");
  EXPECT_EQ(rows.get_many({"d", "-"}), (std::vector<std::optional<std::string>>{"value", {}}));
  const auto cursor = rows.cursor();
  cursor->seek("y");
  cursor->next();
  EXPECT_EQ(cursor->key(), "z");
  EXPECT_LT(meter.spent(), RowMeter::kStepsAtOnce);
  EXPECT_THROW(
      for (;;) {
        cursor->seek("a");
        while (cursor->valid()) cursor->next();
      },
      RowBudgetSpent);
  EXPECT_THROW(rows.get_many(std::vector<std::string>(1'000)), RowBudgetSpent);
}

TEST(MeteredRows, AskWhetherToGoOn) {
  RowBatch batch;
  batch.put("a", "value");
  Never token;
  RowMeter meter(token);
  const MeteredRows rows(batch, meter);
  const auto reads = [&] {
    for (;;) rows.get("a");
  };
  EXPECT_THROW(reads(), QueryCancelled);
  EXPECT_EQ(token.asked, 1);
}

}  // namespace
}  // namespace tilth
