#include "api/keys/access_lease.h"

#include <utility>

#include "api/keys/lease_term.h"
#include "api/platform/thread_name.h"

namespace tilth {

struct AccessLease::State : LeaseTerm {
  using LeaseTerm::LeaseTerm;
};

AccessLease::AccessLease(EventLog& log, CommandLoop& access, Others others)
    : state_(std::make_shared<State>(
          log, access,
          LeaseTerm::Others{
              .is_current = others.is_current,
              .know = [know = others.know](
                          LeaseTerm::Instant at) { return know(SleeplessClock::time_point(at)); }},
          LeaseTerm::Times{kLength, kRenewEvery, kPaceMargin},
          [] { return SleeplessClock::now().time_since_epoch(); })),
      thread_([this] { run(); }) {}

AccessLease::~AccessLease() {
  state_->close();
  thread_.join();
}

Error AccessLease::expired() {
  return {.code = ErrorCode::kUnavailable,
          .message =
              "This node has received nothing from the log for a while, so it does not know "
              "whether a key is still valid.",
          .retry_after_seconds = 1};
}

bool AccessLease::holds() const { return state_->holds(); }

void AccessLease::when_present(Done done) { state_->when_present(std::move(done)); }

void AccessLease::when_it_holds(Done done) { state_->when_it_holds(std::move(done)); }

void AccessLease::when_all_know(Done done) { state_->when_all_know(std::move(done)); }

void AccessLease::run() {
  name_thread("lease");
  while (!state_->is_closed()) state_->wait(state_->turn());
}

}  // namespace tilth
