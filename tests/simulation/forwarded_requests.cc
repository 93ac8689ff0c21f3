#include "tests/simulation/forwarded_requests.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "api/http/refusal.h"
#include "api/keys/key_ring.h"
#include "api/platform/forwarded_arrival.h"
#include "api/platform/forwarding.h"
#include "events/log/streams.h"

namespace tilth::testing {
namespace {

constexpr std::string_view kResult = "Simulated-Result";

HttpRequest asking(std::string method, std::string path) {
  HttpRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  return request;
}

}  // namespace

// One that waits for another node.
class ForwardedRequests::Client final : public Responder {
 public:
  Client(ForwardedRequests& requests, std::uint64_t number, std::string stream,
         std::string request_id)
      : requests_(requests),
        number_(number),
        stream_(std::move(stream)),
        request_id_(std::move(request_id)) {}

  void respond(HttpResponse response) override {
    requests_.tell(number_, stream_, request_id_, response);
  }
  std::unique_ptr<BodyStream> stream(HttpResponse /*head*/) override { return nullptr; }

 private:
  ForwardedRequests& requests_;
  const std::uint64_t number_;
  const std::string stream_, request_id_;
};

// Keys and users do not change here.
ForwardedRequests::ForwardedRequests(Parts parts)
    : parts_(std::move(parts)),
      forwarder_({.holders = parts_.share,
                  .send =
                      [this](const auto& node, HttpRequest request, auto answer, auto lost) {
                        parts_.cluster.send(parts_.node, node, std::move(request),
                                            std::move(answer), std::move(lost));
                      },
                  .access = parts_.cells.of(std::string(kReferenceStream)),
                  .registry = parts_.cells,
                  .log = parts_.log,
                  .log_lines = parts_.log_lines,
                  .steady = [this] { return parts_.world.now(); }}) {}

void ForwardedRequests::on_reference(const Position& at) {
  forwarder_.on_reference(at);
  reference_ = at;
}

void ForwardedRequests::end(const Error& why) {
  for (const auto& [client, told] : std::exchange(clients_, {})) told(why);
}

void ForwardedRequests::carry_out(const CommandRequest& request, CommandLoop::OnDone done) {
  auto sent = asking("POST", "/commands");
  sent.body = parts_.cluster.commands().put(request);
  if (request.idempotency) sent.headers.emplace_back("idempotency-key", request.idempotency->key);
  if (request.if_match) sent.headers.emplace_back("if-match", "*");
  forward(request.stream, std::move(sent), request.request_id,
          [this, done = std::move(done)](const Result<HttpResponse>& response) {
            done(response ? result_of(*response) : response.error());
          });
}

void ForwardedRequests::read(const std::string& stream, const Position& since, OnRead done) {
  auto sent = asking("GET", "/versions");
  sent.headers.emplace_back("tilth-min-position", position_token(since));
  forward(stream, std::move(sent), id_of("read", ++reads_),
          [done = std::move(done)](const Result<HttpResponse>& response) {
            const bool is_known = response && response->status == 200;
            done(is_known ? std::optional(std::stoull(response->body)) : std::nullopt);
          });
}

void ForwardedRequests::ask_cells(std::chrono::milliseconds within,
                                  std::function<void(std::optional<Result<CellTexts>>)> done) {
  CellTexts here, others;
  for (std::size_t cell = 0; cell < parts_.share.cells(); ++cell) {
    const bool is_here = parts_.share.is_here(cell);
    (is_here ? here : others)[cell] = is_here ? std::to_string(cell) : "?";
  }
  if (others.empty()) return done(std::move(here));
  const auto client = admit([done](const auto&) { done(std::nullopt); });
  forwarder_.ask_cells(call_of(client, "user_0", asking("GET", "/cells"), id_of("cells", client)),
                       within, std::move(others),
                       [this, client, done, here](Result<CellTexts> parts) {
                         clients_.erase(client);
                         if (parts) parts->insert(here.begin(), here.end());
                         done(std::move(parts));
                       });
}

// Another one in each run.
std::string ForwardedRequests::id_of(const std::string& what, std::uint64_t number) const {
  return parts_.node + "-" + std::to_string(parts_.life) + "-" + what + "-" +
         std::to_string(number);
}

std::uint64_t ForwardedRequests::admit(OnTold told) {
  clients_[++admitted_] = std::move(told);
  return admitted_;
}

void ForwardedRequests::forward(const std::string& stream, HttpRequest request,
                                const std::string& request_id, OnTold told) {
  const auto client = admit(std::move(told));
  forwarder_.forward(call_of(client, stream, std::move(request), request_id));
}

// Its client sends what is none of its business, too.
Call ForwardedRequests::call_of(std::uint64_t client, const std::string& stream,
                                HttpRequest request, const std::string& request_id) {
  request.headers.emplace_back(Forwarding::kCaller, "user_1000");
  request.headers.emplace_back(Forwarding::kParts, "1");
  request.headers.emplace_back(Forwarding::kWithin, "1000000");
  request.headers.emplace_back("x-request-id", "request-0");
  auto holder = std::make_shared<KeyHolder>();
  holder->user_id = stream;
  return {.exchange = std::make_shared<Exchange>(
              std::move(request), std::make_unique<Client>(*this, client, stream, request_id),
              request_id, Exchange::OnAnswered()),
          .client = "192.0.2.1",
          .now = parts_.now(),
          .holder = std::move(holder)};
}

// What each response has to be, from whichever node it comes.
void ForwardedRequests::tell(std::uint64_t client, const std::string& stream,
                             const std::string& request_id, const HttpResponse& response) {
  auto& world = parts_.world;
  const auto found = clients_.find(client);
  if (found == clients_.end()) return world.violated(request_id + " was answered twice");
  const auto told = std::move(found->second);
  clients_.erase(found);
  std::set<std::string> names;
  for (const auto& [name, value] : response.headers) {
    if (!names.insert(name).second) world.violated(request_id + " was told two of " + name);
  }
  const auto* id = response.header("X-Request-Id");
  if (id == nullptr || *id != request_id) world.violated(request_id + " was told another id");
  parts_.cluster.forwarded().answered(request_id, response, parts_.share.others_with(stream));
  const bool is_result = response.status == 200 || response.header(kResult) != nullptr;
  const bool may_ask_again = response.status == 503 && response.header("Retry-After") != nullptr;
  if (!is_result && !may_ask_again) {
    world.violated(request_id + " was answered " + std::to_string(response.status) +
                   ", and not told when to ask again");
  }
  told(response);
}

// Of a command. What comes from no decision is refused for now.
Result<CommandResult> ForwardedRequests::result_of(const HttpResponse& response) {
  const auto* result = response.header(kResult);
  if (result != nullptr) return parts_.cluster.results().at(*result);
  return Error{.code = ErrorCode::kUnavailable, .message = response.body, .retry_after_seconds = 1};
}

// As the dispatcher does. What it waits for may come to pass once the node has died.
void ForwardedRequests::take(HttpRequest request, std::unique_ptr<Responder> responder) {
  auto id = *request.header("x-request-id");
  const auto exchange = std::make_shared<Exchange>(std::move(request), std::move(responder),
                                                   std::move(id), Exchange::OnAnswered());
  if (!parts_.share.is_ready()) return exchange->answer(Forwarding::not_here());
  take_forwarded(forwarder_, exchange, [this, exchange] {
    if (!parts_.goes_on()) return;
    const auto& received = exchange->request();
    const auto stream = Forwarding::caller_of(received);
    parts_.cluster.forwarded().taken(
        received, parts_.node, parts_.share.is_here(stream), [&](const Position& position) {
          return parts_.cells.has_reached(
              Forwarding::asks_for_parts(received) ? std::string(kReferenceStream) : stream,
              position);
        });
    if (Forwarding::asks_for_parts(received)) return answer_parts(*exchange);
    received.method == "GET" ? read_here(exchange) : carry_out_here(exchange);
  });
}

// As JointQueries does.
void ForwardedRequests::answer_parts(Exchange& exchange) const {
  auto parts = read_cell_texts(exchange.request().body);
  if (!parts) return exchange.answer({.status = 400});
  std::erase_if(*parts, [this](const auto& part) { return !parts_.share.is_here(part.first); });
  if (parts->empty()) return exchange.answer(Forwarding::not_here());
  const std::size_t off = parts_.world.has(PlantedBug::kPartIsOfAnother) ? 1 : 0;
  for (auto& [cell, text] : *parts) text = std::to_string(cell + off);
  exchange.answer({.status = 200, .body = written(*parts)});
}

// Its headers say what they can say; the rest is what its body stands for.
void ForwardedRequests::carry_out_here(const std::shared_ptr<Exchange>& exchange) {
  const auto& received = exchange->request();
  auto request = parts_.cluster.commands().at(received.body);
  request.stream = Forwarding::caller_of(received);
  request.request_id = exchange->request_id();
  const auto* key = received.header("idempotency-key");
  if (key == nullptr) request.idempotency.reset();
  if (request.idempotency) request.idempotency->key = *key;
  if (received.header("if-match") == nullptr) request.if_match.reset();
  parts_.carry_out(std::move(request), [this, exchange](const auto& result) {
    auto response = result ? HttpResponse{.status = 200} : refusal(result.error());
    response.headers.emplace_back(kResult, parts_.cluster.results().put(result));
    exchange->answer(std::move(response));
  });
}

void ForwardedRequests::read_here(const std::shared_ptr<Exchange>& exchange) {
  const auto& received = exchange->request();
  const auto* token = received.header("tilth-min-position");
  const auto since = token != nullptr ? read_position_token(*token) : std::nullopt;
  parts_.read(Forwarding::caller_of(received), since, [exchange](const auto& version) {
    if (!version) return exchange->answer(not_ready());
    exchange->answer({.status = 200, .body = std::to_string(*version)});
  });
}

}  // namespace tilth::testing
