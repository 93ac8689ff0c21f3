#include "api/platform/passed_on_arrival.h"

#include <utility>

namespace tilth {

// The rows may leave while this node waits. Where they have left before, another holder may answer
// at once.
void take_passed_on(Elsewhere& here, const std::shared_ptr<Exchange>& exchange,
                    std::function<void()> take) {
  const auto has_rows = [&here, exchange] {
    const auto& request = exchange->request();
    return Elsewhere::asks_for_parts(request) || here.is_here(Elsewhere::caller_of(request));
  };
  if (!has_rows()) return exchange->answer(Elsewhere::not_here());
  here.when_known(exchange->request(), [exchange, has_rows, take = std::move(take)](bool known) {
    if (!known || !has_rows()) return exchange->answer(Elsewhere::not_here());
    take();
  });
}

}  // namespace tilth
