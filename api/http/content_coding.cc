#include "api/http/content_coding.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

#include <zlib.h>
#include <zstd.h>

#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::array kCodings{ContentCoding::kZstd, ContentCoding::kGzip};
constexpr std::size_t kSlice = std::size_t{128} << 10;

// The weight of ";q=0.5", in thousandths. A malformed one accepts nothing.
int weight_of(std::string_view parameters) {
  if (parameters.empty()) return 1000;
  const auto equals = parameters.find('=');
  if (equals == parameters.npos || trim_blanks(parameters.substr(0, equals)) != "q") return 0;
  const auto digits = trim_blanks(parameters.substr(equals + 1));
  double weight = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), weight,
                                    std::chars_format::fixed);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return 0;
  return static_cast<int>(std::clamp(weight, 0.0, 1.0) * 1000);
}

// Small windows: many streams last long, and each keeps its encoder.
class GzipEncoder final : public BodyEncoder {
 public:
  explicit GzipEncoder(int level = Z_BEST_SPEED, int window_bits = 13, int memory_level = 7) {
    constexpr int kGzipFormat = 16;
    if (deflateInit2(&stream_, level, Z_DEFLATED, window_bits + kGzipFormat, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  std::string encode(std::string_view piece) override { return deflated(piece, Z_SYNC_FLUSH); }
  std::string finish() override { return deflated({}, Z_FINISH); }

 private:
  std::string deflated(std::string_view piece, int flush) {
    std::string out;
    std::array<char, std::size_t{16} << 10> room{};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = room.size();
      deflate(&stream_, flush);
      out.append(room.data(), room.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

  z_stream stream_{};
};

class ZstdEncoder final : public BodyEncoder {
 public:
  ZstdEncoder() {
    if (!context_) throw std::bad_alloc();
    constexpr int kWindowLog = 14, kHashLog = 13;
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kWindowLog);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_hashLog, kHashLog);
  }

  std::string encode(std::string_view piece) override { return compressed(piece, ZSTD_e_flush); }
  std::string finish() override { return compressed({}, ZSTD_e_end); }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  std::string compressed(std::string_view piece, ZSTD_EndDirective directive) {
    std::string out;
    std::array<char, std::size_t{16} << 10> room{};
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer to{room.data(), room.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &to, &in, directive);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // its only error here
      out.append(room.data(), to.pos);
    } while (left != 0);
    return out;
  }

  const std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
};

class EncodedStream final : public BodyStream {
 public:
  EncodedStream(ContentCoding coding, std::unique_ptr<BodyStream> inner)
      : encoder_(body_encoder(coding)), inner_(std::move(inner)) {}

  bool write(std::string piece) override { return inner_->write(encoder_->encode(piece)); }
  bool closed() const override { return inner_->closed(); }
  bool has_room() const override { return inner_->has_room(); }
  void on_room(std::function<void()> moved) override { inner_->on_room(std::move(moved)); }
  void end() override {
    if (inner_->write(encoder_->finish())) inner_->end();
  }

 private:
  const std::unique_ptr<BodyEncoder> encoder_;
  const std::unique_ptr<BodyStream> inner_;
};

}  // namespace

std::string_view name_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return "gzip";
    case ContentCoding::kZstd:
      return "zstd";
    case ContentCoding::kIdentity:
      break;
  }
  return "identity";
}

ContentCoding preferred_coding(std::string_view accept_encoding) {
  const auto lower = to_lower(accept_encoding);
  std::string_view rest = lower;
  std::array<std::optional<int>, kCodings.size()> weights;
  int of_others = 0, of_none = 0;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto semicolon = std::min(entry.find(';'), entry.size());
    const auto coding = trim_blanks(entry.substr(0, semicolon));
    const auto weight = weight_of(entry.substr(std::min(semicolon + 1, entry.size())));
    if (coding == "*") of_others = weight;
    if (coding == name_of(ContentCoding::kIdentity)) of_none = weight;
    for (std::size_t i = 0; i < kCodings.size(); ++i) {
      const bool old_name = kCodings[i] == ContentCoding::kGzip && coding == "x-gzip";
      if (old_name || coding == name_of(kCodings[i])) weights[i] = weight;
    }
  }
  auto best = ContentCoding::kIdentity;
  int most = std::max(of_none - 1, 0);  // of the same weight, a coding is better
  for (std::size_t i = 0; i < kCodings.size(); ++i) {
    const int weight = weights[i].value_or(of_others);
    if (weight <= most) continue;
    most = weight;
    best = kCodings[i];
  }
  return best;
}

bool is_uncoded(std::string_view content_encoding) {
  while (!content_encoding.empty()) {
    const auto comma = std::min(content_encoding.find(','), content_encoding.size());
    const auto coding = trim_blanks(content_encoding.substr(0, comma));
    if (!coding.empty() && !equals_ignoring_case(coding, "identity")) return false;
    content_encoding.remove_prefix(std::min(comma + 1, content_encoding.size()));
  }
  return true;
}

bool is_compressible(std::string_view content_type) {
  const auto type = trim_blanks(content_type.substr(0, content_type.find(';')));
  if (type == "text/event-stream") return false;
  return type.starts_with("text/") || type == "application/json" || type.ends_with("+json") ||
         type == "application/x-ndjson" || type.ends_with("+xml");
}

std::string coded_tag(std::string_view tag, ContentCoding coding) {
  std::string coded(tag);
  if (coding == ContentCoding::kIdentity || !coded.ends_with('"')) return coded;
  coded.pop_back();
  coded.append("-").append(name_of(coding)).append("\"");
  return coded;
}

std::string plain_tag(std::string_view tag) {
  for (const auto coding : kCodings) {
    const auto suffix = "-" + std::string(name_of(coding)) + "\"";
    if (tag.ends_with(suffix)) return std::string(tag.substr(0, tag.size() - suffix.size())) + "\"";
  }
  return std::string(tag);
}

std::unique_ptr<BodyEncoder> body_encoder(ContentCoding coding) {
  if (coding == ContentCoding::kGzip) return std::make_unique<GzipEncoder>();
  return std::make_unique<ZstdEncoder>();
}

std::string encoded(ContentCoding coding, std::string_view body,
                    const std::function<void()>& yield) {
  const auto encoder = body_encoder(coding);
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += kSlice) {
    if (at > 0) yield();
    out += encoder->encode(body.substr(at, kSlice));
  }
  out += encoder->finish();
  return out;
}

std::string encoded_once(ContentCoding coding, std::string_view body) {
  std::string out;
  if (coding == ContentCoding::kZstd) {
    out.resize(ZSTD_compressBound(body.size()));
    constexpr int kLevel = 9;
    const auto size = ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kLevel);
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // its only error here
    out.resize(size);
    return out;
  }
  GzipEncoder encoder(Z_BEST_COMPRESSION, MAX_WBITS, MAX_MEM_LEVEL);
  out = encoder.encode(body);
  out += encoder.finish();
  return out;
}

std::unique_ptr<BodyStream> encoded_stream(ContentCoding coding,
                                           std::unique_ptr<BodyStream> inner) {
  return std::make_unique<EncodedStream>(coding, std::move(inner));
}

}  // namespace tilth
