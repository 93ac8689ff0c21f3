#include "infra/peers/peer_handshake.h"

#include <algorithm>
#include <utility>

#include <sodium.h>

#include "events/values/big_endian.h"

namespace tilth {
namespace {

// Of a hello and a reply alike, and never changed by a version: the magic, the version, a byte that
// is 0 or why it is refused, a public key, and a code over all of it.
constexpr std::string_view kMagic = "tilthpr\n";
constexpr std::size_t kVersionBytes = 2, kKeyBytes = 32, kCodeBytes = 32;
constexpr std::size_t kSignedBytes = kMagic.size() + kVersionBytes + 1 + kKeyBytes;
constexpr std::size_t kOpeningBytes = kSignedBytes + kCodeBytes;
constexpr std::size_t kMostIdentity = 1 + 2 * (2 + PeerIdentity::kMostBytes);

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string_view text_of(const unsigned char* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

std::string code_over(const PeerSecret& secret, std::string_view purpose, std::string_view bytes) {
  const auto key = secret.key_for(purpose);
  std::array<unsigned char, kCodeBytes> code;
  ::crypto_generichash(code.data(), code.size(), bytes_of(bytes), bytes.size(), key.data(),
                       key.size());
  return std::string(text_of(code.data(), code.size()));
}

bool is_code(std::string_view given, const std::string& code) {
  return given.size() == code.size() &&
         ::sodium_memcmp(given.data(), code.data(), code.size()) == 0;
}

struct Opening {
  std::uint16_t version;
  PeerRefusal verdict;
  std::string_view key;
  std::string_view code;
};

Opening read(std::string_view bytes) {
  bytes.remove_prefix(kMagic.size());
  Opening opening{};
  opening.version = static_cast<std::uint16_t>(read_big_endian(bytes.substr(0, kVersionBytes)));
  opening.verdict = static_cast<PeerRefusal>(bytes[kVersionBytes]);
  opening.key = bytes.substr(kVersionBytes + 1, kKeyBytes);
  opening.code = bytes.substr(kVersionBytes + 1 + kKeyBytes);
  return opening;
}

std::string signed_part(std::uint16_t version, PeerRefusal verdict,
                        const std::array<unsigned char, 32>& private_key) {
  std::array<unsigned char, kKeyBytes> key;
  ::crypto_scalarmult_base(key.data(), private_key.data());
  std::string bytes(kMagic);
  bytes += big_endian(version);
  bytes += static_cast<char>(verdict);
  bytes += text_of(key.data(), key.size());
  return bytes;
}

void append_text(std::string& to, std::string_view text) {
  text = text.substr(0, PeerIdentity::kMostBytes);
  to += big_endian(static_cast<std::uint16_t>(text.size()));
  to += text;
}

bool read_text(std::string_view& from, std::string& text) {
  if (from.size() < 2) return false;
  const std::size_t size = read_big_endian(from.substr(0, 2));
  from.remove_prefix(2);
  if (size > from.size() || size > PeerIdentity::kMostBytes) return false;
  text = from.substr(0, size);
  from.remove_prefix(size);
  return true;
}

}  // namespace

PeerHandshake::PeerHandshake(const PeerSecret& secret, PeerIdentity self, Side side,
                             std::uint16_t version)
    : secret_(secret), self_(std::move(self)), side_(side), version_(version) {
  ::randombytes_buf(key_.data(), key_.size());
  wants_ = kOpeningBytes;
  step_ = side == Side::kConnecting ? Step::kReply : Step::kHello;
  if (side == Side::kConnecting) send_hello();
}

PeerHandshake::~PeerHandshake() { ::sodium_memzero(key_.data(), key_.size()); }

void PeerHandshake::refuse(PeerRefusal why) {
  state_ = State::kRefused;
  refusal_ = why;
  wants_ = 0;
}

void PeerHandshake::feed(std::string_view bytes) {
  if (state_ != State::kGoing || bytes.size() != wants_) return;
  switch (step_) {
    case Step::kHello:
      return take_hello(bytes);
    case Step::kReply:
      return take_reply(bytes);
    case Step::kLength: {
      const auto sealed = PeerChannel::sealed_bytes(bytes.substr(PeerChannel::kHeaderBytes));
      if (!sealed || *sealed > kMostIdentity + PeerChannel::kTagBytes ||
          !channel_->begun_by_other(bytes.substr(0, PeerChannel::kHeaderBytes))) {
        return refuse(PeerRefusal::kNotANode);
      }
      step_ = Step::kIdentity;
      wants_ = *sealed;
      return;
    }
    case Step::kIdentity:
      return take_identity(bytes);
  }
}

void PeerHandshake::send_hello() {
  hello_ = signed_part(version_, PeerRefusal::kNone, key_);
  hello_ += code_over(secret_, "hello", hello_);
  output_ = hello_;
}

void PeerHandshake::take_hello(std::string_view hello) {
  if (!hello.starts_with(kMagic)) return refuse(PeerRefusal::kNotANode);
  const auto opening = read(hello);
  if (!is_code(opening.code, code_over(secret_, "hello", hello.substr(0, kSignedBytes)))) {
    return refuse(PeerRefusal::kSecret);
  }
  other_version_ = opening.version;
  const auto verdict = opening.version == version_ ? PeerRefusal::kNone : PeerRefusal::kVersion;
  hello_ = hello;
  reply_ = signed_part(version_, verdict, key_);
  reply_ += code_over(secret_, "reply", hello_ + reply_);
  output_ += reply_;
  if (verdict != PeerRefusal::kNone) return refuse(verdict);
  if (!agree(opening.key)) return refuse(PeerRefusal::kSecret);
}

void PeerHandshake::take_reply(std::string_view reply) {
  if (!reply.starts_with(kMagic)) return refuse(PeerRefusal::kNotANode);
  const auto opening = read(reply);
  const std::string code =
      code_over(secret_, "reply", hello_ + std::string(reply.substr(0, kSignedBytes)));
  if (!is_code(opening.code, code)) return refuse(PeerRefusal::kSecret);
  other_version_ = opening.version;
  if (opening.verdict != PeerRefusal::kNone) return refuse(PeerRefusal::kVersion);
  reply_ = reply;
  if (!agree(opening.key)) return refuse(PeerRefusal::kSecret);
  seal_identity(PeerRefusal::kNone);
}

// Makes the keys of both directions.
bool PeerHandshake::agree(std::string_view other_key) {
  std::array<unsigned char, crypto_scalarmult_BYTES> shared;
  if (::crypto_scalarmult(shared.data(), key_.data(), bytes_of(other_key)) != 0) return false;
  const auto key = secret_.key_for("connection");
  std::array<unsigned char, 2 * sizeof(PeerSecret::Key)> keys;
  crypto_generichash_state hash;
  ::crypto_generichash_init(&hash, key.data(), key.size(), keys.size());
  ::crypto_generichash_update(&hash, shared.data(), shared.size());
  ::crypto_generichash_update(&hash, bytes_of(hello_), hello_.size());
  ::crypto_generichash_update(&hash, bytes_of(reply_), reply_.size());
  ::crypto_generichash_final(&hash, keys.data(), keys.size());
  PeerSecret::Key first, second;
  std::copy_n(keys.begin(), first.size(), first.begin());
  std::copy_n(keys.begin() + first.size(), second.size(), second.begin());
  const bool connecting = side_ == Side::kConnecting;
  channel_ = std::make_unique<PeerChannel>(
      PeerChannel::Keys{connecting ? first : second, connecting ? second : first});
  ::sodium_memzero(shared.data(), shared.size());
  ::sodium_memzero(keys.data(), keys.size());
  ::sodium_memzero(first.data(), first.size());
  ::sodium_memzero(second.data(), second.size());
  step_ = Step::kLength;
  wants_ = PeerChannel::kHeaderBytes + PeerChannel::kLengthBytes;
  return true;
}

void PeerHandshake::seal_identity(PeerRefusal verdict) {
  std::string identity(1, static_cast<char>(verdict));
  append_text(identity, self_.node);
  append_text(identity, self_.cluster);
  channel_->begin(output_);
  channel_->seal(identity, output_);
}

void PeerHandshake::take_identity(std::string_view sealed) {
  std::string plain;
  if (!channel_->open(sealed, plain) || plain.empty()) return refuse(PeerRefusal::kSecret);
  const auto refusal = static_cast<PeerRefusal>(plain.front());
  auto rest = std::string_view(plain).substr(1);
  if (!read_text(rest, other_.node) || !read_text(rest, other_.cluster) || !rest.empty()) {
    return refuse(PeerRefusal::kNotANode);
  }
  const bool same = other_.cluster == self_.cluster.substr(0, PeerIdentity::kMostBytes);
  const auto verdict =
      same && refusal == PeerRefusal::kNone ? PeerRefusal::kNone : PeerRefusal::kCluster;
  if (side_ == Side::kListening) seal_identity(verdict);
  if (verdict != PeerRefusal::kNone) return refuse(verdict);
  state_ = State::kAgreed;
  wants_ = 0;
}

std::string PeerHandshake::sentence() const {
  switch (refusal_) {
    case PeerRefusal::kNone:
      return {};
    case PeerRefusal::kNotANode:
      return "It does not speak as a node.";
    case PeerRefusal::kSecret:
      return "It did not prove that it has the cluster's secret.";
    case PeerRefusal::kVersion:
      return "It speaks version " + std::to_string(other_version_) +
             " of the protocol between nodes, and this node version " + std::to_string(version_) +
             ".";
    case PeerRefusal::kCluster:
      return "It is of the cluster " + other_.cluster + ", and this node of " + self_.cluster + ".";
  }
  return {};
}

}  // namespace tilth
