// The API over an in-memory node: requests and responses as data, no sockets.

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/guards/guards.h"
#include "api/platform/batches.h"
#include "api/platform/dispatcher.h"
#include "api/platform/operations.h"
#include "api/v1/routes.h"
#include "infra/embedded/memory_event_log.h"
#include "projections/fold/projection.h"
#include "tests/fixtures/fake_deliveries.h"
#include "tests/fixtures/node.h"

namespace tilth::testing {

class SetClock final : public Clock {
 public:
  Timestamp now() const override { return at; }
  Timestamp at = kNow;
};

// A response.
struct Answer {
  HttpResponse response;

  int status() const { return response.status; }
  const std::string& body() const { return response.body; }
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return {};
  }
  // "404 NOT_FOUND", or "200" if there is no code.
  std::string code() const {
    const auto json = parse_json(response.body);
    const auto* code = json ? json->find("code") : nullptr;
    return std::to_string(response.status) + (code ? " " + code->text : "");
  }
  // A member of `data` as text; also a nested one: "position.lat".
  std::string data(std::string_view path) const {
    const auto json = parse_json(response.body);
    const Json* at = json ? json->find("data") : nullptr;
    while (at != nullptr && !path.empty()) {
      const auto dot = std::min(path.find('.'), path.size());
      at = at->find(path.substr(0, dot));
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return at == nullptr ? "absent" : at->kind == Json::Kind::kNull ? "null" : at->text;
  }
};

class ApiFixture : public ::testing::Test {
 protected:
  using Headers = std::vector<std::pair<std::string, std::string>>;
  // Where the response arrives, perhaps on another thread.
  class Arrival {
   public:
    void set(HttpResponse response) {
      const std::lock_guard lock(mutex_);
      EXPECT_FALSE(response_.has_value()) << "responded twice";
      response_ = std::move(response);
    }
    bool has_value() const {
      const std::lock_guard lock(mutex_);
      return response_.has_value();
    }
    HttpResponse value() const {
      const std::lock_guard lock(mutex_);
      return response_.value_or(HttpResponse{0});
    }

   private:
    mutable std::mutex mutex_;
    std::optional<HttpResponse> response_;
  };
  using Answered = std::shared_ptr<Arrival>;

  static inline const std::string kAisha = "user_AAAAAAAAAAAAAAAAAAAAA";
  static inline const std::string kOmar = "user_BBBBBBBBBBBBBBBBBBBBB";

  ApiFixture() {
    keys.on_event(UserRegistered{kAisha, "aisha@farm.example", {}, "summit", {}, kThen});
    keys.on_event(UserRegistered{kOmar, "omar@farm.example", {}, "summit", {}, kThen});
    aisha = mint(kAisha, details());
    omar = mint(kOmar, details());
    api.set_ready(true);
  }
  ~ApiFixture() override { executor.stop(); }

  static KeyDetails details(std::vector<std::string> scopes = {"all"}) {
    KeyDetails details;
    details.name = "Robot";
    details.scopes = std::move(scopes);
    return details;
  }

  // Mints a key; returns it as clients send it.
  std::string mint(const std::string& user, const KeyDetails& its) {
    const auto number = std::to_string(++minted);
    const auto key = "svc_test_" + std::string(48 - number.size(), 'a') + number;
    keys.on_event(ApiKeyMinted{key_id(minted), user, its, "", digest.of(key), kThen});
    return key;
  }
  static std::string key_id(int number) {
    const auto digits = std::to_string(number);
    return "key_" + std::string(21 - digits.size(), 'A') + digits;
  }

  HttpRequest request(std::string method, std::string path, std::string body = {},
                      const std::string& key = {}) const {
    HttpRequest made{.method = std::move(method),
                     .path = "/api/v1" + path,
                     .query = {},
                     .headers = {{"authorization", "Bearer " + (key.empty() ? aisha : key)}},
                     .body = std::move(body),
                     .peer = "127.0.0.1"};
    const auto question = made.path.find('?');
    if (question != made.path.npos) {
      made.query = made.path.substr(question + 1);
      made.path.resize(question);
    }
    return made;
  }

  Answered start(HttpRequest asked) { return start(std::move(asked), api); }
  Answered start(HttpRequest asked, HttpHandler& handler) {
    auto answered = std::make_shared<Arrival>();
    handler.handle(std::move(asked), std::make_unique<Recorder>(answered));
    return answered;
  }
  Answer answer(const Answered& answered) {
    turn_until([&] { return answered->has_value(); }, {&node, &money, &prices});
    return {answered->value()};
  }
  Answer call(HttpRequest asked) { return answer(start(std::move(asked))); }
  Answer call(std::string method, std::string path, std::string body = {},
              const std::string& key = {}) {
    return call(request(std::move(method), std::move(path), std::move(body), key));
  }
  Answer call_with(const Headers& headers, std::string method, std::string path,
                   std::string body = {}, const std::string& key = {}) {
    auto asked = request(std::move(method), std::move(path), std::move(body), key);
    asked.headers.insert(asked.headers.end(), headers.begin(), headers.end());
    return call(std::move(asked));
  }

  // The ids of one record of each kind, each within the one before where kinds nest.
  struct Land {
    std::string farm, field, crop, block, plant, task, task_template;
    std::string fields() const { return "/farms/" + farm + "/fields"; }
    std::string blocks() const { return fields() + "/" + field + "/blocks"; }
    std::string plants() const { return blocks() + "/" + block + "/plants"; }
  };
  Land land(const std::string& name, const std::string& key = {}) {
    Land made;
    const auto named = R"({"name":")" + name + R"(",)";
    made.farm = call("POST", "/farms", named + R"("totalArea":10})", key).data("id");
    made.field = call("POST", made.fields(), named + R"("area":4})", key).data("id");
    made.crop = call("POST", "/crops",
                     R"({"cropType":")" + name + R"(","farmId":")" + made.farm +
                         R"(","fieldId":")" + made.field + R"("})",
                     key)
                    .data("id");
    made.block =
        call("POST", made.blocks(), named + R"("cropId":")" + made.crop + R"("})", key).data("id");
    made.plant = call("POST", made.plants(), R"({"label":")" + name + R"("})", key).data("id");
    EXPECT_NE(made.plant, "absent");
    made.task =
        call("POST", "/tasks",
             R"({"title":")" + name + R"(","category":"other","farmId":")" + made.farm + R"("})",
             key)
            .data("id");
    made.task_template =
        call("POST", "/templates", named + R"("category":"other"})", key).data("id");
    return made;
  }

 private:
  class Recorder final : public Responder {
   public:
    explicit Recorder(Answered answered) : answered_(std::move(answered)) {}
    void respond(HttpResponse response) override { answered_->set(std::move(response)); }
    std::unique_ptr<BodyStream> stream(HttpResponse) override { std::abort(); }

   private:
    Answered answered_;
  };

 protected:
  MemoryEventLog log{2};
  Node node{log, '0'};
  Node money{log, '1', {}, finance};
  Node prices{log, '2', {}, market};
  SetClock clock;
  KeyRing keys;
  KeyDigest digest{"a secret of the service's own"};
  RateLimiter limiter;
  FairExecutor executor{FairExecutor::Limits{}};
  StreamedResponses streams{executor};
  std::uint8_t random_byte = 0;
  IdSource ids{[this](std::uint8_t* bytes, std::size_t count) {
    for (; count > 0; --count) *bytes++ = ++random_byte;
  }};
  std::optional<std::int64_t> farms_allowed = std::nullopt;
  std::uint64_t requests_allowed = 1'000'000;
  const PlanLookup plan = [this](const std::string&) {
    return PlanLimits{requests_allowed, farms_allowed};
  };
  AddressGuard address_guard{limiter, clock, 60};
  KeyGuard key_guard{keys, digest, limiter, clock, plan};
  Guards guards{{.address = &address_guard,
                 .key = &key_guard,
                 .trusted_proxies = {*Network::parse("10.0.0.0/8")}}};
  RowFaults row_faults;
  Cells own_land{node.loop()}, sums{money.loop()}, all_prices{prices.loop()};
  Operations operations{{.plan = plan},
                        {.registry = own_land,
                         .changes = own_land,
                         .row_faults = row_faults,
                         .clock = clock,
                         .executor = executor,
                         .streams = streams,
                         .others = {{kFinance, &sums}, {kMarket, &all_prices}}}};
  FakeDeliveries deliveries{node};
  Batches batches{{.registry = own_land,
                   .changes = own_land,
                   .guards = guards,
                   .row_faults = row_faults,
                   .executor = executor}};
  Dispatcher api{{.guards = guards,
                  .row_faults = row_faults,
                  .clock = clock,
                  .ids = ids,
                  .operations = &operations,
                  .batches = &batches,
                  .mounts = public_mounts()},
                 v1_routes({.webhooks = &deliveries})};
  std::string aisha, omar;  // their keys
  int minted = 0;
};

}  // namespace tilth::testing
