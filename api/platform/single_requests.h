// Port: carries out one request of a batch like a request of its own.

#pragma once

#include <string_view>

#include "api/routing/call.h"

namespace tilth {

// Threads: any but a server's.
class SingleRequests {
 public:
  virtual ~SingleRequests() = default;

  // Answers the call's exchange, now or later. The caller was admitted and counted with the batch;
  // all other checks are those of a request that comes by itself. Changes are decided in the order
  // of the calls.
  virtual void carry_out_single(Call call) const = 0;

  // Whether that request does more than a query or a change of records. Then it has to begin after
  // all before it have been answered, and to be answered before those after it begin. `path` is as
  // the client wrote it, without its query.
  virtual bool runs_alone(std::string_view method, std::string_view path) const = 0;
};

}  // namespace tilth
