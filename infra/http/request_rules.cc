#include "infra/http/request_rules.h"

#include <algorithm>
#include <charconv>

#include "events/values/ascii.h"

namespace tilth {
namespace {

constexpr std::string_view kBadTarget = "The request target is not a path.";

struct Fields {
  const std::string* host = nullptr;
  const std::string* content_length = nullptr;
  const std::string* transfer_encoding = nullptr;
  const std::string* expect = nullptr;
};

// Collects the headers that frame or address the request; a repeated one is ambiguous and refused.
std::optional<Refusal> collect(const HttpRequest& request, Fields& fields) {
  for (const auto& [name, value] : request.headers) {
    const std::string** field = nullptr;
    if (name == "host") field = &fields.host;
    if (name == "content-length") field = &fields.content_length;
    if (name == "transfer-encoding") field = &fields.transfer_encoding;
    if (name == "expect") field = &fields.expect;
    if (field == nullptr) continue;
    if (*field != nullptr) {
      return Refusal{400, "Host, Content-Length, Transfer-Encoding or Expect is given twice."};
    }
    *field = &value;
  }
  return std::nullopt;
}

bool is_host(std::string_view host) {
  constexpr std::string_view kPunctuation = "-._~%:[]";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return is_alphanumeric(c) || kPunctuation.find(c) != std::string_view::npos;
  });
}

// Absolute form (RFC 9112, 3.2.2) is accepted if it agrees with the Host header.
bool strip_authority(std::string_view& target, const std::string* host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const auto authority = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(authority.size());
    return is_host(authority) && (host == nullptr || equals_ignoring_case(authority, *host));
  }
  return false;
}

std::optional<Refusal> split_target(std::string_view target, const std::string* host,
                                    HttpRequest& request) {
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7F && c != '#'; };
  if (!std::all_of(target.begin(), target.end(), is_visible)) return Refusal{400, kBadTarget};
  if (target == "*" && request.method == "OPTIONS") {
    request.path = target;
    return std::nullopt;
  }
  if (target.front() != '/') {
    if (request.method == "CONNECT" || !strip_authority(target, host)) {
      return Refusal{400, kBadTarget};
    }
    if (target.empty() || target.front() == '?') request.path = "/";
  }
  const auto question_mark = std::min(target.find('?'), target.size());
  request.path += target.substr(0, question_mark);
  if (question_mark < target.size()) request.query = target.substr(question_mark + 1);
  return std::nullopt;
}

// RFC 9112 has 501 for other codings, but a 5xx would be retried, and this is the client's error.
std::optional<Refusal> check_transfer_encoding(std::string_view value, bool http_1_0) {
  if (http_1_0) return Refusal{400, "HTTP/1.0 has no Transfer-Encoding."};
  if (equals_ignoring_case(value, "chunked")) return std::nullopt;
  return Refusal{400, "Only the transfer coding chunked is supported."};
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

}  // namespace

std::variant<HeadFacts, Refusal> check_head(std::string_view target, bool http_1_0,
                                            HttpRequest& request) {
  Fields fields;
  if (auto refusal = collect(request, fields)) return *refusal;
  if (fields.host == nullptr ? !http_1_0 : !is_host(*fields.host)) {
    return Refusal{400, "A request needs one Host header that is a host."};
  }
  if (auto refusal = split_target(target, fields.host, request)) return *refusal;

  HeadFacts facts;
  if (fields.transfer_encoding != nullptr) {
    if (fields.content_length != nullptr) {
      return Refusal{400, "Content-Length and Transfer-Encoding exclude each other."};
    }
    if (auto refusal = check_transfer_encoding(*fields.transfer_encoding, http_1_0)) {
      return *refusal;
    }
    facts.chunked = true;
  }
  if (fields.content_length != nullptr) {
    facts.content_length = parse_length(*fields.content_length);
    if (!facts.content_length) return Refusal{400, "Content-Length is not a length."};
  }
  if (fields.expect != nullptr && !http_1_0) {
    if (!equals_ignoring_case(*fields.expect, "100-continue")) {
      return Refusal{417, "Only the expectation 100-continue is supported."};
    }
    facts.expects_continue = true;
  }
  return facts;
}

}  // namespace tilth
