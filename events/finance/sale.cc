#include "events/finance/sale.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> sale_events() { return codecs_of<SaleRecorded, SaleRemoved>(); }

}  // namespace tilth
