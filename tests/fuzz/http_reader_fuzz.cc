// For any bytes, the request reader returns, keeps its guarantees about what it hands on, and reads
// the same requests however the bytes are split.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "infra/http/request_reader.h"
#include "tests/fuzz/require.h"

namespace {

using tilth::RequestReader;
using tilth::fuzz::require;

// Small limits, so that the fuzzer reaches all of them.
const tilth::ReaderLimits kLimits{
    .max_body_bytes = 64, .max_request_line_bytes = 128, .max_head_bytes = 512, .max_headers = 8};

void require_clean(std::string_view text) {
  require(text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
}

void check(const tilth::CompleteRequest& read) {
  const auto& request = read.request;
  require(!request.method.empty() && !request.path.empty());
  require(request.path.front() == '/' || request.path == "*");
  require(request.path.find_first_of("? #") == std::string::npos);
  require(request.body.size() <= kLimits.max_body_bytes);
  require(!request.body_too_large || (request.body.empty() && !read.keep_alive));
  require(request.headers.size() <= kLimits.max_headers);
  require(read.http_1_0 || request.header("host") != nullptr);
  require(request.header("content-length") == nullptr ||
          request.header("transfer-encoding") == nullptr);
  require_clean(request.method + request.path + request.query);
  for (const auto& [name, value] : request.headers) require_clean(name + value);
}

void append(std::string& text, std::string_view part) {
  text += std::to_string(part.size()) + ":";
  text += part;
}

// Appends all outcomes to one string, which differs if any outcome differs.
void read_on(RequestReader& reader, std::string& seen) {
  for (;;) {
    const auto before = reader.phase();
    const auto outcome = reader.next();
    if (std::holds_alternative<tilth::NeedsMore>(outcome)) return;
    require(before != RequestReader::Phase::kStopped);
    if (const auto* read = std::get_if<tilth::CompleteRequest>(&outcome)) {
      check(*read);
      const auto& request = read->request;
      for (const auto& part : {request.method, request.path, request.query, request.body}) {
        append(seen, part);
      }
      for (const auto& [name, value] : request.headers) {
        append(seen, name);
        append(seen, value);
      }
      seen += read->keep_alive ? 'k' : 'c';
      seen += request.body_too_large ? 'l' : '-';
    } else if (const auto* refusal = std::get_if<tilth::Refusal>(&outcome)) {
      require(reader.phase() == RequestReader::Phase::kStopped);
      append(seen, std::to_string(refusal->status));
      append(seen, refusal->reason);
    } else {
      seen += "continue";
    }
  }
}

std::string read_in_pieces(std::string_view bytes, std::size_t first, std::size_t others) {
  RequestReader reader(kLimits);
  std::string seen;
  for (std::size_t size = first; !bytes.empty(); size = others) {
    const auto piece = bytes.substr(0, size);
    reader.feed(piece);
    read_on(reader, seen);
    bytes.remove_prefix(piece.size());
  }
  append(seen, std::to_string(static_cast<int>(reader.phase())));
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  constexpr auto kRest = std::string_view::npos;
  const auto whole = read_in_pieces(all, kRest, kRest);
  require(read_in_pieces(all, 1, 1) == whole);
  const std::size_t step = size / 64 + 1;  // every position of a short input, many of a long one
  for (std::size_t cut = 1; cut < size; cut += step) {
    require(read_in_pieces(all, cut, kRest) == whole);
  }
  return 0;
}
