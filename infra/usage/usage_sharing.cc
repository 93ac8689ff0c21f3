#include "infra/usage/usage_sharing.h"

#include <algorithm>
#include <condition_variable>

#include "api/platform/thread_name.h"
#include "events/json/json_reader.h"
#include "events/json/json_writer.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

constexpr auto kTurn = 250ms, kBeforeLookingAgain = 5ms;
constexpr std::size_t kPage = 256;

SharingFreshness::Instant sleepless_now() { return SleeplessClock::now().time_since_epoch(); }

}  // namespace

UsageSharing::UsageSharing(Parts parts, std::unique_ptr<LogReader> reader)
    : parts_(std::move(parts)),
      reader_(std::move(reader)),
      run_(parts_.ids.uuid(parts_.clock.now()).text()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

UsageSharing::~UsageSharing() {
  thread_.request_stop();
  {
    const std::lock_guard lock(reader_mutex_);
    reader_->wake();
  }
  thread_.join();
}

void UsageSharing::share(const std::vector<RateLimiter::Change>& changes) {
  for (const auto& change : changes) collect(change);
  std::optional<Record> again;
  {
    const std::lock_guard lock(state_->mutex);
    auto& sent = state_->sent;
    if (sent && !std::exchange(sent->unknown, false)) return;
    if (sent) again = sent->record;
  }
  if (again) return send(*again);
  {
    const std::lock_guard lock(state_->mutex);
    unsent_.sessions = std::exchange(state_->unsent_sessions, {});
    unsent_.seen = std::exchange(state_->unsent_seen, {});
  }
  for (auto& [_, total] : std::exchange(unsent_hours_, {})) {
    unsent_.hours.push_back(std::move(total));
  }
  const auto now = parts_.clock.now();
  const auto sent_at = sleepless_now();
  unsent_.known = parts_.known();
  const Record record{.stream = parts_.node,
                      .envelope = {.id = parts_.ids.uuid(now).text(),
                                   .type = std::string(kType),
                                   .source = "tilth://" + parts_.node,
                                   .time = now,
                                   .stream_version = sequence_++,
                                   .correlation_id = run_},
                      .json = JsonWriter::text(std::exchange(unsent_, {}))};
  {
    const std::lock_guard lock(state_->mutex);
    state_->sent = Sent{record};
    state_->freshness.sent(record.envelope.id, sent_at);
  }
  send(record);
}

void UsageSharing::share_hours(const std::vector<HourlyTotal>& totals) {
  for (const auto& total : totals) {
    unsent_hours_.insert_or_assign({total.owner, total.hour, total.key_id}, total);
  }
}

void UsageSharing::share_session(const SessionChange& change) {
  const std::lock_guard lock(state_->mutex);
  if (change.seen) return state_->unsent_seen.push_back({change.digest, *change.seen});
  UsageOfSession shared;
  shared.digest = change.digest;
  if (const auto& session = change.session) {
    shared.user = session->by.user_id;
    shared.ends_at = session->ends_at;
    shared.began_at = session->began_at;
    shared.epoch = session->by.epoch;
    shared.method = session->by.method;
    shared.address = session->by.address;
    shared.browser = session->by.browser;
  }
  state_->unsent_sessions.push_back(std::move(shared));
}

// A change has the whole count of an instant: only the increase is shared.
void UsageSharing::collect(const RateLimiter::Change& change) {
  if (change.new_uses > 0 && change.use) {
    unsent_.keys.push_back({change.subject, change.user_id,
                            static_cast<std::int64_t>(change.new_uses), change.use->last,
                            static_cast<std::int64_t>(change.use->count)});
  }
  auto& [last, shared] = shared_[{change.by, change.subject}];
  for (const auto& [at, count] : change.counted) {
    if (at < last) continue;  // shared before; passed again since it could not be stored here
    const auto before = at == last ? shared : 0;
    if (count > before) {
      unsent_.counts.push_back({change.by, change.subject, change.user_id,
                                at.at.time_since_epoch().count(),
                                static_cast<std::int64_t>(count) - before});
    }
    last = at;
    shared = count;
  }
  // A subject that returns later begins with an instant that was not shared before.
  constexpr std::size_t kMostSubjects = 100'000;
  if (shared_.size() > kMostSubjects) {
    const auto newest = last;
    std::erase_if(shared_,
                  [newest](const auto& each) { return each.second.first.at + 1h < newest.at; });
  }
}

void UsageSharing::send(const Record& record) {
  parts_.log.append(record, [state = state_, id = record.envelope.id](const Result<Position>& end) {
    if (end) return;
    const std::lock_guard lock(state->mutex);
    if (state->sent && state->sent->record.envelope.id == id) state->sent->unknown = true;
  });
}

bool UsageSharing::fresh() const {
  const auto known = parts_.known();
  const std::lock_guard lock(state_->mutex);
  return state_->freshness.fresh(sleepless_now(), known);
}

bool UsageSharing::is_current() const {
  const std::lock_guard lock(state_->mutex);
  return state_->freshness.is_current(sleepless_now());
}

bool UsageSharing::is_shared(SleeplessClock::time_point since) const {
  const std::lock_guard lock(state_->mutex);
  return state_->freshness.is_shared(since.time_since_epoch());
}

bool UsageSharing::alone() const {
  const std::lock_guard lock(state_->mutex);
  return state_->freshness.alone(sleepless_now());
}

void UsageSharing::finish(std::chrono::milliseconds timeout) {
  const auto until = SleeplessClock::now() + timeout;
  const auto all_sent = [this] {
    const std::lock_guard lock(state_->mutex);
    return !state_->sent && state_->unsent_sessions.empty() && unsent_hours_.empty();
  };
  while (!all_sent() && SleeplessClock::now() < until) {
    share({});
    std::this_thread::sleep_for(kBeforeLookingAgain);
  }
}

void UsageSharing::run(const std::stop_token& stop) {
  name_thread("usage shared");
  std::string trouble;
  std::mutex mutex;
  std::condition_variable_any stopping;
  while (!stop.stop_requested()) {
    const auto page = next_page();
    if (page) {
      for (const auto& logged : *page) read(*logged.record);
      continue;
    }
    if (std::exchange(trouble, page.error().message) != page.error().message) {
      parts_.log_line("What other nodes count cannot be read: " + trouble);
    }
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, stop, kTurn, [] { return false; });
  }
}

Result<std::vector<LoggedRecord>> UsageSharing::next_page() {
  auto page = reader_->next(kPage, kTurn);
  if (page || page.error().code != ErrorCode::kLost || !parts_.begin) return page;
  auto begun = parts_.begin();
  if (!begun) return begun.error();
  {
    const std::lock_guard lock(reader_mutex_);
    reader_ = std::move(*begun);
  }
  // The log may have lost it, too: it would never be read back.
  const std::lock_guard lock(state_->mutex);
  if (state_->sent) state_->sent->unknown = true;
  return std::vector<LoggedRecord>();
}

void UsageSharing::read(const Record& record) {
  const auto& envelope = record.envelope;
  const bool own = record.stream == parts_.node;
  if (own) {
    const std::lock_guard lock(state_->mutex);
    if (state_->freshness.read_own(envelope.id)) state_->sent.reset();
  }
  if (envelope.correlation_id == run_ || envelope.type != kType) return;
  auto& next = next_[envelope.correlation_id];
  if (envelope.stream_version < next) return;  // sent twice
  next = envelope.stream_version + 1;
  UsageBatch batch;
  Issues issues;
  const auto json = parse_json(record.json);
  if (json) JsonReader::read(*json, Reading::kStored, batch, issues);
  // This node has stored its own counts and sign-ins of earlier runs. It applies the session ends
  // of those runs again, so that no session that another node began and this one ended becomes
  // valid again.
  if (own)
    std::erase_if(batch.sessions, [](const auto& shared) { return shared.user.has_value(); });
  apply(batch);
  if (own) return;
  count(record.stream, batch);
  const auto applied = parts_.on_hours(record.stream, batch.hours);
  if (!applied && !hours_fail_) {
    parts_.log_line("What other nodes count by the hour cannot be kept: " +
                    applied.error().message);
  }
  hours_fail_ = !applied;
  const std::lock_guard lock(state_->mutex);
  state_->freshness.read_another(batch.known, sleepless_now());
}

void UsageSharing::apply(const UsageBatch& batch) {
  for (const auto& shared : batch.sessions) {
    SessionChange change{.digest = shared.digest};
    if (shared.user && shared.ends_at) {
      const auto began =
          shared.began_at.value_or(Timestamp{shared.ends_at->at - Sessions::kLength});
      change.session =
          Session{{*shared.user, shared.epoch, shared.method, shared.address, shared.browser},
                  began,
                  *shared.ends_at,
                  began};
    }
    apply(change);
  }
  for (const auto& [digest, at] : batch.seen) apply(SessionChange{.digest = digest, .seen = at});
}

void UsageSharing::apply(const SessionChange& change) {
  if (const auto applied = parts_.sessions.apply(change); !applied) {
    parts_.log_line("Who signed in elsewhere cannot be kept over a restart: " +
                    applied.error().message);
  }
}

void UsageSharing::count(const std::string& node, const UsageBatch& batch) {
  // What a node whose clock is ahead counts leaves the windows as late as what is counted now, and
  // does not keep what this node counts in them.
  const auto now = parts_.clock.now();
  for (const auto& [by, subject, user, at, count] : batch.counts) {
    const Timestamp its{
        std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(at))};
    const auto when = std::min(its, now);
    if (count <= 0 || when.at + RateLimiter::window_of(by) <= now.at) continue;
    parts_.limiter.add_of_others(
        {by, subject, {{when, static_cast<std::uint32_t>(count)}}, {}, user});
  }
  std::vector<RateLimiter::UseElsewhere> totals;
  for (const auto& [key, user, uses, its_last, total] : batch.keys) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(total.value_or(uses), 0));
    const auto last = its_last ? std::optional(std::min(*its_last, now)) : std::nullopt;
    RateLimiter::UseElsewhere other{node, user, key, {count, last}, total.has_value()};
    if (parts_.limiter.apply(other)) totals.push_back(std::move(other));
  }
  const auto kept = totals.empty() ? kDone : parts_.on_uses(totals);
  if (!kept && !uses_fail_) {
    parts_.log_line("How often keys are used on other nodes cannot be kept: " +
                    kept.error().message);
  }
  uses_fail_ = !kept;
}

}  // namespace tilth
