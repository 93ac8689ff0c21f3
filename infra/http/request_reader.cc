#include "infra/http/request_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "events/values/ascii.h"
#include "events/values/eight_bytes.h"
#include "infra/http/request_rules.h"

namespace tilth {
namespace {

namespace beast_http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastView = boost::beast::string_view;

constexpr std::size_t kMaxChunkHeadBytes = std::size_t{8} << 10;  // with the trailers of the last
constexpr std::size_t kMaxChunkExtensionBytes = std::size_t{4} << 10;  // of one request
constexpr std::size_t kShortestLastChunk = 5;                          // "0\r\n\r\n"
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 10;
constexpr std::size_t kUsualHeaders = 8;  // of a request: more of them cost a little more
constexpr std::size_t kTriflingBody = std::size_t{4} << 10;  // not worth a plan

constexpr std::string_view kMalformedHead = "The request's head is malformed.";
constexpr std::string_view kMalformedChunk = "The chunked body is malformed.";
constexpr std::string_view kMemoryRefuses = "Too many request bodies are being received.";
constexpr std::string_view kDiskRefuses = "The body cannot be stored: the disk reports an error.";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The first control character at or after `from`, else the size.
std::size_t end_of_visible(std::string_view text, std::size_t from) {
  return eight_bytes::find_end(
      text, from,
      [](std::uint64_t eight) {
        return eight_bytes::below(eight, 0x20) | eight_bytes::equal(eight, 0x7F);
      },
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// The headers of a head that is incomplete or malformed: its complete lines, without the request
// line.
std::vector<HttpHeader> whole_headers(std::string_view lines) {
  std::vector<HttpHeader> headers;
  for (bool first = true; !lines.empty(); first = false) {
    const auto line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(std::min(line.size() + 2, lines.size()));
    const auto colon = line.find(':');
    if (first || colon == line.npos) continue;
    headers.emplace_back(to_lower(line.substr(0, colon)), trim_blanks(line.substr(colon + 1)));
  }
  return headers;
}

// "GET / HTTP/2.0" is well formed, "GET / HTTPS" is not.
bool names_a_version(std::string_view request_line) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (request_line.size() < 8) return false;
  if (std::count(request_line.begin(), request_line.end(), ' ') != 2) return false;
  const auto version = request_line.substr(request_line.size() - 8);
  return version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
         is_digit(version[7]);
}

bool has_folded_line(std::string_view lines) {
  for (auto at = lines.find("\r\n"); at != std::string_view::npos;
       at = lines.find("\r\n", at + 2)) {
    if (at + 2 < lines.size() && is_blank(lines[at + 2])) return true;
  }
  return false;
}

}  // namespace

// One request's state inside Beast, which parses heads and chunks. Other code makes up for its
// leniency: the reader refuses bare line ends and folded lines, request_rules checks the framing.
class RequestReader::Parser final : public beast_http::basic_parser<true> {
 public:
  Parser() {
    // The reader enforces the limits; boost::none would refuse every body in Boost 1.74.
    body_limit(std::numeric_limits<std::uint64_t>::max());
    header_limit(std::numeric_limits<std::uint32_t>::max());
  }

  struct Step {
    std::size_t consumed = 0;
    bool needs_more = false;
    BeastError error;
  };

  Step step(std::string_view bytes) {
    Step step;
    chunk_began = false;
    step.consumed = put(boost::asio::const_buffer(bytes.data(), bytes.size()), step.error);
    step.needs_more = step.error == beast_http::error::need_more;
    if (step.needs_more) step.error = {};
    return step;
  }

  bool expects_chunk() const { return chunked() && chunk_left == 0; }

  HttpRequest request;
  std::string target;
  bool http_1_0 = false;
  bool head_done = false;
  bool chunk_began = false;              // in the last step
  std::shared_ptr<SpooledBody> spooled;  // where the body is written if not to memory
  bool disk_refused = false;
  std::shared_ptr<MemoryShare> memory;  // of the body; null: it is not counted
  bool memory_refused = false;
  bool discards = false;
  std::size_t body_size = 0;
  std::size_t expected_body_bytes = 0;  // at most
  std::uint64_t chunk_left = 0;
  std::size_t chunk_extension_size = 0;

 private:
  // False: there is no memory for it. Room is made ahead, but never for more than the body may
  // have; it counts once bytes arrive, since until then it occupies no page.
  bool append(std::string_view bytes) {
    auto& body = request.body;
    const auto needed = body.size() + bytes.size();
    if (memory && !memory->resize(needed)) return false;
    if (needed > body.capacity()) {
      std::string larger;  // reserve() of one that has room would at least double it
      larger.reserve(std::max(needed, std::min(2 * body.capacity(), expected_body_bytes)));
      larger += body;
      body = std::move(larger);
    }
    body += bytes;
    return true;
  }

  void on_request_impl(beast_http::verb, BeastView method, BeastView target_text, int version,
                       BeastError&) override {
    request.method.assign(method.data(), method.size());
    request.headers.reserve(kUsualHeaders);
    target.assign(target_text.data(), target_text.size());
    http_1_0 = version == 10;
  }

  void on_field_impl(beast_http::field, BeastView name, BeastView value, BeastError&) override {
    if (head_done) return;  // trailers are not headers
    auto& [key, text] = request.headers.emplace_back();
    key = to_lower({name.data(), name.size()});
    text.assign(value.data(), value.size());
  }

  void on_header_impl(BeastError&) override { head_done = true; }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}

  std::size_t on_body_impl(BeastView bytes, BeastError&) override {
    body_size += bytes.size();
    if (discards) return bytes.size();
    if (!spooled) {
      if (!append({bytes.data(), bytes.size()})) memory_refused = true;
    } else if (!spooled->append({bytes.data(), bytes.size()})) {
      disk_refused = true;
    }
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t size, BeastView extensions, BeastError&) override {
    chunk_began = true;
    chunk_left = size;
    chunk_extension_size = extensions.size();
  }

  std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, BeastError& error) override {
    chunk_left -= bytes.size();
    return on_body_impl(bytes, error);
  }

  void on_response_impl(int, BeastView, int, BeastError&) override {}
  void on_finish_impl(BeastError&) override {}
};

RequestReader::RequestReader(const ReaderLimits& limits)
    : limits_(limits), parser_(std::make_unique<Parser>()) {}

RequestReader::~RequestReader() = default;

void RequestReader::feed(std::string_view bytes) {
  if (phase_ != Phase::kStopped) buffer_ += bytes;
}

ReadOutcome RequestReader::next() {
  if (phase_ == Phase::kBetween && !unread().empty() && !skip_empty_line()) phase_ = Phase::kHead;
  if (phase_ == Phase::kHead) return read_head();
  if (phase_ == Phase::kBody) return read_body();
  return NeedsMore{};
}

// RFC 9112, 2.2: one empty line before a request is ignored. True if there is nothing else yet.
bool RequestReader::skip_empty_line() {
  if (skipped_empty_line_ || unread().front() != '\r') return false;
  if (unread().size() == 1) return true;
  if (unread()[1] != '\n') return false;
  skipped_empty_line_ = true;
  consume(2);
  return unread().empty();
}

// Checks every byte once, so that each fault is found at the same byte however the head is split.
ReadOutcome RequestReader::read_head() {
  const auto bytes = unread();
  for (;; ++scanned_) {
    if (scanned_ != line_start_) {
      const auto most = lines_ == 0 ? limits_.max_request_line_bytes : limits_.max_head_bytes;
      scanned_ = end_of_visible(bytes.substr(0, std::max(most, scanned_)), scanned_);
    }
    if (lines_ == 0 && scanned_ > limits_.max_request_line_bytes) {
      return refuse(414, "The request line is too long.");
    }
    if (scanned_ > limits_.max_head_bytes) return refuse(431, "The headers are too large.");
    if (scanned_ == bytes.size()) return NeedsMore{};

    const char c = bytes[scanned_];
    if (scanned_ == line_start_ && lines_ > 0 && is_blank(c)) return refuse(400, kMalformedHead);
    if (c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F)) continue;
    if (c != '\r') return refuse(400, kMalformedHead);
    if (scanned_ + 1 == bytes.size()) return NeedsMore{};
    if (bytes[scanned_ + 1] != '\n') return refuse(400, kMalformedHead);
    if (scanned_ == line_start_) break;
    if (lines_ > limits_.max_headers) return refuse(431, "There are too many headers.");
    ++lines_;
    line_start_ = ++scanned_ + 1;
  }

  const auto head = bytes.substr(0, scanned_ + 2);
  const auto step = parser_->step(head);
  if (step.error || step.needs_more || !parser_->head_done) {
    const bool other_version = step.error == beast_http::error::bad_version &&
                               names_a_version(head.substr(0, head.find("\r\n")));
    // Not 505, which would be retried.
    if (other_version) return refuse(400, "Only HTTP/1.1 and HTTP/1.0 are supported.");
    return refuse(400, kMalformedHead);
  }
  consume(head.size());
  return begin_body();
}

ReadOutcome RequestReader::begin_body() {
  auto checked = check_head(parser_->target, parser_->http_1_0, parser_->request);
  if (const auto* refusal = std::get_if<Refusal>(&checked)) {
    return refuse(refusal->status, refusal->reason);
  }
  const auto& facts = std::get<HeadFacts>(checked);
  // Before any byte of the body is read, and before a 100 Continue is sent.
  if (facts.has_body()) {
    const auto length = facts.content_length;
    const bool has_arrived = !facts.expects_continue && length && *length <= unread().size();
    const bool trifling = has_arrived && *length <= kTriflingBody && !limits_.spool;
    if (!trifling && !apply_plan(has_arrived)) return head_alone();
    if (parser_->disk_refused) return refuse(503, kDiskRefuses);
  }
  if (facts.content_length.value_or(0) > most_body_bytes()) return too_large();
  if (!facts.has_body()) return complete();
  if (!parser_->spooled && !parser_->discards) {
    parser_->expected_body_bytes =
        static_cast<std::size_t>(facts.content_length.value_or(most_body_bytes()));
  }
  phase_ = Phase::kBody;
  if (facts.expects_continue) return AwaitsContinue{};
  return read_body();
}

// False if the head suffices. A body that came with its head is read all the same, so that the
// connection goes on.
bool RequestReader::apply_plan(bool has_arrived) {
  auto& parser = *parser_;
  auto plan = limits_.plan ? limits_.plan(parser.request) : BodyPlan();
  if (plan.use == BodyUse::kUnread && !has_arrived) return false;
  if (plan.use == BodyUse::kFile && limits_.spool) {
    auto spooled = limits_.spool();
    if (!spooled) return parser.disk_refused = true;
    parser.spooled = std::move(*spooled);
  } else if (plan.use == BodyUse::kDiscard) {
    parser.discards = true;
  } else {
    most_body_bytes_ = std::max(limits_.max_body_bytes, plan.most_bytes);
    if (limits_.memory) parser.memory = limits_.memory->take(plan.account, 0);
  }
  return true;
}

std::size_t RequestReader::most_body_bytes() const {
  return parser_->spooled ? limits_.max_spooled_bytes : most_body_bytes_;
}

ReadOutcome RequestReader::read_body() {
  while (!unread().empty()) {
    const auto bytes = unread();
    // Beast asserts that it gets at least this much when a last chunk has begun.
    if (parser_->expects_chunk() && bytes.size() < kShortestLastChunk) return NeedsMore{};
    const auto step = parser_->step(bytes);
    if (step.error) return refuse(400, kMalformedChunk);
    if (step.needs_more) {
      if (bytes.size() > kMaxChunkHeadBytes) return refuse(400, kMalformedChunk);
      return NeedsMore{};
    }
    if (parser_->chunk_began) {
      chunk_extension_bytes_ += parser_->chunk_extension_size;
      if (step.consumed > kMaxChunkHeadBytes || has_folded_line(bytes.substr(0, step.consumed)) ||
          chunk_extension_bytes_ > kMaxChunkExtensionBytes) {
        return refuse(400, kMalformedChunk);
      }
      if (parser_->chunk_left > most_body_bytes() - parser_->body_size) return too_large();
    }
    if (parser_->disk_refused) return refuse(503, kDiskRefuses);
    if (parser_->memory_refused) {
      parser_->request.body = {};
      parser_->memory.reset();
      return refuse(503, kMemoryRefuses);
    }
    consume(step.consumed);
    if (parser_->is_done()) return complete();
  }
  release_buffer();
  return NeedsMore{};
}

ReadOutcome RequestReader::complete() {
  CompleteRequest read{std::move(parser_->request), parser_->keep_alive(), parser_->http_1_0};
  read.request.large_body = std::move(parser_->spooled);
  read.request.body_memory = std::move(parser_->memory);
  release_buffer();
  if (read.keep_alive) {
    parser_ = std::make_unique<Parser>();
    phase_ = Phase::kBetween;
    scanned_ = line_start_ = lines_ = chunk_extension_bytes_ = 0;
    most_body_bytes_ = limits_.max_body_bytes;
    skipped_empty_line_ = false;
  } else {
    phase_ = Phase::kStopped;
  }
  return read;
}

ReadOutcome RequestReader::too_large() {
  auto refused = head_alone();
  refused.request.body_too_large = true;
  refused.request.body_unread = false;
  return refused;
}

CompleteRequest RequestReader::head_alone() {
  phase_ = Phase::kStopped;
  CompleteRequest read{std::move(parser_->request), false, parser_->http_1_0};
  read.request.body = {};
  read.request.body_unread = true;
  parser_->memory.reset();
  release_buffer();
  return read;
}

std::vector<HttpHeader> RequestReader::headers() const {
  if (parser_->head_done) return parser_->request.headers;
  return whole_headers(unread().substr(0, line_start_));
}

ReadOutcome RequestReader::refuse(int status, std::string_view reason) {
  phase_ = Phase::kStopped;
  return Refusal{status, reason};
}

// What a burst has left behind.
void RequestReader::release_buffer() {
  if (buffer_.empty() && buffer_.capacity() > kKeptBufferBytes) std::string().swap(buffer_);
}

void RequestReader::consume(std::size_t bytes) {
  read_ += bytes;
  if (read_ == buffer_.size()) {
    read_ = 0;
    buffer_.clear();
  } else if (read_ >= buffer_.size() / 2) {
    // A flood of small requests must not copy the rest of the buffer for each of them.
    buffer_.erase(0, read_);
    read_ = 0;
  }
}

}  // namespace tilth
