#include "infra/embedded/unique_ids.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>

namespace tilth {
namespace {

std::filesystem::path run_of_ids(const std::filesystem::path& directory, std::size_t number) {
  return directory / ("ids-" + std::to_string(number));
}

Error ids_cannot_be(const std::string& what) {
  return {ErrorCode::kUnavailable, "The ids of the import cannot be " + what + "."};
}

}  // namespace

// The entries of a file, in their order.
class UniqueIds::Run {
 public:
  Run(const std::filesystem::path& path, std::uintmax_t entries)
      : file_(path, std::ios::binary), left_(entries) {}

  // False: the disk refuses.
  bool read() {
    if (is_over()) return true;
    --left_;
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(&entry_), sizeof entry_));
  }
  bool is_over() const { return left_ == 0; }
  const Entry& entry() const { return entry_; }

 private:
  std::ifstream file_;
  std::uintmax_t left_;  // that are not read
  Entry entry_ = {};
};

Status UniqueIds::add(const Uuid& id, std::int64_t line) {
  entries_.push_back({id, line});
  return entries_.size() < at_once_ ? Status(kDone) : write_run();
}

Status UniqueIds::write_run() {
  static_assert(std::is_trivially_copyable_v<Entry>);
  std::ranges::sort(entries_);
  std::ofstream file(run_of_ids(directory_, runs_), std::ios::binary);
  file.write(reinterpret_cast<const char*>(entries_.data()),
             static_cast<std::streamsize>(entries_.size() * sizeof(Entry)));
  if (!file.flush()) return ids_cannot_be("written");
  entries_.clear();
  ++runs_;
  return kDone;
}

Result<std::optional<UniqueIds::Repeat>> UniqueIds::find_repeat() {
  if (!entries_.empty()) {
    if (const auto written = write_run(); !written) return written.error();
  }
  std::vector<std::unique_ptr<Run>> runs;
  const auto is_later = [&](std::size_t one, std::size_t other) {
    return runs[one]->entry() > runs[other]->entry();
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> next(is_later);
  for (std::size_t number = 0; number < runs_; ++number) {
    const auto path = run_of_ids(directory_, number);
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    if (failed) return ids_cannot_be("read");
    runs.push_back(std::make_unique<Run>(path, bytes / sizeof(Entry)));
    if (!runs.back()->read()) return ids_cannot_be("read");
    next.push(number);
  }
  std::optional<Entry> last;  // the first with its id
  std::optional<Repeat> repeat;
  while (!next.empty()) {
    const auto number = next.top();
    auto& run = *runs[number];
    next.pop();
    const auto entry = run.entry();
    if (!last || last->id != entry.id) {
      last = entry;
    } else if (!repeat || entry.line < repeat->line) {
      repeat = Repeat{entry.line, last->line};
    }
    if (run.is_over()) continue;
    if (!run.read()) return ids_cannot_be("read");
    next.push(number);
  }
  return repeat;
}

}  // namespace tilth
