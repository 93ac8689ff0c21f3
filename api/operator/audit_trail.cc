#include "api/operator/audit_trail.h"

#include <optional>
#include <string>
#include <utility>

#include "api/keys/operator_ring.h"
#include "command/access/audit.h"
#include "events/json/json.h"

namespace tilth {
namespace {

constexpr std::size_t kLongestText = 1'000, kLongestBody = 64 << 10;

std::string shortened(std::string text) {
  if (text.size() > kLongestText) text.resize(kLongestText);
  return text;
}

// The id in the response to a creation: {"data":{"id":…}}.
std::optional<std::string> created_by(const HttpResponse& response) {
  if (response.status != 201 || response.body.size() > kLongestBody) return std::nullopt;
  const auto body = parse_json(response.body);
  const auto* data = body ? body->find("data") : nullptr;
  const auto* id = data != nullptr ? data->find("id") : nullptr;
  if (id == nullptr || id->kind != Json::Kind::kString) return std::nullopt;
  return shortened(id->text);
}

bool is_only_logged(const Route& route) {
  return route.pattern == "/operator/v1/events" || route.pattern == "/operator/v1/clock" ||
         route.pattern == "/operator/v1/projections/{name}/verify";
}

AuditRecorded entry_of(const Route& route, const Call& call, const IdSource& ids) {
  const auto& request = call.request();
  const auto& by = *call.operated_by;
  return {.audit_id = {ids.uuid(call.now)},
          .operator_name = by.name,
          .role = by.role,
          .action = std::string(route.summary),
          .method = std::string(route.method),
          .target =
              shortened(request.query.empty() ? request.path : request.path + "?" + request.query),
          .created = {},
          .status = 0,
          .request_id = call.exchange->request_id(),
          .address = call.client,
          .at = call.now};
}

}  // namespace

void AuditTrail::begin(const Route& route, const Call& call) {
  call.exchange->hold_response(
      [this, logged_only = is_only_logged(route), entry = entry_of(route, call, parts_.ids)](
          const HttpResponse& response, auto send) mutable {
        entry.status = response.status;
        entry.created = created_by(response);
        if (!logged_only) return record(std::move(entry), send);
        parts_.log_entry(entry, {});
        send();
      });
}

std::uint64_t AuditTrail::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void AuditTrail::record(AuditRecorded entry, const std::function<void()>& done) {
  const bool halted = parts_.access.projector().is_halted();
  if (halted || !parts_.ready()) {
    keep(std::move(entry),
         halted ? "The projection access stands still." : "The service is not ready yet.");
    return done();
  }
  append_earliest([this, entry = std::move(entry), done](const Status& taken) mutable {
    if (!taken) {
      keep(std::move(entry), taken.error().message);
      return done();
    }
    append_waiting();
    parts_.log_entry(entry, {});
    append(std::move(entry), done);
  });
}

void AuditTrail::append_earliest(std::function<void(const Status& taken)> then) {
  std::optional<AuditRecorded> earliest;
  {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) {
      earliest = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  if (!earliest) return then(kDone);
  submit(std::move(*earliest),
         [this, then = std::move(then)](AuditRecorded entry, const Status& taken) {
           if (!taken) put_back(std::move(entry));
           then(taken);
         });
}

void AuditTrail::append_waiting() {
  std::deque<AuditRecorded> earlier;
  {
    const std::lock_guard lock(mutex_);
    earlier.swap(waiting_);
  }
  for (auto& each : earlier) append(std::move(each), [] {});
}

void AuditTrail::append(AuditRecorded entry, const std::function<void()>& done) {
  submit(std::move(entry), [this, done](AuditRecorded its, const Status& taken) {
    if (!taken) keep(std::move(its), taken.error().message);
    done();
  });
}

void AuditTrail::submit(AuditRecorded entry, OnSubmitted done) {
  CommandRequest request{.stream = std::string(kAuditStream),
                         .actor = OperatorIdentity::actor_of(entry.operator_name),
                         .request_id = entry.request_id,
                         .decide = deciding(RecordAudit{entry})};
  parts_.access.carry_out(
      std::move(request), [this, entry = std::move(entry),
                           done = std::move(done)](const Result<CommandResult>& outcome) mutable {
        if (outcome) ++recorded_;
        done(std::move(entry), outcome ? Status(kDone) : Status(outcome.error()));
      });
}

// It has been said of it that it is not stored.
void AuditTrail::put_back(AuditRecorded entry) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() < kMostWaiting) return waiting_.push_front(std::move(entry));
  ++lost_;
}

void AuditTrail::keep(AuditRecorded entry, std::string_view why) {
  parts_.log_entry(entry, why);
  const std::lock_guard lock(mutex_);
  if (waiting_.size() < kMostWaiting) return waiting_.push_back(std::move(entry));
  ++lost_;
}

}  // namespace tilth
