#include "infra/webhooks/stream_pages_thread.h"

#include <chrono>
#include <utility>

#include "api/platform/thread_name.h"

namespace tilth {

StreamPagesThread::StreamPagesThread(EventLog& log, StreamIndex& index)
    : log_(log),
      index_(index),
      executor_({.slots = 1, .slots_per_owner = 1, .begun = 1, .begun_per_owner = 1},
                // An owner is charged for the time that the log takes, too.
                {.on_thread = [] { name_thread("webhook pages"); },
                 .cpu = [] { return std::chrono::steady_clock::now().time_since_epoch(); }}) {}

void StreamPagesThread::read(Question question, OnRead done) {
  auto owner = question.stream;
  static_cast<void>(executor_.post(
      {.owner = std::move(owner),
       .kind = WorkKind::kStream,
       .run =
           [this, question = std::move(question), done = std::move(done)](WorkToken& token) {
             if (token.go_on()) done(read_page(log_, index_, question));
           },
       .continues = true}));  // which is refused only once it is stopped
}

}  // namespace tilth
