#include "api/platform/forwarded_arrival.h"

#include <utility>

namespace tilth {

// The rows may leave while this node waits. Where they have left before, another holder may answer
// at once.
void take_forwarded(Forwarding& here, const std::shared_ptr<Exchange>& exchange,
                    std::function<void()> take) {
  const auto has_rows = [&here, exchange] {
    const auto& request = exchange->request();
    return Forwarding::asks_for_parts(request) || here.is_here(Forwarding::caller_of(request));
  };
  if (!has_rows()) return exchange->answer(Forwarding::not_here());
  here.when_known(exchange->request(), [exchange, has_rows, take = std::move(take)](bool known) {
    if (!known || !has_rows()) return exchange->answer(Forwarding::not_here());
    take();
  });
}

}  // namespace tilth
