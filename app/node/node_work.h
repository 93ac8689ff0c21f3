// The threads of a node for expensive work, and what is streamed.

#pragma once

#include <chrono>
#include <memory>

#include "api/platform/fair_executor.h"
#include "api/platform/streamed_responses.h"
#include "infra/metrics/metrics.h"

namespace tilth {

// Operation: all threads but the identity provider's have a lower priority than those that own
// sockets or decide commands, and an owner has at most half of the slots. As-of folds have an
// executor of their own, since each of them may take much memory.
//
// Threads: any; one creates, stops and destroys it.
class NodeWork {
 public:
  NodeWork();
  ~NodeWork() { stop(); }

  FairExecutor& requests() { return requests_; }
  FairExecutor& as_of() { return as_of_; }
  FairExecutor& passwords() { return passwords_; }
  FairExecutor& provider() { return provider_; }
  StreamedResponses& streams() { return *streams_; }  // until it is stopped

  void report(Samples& to) const;

  // Refuses further work; what has begun must end soon. Before the servers are drained.
  void close();

  // Waits for all work to end. Before anything that the work uses is destroyed.
  void stop();

 private:
  FairExecutor requests_, as_of_, passwords_, provider_;
  std::unique_ptr<StreamedResponses> streams_;
};

}  // namespace tilth
