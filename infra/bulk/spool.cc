#include "infra/bulk/spool.h"

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tilth {
namespace {

constexpr std::size_t kChunkBytes = 64 << 10;

Error unavailable(const char* what) {
  return {ErrorCode::kUnavailable,
          std::string("The history cannot be ") + what + ": " + std::strerror(errno) + "."};
}

struct Writer {
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      (*this)(static_cast<std::uint32_t>(value.size()));
      bytes.append(value);
    }
  }
  std::string& bytes;
};

struct Taker {
  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, rest.data(), sizeof value);
      rest.remove_prefix(sizeof value);
    } else {
      std::uint32_t size = 0;
      (*this)(size);
      value.assign(rest.substr(0, size));
      rest.remove_prefix(size);
    }
  }
  std::string_view& rest;
};

template <class Archive, class P, class R>
void members(Archive ar, P& position, R& record) {
  auto& envelope = record.envelope;
  ar(position.partition), ar(position.offset);
  ar(record.stream), ar(envelope.stream_version);
  ar(envelope.id), ar(envelope.predecessor);
  ar(envelope.type), ar(envelope.schema_version);
  ar(record.json);
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::make(const std::filesystem::path& directory,
                                           std::size_t buckets) {
  Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return unavailable("sorted");
  return std::unique_ptr<Spool>(new Spool(std::move(file), buckets));
}

Status Spool::add(std::size_t bucket, const LoggedRecord& logged) {
  auto& to = buckets_[bucket];
  const auto& record = *logged.record;
  members(Writer{to.pending}, logged.position, record);
  Writer write{to.pending};
  write(static_cast<std::int64_t>(record.envelope.time.at.time_since_epoch().count()));
  const auto& asked = record.envelope.idempotency;
  write(static_cast<std::uint8_t>(asked.has_value()));
  if (asked) write(asked->key), write(asked->request_hash);
  return to.pending.size() < kChunkBytes ? kDone : flush(to);
}

Status Spool::flush(Bucket& bucket) {
  std::string_view rest = bucket.pending;
  while (!rest.empty()) {
    const auto written = ::write(file_.get(), rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return unavailable("sorted");
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  bucket.chunks.push_back({bytes_, bucket.pending.size()});
  bytes_ += bucket.pending.size();
  bucket.pending.clear();
  return kDone;
}

Status Spool::end() {
  for (auto& bucket : buckets_) {
    if (bucket.pending.empty()) continue;
    if (const auto flushed = flush(bucket); !flushed) return flushed;
    bucket.pending.shrink_to_fit();
  }
  return kDone;
}

Result<bool> Spool::Reader::next(Position& position, Record& record) {
  if (rest_.empty()) {
    if (chunk_ == bucket_.chunks.size()) return false;
    const auto& [at, size] = bucket_.chunks[chunk_++];
    bytes_.resize(size);
    for (std::size_t read = 0; read < size;) {
      const auto got =
          ::pread(file_, bytes_.data() + read, size - read, static_cast<off_t>(at + read));
      if (got == 0) errno = EIO;
      if (got == 0 || (got < 0 && errno != EINTR)) return unavailable("read again");
      if (got > 0) read += static_cast<std::size_t>(got);
    }
    rest_ = bytes_;
  }
  members(Taker{rest_}, position, record);
  Taker take{rest_};
  std::int64_t time = 0;
  take(time);
  auto& envelope = record.envelope;
  envelope.time.at = decltype(envelope.time.at)(std::chrono::milliseconds(time));
  std::uint8_t was_asked = 0;
  take(was_asked);
  if (was_asked == 0) {
    envelope.idempotency.reset();
  } else {
    auto& asked = envelope.idempotency.emplace();
    take(asked.key), take(asked.request_hash);
  }
  return true;
}

}  // namespace tilth
