#include "query/market/regional_prices.h"

#include <memory>

#include "api/routing/route.h"

namespace tilth {

std::vector<Route> regional_prices_routes() {
  const auto prices = std::make_shared<RegionalPrices>();
  const auto read = [prices](const Call& call) -> Result<Intent> {
    AskRegionalPrices question;
    RequestIssues problems;
    QueryReader query(call.query, problems);
    read_question(call, question, query, problems);
    if (const auto verdict = problems.verdict(); !verdict) return verdict.error();
    return Intent(RowQuery([prices, question](const Rows& market, Timestamp) -> Result<Answer> {
      return Answer(json_response(200, prices->answer(market, question)));
    }));
  };
  return {{.method = "GET",
           .pattern = "/market/regional-prices",
           .scope = Scope::kMarketRead,
           .summary = "Show what crops cost in a country",
           .read = read,
           .projection = kMarket,
           .stream = kMarketStream,
           .ages = true,
           .of_the_past = false,  // they are of many owners
           .query_schema = request_schema<AskRegionalPrices>,
           .data_schema = answer_schema<std::vector<RegionalPrice>>,
           .meta_schema = answer_schema<RegionalPricesMeta>,
           .paged = false}};
}

}  // namespace tilth
