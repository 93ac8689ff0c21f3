// Whether this node takes a request that another one forwards to it.

#pragma once

#include <functional>
#include <memory>

#include "api/http/exchange.h"
#include "api/platform/forwarding.h"

namespace tilth {

// Calls `take` once this node knows what the other one knew when it forwarded the request, if it
// has the rows then; a question for parts needs none. Otherwise the response says that it is not
// here, so that another holder is asked. Threads: any; `take` runs at once, or on another thread.
void take_forwarded(Forwarding& here, const std::shared_ptr<Exchange>& exchange,
                    std::function<void()> take);

}  // namespace tilth
