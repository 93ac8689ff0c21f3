#include "projections/history/stream_index.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "events/values/big_endian.h"
#include "projections/rows/stored_head.h"

namespace tilth {
namespace {

constexpr std::size_t kPage = 4'096;
constexpr std::chrono::milliseconds kSlice{50};
constexpr std::size_t kKnownHeads = 16'384;
const std::string kNext = "\1offset";  // no stream begins with this byte

// A run's key: its stream, and the version of its first record, so that runs are in order.
std::string run_key(const std::string& stream, std::uint64_t first) {
  return stream + '\0' + big_endian(first);
}

// The beginning of the keys of a type's runs, and such a key: with the offset of its first record.
// '\1' keeps these apart from the runs of the stream itself.
std::string type_prefix(std::string_view stream, std::string_view type) {
  std::string prefix;
  prefix.reserve(stream.size() + type.size() + 2 + sizeof(std::uint64_t));  // and a run's offset
  prefix.append(stream).append(1, '\1').append(type).append(1, '\0');
  return prefix;
}
std::string type_run_key(std::string_view stream, std::string_view type, std::int64_t first) {
  return type_prefix(stream, type) + big_endian(static_cast<std::uint64_t>(first));
}

// The key of the stream's head.
std::string head_key(std::string_view stream) { return std::string(stream) + '\2'; }

// The offsets of a run, each as its distance from the previous one, in seven bits per byte.
class Run {
 public:
  void add(std::int64_t offset) {
    auto distance = static_cast<std::uint64_t>(offset - last_);
    for (; distance >= 0x80; distance >>= 7) {
      bytes_.push_back(static_cast<char>(0x80 | (distance & 0x7F)));
    }
    bytes_.push_back(static_cast<char>(distance));
    last_ = offset;
  }
  std::string take() { return std::move(bytes_); }

  static std::vector<std::int64_t> offsets(std::string_view bytes) {
    std::vector<std::int64_t> all;
    std::uint64_t distance = 0;
    int shift = 0;
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      distance |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      all.push_back((all.empty() ? 0 : all.back()) + static_cast<std::int64_t>(distance));
      distance = 0, shift = 0;
    }
    return all;
  }

 private:
  std::string bytes_;
  std::int64_t last_ = 0;
};

struct StoredRun {
  std::uint64_t first = 0;
  std::vector<std::int64_t> offsets;
  std::uint64_t end() const { return first + offsets.size(); }
};

// The run at which a cursor is, if it is one of that stream.
std::optional<StoredRun> run_at(const RowCursor& cursor, const std::string& stream) {
  if (!cursor.valid()) return std::nullopt;
  const auto key = cursor.key();
  const std::string prefix = stream + '\0';
  if (!key.starts_with(prefix)) return std::nullopt;
  StoredRun run;
  run.first = read_big_endian(key.substr(prefix.size()));
  run.offsets = Run::offsets(cursor.value());
  return run;
}

// The run that holds the record of that version, or the last one before it.
std::optional<StoredRun> run_of(RowCursor& cursor, const std::string& stream,
                                std::uint64_t version) {
  cursor.seek_for_prev(run_key(stream, version));
  return run_at(cursor, stream);
}

std::uint64_t version_in(const RowReader& rows, const std::string& stream) {
  const auto last = run_of(*rows.cursor(), stream, UINT64_MAX);
  return last ? last->end() : 0;
}

}  // namespace

Status StreamIndex::open() {
  std::set<int> all;
  for (int partition = 0; partition < log_.partitions(); ++partition) {
    std::optional<std::string> stored;
    try {
      stored = store_.newest().get(kNext + std::to_string(partition));
    } catch (const UnreadableRows& rows) {
      return Error{ErrorCode::kDamaged, rows.what()};
    }
    auto& next = next_[partition];
    if (stored) std::from_chars(stored->data(), stored->data() + stored->size(), next);
    all.insert(partition);
  }
  return follow_only(all);
}

Status StreamIndex::follow_only(const std::set<int>& partitions) {
  const std::lock_guard alone(mutex_);
  if (partitions == followed_) return kDone;
  std::unique_ptr<LogReader> reader;
  if (!partitions.empty()) {
    std::vector<Position> from;
    for (const int partition : partitions) from.push_back({partition, next_[partition]});
    auto read = log_.read(from);
    if (!read) return read.error();
    reader = std::move(*read);
  }
  reader_ = std::move(reader);
  followed_ = partitions;
  page_.clear();  // what was read and not committed is read again
  return kDone;
}

Result<bool> StreamIndex::follow() {
  const std::lock_guard alone(mutex_);
  return follow(std::chrono::milliseconds(0));
}

void StreamIndex::cannot_read(const UnreadableRows& rows) {
  if (store_.holds(rows)) unreadable_ = true;
}

Status StreamIndex::reach(const Position& end, std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const Error later{.code = ErrorCode::kUnavailable,
                    .message = "The index of the history has not come that far yet.",
                    .retry_after_seconds = 1};
  std::unique_ptr<LogReader> aside;  // of a partition that is not followed
  for (;;) {
    const std::unique_lock alone(mutex_, until);
    if (!alone.owns_lock()) return later;
    const auto next = next_[end.partition];
    if (next >= end.offset) return kDone;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return later;
    if (followed_.contains(end.partition)) {
      reader_->prefetch_now({end.partition, end.offset - 1});
      if (const auto read = follow(left); !read) return read.error();
      continue;
    }
    if (!aside) {
      auto opened = log_.read({{end.partition, next}});
      if (!opened) return opened.error();
      aside = std::move(*opened);
    }
    aside->skip_to({end.partition, next});  // another caller may have read on
    // In slices, since others wait for the index meanwhile.
    const auto slice = std::min<std::chrono::milliseconds>(left, kSlice);
    const auto read = guarded([&] { return read_aside(*aside, slice); });
    if (!read) return read.error();
  }
}

std::int64_t StreamIndex::next_of(int partition) {
  const std::lock_guard alone(mutex_);
  return next_[partition];
}

Result<bool> StreamIndex::follow(std::chrono::milliseconds timeout) {
  return guarded([&] { return read_on(timeout); });
}

// Stops if the rows cannot be read.
Result<bool> StreamIndex::guarded(const std::function<Result<bool>()>& read) {
  if (!stopped_ && unreadable_) {
    stopped_ = Error{ErrorCode::kDamaged,
                     "The index of the history cannot be read; the next start makes it again."};
  }
  if (stopped_) return *stopped_;
  try {
    return read();
  } catch (const UnreadableRows& rows) {
    cannot_read(rows);
    stopped_ = Error{ErrorCode::kDamaged, rows.what()};
    return *stopped_;
  }
}

Result<bool> StreamIndex::read_on(std::chrono::milliseconds timeout) {
  if (page_.empty()) {
    if (!reader_) return false;
    auto read = reader_->next(kPage, timeout);
    if (!read) {
      if (read.error().code != ErrorCode::kUnavailable) stopped_ = read.error();
      return read.error();
    }
    page_ = std::move(*read);
  }
  if (page_.empty()) return false;
  if (const auto kept = commit(page_); !kept) return kept.error();
  page_.clear();
  return true;
}

Result<bool> StreamIndex::read_aside(LogReader& reader, std::chrono::milliseconds timeout) {
  auto page = reader.next(kPage, timeout);
  if (!page) return page.error();
  std::erase_if(*page, [this](const LoggedRecord& logged) {
    return logged.position.offset < next_[logged.position.partition];
  });
  if (page->empty()) return false;
  const auto kept = commit(*page);
  return kept ? Result<bool>(true) : kept.error();
}

Status StreamIndex::commit(const std::vector<LoggedRecord>& page) {
  struct OfType {
    std::int64_t first;
    Run run;
  };
  struct Growing {
    std::uint64_t first;
    StreamHead head;
    Run run;
    std::unordered_map<std::string_view, OfType> types;
  };
  std::unordered_map<std::string_view, Growing> growing;
  auto next = next_;
  for (const auto& [position, record] : page) {
    next[position.partition] = position.offset + 1;
    auto found = growing.find(record->stream);
    if (found == growing.end()) {
      const auto& head = known_head(record->stream);
      found = growing.emplace(record->stream, Growing{head.version, head, {}, {}}).first;
    }
    if (!VersionGate::counts(*record, found->second.head)) continue;
    found->second.head.advance(*record);
    found->second.run.add(position.offset);
    // A key has a zero byte after the type.
    const auto type =
        std::string_view(record->envelope.type).substr(0, record->envelope.type.find('\0'));
    found->second.types.try_emplace(type, OfType{position.offset, {}})
        .first->second.run.add(position.offset);
  }
  RowBatch::Changes changes;
  for (auto& [name, stream] : growing) {
    if (stream.head.version == stream.first) continue;
    changes[head_key(name)] = stored_head(stream.head);
    changes[run_key(std::string(name), stream.first)] = stream.run.take();
    for (auto& [type, its] : stream.types) {
      changes[type_run_key(name, type, its.first)] = its.run.take();
    }
  }
  for (const auto& [partition, offset] : next) {
    changes[kNext + std::to_string(partition)] = std::to_string(offset);
  }
  if (const auto committed = store_.commit(changes); !committed) return committed;
  next_ = std::move(next);
  for (auto& [name, stream] : growing) heads_[std::string(name)] = std::move(stream.head);
  return kDone;
}

const StreamHead& StreamIndex::known_head(const std::string& stream) {
  if (const auto known = heads_.find(stream); known != heads_.end()) return known->second;
  if (heads_.size() >= kKnownHeads) heads_.clear();
  const auto stored = store_.newest().get(head_key(stream));
  return heads_[stream] = stored ? read_stored_head(*stored) : StreamHead();
}

std::vector<std::int64_t> StreamIndex::offsets(const std::string& stream, std::uint64_t version,
                                               std::size_t limit) const {
  const auto rows = store_.snapshot();
  const auto cursor = rows->cursor();
  std::vector<std::int64_t> found;
  auto run = run_of(*cursor, stream, version);
  while (run && found.size() < limit) {
    const auto skip = version > run->first ? version - run->first : 0;
    for (auto i = skip; i < run->offsets.size() && found.size() < limit; ++i) {
      found.push_back(run->offsets[i]);
    }
    cursor->next();
    run = run_at(*cursor, stream);
  }
  return found;
}

std::vector<std::string> StreamIndex::types(const std::string& stream) const {
  const auto rows = store_.snapshot();
  const auto cursor = rows->cursor();
  const auto prefix = stream + '\1';
  std::vector<std::string> all;
  for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix);
       cursor->seek(prefix + all.back() + '\1')) {
    const auto rest = cursor->key().substr(prefix.size());
    all.emplace_back(rest.substr(0, rest.find('\0')));
  }
  return all;
}

std::vector<std::int64_t> StreamIndex::offsets_of(const std::string& stream,
                                                  const std::vector<std::string>& types,
                                                  std::int64_t from, std::size_t limit) const {
  const auto rows = store_.snapshot();
  const auto cursor = rows->cursor();
  std::vector<std::int64_t> found;
  for (const auto& type : types) {
    const auto prefix = type_prefix(stream, type);
    cursor->seek_for_prev(type_run_key(stream, type, from));  // this run may reach beyond `from`
    if (!cursor->valid() || !cursor->key().starts_with(prefix)) cursor->seek(prefix);
    std::size_t of_type = 0;
    for (; cursor->valid() && cursor->key().starts_with(prefix) && of_type < limit;
         cursor->next()) {
      for (const auto offset : Run::offsets(cursor->value())) {
        if (offset < from || of_type == limit) continue;
        ++of_type;
        found.push_back(offset);
      }
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::uint64_t StreamIndex::version_at(const std::string& stream, std::int64_t offset) const {
  const auto rows = store_.snapshot();
  const auto cursor = rows->cursor();
  std::uint64_t low = 0, high = version_in(*rows, stream);
  while (low < high) {
    const auto run = run_of(*cursor, stream, low + (high - low) / 2);
    if (!run) return low;
    if (offset <= run->offsets.front()) {
      high = run->first;
    } else if (offset > run->offsets.back()) {
      low = run->end();
    } else {
      const auto at = std::lower_bound(run->offsets.begin(), run->offsets.end(), offset);
      return run->first + static_cast<std::uint64_t>(at - run->offsets.begin());
    }
  }
  return low;
}

}  // namespace tilth
