#include "events/market/price_report.h"

#include "events/log/event_codec.h"

namespace tilth {

std::vector<EventCodec> price_report_events() {
  return codecs_of<PriceReported, PriceReportRemoved>();
}

}  // namespace tilth
