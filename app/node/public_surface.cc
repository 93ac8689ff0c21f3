#include "app/node/public_surface.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/v1/routes.h"

namespace tilth {
namespace {

PlanLookup plans_of(const Config& config) {
  return [&config](const std::string& name) -> PlanLimits {
    const auto plan = config.plans.find(name);
    if (plan == config.plans.end()) return {};
    const auto& its = plan->second;
    return {static_cast<std::uint64_t>(its.requests_per_hour), its.farms, its.bytes_per_hour};
  };
}

}  // namespace

PublicSurface::PublicSurface(const Parts& parts)
    : parts_(parts),
      plan_(plans_of(parts.config)),
      address_guard_(parts.limiter, parts.clock,
                     static_cast<std::uint64_t>(parts.config.limits.unauthenticated_per_minute)),
      key_guard_(parts.ring, parts.digest, parts.limiter, parts.clock, plan_, &parts.bytes),
      session_guard_(parts.usage.sessions(), parts.access, parts.limiter, parts.clock,
                     {parts.config.http.trusted_proxies, parts.config.listen.is_loopback()}),
      guards_({.address = &address_guard_,
               .key = &key_guard_,
               .session = &session_guard_,
               .lease = parts.lease,
               .trusted_proxies = parts.config.http.trusted_proxies}),
      operations_({.plan = plan_,
                   .commands = parts.config.roles.command,
                   .queries = parts.config.roles.query},
                  {.registry = parts.registry,
                   .changes = parts.registry,
                   .row_faults = parts.row_faults,
                   .clock = parts.clock,
                   .executor = parts.work.requests(),
                   .streams = parts.work.streams(),
                   .own_history = &parts.history.own_history(),
                   .as_of = &parts.history.as_of(),
                   .others = parts.others,
                   .bytes = &parts.bytes,
                   .forwarding = parts.forwarding}),
      batches_({.registry = parts.registry,
                .changes = parts.registry,
                .guards = guards_,
                .row_faults = parts.row_faults,
                .executor = parts.work.requests(),
                .commands = parts.config.roles.command}),
      dashboard_(parts.config,
                 {parts.access, parts.registry, parts.row_faults, parts.usage, parts.limiter,
                  parts.digest, parts.clock, parts.ids, parts.log_lines, parts.work, parts.lease,
                  parts.bytes, parts.eraser}) {}

Dispatcher::Parts PublicSurface::dispatcher_parts(Exchange::OnAnswered on_answered) {
  return {.guards = guards_,
          .row_faults = parts_.row_faults,
          .clock = parts_.clock,
          .ids = parts_.ids,
          .operations = &operations_,
          .batches = &batches_,
          .executor = &parts_.work.requests(),
          .access = &parts_.access.projector(),
          .mounts = public_mounts(),
          .on_answered = std::move(on_answered)};
}

std::vector<Route> PublicSurface::routes() {
  const V1Settings settings{
      .min_owners = static_cast<std::uint64_t>(parts_.config.market.min_owners),
      .webhooks = &parts_.webhooks};
  auto all = v1_routes(settings);
  for (auto& route : dashboard_.routes(all, settings)) all.push_back(std::move(route));
  return all;
}

void PublicSurface::report(Samples& to) {
  to.counter("tilth_sign_ins_refused_total", "Sign-ins that found no place among those that wait.",
             {}, static_cast<double>(dashboard_.sign_ins_refused()));
  const auto counts = batches_.counts();
  const auto requests = [&](std::string_view outcome, std::uint64_t value) {
    to.counter("tilth_batch_requests_total", "Requests that came in batches, by their outcome.",
               {{"outcome", std::string(outcome)}}, static_cast<double>(value));
  };
  requests("succeeded", counts.succeeded);
  requests("failed", counts.failed);
  requests("not_attempted", counts.not_attempted);
  to.counter("tilth_batches_total", "Batches that were begun.", {},
             static_cast<double>(counts.batches));
  to.gauge("tilth_batches_running", "Batches that are being carried out.", {},
           static_cast<double>(counts.running));
}

}  // namespace tilth
