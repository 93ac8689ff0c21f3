// Who may forward requests: nodes with the secret, of the same cluster and version, and no one
// else.

#include "infra/peers/peer_handshake.h"

#include <array>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "infra/config/config.h"
#include "tests/infra/peers/peering.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::wait_until;
using Side = PeerHandshake::Side;
using State = PeerHandshake::State;

// Two sides that hear each other.
struct Shaking {
  PeerSecret secret{"a secret of 16 characters and more"};
  PeerHandshake from{secret, {"a", "farms"}, Side::kConnecting};
  PeerHandshake to{secret, {"b", "farms"}, Side::kListening};
};

std::string feed(PeerHandshake& to, std::string& bytes) {
  while (to.state() == State::kGoing && bytes.size() >= to.wants()) {
    const auto step = bytes.substr(0, to.wants());
    bytes.erase(0, step.size());
    to.feed(step);
  }
  return to.take_output();
}

void shake(PeerHandshake& from, PeerHandshake& to) {
  auto forward = from.take_output();
  std::string back;
  for (int step = 0; step < 4; ++step) {
    back += feed(to, forward);
    forward += feed(from, back);
  }
}

TEST(PeerHandshakeSpec, BothSidesLearnWhoTheOtherIsAndReadEachOther) {
  Shaking both;
  shake(both.from, both.to);
  ASSERT_EQ(both.from.state(), State::kAgreed);
  ASSERT_EQ(both.to.state(), State::kAgreed);
  EXPECT_EQ(both.from.other().node, "b");
  EXPECT_EQ(both.to.other().node, "a");
  const auto from = both.from.take_channel(), to = both.to.take_channel();
  std::string sealed, opened;
  from->seal("hello", sealed);
  EXPECT_THAT(sealed, Not(HasSubstr("hello")));
  ASSERT_TRUE(to->open(std::string_view(sealed).substr(PeerChannel::kLengthBytes), opened));
  EXPECT_EQ(opened, "hello");
  EXPECT_FALSE(to->open(std::string_view(sealed).substr(PeerChannel::kLengthBytes), opened))
      << "a record that comes twice";
}

TEST(PeerHandshakeSpec, ARecordThatWasChangedOrLeftOutIsNotOpened) {
  Shaking both;
  shake(both.from, both.to);
  const auto from = both.from.take_channel(), to = both.to.take_channel();
  std::string first, second, opened;
  from->seal("first", first);
  from->seal("second", second);
  EXPECT_FALSE(to->open(std::string_view(second).substr(PeerChannel::kLengthBytes), opened));
  auto changed = first.substr(PeerChannel::kLengthBytes);
  changed[7] = static_cast<char>(changed[7] ^ 1);
  EXPECT_FALSE(to->open(changed, opened));
  std::string back;
  to->seal("back", back);
  EXPECT_FALSE(to->open(std::string_view(back).substr(PeerChannel::kLengthBytes), opened))
      << "what this side has sealed itself";
}

TEST(PeerHandshakeSpec, AnotherSecretGetsNoByte) {
  Shaking both;
  PeerHandshake stranger(PeerSecret("another secret of many characters"), {"c", "farms"},
                         Side::kConnecting);
  both.to.feed(stranger.take_output());
  EXPECT_EQ(both.to.state(), State::kRefused);
  EXPECT_EQ(both.to.refusal(), PeerRefusal::kSecret);
  EXPECT_EQ(both.to.take_output(), "");
}

TEST(PeerHandshakeSpec, AReplyWithoutTheSecretIsRefused) {
  Shaking both;
  const auto hello = both.from.take_output();
  both.to.feed(hello);
  auto reply = both.to.take_output();
  reply.back() = static_cast<char>(reply.back() ^ 1);
  both.from.feed(reply);
  EXPECT_EQ(both.from.refusal(), PeerRefusal::kSecret);
}

TEST(PeerHandshakeSpec, AHelloThatIsSentBackIsNoReply) {
  Shaking both;
  both.from.feed(both.from.take_output());
  EXPECT_EQ(both.from.refusal(), PeerRefusal::kSecret);
}

TEST(PeerHandshakeSpec, WhatWasHeardOnceOpensNothing) {
  Shaking both;
  const auto hello = both.from.take_output();
  both.to.feed(hello);
  both.from.feed(both.to.take_output());
  const auto identity = both.from.take_output();

  PeerHandshake later(both.secret, {"b", "farms"}, Side::kListening);
  later.feed(hello);
  ASSERT_EQ(later.state(), State::kGoing);  // it has proved nothing
  later.take_output();
  auto rest = identity;
  EXPECT_EQ(feed(later, rest), "");
  EXPECT_EQ(later.refusal(), PeerRefusal::kSecret);
}

TEST(PeerHandshakeSpec, AnotherClusterIsToldToBothSides) {
  Shaking both;
  PeerHandshake other(both.secret, {"c", "tests"}, Side::kConnecting);
  shake(other, both.to);
  EXPECT_EQ(both.to.sentence(), "It is of the cluster tests, and this node of farms.");
  EXPECT_EQ(other.sentence(), "It is of the cluster farms, and this node of tests.");
}

TEST(PeerHandshakeSpec, AnotherVersionIsToldToBothSides) {
  Shaking both;
  PeerHandshake newer(both.secret, {"c", "farms"}, Side::kConnecting, 2);
  shake(newer, both.to);
  EXPECT_EQ(both.to.sentence(),
            "It speaks version 2 of the protocol between nodes, and this node version 1.");
  EXPECT_EQ(newer.sentence(),
            "It speaks version 1 of the protocol between nodes, and this node version 2.");
}

TEST(PeerHandshakeSpec, NoLengthTakesMemory) {
  Shaking both;
  both.to.feed(both.from.take_output());
  both.from.feed(both.to.take_output());
  auto identity = both.from.take_output();
  for (std::size_t at = 0; at < PeerChannel::kLengthBytes; ++at) {
    identity[PeerChannel::kHeaderBytes + at] = '\x7F';
  }
  feed(both.to, identity);
  EXPECT_EQ(both.to.refusal(), PeerRefusal::kNotANode);
}

class PeerSecretFile : public Peering {
 protected:
  Result<PeerSecret> read(std::string_view text, mode_t mode = 0600) {
    EXPECT_TRUE(write_whole_file(file, text, mode));
    return PeerSecret::read(file, lines);
  }
  const std::filesystem::path file = directory.path() / "secret";
};

TEST_F(PeerSecretFile, IsReadWithoutItsLineEnd) {
  const auto with = read("0123456789abcdef\n"), without = read("0123456789abcdef");
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->key_for("x"), without->key_for("x"));
  EXPECT_NE(with->key_for("x"), with->key_for("y"));
  EXPECT_NE(with->key_for("x"), PeerSecret("0123456789abcdeF").key_for("x"));
  EXPECT_EQ(logged(), "");
}

TEST_F(PeerSecretFile, SaysWhatIsWrong) {
  const auto name = "The secret of the cluster, " + file.string();
  EXPECT_EQ(PeerSecret::read(file, lines).error().message, name + ", does not exist.");
  EXPECT_EQ(read("0123456789abcde\n").error().message,
            name + ", is too short: it needs at least 16 characters.");
  EXPECT_EQ(logged(), "");
  EXPECT_TRUE(read("0123456789abcdef", 0644));
  EXPECT_THAT(logged(), HasSubstr("Others on this machine can read the secret of the cluster."));
}

// Connects without a node.
class Stranger {
 public:
  explicit Stranger(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(HostPort::parse(address)->port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  void send(std::string_view bytes) {
    ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // All that comes until it is disconnected.
  std::string hears() {
    std::string all;
    std::array<char, 1024> bytes;
    for (;;) {
      const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
      if (got <= 0) return all;
      all.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  Descriptor socket_;
};

class PeerStrangers : public Peering {};

TEST_F(PeerStrangers, LearnNothingByGarbage) {
  start();
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: a\r\n\r\n") + std::string(200, ' '),
        std::string(10'000, '\0'), "tilthpr\n" + std::string(200, 'x')}) {
    Stranger stranger(address);
    stranger.send(bytes);
    EXPECT_EQ(stranger.hears(), "");
  }
  EXPECT_EQ(server_metric("refused_handshakes_total server not_a_node"), 2);
  EXPECT_EQ(server_metric("refused_handshakes_total server secret"), 1);
  EXPECT_THAT(logged(), HasSubstr("A connection to the port for nodes was refused. It did not "
                                  "prove that it has the cluster's secret."));
  EXPECT_EQ(send(get("/a"))->response().body, "GET /a ") << "nodes are served as ever";
}

TEST_F(PeerStrangers, AreDisconnectedAfterThreeSeconds) {
  start();
  Stranger stranger(address);
  stranger.send("tilth");
  std::atomic<bool> gone = false;
  std::jthread hearing([&] { gone = stranger.hears().empty(); });
  pass_until([&] { return gone.load(); });
  EXPECT_EQ(server_metric("refused_handshakes_total server timeout"), 1);
}

TEST_F(PeerStrangers, DoNotKeepNodesOut) {
  start();
  std::vector<std::unique_ptr<Stranger>> strangers;
  strangers.reserve(300);
  for (int each = 0; each < 300; ++each) {
    strangers.push_back(std::make_unique<Stranger>(address));
  }
  EXPECT_EQ(strangers.front()->hears(), "") << "pushed out";
  EXPECT_EQ(send(get("/a"))->response().body, "GET /a ");
}

TEST_F(PeerStrangers, WithAnotherSecretAreRefused) {
  const PeerSecret other("another secret of many characters");
  start(server_parts(),
        {.secret = other, .cluster = "farms", .node = "a", .log_lines = lines, .steady = [this] {
           return time.now();
         }});
  const auto outcome = send(get("/"));
  EXPECT_EQ(outcome->lost(), Lost::kNotSent);
  EXPECT_THAT(outcome->why(), HasSubstr("perhaps it has another one"));
  EXPECT_EQ(server_metric("refused_handshakes_total server secret"), 1);
  EXPECT_EQ(server_metric("requests_total server"), 0);
}

TEST_F(PeerStrangers, OfAnotherClusterAreRefused) {
  auto parts = client_parts();
  parts.cluster = "tests";
  start(server_parts(), std::move(parts));
  const auto outcome = send(get("/"));
  EXPECT_EQ(outcome->lost(), Lost::kNotSent);
  EXPECT_THAT(outcome->why(), HasSubstr("It is of the cluster farms, and this node of tests."));
  wait_until([&] { return server_metric("refused_handshakes_total server cluster") == 1; });
  EXPECT_EQ(server_metric("connections server"), 0);
}

}  // namespace
}  // namespace tilth
