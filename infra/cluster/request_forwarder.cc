#include "infra/cluster/request_forwarder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "api/http/exchange.h"
#include "infra/http/turn.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kToKnow = 5s;

// Of the request's headers those that concern the client's connection, or that this node has
// answered itself; and of the response's those that every response gets here.
constexpr std::array<std::string_view, 10> kOfRequest = {
    "accept-encoding", "connection",  "content-length",    "cookie",       "expect",
    "if-none-match",   "traceparent", "transfer-encoding", "x-request-id", "x-forwarded-for"};
constexpr std::array<std::string_view, 5> kOurs = {Forwarding::kCaller, Forwarding::kAccessKnown,
                                                   Forwarding::kReferenceKnown, Forwarding::kParts,
                                                   Forwarding::kWithin};
constexpr std::array<std::string_view, 3> kOfResponse = {"Vary", "X-Content-Type-Options",
                                                         "X-Request-Id"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool may_be_repeated(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD" ||
         request.header("idempotency-key") != nullptr;
}

HttpResponse for_client(HttpResponse response) {
  std::erase_if(response.headers,
                [](const auto& header) { return is_one_of(kOfResponse, header.first); });
  return response;
}

// What the cells of another node answer.
class PartsAnswer final : public Responder {
 public:
  // `too_late`: whether the time within which it is of use has passed.
  PartsAnswer(AskingNodes::OnAnswer done, std::shared_ptr<Exchange> exchange,
              std::function<bool()> too_late)
      : done_(std::move(done)), exchange_(std::move(exchange)), too_late_(std::move(too_late)) {}

  void respond(HttpResponse response) override {
    done_(response.status == 200 ? read_cell_texts(response.body) : std::nullopt);
  }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override {
    done_(std::nullopt);
    return nullptr;
  }
  bool abandoned() const override { return exchange_->abandoned() || too_late_(); }

 private:
  const AskingNodes::OnAnswer done_;
  const std::shared_ptr<Exchange> exchange_;
  const std::function<bool()> too_late_;
};

}  // namespace

// Brings the answer of another node to the client.
class RequestForwarder::Answer final : public Responder {
 public:
  Answer(RequestForwarder& from, std::shared_ptr<ForwardedCall> forwarded)
      : from_(from), forwarded_(std::move(forwarded)) {}

  void respond(HttpResponse response) override {
    if (response.status == kNotHereStatus) {
      return from_.on_lost(forwarded_, Lost::kNotSent, "It has not these rows.");
    }
    ++from_.answered_;
    auto& exchange = *forwarded_->call.exchange;
    if (response.header("Idempotent-Replayed") != nullptr) exchange.set_replayed();
    exchange.answer(for_client(std::move(response)));
  }

  std::unique_ptr<BodyStream> stream(HttpResponse head) override {
    ++from_.answered_;
    return forwarded_->call.exchange->stream(for_client(std::move(head)));
  }

  bool abandoned() const override { return forwarded_->call.exchange->abandoned(); }

 private:
  RequestForwarder& from_;
  const std::shared_ptr<ForwardedCall> forwarded_;
};

// What it has read of them before this start is in its rows.
RequestForwarder::RequestForwarder(const Parts& parts) : parts_(parts) {
  const auto begin = [](LastEvent& last, const std::vector<Position>& read) {
    for (const auto& [partition, offset] : read) {
      if (partition == last.partition) last.offset = offset;
    }
  };
  begin(access_, parts_.access.read_so_far(std::string(kAccessStream)));
  const std::string reference(kReferenceStream);
  begin(reference_, parts_.registry.of(reference).read_so_far(reference));
}

void RequestForwarder::set_known(HttpRequest& request, std::string_view header,
                                 const LastEvent& last) {
  const auto offset = last.offset.load();
  if (offset < 0) return;
  request.headers.emplace_back(header, position_token({last.partition, offset}));
}

void RequestForwarder::forward(Call call) {
  NodesToAsk nodes(parts_.holders.others_with(call.user_id()), may_be_repeated(call.request()));
  send(std::make_shared<ForwardedCall>(ForwardedCall{std::move(call), std::move(nodes)}));
}

HttpRequest RequestForwarder::request_for(const Call& call) const {
  const auto& exchange = *call.exchange;
  const auto& received = exchange.request();
  HttpRequest request{.method = received.method,
                      .path = received.path,
                      .query = received.query,
                      .headers = {},
                      .body = received.body,
                      .peer = call.client};
  for (const auto& [name, value] : received.headers) {
    const bool of_a_session = !call.holder && name == "authorization";
    if (is_one_of(kOfRequest, name) || of_a_session || is_one_of(kOurs, name)) continue;
    request.headers.emplace_back(name, value);
  }
  request.headers.emplace_back("x-request-id", exchange.request_id());
  if (!exchange.traceparent().empty()) {
    request.headers.emplace_back("traceparent", exchange.traceparent());
  }
  request.headers.emplace_back(kCaller, call.user_id());
  set_known(request, kAccessKnown, access_);
  set_known(request, kReferenceKnown, reference_);
  return request;
}

void RequestForwarder::ask_cells(const Call& call, std::chrono::milliseconds within, CellTexts asks,
                                 std::function<void(Result<CellTexts>)> done) {
  const auto until = parts_.steady() + within;
  AskingNodes::begin(
      {.nodes_with = [this](std::size_t cell) { return parts_.holders.others_with(cell); },
       .send = [this, call, until](
                   const std::string& node, const CellTexts& of_node,
                   auto answered) { ask(call, until, node, of_node, std::move(answered)); }},
      std::move(asks), std::move(done));
  Turn::flush();  // the other nodes compute their parts while this one computes its own
}

void RequestForwarder::ask(const Call& call, Steady::time_point until, const std::string& node,
                           const CellTexts& asks, AskingNodes::OnAnswer done) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - parts_.steady());
  if (left <= 0ms) return done(std::nullopt);
  ++asked_parts_;
  auto request = request_for(call);
  request.headers.emplace_back(kParts, std::to_string(cells()));
  request.headers.emplace_back(kWithin, std::to_string(left.count()));
  request.body = written(asks);
  const auto too_late = [steady = parts_.steady, until] { return steady() >= until; };
  parts_.send(
      node, std::move(request), std::make_unique<PartsAnswer>(done, call.exchange, too_late),
      [done](Lost, const std::string&, const HttpRequest&, const auto&) { done(std::nullopt); });
}

void RequestForwarder::send(const std::shared_ptr<ForwardedCall>& forwarded) {
  const auto address = forwarded->nodes.next();
  if (!address) return refuse_unheld(forwarded->call);
  parts_.send(
      *address, request_for(forwarded->call), std::make_unique<Answer>(*this, forwarded),
      [this, forwarded](Lost lost, const std::string& why, const HttpRequest&,
                        const std::unique_ptr<Responder>&) { on_lost(forwarded, lost, why); });
}

void RequestForwarder::on_lost(const std::shared_ptr<ForwardedCall>& forwarded, Lost lost,
                               const std::string& why) {
  const auto& call = forwarded->call;
  if (call.exchange->abandoned()) {  // no other node has to do it
    return call.answer(Error{ErrorCode::kUnavailable, "The client is gone."});
  }
  const auto others = [&] { return parts_.holders.others_with(call.user_id()); };
  const bool is_here = parts_.holders.is_here(call.user_id());
  switch (forwarded->nodes.on_lost(lost == Lost::kUnknown, is_here, others)) {
    case NodesToAsk::Step::kUnknown:
      ++unknown_;
      parts_.log_lines.warn("A node was lost that had a change to carry out.",
                            {{"reason", why}, {"requestId", call.exchange->request_id()}});
      return call.answer(Error{.code = ErrorCode::kUnavailable,
                               .message = "The node that has these rows was lost; whether this was "
                                          "done is not known.",
                               .retry_after_seconds = 1});
    case NodesToAsk::Step::kHere:
      return call.answer(Error{.code = ErrorCode::kUnavailable,
                               .message = "These rows are moving between nodes.",
                               .retry_after_seconds = 1});
    case NodesToAsk::Step::kAsk:
      ++asked_another_;
      return send(forwarded);
  }
}

void RequestForwarder::refuse_unheld(const Call& call) {
  ++refused_;
  call.answer(Error{.code = ErrorCode::kUnavailable,
                    .message = "No node that can be reached has these rows at the moment.",
                    .retry_after_seconds = 1});
}

void RequestForwarder::when_known(const HttpRequest& request, std::function<void(bool)> done) {
  const auto position = [&](std::string_view header) {
    const auto* token = request.header(header);
    return token == nullptr ? std::nullopt : read_position_token(*token);
  };
  const std::string access(kAccessStream);
  const auto of_access = position(kAccessKnown), of_reference = position(kReferenceKnown);
  auto& registry = parts_.registry;
  // Every node reads the reference data.
  const auto user = asks_for_parts(request) ? std::string(kReferenceStream) : caller_of(request);
  const auto then = [&registry, user, of_reference, done = std::move(done)](bool known) {
    if (!known || !of_reference || registry.has_reached(user, *of_reference)) return done(known);
    registry.when_reached(user, *of_reference, kToKnow, done);
  };
  // Rows can be read before what else follows from their event is known, such as its key.
  if (!of_access || access_.offset >= of_access->offset) return then(true);
  parts_.access.when_reached(access, *of_access, kToKnow, then);
}

void RequestForwarder::report(Samples& to) const {
  const auto count = [&](std::string_view outcome, std::uint64_t value) {
    to.counter("tilth_forwarded_requests_total",
               "Requests that this node forwarded to nodes with the rows, by their outcome.",
               {{"outcome", std::string(outcome)}}, static_cast<double>(value));
  };
  count("answered", answered_);
  count("asked_another", asked_another_);
  count("unknown", unknown_);
  count("no_node", refused_);
  to.counter("tilth_parts_asked_total",
             "Requests to other nodes for a part of what concerns all owners, such as prices.", {},
             static_cast<double>(asked_parts_));
}

}  // namespace tilth
