#include "infra/system/zip_file.h"

#include <algorithm>
#include <cstdint>

#include <zlib.h>

namespace tilth {
namespace {

// Fields of the local file header, APPNOTE.TXT 4.3.7.
constexpr std::string_view kSignature = "PK\3\4", kDescriptor = "PK\7\10";
constexpr std::size_t kHeader = 30, kFlags = 6, kMethod = 8, kChecksum = 14, kPacked = 18,
                      kNameLength = 26, kExtraLength = 28;
constexpr std::uint32_t kStored = 0, kDeflated = 8, kEncrypted = 1, kChecksumFollows = 8;

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

Error damaged() { return {ErrorCode::kInvalid, "The ZIP archive is damaged or cut short."}; }
Error too_long() { return {ErrorCode::kInvalid, "The ZIP archive holds too long a file."}; }

// Inflates the stream at the front of `packed`, and removes it there.
Result<std::string> inflated(std::string_view& packed, std::size_t most_bytes) {
  constexpr int kBare = -15;  // no zlib header
  constexpr std::size_t kPiece = 1 << 16;
  z_stream stream{};
  if (inflateInit2(&stream, kBare) != Z_OK) return damaged();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // only read
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int state = Z_OK;
  while (state == Z_OK && text.size() <= most_bytes) {
    const auto size = text.size();
    text.resize(size + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream.avail_out = static_cast<uInt>(kPiece);
    state = inflate(&stream, Z_NO_FLUSH);
    text.resize(size + kPiece - stream.avail_out);
  }
  packed.remove_prefix(packed.size() - stream.avail_in);
  inflateEnd(&stream);
  if (text.size() > most_bytes) return too_long();
  if (state != Z_STREAM_END) return damaged();
  return text;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with(kSignature); }

Result<std::string> unzipped(std::string_view bytes, std::size_t most_bytes) {
  if (!is_zip(bytes) || bytes.size() < kHeader || bytes.size() > UINT32_MAX) return damaged();
  const auto flags = number(bytes, kFlags, 2), method = number(bytes, kMethod, 2);
  const bool follows = (flags & kChecksumFollows) != 0;
  const bool usual = method == kDeflated || (method == kStored && !follows);
  if (!usual || (flags & kEncrypted) != 0) {
    return Error{ErrorCode::kInvalid, "The ZIP archive is not packed in the usual way."};
  }
  auto checksum = number(bytes, kChecksum, 4);
  const auto packed_size = number(bytes, kPacked, 4);
  const auto begin = kHeader + number(bytes, kNameLength, 2) + number(bytes, kExtraLength, 2);
  if (bytes.size() < begin) return damaged();
  auto rest = bytes.substr(begin);
  if (method == kStored && rest.size() < packed_size) return damaged();
  if (method == kStored && packed_size > most_bytes) return too_long();
  auto text = method == kStored ? Result<std::string>(std::string(rest.substr(0, packed_size)))
                                : inflated(rest, most_bytes);
  if (!text) return text;
  if (follows) {
    if (rest.starts_with(kDescriptor)) rest.remove_prefix(kDescriptor.size());
    if (rest.size() < sizeof checksum) return damaged();
    checksum = number(rest, 0, sizeof checksum);
  }
  const auto found = crc32_z(0, reinterpret_cast<const Bytef*>(text->data()), text->size());
  return found == checksum ? text : Result<std::string>(damaged());
}

}  // namespace tilth
