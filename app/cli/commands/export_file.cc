#include "app/cli/commands/export_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/engine/whole_number.h"
#include "events/json/json.h"

namespace tilth::cli {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::string_view kBegin = R"({"specversion":)";  // at the start of every exported line

// Takes `text` and the number behind it from the beginning of `rest`.
std::optional<std::int64_t> take_number(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(rest.data() + text.size(), rest.data() + rest.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  return number;
}

// The position as every exported line ends with it. Parsing all lines would take minutes for ten
// million.
std::optional<Position> position_at_end(std::string_view line) {
  constexpr std::string_view kPartition = R"("partition":)", kOffset = R"(,"offset":)";
  auto rest = line.substr(std::min(line.rfind(kPartition), line.size()));
  const auto partition = take_number(rest, kPartition);
  const auto offset = partition ? take_number(rest, kOffset) : std::nullopt;
  return offset ? std::optional(Position{static_cast<int>(*partition), *offset}) : std::nullopt;
}

std::optional<Position> position_of(std::string_view line) {
  if (const auto position = position_at_end(line)) return position;
  const auto event = parse_json(line);
  if (!event) return std::nullopt;
  const auto partition = whole_number(event->find("partition"));
  const auto offset = whole_number(event->find("offset"));
  if (!partition || !offset) return std::nullopt;
  return Position{static_cast<int>(*partition), *offset};
}

}  // namespace

Result<ExportFile> ExportFile::open(const std::string& path, bool resume) {
  const int flags = resume ? O_RDWR | O_CREAT : O_WRONLY | O_CREAT;
  ExportFile file(path,
                  path == "-" ? STDOUT_FILENO : ::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (file.descriptor_ < 0) return file.failure("opened");
  if (resume) {
    if (const auto status = file.go_on(); !status) return status.error();
  }
  return file;
}

ExportFile::ExportFile(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

ExportFile::ExportFile(ExportFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      last_(other.last_),
      reached_(std::move(other.reached_)),
      last_line_(std::move(other.last_line_)),
      whole_(other.whole_),
      lines_(other.lines_) {}

ExportFile::~ExportFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

// Reads the file once, to count its lines, and to find the end of the last one and how far each
// partition has come.
Status ExportFile::go_on() {
  std::string line;
  std::int64_t read = 0;
  std::string chunk(kBufferBytes, '\0');
  while (true) {
    const auto got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read");
    if (got == 0) break;
    for (std::string_view rest(chunk.data(), static_cast<std::size_t>(got)); !rest.empty();) {
      const auto end = rest.find('\n');
      const auto part = rest.substr(0, end == rest.npos ? end : end + 1);
      line += part;
      read += static_cast<std::int64_t>(part.size());
      rest.remove_prefix(part.size());
      if (end == part.npos) continue;
      ++lines_;
      whole_ = read;
      std::swap(last_line_, line);
      line.clear();
      last_line_.pop_back();
      last_ = position_of(last_line_);
      if (!last_) return not_an_event();
      auto& reached = reached_.try_emplace(last_->partition, last_->offset).first->second;
      reached = std::max(reached, last_->offset);
    }
  }
  const bool torn = kBegin.starts_with(std::string_view(line).substr(0, kBegin.size()));
  return lines_ > 0 || torn ? kDone : Status(not_an_event());
}

Status ExportFile::cut() {
  struct stat about {};
  if (::fstat(descriptor_, &about) == 0 && !S_ISREG(about.st_mode)) return kDone;
  if (::ftruncate(descriptor_, whole_) == 0 && ::lseek(descriptor_, whole_, SEEK_SET) == whole_) {
    return kDone;
  }
  return failure("cut after its last whole line");
}

Status ExportFile::write(std::string_view line) {
  buffer_ += line;
  buffer_ += '\n';
  ++lines_;
  // The reader at the other end of a pipe gets each line as it arrives.
  if (descriptor_ == STDOUT_FILENO || buffer_.size() >= kBufferBytes) return flush();
  return kDone;
}

Status ExportFile::finish() {
  if (const auto flushed = flush(); !flushed) return flushed.error();
  if (descriptor_ != STDOUT_FILENO && ::fsync(descriptor_) != 0 && errno != EINVAL) {
    return failure("written");
  }
  return kDone;
}

Status ExportFile::flush() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    const auto written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return failure("written");
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return kDone;
}

Error ExportFile::not_an_event() const {
  return {ErrorCode::kDamaged, "Line " + std::to_string(std::max<std::int64_t>(lines_, 1)) +
                                   " of " + path_ +
                                   " is no exported event, so there is nothing to resume."};
}

Error ExportFile::failure(std::string_view verb) const {
  const auto reason = std::generic_category().message(errno);
  return {errno == EPIPE ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
          (path_ == "-" ? "Standard output" : path_) + " cannot be " + std::string(verb) + ": " +
              reason + "."};
}

}  // namespace tilth::cli
