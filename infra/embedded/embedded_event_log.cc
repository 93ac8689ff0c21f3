#include "infra/embedded/embedded_event_log.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "api/platform/thread_name.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

// In a larger group the first records would wait too long for the last.
constexpr std::size_t kGroupBytes = 4 << 20;
constexpr std::size_t kGroupRecords = 4'096;

constexpr std::chrono::milliseconds kFirstRetry{50};
constexpr std::chrono::milliseconds kLastRetry{1'000};

Error unavailable(const std::string& message) { return {ErrorCode::kUnavailable, message}; }

Error stale(const std::string& stream, std::uint64_t version) {
  return {ErrorCode::kStale,
          "The stream " + stream + " stands at " + std::to_string(version) + "."};
}

}  // namespace

class EmbeddedEventLog::Reader final : public LogReader {
 public:
  Reader(EmbeddedEventLog& log, std::vector<Position> from, Wanted wanted)
      : log_(log),
        from_(std::move(from)),
        follower_(std::make_shared<RecordTail::Follower>(std::move(wanted))) {}

  Result<std::vector<LoggedRecord>> next(std::size_t limit,
                                         std::chrono::milliseconds timeout) override {
    const auto until = Steady::now() + timeout;
    for (bool woken = false;;) {
      auto found = read_on(limit);
      if (!found || !found->empty() || limit == 0) return found;
      const auto now = Steady::now();
      // Other streams' records do not matter to a caller that heard of them just now.
      const auto matter_from = follower_->wants_all() ? now : returned_ + kMostBehind;
      const bool matter = now >= matter_from;
      if (woken || now >= until || (left_out_ && matter)) return take_left_out(std::move(*found));
      woken = log_.tail_.wait(follower_, offset(), matter,
                              matter ? until : std::min(until, matter_from));
    }
  }

  void wake() override { log_.tail_.wake(*follower_); }

  void skip_to(const Position& position) override {
    auto& next = from_.front().offset;
    next = std::max(next, position.offset);
    if (left_out_ && left_out_->position.offset < next) left_out_.reset();
  }

 private:
  using Steady = RecordTail::Steady;

  // For how long a caller may not know that records were left out.
  static constexpr std::chrono::milliseconds kMostBehind{10};

  std::int64_t offset() const { return from_.empty() ? INT64_MAX : from_.front().offset; }

  // The next records, up to the end of the log, without waiting for any.
  Result<std::vector<LoggedRecord>> read_on(std::size_t limit) {
    std::vector<LoggedRecord> found;
    while (found.size() < limit) {
      auto recent = log_.tail_.find(*follower_, offset(), limit - found.size());
      if (!recent.last) break;
      auto& wanted = recent.wanted;
      from_.front().offset = recent.last->position.offset + 1;
      left_out_.reset();
      if (wanted.empty() || wanted.back().position != recent.last->position) {
        left_out_ = std::move(recent.last);
      }
      found.reserve(found.size() + wanted.size() + 1);  // and one that was left out
      std::ranges::move(wanted, std::back_inserter(found));
    }
    if (found.empty() && limit > 0 && offset() < log_.tail_.end()) {
      auto page = log_.store_->page(offset(), log_.tail_.end(), limit);
      if (!page) return page;
      found = std::move(*page);
      from_.front().offset += std::ssize(found);
      left_out_.reset();
    }
    if (found.empty()) return found;
    return found.size() < limit ? take_left_out(std::move(found)) : returned(std::move(found));
  }

  std::vector<LoggedRecord> take_left_out(std::vector<LoggedRecord> found) {
    if (left_out_) found.push_back(*std::exchange(left_out_, std::nullopt));
    return returned(std::move(found));
  }

  std::vector<LoggedRecord> returned(std::vector<LoggedRecord> page) {
    returned_ = Steady::now();
    return page;
  }

  EmbeddedEventLog& log_;
  std::vector<Position> from_;  // at most one
  const std::shared_ptr<RecordTail::Follower> follower_;
  // The last record that was read, if the caller does not want it and does not know of it yet.
  std::optional<LoggedRecord> left_out_;
  Steady::time_point returned_{};
};

class EmbeddedEventLog::Part final : public EventLog {
 public:
  Part(EmbeddedEventLog& whole, Wanted wanted) : whole_(whole), wanted_(std::move(wanted)) {}

  void append(Record record, OnAppended done) override {
    whole_.append(std::move(record), std::move(done));
  }
  Result<std::unique_ptr<LogReader>> read(const std::vector<Position>& from) override {
    return whole_.read(from, wanted_);
  }
  void end(int partition, OnEnd done) override { whole_.end(partition, std::move(done)); }
  bool is_sequential() const override { return whole_.is_sequential(); }
  int partitions() const override { return whole_.partitions(); }
  int virtual_partitions() const override { return whole_.virtual_partitions(); }
  std::string trouble() const override { return whole_.trouble(); }

 private:
  EmbeddedEventLog& whole_;
  const Wanted wanted_;
};

std::unique_ptr<EventLog> EmbeddedEventLog::only(Wanted wanted) {
  return std::make_unique<Part>(*this, std::move(wanted));
}

Result<std::unique_ptr<EmbeddedEventLog>> EmbeddedEventLog::open(
    const std::filesystem::path& directory, Options options) {
  auto store = RecordStore::open(directory, options.store);
  if (!store) return store.error();
  return std::unique_ptr<EmbeddedEventLog>(
      new EmbeddedEventLog(std::move(*store), std::move(options)));
}

EmbeddedEventLog::EmbeddedEventLog(std::unique_ptr<RecordStore> store, Options options)
    : options_(std::move(options)),
      store_(std::move(store)),
      tail_(store_->end(), options_.tail_bytes),
      heads_(options_.cached_streams) {
  if (!options_.wake) writer_ = std::thread([this] { run(); });
}

EmbeddedEventLog::~EmbeddedEventLog() {
  if (!writer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  arrived_.notify_one();
  writer_.join();
}

void EmbeddedEventLog::append(Record record, OnAppended done) {
  LoggedRecord logged{{}, std::make_shared<const Record>(std::move(record))};
  {
    const std::lock_guard lock(mutex_);
    waiting_.appends.push_back({std::move(logged), std::move(done)});
  }
  notify_writer();
}

Result<std::unique_ptr<LogReader>> EmbeddedEventLog::read(const std::vector<Position>& from,
                                                          Wanted wanted) {
  for (const auto& [partition, offset] : from) {
    if (const auto end = tail_.end(); partition != 0 || offset < 0 || offset > end) {
      return Error{ErrorCode::kLost, "Partition " + std::to_string(partition) + ", offset " +
                                         std::to_string(offset) + " lies outside the log, which " +
                                         "has partition 0 alone, up to offset " +
                                         std::to_string(end) + "."};
    }
  }
  return std::unique_ptr<LogReader>(new Reader(*this, from, std::move(wanted)));
}

void EmbeddedEventLog::end(int partition, OnEnd done) {
  if (partition != 0) done = [done = std::move(done)](auto) { done(0); };
  {
    const std::lock_guard lock(mutex_);
    waiting_.ends.push_back(std::move(done));
  }
  notify_writer();
}

Status EmbeddedEventLog::adopt(const RecordTables& tables) {
  std::promise<Status> promise;
  {
    const std::lock_guard lock(mutex_);
    waiting_.adoptions.push_back(
        {&tables, [&](const Status& status) { promise.set_value(status); }});
  }
  notify_writer();
  return promise.get_future().get();
}

Result<std::int64_t> EmbeddedEventLog::archive(const ArchiveOrder& order) {
  const std::lock_guard one_at_a_time(archiving_);
  if (const auto why = trouble(); !why.empty()) return unavailable(why);
  if (store_->has_failed()) {
    return unavailable("An archive has failed, and the event log is not opened again yet.");
  }
  auto archived = store_->archive(order, tail_.end());
  if (store_->has_failed()) end(0, [](auto) {});  // the writer opens it again
  return archived;
}

void EmbeddedEventLog::run() {
  name_thread("log");
  take_short_slices();
  for (bool last = false;;) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Work work = std::exchange(waiting_, {});
    const bool refuse = std::exchange(last, closing_);
    lock.unlock();
    if (refuse) {  // appended by a completion after the log had begun to close
      for (const auto& append : work.appends) append.done(unavailable("The event log is closing."));
      work.appends.clear();
    }
    carry_out(std::move(work));
  }
}

void EmbeddedEventLog::notify_writer() { options_.wake ? options_.wake() : arrived_.notify_one(); }

void EmbeddedEventLog::turn() {
  std::unique_lock lock(mutex_);
  Work work = std::exchange(waiting_, {});
  lock.unlock();
  carry_out(std::move(work));
}

void EmbeddedEventLog::carry_out(Work work) {
  // Before the appends: end() must not wait for a sync.
  for (const auto& done : work.ends) done(tail_.end());
  if (!work.ends.empty()) static_cast<void>(recover());
  for (const auto& [tables, done] : work.adoptions) done(take_in(*tables));
  for (std::span<Append> rest = work.appends; !rest.empty();) {
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < std::min(rest.size(), kGroupRecords); ++count) {
      bytes += rest[count].logged.record->json.size();
      if (count > 0 && bytes > kGroupBytes) break;
    }
    write_group(rest.first(count));
    rest = rest.subspan(count);
  }
}

void EmbeddedEventLog::write_group(std::span<Append> group) {
  const auto results = store_group(group);
  for (std::size_t i = 0; i < group.size(); ++i) group[i].done(results[i]);
}

Status EmbeddedEventLog::take_in(const RecordTables& tables) {
  if (const auto open = recover(); !open) return open;
  if (const auto adopted = store_->adopt(tables); !adopted) return adopted;
  heads_.clear();
  tail_.restart(store_->end());
  return kDone;
}

// Returns the result of each append of the group. Readers are woken before it returns.
std::vector<Result<Position>> EmbeddedEventLog::store_group(std::span<Append> group) {
  if (const auto open = recover(); !open) return {group.size(), open.error()};

  std::vector<Result<Position>> results;
  results.reserve(group.size());
  RecordTail::Records accepted;
  accepted.reserve(group.size());
  std::vector<std::string> encoded;
  encoded.reserve(group.size());
  std::unordered_map<std::string_view, StreamHead> heads;
  for (auto& [logged, done] : group) {
    const Record& record = *logged.record;
    auto known = heads.find(record.stream);
    if (known == heads.end()) {
      auto read = head(record.stream);
      if (!read) {
        results.emplace_back(unavailable(read.error().message));
        continue;
      }
      known = heads.emplace(record.stream, std::move(*read)).first;
    }
    if (!VersionGate::counts(record, known->second)) {
      results.emplace_back(stale(record.stream, known->second.version));
      continue;
    }
    logged.position = {0, store_->end() + std::ssize(accepted)};
    // Here, and not in write(): one owner's damaged key must not stop the others.
    std::string bytes;
    if (const auto made = store_->encode(logged.position.offset, record, NewKeys::kDurable, bytes);
        !made) {
      refuse_unencoded(made.error());
      results.emplace_back(unavailable(made.error().message));
      continue;
    }
    known->second.advance(record);
    accepted.push_back(logged);
    encoded.push_back(std::move(bytes));
    results.emplace_back(logged.position);
  }
  if (accepted.empty()) return results;

  const auto began = std::chrono::steady_clock::now();
  if (const auto written = store_->write(accepted, encoded); !written) {
    fail(written.error());
    return {group.size(), unavailable("The event log could not be written: the outcome is open.")};
  }
  const auto took = std::chrono::steady_clock::now() - began;
  tail_.extend(accepted);
  for (auto& [stream, head] : heads) heads_.put(stream, std::move(head));
  retry_after_ = {};
  if (!std::exchange(trouble_, {}).empty()) {
    options_.store.log_line("The event log can be written again.");
  }
  options_.on_group(accepted.size(), took);
  return results;
}

// The store keeps no ids: a record that names a predecessor is stale if that was not written
// lately.
Result<StreamHead> EmbeddedEventLog::head(const std::string& stream) {
  if (auto cached = heads_.find(stream)) return std::move(*cached);
  const auto version = store_->version(stream);
  if (!version) return version.error();
  return StreamHead{*version, {}};
}

// Reopens the store if a write had failed, unless the last try was too recent.
Status EmbeddedEventLog::recover() {
  if (!broken_ && !store_->has_failed()) return kDone;
  if (broken_ && options_.steady() < retry_at_) {
    return unavailable("The event log cannot be written at the moment.");
  }
  if (const auto reopened = store_->reopen(); !reopened) {
    fail(reopened.error());
    return unavailable("The event log cannot be written at the moment.");
  }
  broken_ = false;
  refuse_because({});
  tail_.restart(store_->end());
  return kDone;
}

void EmbeddedEventLog::fail(const Error& error) {
  if (std::exchange(trouble_, error.message) != error.message) {
    options_.store.log_line("The event log cannot be written, reads go on: " + error.message);
  }
  broken_ = true;
  refuse_because("The event log cannot be written: " + error.message);
  heads_.clear();
  retry_at_ = options_.steady() + retry_after_;
  retry_after_ = std::clamp(retry_after_ * 2, kFirstRetry, kLastRetry);
}

void EmbeddedEventLog::refuse_unencoded(const Error& error) {
  if (std::exchange(unencoded_, error.message) == error.message) return;
  options_.store.log_line("A record cannot be written, others are: " + error.message);
}

void EmbeddedEventLog::refuse_because(std::string why) {
  const std::lock_guard lock(mutex_);
  refuses_because_ = std::move(why);
}

std::string EmbeddedEventLog::trouble() const {
  const std::lock_guard lock(mutex_);
  return refuses_because_;
}

}  // namespace tilth
