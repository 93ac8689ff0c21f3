// Measures what an owner's rows as of now cost, folded from all events of a data directory's only
// owner, as an answer to Tilth-As-Of is.
//
// Usage: bench_fold_past DIRECTORY [EVENTS]   of bench_fill; folds up to the last of EVENTS
// Prints one JSON object: seconds of CPU for the fold, for a first page of tasks, and for one with
// a filter.

#include <ctime>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "bench/history.h"
#include "infra/bulk/row_spill_file.h"
#include "infra/rocksdb/scratch_store.h"
#include "projections/history/past_rows.h"
#include "projections/work/task.h"

namespace {

using namespace tilth;
using namespace tilth::bench;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void run(const std::filesystem::path& path, std::uint64_t events) {
  const auto log = must(EmbeddedEventLog::open(path / "log"));
  const RocksMemory memory{64 << 20, 64 << 20};
  const auto work = path / "fold-past";
  std::filesystem::remove_all(work);
  {
    const auto store = must(RocksStore::open(work, "history", 1, "bench", memory));
    StreamIndex index(*log, *store);
    if (const auto opened = index.open(); !opened) throw std::runtime_error(opened.error().message);
    std::string owner;
    Timestamp last{};
    std::uint64_t read = 0;
    const auto reader = must(log->read({{0, 0}}));
    while (read < events) {
      const auto page = must(reader->next(4'096, std::chrono::milliseconds(0)));
      if (page.empty()) break;
      for (const auto& logged : page) {
        if (!logged.record->stream.starts_with("user_") || ++read > events) continue;
        owner = logged.record->stream;
        last = logged.record->envelope.time;
      }
    }
    while (must(index.follow())) {
    }
    ScratchStores scratch(work / "scratch", memory);
    const PastSources sources{.log = *log,
                              .index = index,
                              .projection = registry(),
                              .make_spill = [&] { return RowSpillFile::make(work); },
                              .make_scratch = [&] { return scratch.make(); },
                              .most_events = 100'000'000};
    const auto begun = cpu_seconds();
    const auto past = must(fold_past(sources, owner, last, true, [] { return true; }));
    const auto folded = cpu_seconds();
    const auto total = past.rows.list<Task>({}, {.limit = 20}).total;
    const auto listed = cpu_seconds();
    const auto some = past.rows.list<Task>({}, {.filters = {{0, "pending"}}, .limit = 20}).total;
    const auto filtered = cpu_seconds();
    std::cout << "{\"events\":" << std::min(read, events) << ",\"fold\":" << folded - begun
              << ",\"tasks\":" << total << ",\"list\":" << listed - folded << ",\"some\":" << some
              << ",\"filtered\":" << filtered - listed << "}" << std::endl;
  }
  std::filesystem::remove_all(work);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) throw std::runtime_error("DIRECTORY is missing");
  run(arguments[1], count > 2 ? std::stoull(arguments[2]) : UINT64_MAX);
} catch (const std::exception& error) {
  std::cerr << "bench_fold_past: " << error.what() << '\n';
  return 1;
}
