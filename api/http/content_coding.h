// Compressed bodies: which coding a client prefers, and bodies in it (RFC 9110, 8.4.1 and 12.5.3).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/http.h"

namespace tilth {

enum class ContentCoding : std::uint8_t { kIdentity, kGzip, kZstd };

// As in Content-Encoding.
std::string_view name_of(ContentCoding coding);

// The coding that an Accept-Encoding header prefers; zstd among equals, since it takes less time.
// kIdentity for a header that accepts neither.
ContentCoding preferred_coding(std::string_view accept_encoding);

// Whether a body with that Content-Encoding is as it was before any coding.
bool is_uncoded(std::string_view content_encoding);

// Whether bodies of that type become smaller: JSON, JSON lines and text. Events for EventSource
// stay as they are, since what stands between may hold compressed bytes back.
bool is_compressible(std::string_view content_type);

// The tag of a body in that coding: "a" becomes "a-gzip", since other bytes need another tag.
std::string coded_tag(std::string_view tag, ContentCoding coding);

// The reverse, for a tag in any coding: what is compared with the tag of a record.
std::string plain_tag(std::string_view tag);

// One body, piece by piece. Threads: one at a time.
class BodyEncoder {
 public:
  virtual ~BodyEncoder() = default;

  // The piece in the coding, such that the client can decode all of it.
  virtual std::string encode(std::string_view piece) = 0;

  // What ends the body.
  virtual std::string finish() = 0;
};

// For kGzip and kZstd. It takes about 100 KiB, since many streams last long.
std::unique_ptr<BodyEncoder> body_encoder(ContentCoding coding);

// A whole body. Takes about 5 ms for a megabyte, and calls `yield` about every millisecond.
std::string encoded(
    ContentCoding coding, std::string_view body, const std::function<void()>& yield = [] {});

// A whole body as small as it gets, for one that is encoded once and sent often.
std::string encoded_once(ContentCoding coding, std::string_view body);

// A stream that encodes what is written to `inner`.
std::unique_ptr<BodyStream> encoded_stream(ContentCoding coding, std::unique_ptr<BodyStream> inner);

}  // namespace tilth
