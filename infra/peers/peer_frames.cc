#include "infra/peers/peer_frames.h"

#include <limits>
#include <utility>
#include <vector>

namespace tilth::peer_frames {
namespace {

// On the wire, and never given another meaning within a version.
enum class Kind : std::uint8_t {
  kRequest = 1,
  kResponse = 2,
  kPiece = 3,
  kCredit = 4,
  kCancel = 5,
  kEnd = 6,
  kCut = 7,
  kNotTaken = 8,
  kHeartbeat = 9,
  kDraining = 10,
  kClosing = 11,
};

constexpr std::uint8_t kInFile = 1, kBodyTooLarge = 2, kBodyUnread = 4;  // flags of a request
constexpr std::size_t kMostHeaders = 1'000;
constexpr std::size_t kMostNumber = 10;  // bytes

void put(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
  to += static_cast<char>(number);
}

void put(std::string& to, std::string_view text) {
  put(to, text.size());
  to += text;
}

void put(std::string& to, const std::vector<HttpHeader>& headers) {
  put(to, headers.size());
  for (const auto& [name, value] : headers) {
    put(to, name);
    put(to, value);
  }
}

void put(std::string& to, Kind kind, std::uint64_t id) {
  to += static_cast<char>(kind);
  put(to, id);
}

// Reads what put() wrote. After a failure everything else fails.
class Reading {
 public:
  explicit Reading(std::string_view& bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }

  std::uint8_t byte() {
    if (bytes_.empty()) return fail();
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < kMostNumber; ++at) {
      const std::uint64_t next = byte();
      if (at == kMostNumber - 1 && next > 1) return fail();  // more than 64 bits
      if (at > 0 && next == 0) return fail();                // there is a shorter form
      number |= (next & 0x7F) << (7 * at);
      if ((next & 0x80) == 0) return ok_ ? number : 0;
    }
    return fail();
  }

  std::string_view text() {
    const auto size = number();
    if (size > bytes_.size()) return fail(), std::string_view();
    const auto text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

  std::vector<HttpHeader> headers() {
    const auto count = number();
    // Each takes two bytes at least, so nothing is reserved for what is not there.
    if (count > kMostHeaders || 2 * count > bytes_.size()) return fail(), std::vector<HttpHeader>();
    std::vector<HttpHeader> headers;
    headers.reserve(count);
    for (std::uint64_t each = 0; each < count && ok_; ++each) {
      std::string name(text());
      headers.emplace_back(std::move(name), text());
    }
    return headers;
  }

 private:
  std::uint8_t fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }

  std::string_view& bytes_;
  bool ok_ = true;
};

Frame read_request(Reading& reading) {
  Request request;
  request.id = reading.number();
  const auto flags = reading.byte();
  request.in_file = (flags & kInFile) != 0;
  request.head.body_too_large = (flags & kBodyTooLarge) != 0;
  request.head.body_unread = (flags & kBodyUnread) != 0;
  request.head.method = reading.text();
  request.head.path = reading.text();
  request.head.query = reading.text();
  request.head.peer = reading.text();
  request.head.headers = reading.headers();
  request.body_bytes = reading.number();
  request.body = reading.text();
  return request;
}

Frame read_response(Reading& reading) {
  Response response;
  response.id = reading.number();
  response.streamed = reading.byte() != 0;
  const auto status = reading.number();
  response.head.status = status < 1'000 ? static_cast<int>(status) : 0;
  response.head.headers = reading.headers();
  response.body_bytes = reading.number();
  response.body = reading.text();
  return response;
}

bool holds(const Request& request) {
  return request.id > 0 && (request.in_file ? request.body_bytes == 0 && request.body.empty()
                                            : request.body.size() <= request.body_bytes);
}

bool holds(const Response& response) {
  return response.id > 0 && response.head.status >= 100 &&
         (response.streamed ? response.body_bytes == 0 && response.body.empty()
                            : response.body.size() <= response.body_bytes);
}

bool holds(const Frame& frame) {
  if (const auto* request = std::get_if<Request>(&frame)) return holds(*request);
  if (const auto* response = std::get_if<Response>(&frame)) return holds(*response);
  if (const auto* piece = std::get_if<Piece>(&frame)) return !piece->bytes.empty();
  return true;
}

Frame read(Kind kind, Reading& reading) {
  switch (kind) {
    case Kind::kRequest:
      return read_request(reading);
    case Kind::kResponse:
      return read_response(reading);
    case Kind::kPiece: {
      const auto id = reading.number();
      return Piece{id, reading.text()};
    }
    case Kind::kCredit: {
      const auto id = reading.number();
      return Credit{id, reading.number()};
    }
    case Kind::kCancel:
      return Cancel{reading.number()};
    case Kind::kEnd:
      return End{reading.number()};
    case Kind::kCut:
      return Cut{reading.number()};
    case Kind::kNotTaken:
      return NotTaken{reading.number()};
    case Kind::kHeartbeat:
      return Heartbeat{};
    case Kind::kDraining:
      return Draining{};
    case Kind::kClosing:
      return Closing{};
  }
  return Piece{};  // does not hold
}

struct Append {
  std::string& to;

  void operator()(const Request& frame) const {
    append_request(to, frame.id, frame.head, frame.in_file, frame.body_bytes, frame.body);
  }
  void operator()(const Response& frame) const {
    append_response(to, frame.id, frame.head, frame.streamed, frame.body_bytes, frame.body);
  }
  void operator()(const Piece& frame) const {
    put(to, Kind::kPiece, frame.id);
    put(to, frame.bytes);
  }
  void operator()(const Credit& frame) const {
    put(to, Kind::kCredit, frame.id);
    put(to, frame.bytes);
  }
  void operator()(const Cancel& frame) const { put(to, Kind::kCancel, frame.id); }
  void operator()(const End& frame) const { put(to, Kind::kEnd, frame.id); }
  void operator()(const Cut& frame) const { put(to, Kind::kCut, frame.id); }
  void operator()(const NotTaken& frame) const { put(to, Kind::kNotTaken, frame.id); }
  void operator()(Heartbeat) const { to += static_cast<char>(Kind::kHeartbeat); }
  void operator()(Draining) const { to += static_cast<char>(Kind::kDraining); }
  void operator()(Closing) const { to += static_cast<char>(Kind::kClosing); }
};

}  // namespace

void append_request(std::string& to, std::uint64_t id, const HttpRequest& head, bool in_file,
                    std::uint64_t body_bytes, std::string_view body) {
  put(to, Kind::kRequest, id);
  to += static_cast<char>((in_file ? kInFile : 0) | (head.body_too_large ? kBodyTooLarge : 0) |
                          (head.body_unread ? kBodyUnread : 0));
  put(to, head.method);
  put(to, head.path);
  put(to, head.query);
  put(to, head.peer);
  put(to, head.headers);
  put(to, body_bytes);
  put(to, body);
}

void append_response(std::string& to, std::uint64_t id, const HttpResponse& head, bool streamed,
                     std::uint64_t body_bytes, std::string_view body) {
  put(to, Kind::kResponse, id);
  to += static_cast<char>(streamed ? 1 : 0);
  put(to, static_cast<std::uint64_t>(head.status));
  put(to, head.headers);
  put(to, body_bytes);
  put(to, body);
}

void append(std::string& to, const Frame& frame) { std::visit(Append{to}, frame); }

std::optional<Frame> next(std::string_view& bytes) {
  Reading reading(bytes);
  auto frame = read(static_cast<Kind>(reading.byte()), reading);
  if (!reading.ok() || !holds(frame)) return std::nullopt;
  return frame;
}

}  // namespace tilth::peer_frames
