// Another user's records do not exist for the caller: every route, with another user's id in every
// place that takes an id.

#include <array>
#include <map>

#include "tests/api/api_fixture.h"
#include "tests/fixtures/records.h"

namespace tilth::testing {
namespace {

class Strangers : public ApiFixture {
 protected:
  Strangers() {
    append(log, record(std::string(kReferenceStream), 0,
                       AdminCropDescribed{kFig, {.name = "Fig"}, {}, kThen}));
  }

  // A kind of entry and its smallest valid body.
  struct Kind {
    std::string_view list;
    std::string_view id;  // the slot of one in its path
    std::string_view body;
  };
  static constexpr std::string_view kSample = R"({"sampledAt":"2026-02-01"})";
  static constexpr std::string_view kCost =
      R"({"amount":1,"category":"other","transactionDate":"2026-02-01"})";
  static constexpr std::string_view kWebhook = R"({"url":"https://farm.example/hook"})";
  static constexpr std::array kKinds{
      Kind{"/farms/{id}/fields/{fieldId}/irrigations", "opId",
           R"({"startedAt":"2026-02-01","durationMinutes":1,"waterVolume":1})"},
      Kind{"/farms/{id}/fields/{fieldId}/soil-samples", "opId", kSample},
      Kind{"/farms/{id}/fields/{fieldId}/blocks/{blockId}/fertigations", "opId",
           R"({"appliedAt":"2026-02-01","product":"x","amount":1,"unit":"kg"})"},
      Kind{"/farms/{id}/fields/{fieldId}/blocks/{blockId}/leaf-samples", "opId", kSample},
      Kind{"/farms/{id}/expenses", "expenseId", kCost},
      Kind{"/farms/{id}/overheads", "overheadId", kCost},
      Kind{"/crops/{id}/sales", "saleId",
           R"({"quantity":1,"unit":"kg","pricePerUnit":1,"saleDate":"2026-02-01"})"},
      Kind{"/market/price-reports", "id",
           R"({"cropName":"x","price":1,"unit":"per_kg","observedOn":"2026-02-01"})"}};

  // Land, a shortlist entry and a recurring-task rule for it, and the entries recorded on it, by
  // list. Perhaps a webhook, of which an owner has few.
  struct Land : ApiFixture::Land {
    std::string entry, rule, webhook = {}, delivery = {};
    std::map<std::string_view, std::string> written = {};
  };
  Land land(const std::string& name, const std::string& key = {}) {
    Land made{ApiFixture::land(name, key), {}, {}};
    made.entry = call("POST", "/user-crops", shortlisting(made.farm), key).data("id");
    made.rule = call("POST", "/recurring-tasks", recurring(named(made)), key).data("id");
    for (const auto& kind : kKinds) {
      const auto body = body_of(kind, named(made));
      made.written[kind.list] =
          call("POST", filled(kind.list, slots(made, kind.list)), body, key).data("id");
    }
    return made;
  }
  Land land_with_webhook(const std::string& name, const std::string& key = {}) {
    auto made = land(name, key);
    made.webhook = call("POST", "/webhooks", std::string(kWebhook), key).data("id");
    made.delivery = FakeDeliveries::delivery_of(WebhookId::parse(made.webhook).value()).text();
    return made;
  }
  static std::string shortlisting(const std::string& farm) {
    return R"({"adminCropId":")" + kFig.text() + R"(","farmId":")" + farm + R"("})";
  }

  // The value of each {name} of a pattern.
  using Slots = std::map<std::string, std::string>;

  static Slots slots(const Land& land, std::string_view pattern) {
    const bool of_template =
        pattern.starts_with("/templates") || pattern.starts_with("/task-templates");
    const bool of_shortlist = pattern.find("user-crops") != std::string::npos;
    const bool of_rule = pattern.starts_with("/recurring-tasks");
    Slots slots{{"id", pattern.starts_with("/crops")      ? land.crop
                       : pattern.starts_with("/tasks")    ? land.task
                       : pattern.starts_with("/webhooks") ? land.webhook
                       : of_template                      ? land.task_template
                       : of_shortlist                     ? land.entry
                       : of_rule                          ? land.rule
                                                          : land.farm},
                {"fieldId", land.field},
                {"blockId", land.block},
                {"plantId", land.plant},
                {"deliveryId", land.delivery}};
    for (const auto& [list, id, body] : kKinds) {
      if (pattern.starts_with(list) && pattern != list)
        slots[std::string(id)] = land.written.at(list);
    }
    return slots;
  }
  static std::vector<std::string> names_in(std::string_view pattern) {
    std::vector<std::string> names;
    for (auto open = pattern.find('{'); open != pattern.npos; open = pattern.find('{', open + 1)) {
      names.emplace_back(pattern.substr(open + 1, pattern.find('}', open) - open - 1));
    }
    return names;
  }
  static std::string filled(std::string_view pattern, const Slots& slots) {
    std::string path(pattern);
    for (const auto& [name, value] : slots) {
      const auto at = path.find("{" + name + "}");
      if (at != path.npos) path.replace(at, name.size() + 2, value);
    }
    return path;
  }

  // Ids that a body may name.
  struct Named {
    std::string farm, field, crop, task_template;
  };
  static std::string recurring(const Named& named) {
    return R"({"pattern":"daily","startDate":"2030-01-01","farmId":")" + named.farm +
           R"(","templateId":")" + named.task_template + "\"}";
  }
  // An expense may name a crop, a price report names a farm.
  static std::string body_of(const Kind& kind, const Named& named) {
    std::string body(kind.body);
    const bool of_farm = kind.list == "/market/price-reports";
    if (of_farm) body.insert(1, R"("farmId":")" + named.farm + R"(",)");
    if (kind.list.ends_with("/expenses")) body.insert(1, R"("cropId":")" + named.crop + R"(",)");
    return body;
  }
  std::string body_of(const Route& route, const Named& named) {
    const auto pattern = route.pattern;
    for (const auto& kind : kKinds) {
      if (pattern == kind.list && route.method == "POST") return body_of(kind, named);
    }
    const auto fresh = "\"n" + std::to_string(++bodies) + "\"";
    if (route.method == "PUT") {
      if (pattern.ends_with("/status")) return R"({"status":"growing"})";
      if (pattern.ends_with("/reschedule")) return R"({"dueDate":"2030-01-01"})";
      if (pattern == "/tasks/{id}") return R"({"cropId":")" + named.crop + "\"}";
      if (pattern == "/recurring-tasks/{id}") {
        return R"({"templateId":")" + named.task_template + "\"}";
      }
      if (pattern.ends_with("templates/{id}")) return R"({"farmId":")" + named.farm + "\"}";
      if (pattern.ends_with("/{blockId}")) return R"({"cropId":")" + named.crop + "\"}";
      return R"({"notes":"x","description":"x"})";
    }
    if (route.method != "POST") return {};
    if (pattern == "/webhooks") return std::string(kWebhook);
    if (pattern.ends_with("/replay")) return R"({"since":"2026-01-01"})";
    if (pattern.starts_with("/webhooks")) return "{}";
    if (pattern == "/farms") return R"({"totalArea":1,"name":)" + fresh + "}";
    if (pattern.ends_with("/fields")) return R"({"area":1,"name":)" + fresh + "}";
    if (pattern.ends_with("/blocks")) {
      return R"({"cropId":")" + named.crop + R"(","name":)" + fresh + "}";
    }
    if (pattern.ends_with("/user-crops")) return shortlisting(named.farm);
    if (pattern == "/recurring-tasks") return recurring(named);
    if (pattern.ends_with("/plants")) return R"({"label":)" + fresh + "}";
    if (pattern.ends_with("/complete")) return R"({"notes":"x"})";
    if (pattern.ends_with("/apply")) return R"({"farmId":")" + named.farm + "\"}";
    if (pattern.ends_with("templates")) {
      return R"({"category":"other","farmId":")" + named.farm + R"(","name":)" + fresh + "}";
    }
    if (pattern == "/tasks") {
      return R"({"category":"other","farmId":")" + named.farm + R"(","cropId":")" + named.crop +
             R"(","fieldId":")" + named.field + R"(","title":)" + fresh + "}";
    }
    return R"({"farmId":")" + named.farm + R"(","fieldId":")" + named.field + R"(","cropType":)" +
           fresh + "}";
  }
  static Named named(const Land& land) {
    return {land.farm, land.field, land.crop, land.task_template};
  }

  void expect_nothing(const Route& route, const std::string& path, const std::string& body) {
    SCOPED_TRACE(std::string(route.method) + " " + path + " " + body);
    const auto before = node.rows(kOmar).version();
    const auto answer = call(std::string(route.method), path, body);
    EXPECT_EQ(answer.code(), "404 NOT_FOUND");
    EXPECT_EQ(answer.body().find("Omar"), std::string::npos) << answer.body();
    EXPECT_EQ(node.rows(kOmar).version(), before);
  }

  // Without the library and the market, which have no owner, the history, which is always the
  // caller's own, and batches, whose requests are these routes'.
  static std::vector<Route> routes_of_owners() {
    auto routes = v1_routes();
    std::erase_if(routes, [](const Route& route) {
      return route.pattern.starts_with("/crop-library/crops") ||
             route.pattern == "/crop-library/varieties" ||
             route.pattern == "/market/regional-prices" || route.description->of_lines ||
             std::holds_alternative<BatchOfRequests>(route.action);
    });
    return routes;
  }

  static inline const auto kFig = id<AdminCropId>('7');
  const std::vector<Route> routes = routes_of_owners();
  int bodies = 0, lands = 0;
};

TEST_F(Strangers, OneselfIsNoStranger) {
  const auto shown = land_with_webhook("Shown");
  for (const auto& route : routes) {
    const auto name = "Mine " + std::to_string(++lands);
    const bool of_webhook = route.pattern.starts_with("/webhooks");
    const auto mine = route.method == "GET" ? shown  // changes nothing
                      : of_webhook          ? land_with_webhook(name)
                                            : land(name);
    const auto path = filled(route.pattern, slots(mine, route.pattern));
    const auto body = body_of(route, named(mine));
    const auto answer = call(std::string(route.method), path, body);
    EXPECT_EQ(answer.status() / 100, 2) << route.method << " " << path << ": " << answer.body();
  }
}

TEST_F(Strangers, SeeAndDoNothingWithAnothersIdsInAnyPlace) {
  const auto mine = land_with_webhook("Mine");
  const auto theirs = land_with_webhook("Omar's", omar);
  std::size_t asked = 0;
  for (const auto& route : routes) {
    const auto own = slots(mine, route.pattern), foreign = slots(theirs, route.pattern);
    const auto body = body_of(route, named(mine));
    for (const auto& name : names_in(route.pattern)) {
      auto mixed = own;
      mixed[name] = foreign.at(name);
      expect_nothing(route, filled(route.pattern, mixed), body);
      ++asked;
    }
    if (!names_in(route.pattern).empty()) {
      expect_nothing(route, filled(route.pattern, foreign), body);
      ++asked;
    }
  }
  EXPECT_GE(asked, 60U);
  EXPECT_EQ(call("GET", "/farms/" + mine.farm).status(), 200) << "the caller's records are kept";
  EXPECT_EQ(call("GET", "/farms/" + theirs.farm, {}, omar).data("name"), "Omar's");
}

TEST_F(Strangers, CannotBeNamedInABody) {
  const auto mine = land("Mine");
  const auto theirs = land("Omar's", omar);
  std::size_t asked = 0;
  for (const auto& route : routes) {
    const auto path = filled(route.pattern, slots(mine, route.pattern));
    for (const auto& wrong :
         {Named{theirs.farm, mine.field, theirs.crop, theirs.task_template},
          Named{mine.farm, theirs.field, theirs.crop, theirs.task_template}, named(theirs)}) {
      const auto body = body_of(route, wrong);
      const bool names_one =
          body.find(theirs.farm) != body.npos || body.find(theirs.field) != body.npos ||
          body.find(theirs.crop) != body.npos || body.find(theirs.task_template) != body.npos;
      if (!names_one) continue;
      expect_nothing(route, path, body);
      ++asked;
    }
  }
  EXPECT_EQ(asked, 42U) << "crops name a farm and a field; blocks name a crop when created and "
                           "amended; tasks and templates too, which have two spellings; so has the "
                           "shortlist, which names a farm; price reports name a farm, an expense "
                           "may name a crop, and a rule names a farm and a template";
}

// The same with the caller's own records in the wrong place: a field of another farm, a block of
// another field.
TEST_F(Strangers, AreAlsoOnesOwnThingsElsewhere) {
  const auto mine = land_with_webhook("Mine"), other = land_with_webhook("Other");
  for (const auto& route : routes) {
    const auto own = slots(mine, route.pattern), elsewhere = slots(other, route.pattern);
    const auto names = names_in(route.pattern);
    if (names.size() < 2) continue;
    const auto body = body_of(route, named(mine));
    for (const auto& name : names) {
      auto mixed = own;
      mixed[name] = elsewhere.at(name);
      const auto path = filled(route.pattern, mixed);
      EXPECT_EQ(call(std::string(route.method), path, body).code(), "404 NOT_FOUND")
          << route.method << " " << path;
    }
  }
}

TEST_F(Strangers, AreNotInLists) {
  land_with_webhook("Omar's", omar);
  for (const auto* path :
       {"/farms", "/crops", "/tasks", "/templates", "/user-crops", "/webhooks"}) {
    const auto answer = call("GET", path);
    EXPECT_EQ(answer.status(), 200);
    EXPECT_NE(answer.body().find(R"({"data":[],"pagination":{"page":1,"limit":20,"total":0,)"
                                 R"("totalPages":0}})"),
              std::string::npos)
        << answer.body();
  }
}

}  // namespace
}  // namespace tilth::testing
