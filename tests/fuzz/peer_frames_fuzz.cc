// Any bytes are frames of a node or not, and those that are say the same when they are written and
// read again. Any bytes end a handshake, or leave it waiting for few more; a stranger's get no byte
// of the node.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "infra/peers/peer_frames.h"
#include "infra/peers/peer_handshake.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::PeerHandshake;
using tilth::fuzz::require;

void read_frames(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto before = bytes.size();
    const auto frame = tilth::peer_frames::next(bytes);
    if (!frame) return;
    require(bytes.size() < before);
    std::string written;
    tilth::peer_frames::append(written, *frame);
    std::string_view rest = written;
    const auto again = tilth::peer_frames::next(rest);
    require(again && rest.empty() && again->index() == frame->index());
    std::string twice;
    tilth::peer_frames::append(twice, *again);
    require(twice == written);
  }
}

// What is fed to a side; everything that it said.
std::string feed(PeerHandshake& side, std::string_view bytes) {
  auto said = side.take_output();
  while (side.state() == PeerHandshake::State::kGoing && bytes.size() >= side.wants()) {
    require(side.wants() > 0 && side.wants() < 1'024);
    const auto step = bytes.substr(0, side.wants());
    bytes.remove_prefix(step.size());
    side.feed(step);
    said += side.take_output();
  }
  require(side.state() != PeerHandshake::State::kAgreed);
  return said;
}

// As if a node had said it: the first steps are real, and `bytes` follow.
void shake_hands(const tilth::PeerSecret& secret, std::string_view bytes) {
  PeerHandshake from(secret, {"a", "farms"}, PeerHandshake::Side::kConnecting);
  PeerHandshake to(secret, {"b", "farms"}, PeerHandshake::Side::kListening);
  to.feed(from.take_output());
  from.feed(to.take_output());
  from.take_output();
  feed(from, bytes);
  feed(to, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tilth::PeerSecret secret("a secret of 16 characters and more");
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_frames(bytes);
  PeerHandshake listening(secret, {"b", "farms"}, PeerHandshake::Side::kListening);
  require(feed(listening, bytes).empty());
  PeerHandshake connecting(secret, {"a", "farms"}, PeerHandshake::Side::kConnecting);
  feed(connecting, bytes);
  shake_hands(secret, bytes);
  return 0;
}
