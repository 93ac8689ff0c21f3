#include "api/regional_prices.h"

#include <memory>

#include "query/regional_prices.h"

namespace tilth {

std::vector<Route> regional_prices_routes() {
  const auto prices = std::make_shared<RegionalPrices>();
  const auto read = [prices](const Call& call) -> Result<Intent> {
    AskRegionalPrices question;
    Faults faults;
    QueryReader query(call.query, faults);
    read_question(call, question, query, faults);
    if (const auto verdict = faults.verdict(); !verdict) return verdict.error();
    return Intent(Question([prices, question](const Rows& market, Timestamp) -> Result<Answer> {
      return Answer(answer_json(200, prices->answer(market, question)));
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
