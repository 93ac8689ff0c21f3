#include "infra/peers/peer_channel.h"

#include "events/values/big_endian.h"

namespace tilth {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

PeerChannel::PeerChannel(const Keys& keys) : key_to_open_(keys.to_open) {
  static_assert(sizeof(PeerSecret::Key) == crypto_secretstream_xchacha20poly1305_KEYBYTES);
  ::crypto_secretstream_xchacha20poly1305_init_push(&sending_, header_.data(), keys.to_send.data());
}

PeerChannel::~PeerChannel() {
  ::sodium_memzero(key_to_open_.data(), key_to_open_.size());
  ::sodium_memzero(&sending_, sizeof sending_);
  ::sodium_memzero(&opening_, sizeof opening_);
}

void PeerChannel::begin(std::string& to) {
  to.append(reinterpret_cast<const char*>(header_.data()), header_.size());
}

void PeerChannel::seal(std::string_view plain, std::string& to) {
  const auto sealed = plain.size() + kTagBytes;
  to += big_endian(static_cast<std::uint32_t>(sealed));
  const auto at = to.size();
  to.resize(at + sealed);
  ::crypto_secretstream_xchacha20poly1305_push(
      &sending_, reinterpret_cast<unsigned char*>(to.data() + at), nullptr, bytes_of(plain),
      plain.size(), nullptr, 0, crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
}

bool PeerChannel::begun_by_other(std::string_view header) {
  return header.size() == kHeaderBytes &&
         ::crypto_secretstream_xchacha20poly1305_init_pull(&opening_, bytes_of(header),
                                                           key_to_open_.data()) == 0;
}

std::optional<std::size_t> PeerChannel::sealed_bytes(std::string_view length) {
  const std::size_t sealed = read_big_endian<std::uint32_t>(length.substr(0, kLengthBytes));
  if (sealed <= kTagBytes || sealed > kMostSealed) return std::nullopt;
  return sealed;
}

bool PeerChannel::open(std::string_view sealed, std::string& plain) {
  if (sealed.size() < kTagBytes) return false;
  plain.resize(sealed.size() - kTagBytes);
  return ::crypto_secretstream_xchacha20poly1305_pull(
             &opening_, reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr,
             bytes_of(sealed), sealed.size(), nullptr, 0) == 0;
}

}  // namespace tilth
