#include "query/market/regional_prices.h"

#include <memory>
#include <utility>

#include "api/routing/resource_route.h"
#include "api/v1/routes.h"

namespace tilth {
namespace {

class JointPrices final : public JointQuestion {
 public:
  explicit JointPrices(RegionalPricesQuestion question) : question_(std::move(question)) {}

  std::string ask(std::size_t cell, std::size_t cells) override {
    return question_.ask(cell, cells);
  }
  Result<std::string> part(const Rows& rows, std::string_view ask) const override {
    return RegionalPricesQuestion::part(rows, ask);
  }
  Result<std::optional<HttpResponse>> join(const std::vector<std::string>& answers,
                                           const Rows& rows) override {
    auto body = question_.join(answers, rows);
    if (!body) return body.error();
    if (!*body) return std::optional<HttpResponse>();
    return std::optional(json_response(200, std::move(**body)));
  }

 private:
  RegionalPricesQuestion question_;
};

}  // namespace

std::vector<Route> regional_prices_routes(const V1Settings& settings) {
  const auto prices = std::make_shared<RegionalPrices>(settings.min_owners);
  const auto read = [prices](const Call& call) -> Result<Intent> {
    AskRegionalPrices question;
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(std::shared_ptr<JointQuestion>(
        std::make_shared<JointPrices>(RegionalPricesQuestion(prices, std::move(question)))));
  };
  const auto schema = [] {
    auto body = row_schema<std::vector<RegionalPrice>>();
    add_property(body, "meta", answer_schema<RegionalPricesMeta>(), true);
    return body;
  };
  return {{.method = "GET",
           .pattern = "/market/regional-prices",
           .summary = "Show what crops cost in a country",
           .scope = Scope::kMarketRead,
           .action = Operation{.read = read,
                               .projection = kMarket,
                               .stream = kMarketStream,
                               .ages = true,
                               .of_the_past = false,  // it covers many owners
                               .is_joint = true},
           .description = Description{
               .name = list_name(type_name(kSpelling<RegionalPrice>)),
               .about = "One row for each crop: the average, the lowest and the highest price of a "
                        "metric ton "
                        "over the last year. A crop is shown once enough farms contribute to it.",
               .query = request_schema<AskRegionalPrices>,
               .answer = schema}}};
}

}  // namespace tilth
