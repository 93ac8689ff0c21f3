// The API of a simulated node, as far as batches need it: real routes, operations and batches,
// whose threads are steps of the world.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api/http/http.h"
#include "command/loop/cells.h"
#include "events/values/time.h"
#include "tests/simulation/world.h"

namespace tilth::testing {

class SimulatedApi {
 public:
  // Borrowed; must outlive it.
  struct Parts {
    World& world;
    Cells& cells;
    Commands& changes;  // as Operations and Batches have it
    const Clock& clock;
    std::int64_t farm_limit = 0;
  };

  explicit SimulatedApi(const Parts& parts);
  ~SimulatedApi();
  SimulatedApi(const SimulatedApi&) = delete;
  SimulatedApi& operator=(const SimulatedApi&) = delete;

  // A batch, and its client: `answered` runs once. `request_id`: of the batch. A command of a
  // request within has that and the request's own query: "sending-1/item=2".
  struct Client {
    std::string owner, request_id, traceparent;
    std::function<void(const HttpResponse&)> answered;
    std::function<bool()> abandoned;
  };
  void carry_out_batch(HttpRequest request, Client client);

  // Work that waits ends, and no more is accepted. Before the loops end.
  void stop();

  bool is_idle() const;  // no work waits

 private:
  class Surface;
  const std::unique_ptr<Surface> surface_;
};

}  // namespace tilth::testing
