// How two nodes prove to each other that they have the cluster's secret, and agree on keys for one
// connection.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "infra/peers/peer_channel.h"
#include "infra/peers/peer_secret.h"

namespace tilth {

// What a node says of itself, once it has proved that it has the secret.
struct PeerIdentity {
  static constexpr std::size_t kMostBytes = 256;  // of each; longer ones are cut
  std::string node;
  std::string cluster;
};

enum class PeerRefusal : std::uint8_t {
  kNone,
  kNotANode,  // bytes that no node sends
  kSecret,    // no proof of the secret: another one, or a repetition of what was heard
  kVersion,   // of the protocol
  kCluster,
};

// The connecting side sends a hello: version, a fresh public key, and a code over both that takes
// the secret to make. The other side replies in kind, with a code over the hello, too. The keys
// follow from the secret, what both sent and what the two key pairs agree on, so that who learns
// the secret later cannot read what was sent before. Sealed with them, the connecting side says who
// it is and the other side answers. So a repeated hello opens nothing, and a hello that is sent
// back is no reply. Clocks play no part. A peer that sends no valid hello gets no byte.
//
// Operation: bytes in, bytes out, in steps of wants() bytes. Memory: one step. Threads: one.
class PeerHandshake {
 public:
  static constexpr std::uint16_t kVersion = 1;
  enum class Side : std::uint8_t { kConnecting, kListening };
  enum class State : std::uint8_t { kGoing, kAgreed, kRefused };

  PeerHandshake(const PeerSecret& secret, PeerIdentity self, Side side,
                std::uint16_t version = kVersion);
  ~PeerHandshake();

  // How many bytes the next step takes.
  std::size_t wants() const { return wants_; }
  // Takes exactly so many.
  void feed(std::string_view bytes);
  // What has to be sent now, also when it was refused.
  std::string take_output() { return std::exchange(output_, {}); }

  State state() const { return state_; }
  PeerRefusal refusal() const { return refusal_; }  // why kRefused
  std::string sentence() const;                     // the same for a log, of the other side
  const PeerIdentity& other() const { return other_; }
  std::unique_ptr<PeerChannel> take_channel() { return std::move(channel_); }  // once it is kAgreed

 private:
  enum class Step : std::uint8_t { kHello, kReply, kLength, kIdentity };
  void refuse(PeerRefusal why);
  void send_hello();
  void take_hello(std::string_view hello);
  void take_reply(std::string_view reply);
  void take_identity(std::string_view sealed);
  bool agree(std::string_view other_key);
  void seal_identity(PeerRefusal verdict);

  const PeerSecret secret_;
  const PeerIdentity self_;
  const Side side_;
  const std::uint16_t version_;
  std::array<unsigned char, 32> key_{};  // private, of this connection
  std::string hello_;
  std::string reply_;
  std::string output_;
  Step step_;
  std::size_t wants_ = 0;
  State state_ = State::kGoing;
  PeerRefusal refusal_ = PeerRefusal::kNone;
  std::uint16_t other_version_ = 0;
  PeerIdentity other_;
  std::unique_ptr<PeerChannel> channel_;
};

}  // namespace tilth
