// Reads past events for webhooks on a thread of its own, since the log may block.

#pragma once

#include "api/platform/fair_executor.h"
#include "infra/webhooks/stream_pages.h"

namespace tilth {

// Operation: the owner whose pages have taken the least time goes first, so that one who has much
// to be read again delays no other by more than a page.
//
// Threads: read() from any; the results come on a thread of its own.
class StreamPagesThread final : public StreamPages {
 public:
  // Both must outlive it.
  StreamPagesThread(EventLog& log, StreamIndex& index);

  void read(Question question, OnRead done) override;

 private:
  EventLog& log_;
  StreamIndex& index_;
  FairExecutor executor_;
};

}  // namespace tilth
