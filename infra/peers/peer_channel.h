// Seals and opens what two nodes send each other, in records that no one else can read, make,
// repeat, leave out or reorder.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sodium.h>

#include "infra/peers/peer_secret.h"

namespace tilth {

// One direction begins with a header, and goes on with records: four bytes of length, then
// XChaCha20 and Poly1305 as libsodium's secretstream has them. Each connection has keys of its own.
// Threads: one seals, one opens.
class PeerChannel {
 public:
  static constexpr std::size_t kMostPlain = std::size_t{64} << 10;  // of one record
  static constexpr std::size_t kHeaderBytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
  static constexpr std::size_t kLengthBytes = 4;
  static constexpr std::size_t kTagBytes = crypto_secretstream_xchacha20poly1305_ABYTES;
  static constexpr std::size_t kMostSealed = kMostPlain + kTagBytes;

  struct Keys {
    PeerSecret::Key to_send;
    PeerSecret::Key to_open;
  };
  explicit PeerChannel(const Keys& keys);
  ~PeerChannel();
  PeerChannel(const PeerChannel&) = delete;
  PeerChannel& operator=(const PeerChannel&) = delete;

  // Appends the header of this side, once, before anything is sealed.
  void begin(std::string& to);

  // Appends a record of 1 to kMostPlain bytes.
  void seal(std::string_view plain, std::string& to);

  // Takes the header of the other side, of kHeaderBytes. False: it is none.
  bool begun_by_other(std::string_view header);

  // How long the sealed bytes are behind these kLengthBytes; nullopt: no such record is made.
  static std::optional<std::size_t> sealed_bytes(std::string_view length);

  // Opens the next record, behind its length. False: it is not the one that the other side sealed.
  bool open(std::string_view sealed, std::string& plain);

 private:
  PeerSecret::Key key_to_open_;
  std::array<unsigned char, kHeaderBytes> header_{};
  crypto_secretstream_xchacha20poly1305_state sending_{};
  crypto_secretstream_xchacha20poly1305_state opening_{};
};

}  // namespace tilth
