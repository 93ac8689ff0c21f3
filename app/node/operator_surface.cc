#include "app/node/operator_surface.h"

#include <utility>

#include "api/dashboard/pages.h"
#include "api/operator/operator_api.h"

namespace tilth {

OperatorSurface::OperatorSurface(OperatorParts parts, OperatorGuard::Parts guard, HostGuard hosts)
    : parts_(std::move(parts)),
      guard_(std::move(guard)),
      hosts_(std::move(hosts)),
      guards_({.operators = &guard_, .hosts = &hosts_, .lease = parts_.lease}) {
  parts_.streams = &exports_;
}

Dispatcher::Parts OperatorSurface::dispatcher_parts(Exchange::OnAnswered on_answered) const {
  return {.guards = guards_,
          .row_faults = parts_.row_faults,
          .clock = parts_.clock,
          .ids = parts_.ids,
          .on_answered = std::move(on_answered)};
}

std::vector<Route> OperatorSurface::routes() const {
  auto all = bind(parts_, operator_routes());
  for (auto& route : operator_page_routes()) all.push_back(std::move(route));
  return all;
}

}  // namespace tilth
