// An embedded log in its own directory, and short ways to write and read it.

#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "infra/embedded/embedded_event_log.h"
#include "tests/fixtures/temporary_directory.h"

namespace tilth::testing {

class LogInDirectory : public ::testing::Test {
 protected:
  explicit LogInDirectory(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : directory(parent) {}

  static Record record(std::string stream, std::uint64_t version, std::string id) {
    return {std::move(stream), {.id = std::move(id), .stream_version = version}, "{}"};
  }

  // "open", or why not.
  std::string open() {
    log.reset();
    options.store.log_line = [this](std::string_view line) { said.emplace_back(line); };
    auto opened = EmbeddedEventLog::open(path(), options);
    if (!opened) return opened.error().message;
    log = std::move(*opened);
    return "open";
  }

  std::future<Result<Position>> start(Record record) {
    auto ended = std::make_shared<std::promise<Result<Position>>>();
    log->append(std::move(record), [ended](auto end) { ended->set_value(std::move(end)); });
    return ended->get_future();
  }

  // "durable", "stale" or "unavailable".
  std::string append(const std::string& stream, std::uint64_t version, const std::string& id) {
    const auto end = start(record(stream, version, id)).get();
    if (end) return "durable";
    return end.error().code == ErrorCode::kStale ? "stale" : "unavailable";
  }

  // The ids that `next` returns from `from` on, up to the end or the first error: "a b c: why".
  std::string read(std::int64_t from = 0, std::size_t limit = 100) {
    std::string ids;
    const auto reader = log->read({{0, from}});
    if (!reader) return reader.error().message;
    while (true) {
      const auto page = (*reader)->next(limit, std::chrono::milliseconds(0));
      if (!page) return ids + ": " + page.error().message;
      if (page->empty()) return ids;
      for (const auto& logged : *page) ids += logged.record->envelope.id + " ";
    }
  }

  const std::filesystem::path& path() const { return directory.path(); }

  std::vector<std::string> said;  // read it when the log is closed, or after an append
  EmbeddedEventLog::Options options;

 private:
  TemporaryDirectory directory;

 protected:
  std::unique_ptr<EmbeddedEventLog> log;  // last, so that it is closed first
};

}  // namespace tilth::testing
