// The operators' port: its routes and its guard.

#pragma once

#include <vector>

#include "api/guards/guards.h"
#include "api/operator/operator_parts.h"
#include "api/platform/dispatcher.h"
#include "api/platform/streams.h"

namespace tilth {

// Threads: one creates and destroys it.
class OperatorSurface {
 public:
  // What `parts` borrows must outlive the surface, which owns their `streams`.
  OperatorSurface(OperatorParts parts, OperatorGuard::Parts guard, HostGuard hosts);

  Dispatcher::Parts dispatcher_parts(Exchange::OnAnswered on_answered) const;
  std::vector<Route> routes() const;

 private:
  OperatorParts parts_;
  const OperatorGuard guard_;
  const HostGuard hosts_;
  const Guards guards_;
  StreamThreads exports_;  // destroyed before what its threads use
};

}  // namespace tilth
