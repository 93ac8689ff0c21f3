#include "events/access/operator.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> operator_events() {
  return codecs_of<OperatorAdded, OperatorAmended, OperatorTokenRotated, OperatorRemoved>();
}

}  // namespace tilth
