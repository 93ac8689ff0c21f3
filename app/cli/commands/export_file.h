// The file that history is exported to; an interrupted export can resume.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/log/event_log.h"
#include "events/values/result.h"

namespace tilth::cli {

// Threads: one. Crash: it ends with whole lines, or with one torn line, which resuming cuts off.
class ExportFile {
 public:
  // "-" is stdout. What an existing file holds stays until cut() is called, before the first
  // write(). With `resume`, lines follow its last whole line.
  //
  //   kUnavailable  it cannot be opened or read; the message names it.
  //   kDamaged      a line is not an exported event; the file is unchanged.
  static Result<ExportFile> open(const std::string& path, bool resume);

  ExportFile(ExportFile&& other) noexcept;
  ExportFile& operator=(ExportFile&&) = delete;
  ~ExportFile();

  // The position of the last whole line's event, the largest offset of each partition, and the
  // number of lines.
  const std::optional<Position>& last() const { return last_; }
  const std::map<int, std::int64_t>& reached() const { return reached_; }
  const std::string& last_line() const { return last_line_; }
  std::int64_t lines() const { return lines_; }

  // Cuts off a torn line at the end, or, without `resume`, everything. Pipes and devices stay as
  // they are. kUnavailable: the message names the file.
  Status cut();

  // Adds a line.
  //
  //   kUnavailable  it cannot be written; the message says why.
  //   kNotFound     the reader of stdout is gone, as after `| head`.
  Status write(std::string_view line);

  // Makes all lines durable. kUnavailable, as above.
  Status finish();

 private:
  ExportFile(std::string path, int descriptor);
  Status go_on();
  Status flush();
  Error not_an_event() const;
  Error failure(std::string_view verb) const;

  std::string path_;
  int descriptor_;
  std::string buffer_;
  std::optional<Position> last_;
  std::map<int, std::int64_t> reached_;
  std::string last_line_;
  std::int64_t whole_ = 0;  // the bytes of all whole lines found
  std::int64_t lines_ = 0;
};

}  // namespace tilth::cli
