#include "projections/fold/fold_record.h"

#include <string>
#include <utility>

#include "events/access/audit.h"
#include "events/log/event_record.h"
#include "projections/rows/idempotency_record.h"

namespace tilth {

void fold_record(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                 const Event& event) {
  projection.evolve(rows, event);
  remember_request(projection, rows, logged, event, rows.first_put());
}

void remember_request(const Projection& projection, MutableRows& rows, const LoggedRecord& logged,
                      const Event& event, const std::optional<RowBytes>& row) {
  const auto& envelope = logged.record->envelope;
  const auto& asked = envelope.idempotency;
  if (!asked || !projection.decides) return;
  IdempotencyRecord remembered{asked->request_hash, envelope.time, logged.position, row};
  if (const auto* refused = event.get_if<RequestRefused>()) remembered.refusal = *refused;
  remember(rows, asked->key, remembered);
}

bool concerns(const Projection& projection, const Record& record) {
  if (record.foreign.empty()) return projection.follows(record.stream);
  return projection.follows(record.stream) ||
         (record.stream != kAccessStream && record.stream != kAuditStream &&
          projection.follows(kReferenceStream));
}

Result<Event> event_of(const LoggedRecord& logged) {
  const auto& position = logged.position;
  const auto& record = *logged.record;
  const auto& envelope = record.envelope;
  auto event = read_event(record);
  if (event) return event;
  return Error{ErrorCode::kDamaged,
               "Event " + envelope.id + " at partition " + std::to_string(position.partition) +
                   ", offset " + std::to_string(position.offset) + ": " + event.error().message};
}

}  // namespace tilth
