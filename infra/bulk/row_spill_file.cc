#include "infra/bulk/row_spill_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "projections/rows/unreadable_rows.h"

namespace tilth {
namespace {

constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::size_t kAheadBytes = 64 << 10;
constexpr std::size_t kGap = 4 << 10;  // that is skipped in reading ahead

Error unavailable() {
  return {.code = ErrorCode::kUnavailable,
          .message = std::string("The disk cannot take the rows of a fold: ") +
                     std::strerror(errno) + "."};
}

}  // namespace

Result<std::unique_ptr<RowSpill>> RowSpillFile::make(const std::filesystem::path& directory) {
  std::error_code ignored;  // open() reports it
  std::filesystem::create_directories(directory, ignored);
  Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return unavailable();
  return std::unique_ptr<RowSpill>(new RowSpillFile(std::move(file)));
}

Result<std::uint64_t> RowSpillFile::append(std::string_view bytes) {
  if (pending_.size() + bytes.size() > kPieceBytes) {
    if (const auto flushed = flush(); !flushed) return flushed.error();
  }
  const auto at = written_ + pending_.size();
  pending_ += bytes;
  return at;
}

Status RowSpillFile::flush() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const auto wrote = ::write(file_.get(), rest.data(), rest.size());
    if (wrote < 0 && errno != EINTR) return unavailable();
    if (wrote > 0) rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  written_ += pending_.size();
  pending_.clear();
  return kDone;
}

void RowSpillFile::read(std::uint64_t at, std::size_t size, std::string& bytes) const {
  if (at >= written_) {
    bytes.assign(pending_, at - written_, size);
    return;
  }
  const bool in_order = at >= last_end_ && at - last_end_ <= kGap;
  last_end_ = at + size;
  const auto is_ahead = [&] { return at >= ahead_at_ && at + size <= ahead_at_ + ahead_.size(); };
  if (!is_ahead() && in_order) {
    ahead_at_ = at;
    ahead_.resize(std::min<std::uint64_t>(std::max(kAheadBytes, size), written_ - at));
    read_file(at, ahead_.data(), ahead_.size());
  }
  if (is_ahead()) {
    bytes.assign(ahead_, at - ahead_at_, size);
  } else {
    bytes.resize(size);
    read_file(at, bytes.data(), size);
  }
}

void RowSpillFile::read_file(std::uint64_t at, char* to, std::size_t size) const {
  while (size > 0) {
    const auto got = ::pread(file_.get(), to, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw UnreadableRows("scratch", "The rows of a fold cannot be read again.");
    at += static_cast<std::uint64_t>(got);
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace tilth
