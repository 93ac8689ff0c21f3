#include "api/http/exchange.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "api/http/conditional.h"
#include "api/http/refusal.h"

namespace tilth {

Exchange::Exchange(HttpRequest request, std::unique_ptr<Responder> responder,
                   std::string request_id, OnAnswered on_answered)
    : request_(std::move(request)),
      responder_(std::move(responder)),
      request_id_(std::move(request_id)),
      on_answered_(std::move(on_answered)) {}

std::shared_ptr<CommandTimes> Exchange::command_times() const {
  return span_ ? std::shared_ptr<CommandTimes>(span_, &span_->command) : nullptr;
}

void Exchange::set_trace(std::string_view traceparent, std::shared_ptr<RequestSpan> span) {
  traceparent_ = span ? span->self.text() : std::string(traceparent);
  span_ = std::move(span);
}

void Exchange::answer(HttpResponse response) {
  if (hold_) {
    const auto held = std::make_shared<HttpResponse>(std::move(response));
    const auto hold = std::exchange(hold_, {});
    return hold(*held, [self = shared_from_this(), held] { self->answer(std::move(*held)); });
  }
  const bool unchanged = is_unchanged(response);
  auto coding =
      response.body.size() >= kCompressed ? negotiate(response) : ContentCoding::kIdentity;
  if (unchanged) {
    constexpr std::array<std::string_view, 5> kKept = {
        // RFC 9110, 15.4.5
        "Cache-Control", "Content-Location", "ETag", "Expires", "Vary"};
    std::erase_if(response.headers, [&](const auto& header) {
      return std::ranges::find(kKept, header.first) == kKept.end();
    });
    response = {304, std::move(response.headers)};
    coding = ContentCoding::kIdentity;
  }
  const bool is_large = response.body.size() >= kLargeBody && request_.method != "HEAD";
  const bool fits = !is_large || responder_->reserve(response.body.size(), account_);
  if (!fits && request_.method == "GET") {  // what a change has done is told in any case
    response = refusal(Error{.code = ErrorCode::kUnavailable,
                             .message = "Too many long responses wait for their clients.",
                             .retry_after_seconds = 1});
    coding = ContentCoding::kIdentity;
  }
  if (response.status == 429 && rate_ && rate_->allowed && counter_ != nullptr) {
    take_back_count(response);
  }
  complete(response);
  count(response.status);  // before the client can ask what was counted
  respond(std::move(response), coding);
}

void Exchange::respond(HttpResponse response, ContentCoding coding) {
  if (coding == ContentCoding::kIdentity) return responder_->respond(std::move(response));
  if (elsewhere_ == nullptr || response.body.size() < kCompressedElsewhere) {
    response.body = encoded(coding, response.body);
    return responder_->respond(std::move(response));
  }
  auto kept = std::make_shared<HttpResponse>(std::move(response));
  (*elsewhere_)(account_, [kept, coding, to = responder_](const auto& yield) {
    kept->body = encoded(coding, kept->body, yield);
    to->respond(std::move(*kept));
  });
}

std::unique_ptr<BodyStream> Exchange::stream(HttpResponse head) {
  const auto coding = negotiate(head);
  complete(head);
  count(head.status);
  auto body = responder_->stream(std::move(head));
  if (coding == ContentCoding::kIdentity || request_.method == "HEAD") return body;
  return encoded_stream(coding, std::move(body));
}

bool Exchange::is_unchanged(const HttpResponse& response) const {
  if (response.status != 200 || (request_.method != "GET" && request_.method != "HEAD")) {
    return false;
  }
  const auto wanted = request_.joined("if-none-match");
  if (!wanted) return false;
  const auto* tag = response.header("ETag");
  return tag != nullptr && matches_weakly(read_entity_tags(*wanted), plain_tag(*tag));
}

// The coding that the body is sent in, and the headers that say so.
ContentCoding Exchange::negotiate(HttpResponse& response) const {
  const auto* type = response.header("Content-Type");
  if (type == nullptr || !is_compressible(*type)) return ContentCoding::kIdentity;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const auto accepted = request_.joined("accept-encoding");
  const auto coding = accepted ? preferred_coding(*accepted) : ContentCoding::kIdentity;
  if (coding == ContentCoding::kIdentity) return coding;
  response.headers.emplace_back("Content-Encoding", name_of(coding));
  for (auto& [name, value] : response.headers) {
    if (name == "ETag") value = coded_tag(value, coding);
  }
  return coding;
}

void Exchange::set_account(std::string user_id) {
  account_ = std::move(user_id);
  responder_->vouch(account_);
}

void Exchange::set_key(std::string_view owner, std::string_view key_id, std::string_view address) {
  key_owner_ = owner;
  key_id_ = key_id;
  address_ = address;
}

// Another limit refuses the request.
void Exchange::take_back_count(const HttpResponse& refused) {
  const auto now = std::exchange(counter_, nullptr)->take_back(*this);
  ++rate_->remaining;
  const auto* text = refused.header("Retry-After");
  std::int64_t seconds = 0;
  if (text == nullptr) return;
  std::from_chars(text->data(), text->data() + text->size(), seconds);
  rate_->reset = passes_at(now, seconds);
}

void Exchange::complete(HttpResponse& response) const {
  response.headers.reserve(response.headers.size() + 7);  // at most
  response.headers.emplace_back("X-Request-Id", request_id_);
  // A node that carried out a batch for this one has counted its requests.
  if (rate_ && response.header("X-RateLimit-Limit") == nullptr) show_rate(*rate_, response);
  keep_private(response);
  if (over_tls_) response.headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
}

void Exchange::count(int status) const {
  if (!on_answered_) return;
  const bool refused = status == 429 && rate_ && !rate_->allowed;
  on_answered_({.method = request_.method,
                .route = route_,
                .status = status,
                .took = std::chrono::steady_clock::now() - begun_,
                .refused_by = refused ? std::optional(rate_->by) : std::nullopt,
                .replayed = replayed_,
                .request_id = request_id_,
                .owner = key_owner_,
                .key_id = key_id_,
                .address = address_,
                .path = request_.path,
                .traceparent = traceparent_,
                .span = span_.get()});
}

void Exchange::answer(const Error& error) { answer(refusal(error)); }

void keep_private(HttpResponse& response) {
  const bool cached = response.header("Cache-Control") != nullptr;
  if (!cached) response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
}

void show_rate(const RateVerdict& rate, HttpResponse& response) {
  response.headers.emplace_back("X-RateLimit-Limit", std::to_string(rate.limit));
  response.headers.emplace_back("X-RateLimit-Remaining", std::to_string(rate.remaining));
  response.headers.emplace_back("X-RateLimit-Reset", rate.reset.text());
}

std::string request_id_of(const HttpRequest& request, const std::function<Uuid()>& fresh) {
  const auto* sent = request.header("x-request-id");
  const bool usable =
      sent != nullptr && !sent->empty() && sent->size() <= 128 &&
      std::all_of(sent->begin(), sent->end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
  return usable ? *sent : fresh().text();
}

std::string position_token(const Position& position) {
  return "p" + std::to_string(position.partition) + "." + std::to_string(position.offset);
}

std::optional<Position> read_position_token(std::string_view token) {
  Position position;
  if (!token.starts_with('p')) return std::nullopt;
  const auto* end = token.data() + token.size();
  const auto partition = std::from_chars(token.data() + 1, end, position.partition);
  if (partition.ec != std::errc{} || partition.ptr == end || *partition.ptr != '.') {
    return std::nullopt;
  }
  const auto offset = std::from_chars(partition.ptr + 1, end, position.offset);
  const bool read = offset.ec == std::errc{} && offset.ptr == end;
  return read && position.partition >= 0 && position.offset >= 0 ? std::optional(position)
                                                                 : std::nullopt;
}

}  // namespace tilth
