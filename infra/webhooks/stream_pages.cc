#include "infra/webhooks/stream_pages.h"

#include <algorithm>
#include <utility>

#include "projections/history/stream_reader.h"

namespace tilth {
namespace {

constexpr std::size_t kReadAtOnce = 256, kMostLooked = 8'192, kMostBytes = 1 << 20;

}  // namespace

Result<StreamPages::Page> read_page(EventLog& log, StreamIndex& index,
                                    const StreamPages::Question& question) {
  try {
    StreamReader reader(log, index, question.stream);
    if (const auto known = reader.refresh(); !known) return known.error();
    reader.go_to(question.from);
    StreamPages::Page page{{}, question.from};
    std::size_t looked = 0, bytes = 0;
    while (page.next < question.end && looked < kMostLooked) {
      auto records = reader.next(std::min<std::size_t>(kReadAtOnce, question.end - page.next));
      if (!records) return records.error();
      if (records->empty()) break;
      for (auto& logged : *records) {
        const auto version = logged.record->envelope.stream_version;
        if (version >= question.end) return page;
        page.next = version + 1;
        ++looked;
        if (!question.wants(*logged.record)) continue;
        bytes += logged.record->json.size();
        page.records.push_back(std::move(logged));
        if (page.records.size() >= question.most || bytes >= kMostBytes) return page;
      }
    }
    return page;
  } catch (const UnreadableRows& rows) {
    index.cannot_read(rows);
    return Error{ErrorCode::kUnavailable, "The index of the history cannot be read."};
  }
}

}  // namespace tilth
