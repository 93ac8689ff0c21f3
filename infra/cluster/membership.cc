#include "infra/cluster/membership.h"

#include <algorithm>
#include <utility>

namespace tilth {
namespace {

constexpr std::size_t kPage = 1'024;

}  // namespace

Membership::Membership(Parts parts)
    : parts_(std::move(parts)),
      run_(parts_.ids.uuid(parts_.clock.now()).text()),
      view_(run_, parts_.steady()) {}

std::vector<NodeStanding> Membership::standing(const Announcement& own) const {
  const std::lock_guard lock(mutex_);
  return view_.standing(own, parts_.steady());
}

Announcement Membership::self() const {
  auto own = parts_.self();
  own.run = run_;
  own.at = parts_.clock.now();
  return own;
}

bool Membership::is_current() const {
  const std::lock_guard lock(mutex_);
  return view_.has_read_itself() && view_.fresh(parts_.steady());
}

bool Membership::knows_all() const {
  const std::lock_guard lock(mutex_);
  return view_.knows_all(parts_.steady());
}

Announcement Membership::last_announcement() const {
  const std::lock_guard lock(mutex_);
  return last_announcement_;
}

void Membership::set_last_announcement(Announcement announcement) {
  const std::lock_guard lock(mutex_);
  last_announcement_ = std::move(announcement);
}

Status Membership::turn(std::chrono::milliseconds timeout) {
  if (!std::exchange(has_begun_, true)) set_last_announcement(self());
  const auto read = read_on(timeout);
  announce();
  log_changes();
  if (read && !reader_) return read;  // the end of the log is not known: its trouble may go on
  const auto trouble = read ? std::string() : read.error().message;
  if (std::exchange(trouble_, trouble) != trouble && !trouble.empty()) {
    parts_.log_lines.warn("What other nodes say cannot be read.", {{"reason", trouble}});
  }
  return read;
}

Status Membership::read_on(std::chrono::milliseconds timeout) {
  if (!reader_) {
    const auto begun = begin_to_read(timeout);
    if (!begun || !reader_) return begun;
  }
  const auto page = reader_->next(kPage, timeout);
  if (page) {
    for (const auto& logged : *page) update(*logged.record);
    return kDone;
  }
  if (page.error().code != ErrorCode::kUnavailable) reader_.reset();
  if (page.error().code == ErrorCode::kDamaged) ++unreadable_;
  return page.error();
}

// At the end: earlier announcements may be long past.
Status Membership::begin_to_read(std::chrono::milliseconds timeout) {
  const auto end = ask_end(timeout);
  if (!end) return kDone;
  if (!*end) return end->error();
  auto reader = parts_.log.read({{0, **end}});
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  return kDone;
}

// Null: it is not known yet.
std::optional<Result<std::int64_t>> Membership::ask_end(std::chrono::milliseconds timeout) {
  if (!std::exchange(calls_->asks_end, true)) {
    parts_.log.end(0, [calls = calls_](const auto& end) {
      const std::lock_guard lock(calls->mutex);
      calls->end = end;
      calls->ended.notify_all();
    });
  }
  std::unique_lock lock(calls_->mutex);
  if (!calls_->ended.wait_for(lock, timeout, [this] { return calls_->end.has_value(); })) {
    return std::nullopt;
  }
  calls_->asks_end = false;
  return std::exchange(calls_->end, std::nullopt);
}

void Membership::update(const Record& record) {
  const auto announcement = read_announcement(record);
  if (!announcement) {
    ++unreadable_;
    return;
  }
  const auto now = parts_.steady();
  const std::lock_guard lock(mutex_);
  view_.update(*announcement, now, parts_.clock.now());
  ++announcements_read_;
  const std::lock_guard sending(calls_->mutex);
  if (calls_->id != record.envelope.id) return;
  view_.confirm(calls_->sent);
  has_announced_ready_ = announcement->ready;
}

// The next one once the last one has ended, whatever its outcome: an old one is of no use.
void Membership::announce() {
  const auto now = parts_.steady();
  if ((now < next_beat_ && !hurries_) || !reader_) return;
  hurries_ = false;  // before it looks: what changes later is announced again
  set_last_announcement(self());
  if (!send(last_announcement())) {
    hurries_ = true;
    return;
  }
  next_beat_ = now + kBeat;
}

bool Membership::send(const Announcement& announcement) {
  auto record = announcement_record(announcement, parts_.ids.uuid(announcement.at).text());
  {
    const std::lock_guard lock(calls_->mutex);
    if (calls_->appends) return false;
    calls_->appends = true;
    calls_->id = record.envelope.id;
    calls_->sent = parts_.steady();
  }
  parts_.log.append(std::move(record), [calls = calls_](const auto&) {
    const std::lock_guard lock(calls->mutex);
    calls->appends = false;
    calls->ended.notify_all();
  });
  return true;
}

bool Membership::wait_for_append(std::chrono::milliseconds timeout) {
  std::unique_lock lock(calls_->mutex);
  return calls_->ended.wait_for(lock, timeout, [this] { return !calls_->appends; });
}

bool Membership::leave(std::chrono::milliseconds timeout) {
  if (!wait_for_append(timeout)) return false;
  if (std::exchange(leaves_, true)) return true;
  auto own = self();
  own.ready = false;
  own.left = true;
  send(own);
  return wait_for_append(timeout);
}

void Membership::log_changes() {
  std::map<std::string, NodeStanding> logged;
  for (auto& node : nodes()) {
    const auto key = node.node + " " + node.started_at.text();
    const auto before = logged_.find(key);
    log_change(before == logged_.end() ? nullptr : &before->second, node);
    logged.emplace(key, std::move(node));
  }
  logged_ = std::move(logged);
}

void Membership::log_change(const NodeStanding* before, const NodeStanding& node) const {
  auto& lines = parts_.log_lines;
  const LogLines::Fields fields{{"node", node.node}, {"address", node.address}};
  if (!node.self && (before == nullptr || before->state != node.state)) {
    if (node.state == NodeState::kLeft) lines.info("A node left.", fields);
    if (node.state == NodeState::kDead) {
      lines.warn("No announcement of a node has arrived for 3 seconds: it counts as dead.", fields);
    }
    if (node.state == NodeState::kLive) {
      if (before == nullptr) lines.info("A node joined.", fields);
      if (before != nullptr && before->state == NodeState::kDead) {
        lines.info("Announcements of a node arrive again.", fields);
      }
    }
  }
  auto new_ones = node;
  for (const auto warning : {&NodeStanding::other_version, &NodeStanding::clock_apart,
                             &NodeStanding::id_shared, &NodeStanding::cut_off}) {
    if (before != nullptr && before->*warning) new_ones.*warning = false;
  }
  const auto logged = before == nullptr ? std::vector<std::string>() : warnings_about(*before);
  for (const auto& warning : warnings_about(new_ones)) {
    if (std::ranges::find(logged, warning) == logged.end()) lines.warn(warning, fields);
  }
}

void Membership::report(Samples& to) const {
  const auto nodes = standing();
  for (const auto& [state, label] : labels(NodeState{})) {
    to.gauge("tilth_cluster_nodes", "Nodes by their state, this one included.",
             {{"state", std::string(label)}},
             static_cast<double>(
                 std::count_if(nodes.begin(), nodes.end(),
                               [state = state](const auto& node) { return node.state == state; })));
  }
  std::chrono::milliseconds apart{0};
  bool id_shared = false;
  for (const auto& node : nodes) {
    id_shared = id_shared || node.id_shared;
    if (node.state == NodeState::kLive) apart = std::max(apart, std::chrono::abs(node.clock_ahead));
  }
  to.gauge("tilth_cluster_clock_difference_seconds",
           "How far the clock of a live node is from this node's, of all the most.", {},
           std::chrono::duration<double>(apart).count());
  to.gauge("tilth_cluster_id_shared", "1 if two running processes have the id of one node, else 0.",
           {}, id_shared ? 1 : 0);
  to.counter("tilth_cluster_unreadable_messages_total",
             "Records in the topic of the nodes that could not be read.", {},
             static_cast<double>(unreadable_));
}

}  // namespace tilth
