#include "events/finance/exchange_rate.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> exchange_rate_events() { return codecs_of<ExchangeRatesImported>(); }

}  // namespace tilth
