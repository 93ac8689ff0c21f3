#include "app/node/eraser.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <string_view>

#include "api/platform/thread_name.h"
#include "command/access/erasure.h"
#include "events/log/streams.h"
#include "infra/system/thread_priority.h"
#include "projections/access/erased_records.h"

namespace tilth {
namespace {

using namespace std::chrono_literals;

// Between tries. The first ones are soon, since the news that a key is destroyed may come before
// the events of its owner are folded here.
constexpr std::chrono::milliseconds kShortestPause = 100ms;
constexpr std::chrono::milliseconds kLongestPause = 1min;
constexpr auto kOthersMayTake = 20s;
constexpr auto kBetweenLooks = 50ms;

const Error kEnds{ErrorCode::kUnavailable, "The service ends."};

PersonEraser::Order by_the_service(std::string user_id, const std::string& request_id) {
  return {.user_id = std::move(user_id),
          .actor = std::string(kOperatorActor),
          .request_id = request_id};
}

// Null: it is to stop before.
template <class Value>
std::optional<Value> await(std::future<Value> coming, const std::stop_token& stop) {
  while (coming.wait_for(100ms) != std::future_status::ready) {
    if (stop.stop_requested()) return std::nullopt;
  }
  return coming.get();
}

std::string joined(const std::vector<std::string>& nodes) {
  std::string names;
  for (const auto& node : nodes) names += (names.empty() ? "" : ", ") + node;
  return names;
}

}  // namespace

void Eraser::begin() {
  if (!parts_.refuses_because.empty()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Eraser::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::deque<Task> left;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    left.swap(tasks_);
  }
  for (const auto& task : left) {
    if (task.done) task.done(kEnds);
  }
}

void Eraser::erase(Order order, OnErased done) {
  if (!parts_.refuses_because.empty()) {
    return done(Error{ErrorCode::kConflict, parts_.refuses_because});
  }
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      tasks_.push_back({std::move(order), std::move(done)});
      changed_.notify_all();
      return;
    }
  }
  done(kEnds);
}

void Eraser::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

std::optional<Erasure> Eraser::find(const std::string& user_id) const {
  const auto view = parts_.access.of(kAccessStream).projector().view(std::string(kAccessStream));
  const auto erased = find_erased_user(view->rows, user_id);
  if (!erased) return std::nullopt;
  bool complete = false;
  if (parts_.keys != nullptr) {
    const auto all = parts_.keys->destroyed();
    complete = all && std::ranges::any_of(*all, [&](const auto& each) {
                 return each.owner == user_id && each.cleaned;
               });
    complete = complete && !has_records_of(user_id) && parts_.is_held(user_id) &&
               parts_.unclean_nodes(user_id).empty();
  }
  return Erasure{user_id, erased->erased_at, complete};
}

bool Eraser::has_records_of(const std::string& owner) const {
  return parts_.holds(owner) &&
         has_records(parts_.registry.of(owner).projector().view(owner)->rows);
}

void Eraser::run(const std::stop_token& stop) {
  name_thread("eraser");
  lower_thread_priority();
  std::chrono::milliseconds pause = 0ms;
  while (!stop.stop_requested()) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, pause, [this] { return !tasks_.empty() || woken_; });
      if (stop.stop_requested()) return;
      if (std::exchange(woken_, false)) pause = kShortestPause;
      if (!tasks_.empty()) {
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
    }
    if (task.done) {
      const auto erased = try_once(task.order, true, stop);
      if (!erased || !erased->complete) pause = kShortestPause;
      task.done(erased);
      continue;
    }
    for (const auto& order : unfinished()) {
      if (stop.stop_requested()) return;
      static_cast<void>(try_once(order, false, stop));  // what fails, the next try finds again
    }
    pause = std::clamp(2 * pause, kShortestPause, kLongestPause);
  }
}

// Those whose erasure a crash or a failure ended, those whose land this node has taken from one
// that did not come to remove it, and those who are back with a log from an older backup.
std::vector<PersonEraser::Order> Eraser::unfinished() const {
  try {
    return find_unfinished();
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    return {};
  }
}

std::vector<PersonEraser::Order> Eraser::find_unfinished() const {
  std::vector<Order> orders;
  const auto request_id = parts_.ids.uuid(parts_.clock.now()).text();
  const auto destroyed = parts_.keys->destroyed();
  const auto view = parts_.access.of(kAccessStream).projector().view(std::string(kAccessStream));
  std::set<std::string_view> cleaned;
  if (destroyed) {
    for (const auto& note : *destroyed) {
      if (note.cleaned) cleaned.insert(note.owner);
    }
  }
  constexpr std::uint64_t kPage = 500;
  for (std::uint64_t offset = 0;; offset += kPage) {
    const auto some = view->rows.list<ErasedUser>({}, {.offset = offset, .limit = kPage});
    for (const auto& user : some.rows) {
      if (cleaned.contains(user.user_id) && !has_records_of(user.user_id)) continue;
      orders.push_back(by_the_service(user.user_id, request_id));
    }
    if (offset + kPage >= some.total) break;
  }
  if (!destroyed) return orders;
  for (const auto& note : *destroyed) {
    if (find_user(view->rows, note.owner)) orders.push_back(by_the_service(note.owner, request_id));
  }
  return orders;
}

Status Eraser::append(Commands& commands, const std::string& stream, const Order& order,
                      Decide decide, const std::stop_token& stop) {
  const auto promise = std::make_shared<std::promise<Status>>();
  commands.carry_out({.stream = stream,
                      .actor = order.actor,
                      .request_id = order.request_id,
                      .traceparent = order.traceparent,
                      .decide = std::move(decide)},
                     [promise](const Result<CommandResult>& outcome) {
                       promise->set_value(outcome ? Status(kDone) : Status(outcome.error()));
                     });
  return await(promise->get_future(), stop).value_or(kEnds);
}

std::future<bool> Eraser::all_know() const {
  const auto promise = std::make_shared<std::promise<bool>>();
  AccessLease::when_all_know(parts_.lease, [promise](bool know) { promise->set_value(know); });
  return promise->get_future();
}

Result<Erasure> Eraser::try_once(const Order& order, bool awaited, const std::stop_token& stop) {
  try {
    return carry_out(order, awaited, stop);
  } catch (const UnreadableRows& rows) {
    parts_.row_faults.report(rows);
    return Error{ErrorCode::kUnavailable, rows.what()};
  }
}

Result<Erasure> Eraser::carry_out(const Order& order, bool awaited, const std::stop_token& stop) {
  auto& access = parts_.access.cells();
  const auto closed = append(access, std::string(kAccessStream), order,
                             deciding(EraseUser{order.user_id, order.reason}), stop);
  if (!closed) return closed.error();
  auto known = awaited ? all_know() : std::future<bool>();
  auto cleaned = clean(order, stop);
  if (cleaned && awaited) cleaned = wait_for_others(order.user_id, stop);
  if (!cleaned) {
    parts_.log_lines.warn("A person is erased, but not from all files yet: it is tried again.",
                          {{"userId", order.user_id}, {"reason", cleaned.error().message}});
  } else {
    parts_.log_lines.info("A person is erased.", {{"userId", order.user_id}});
  }
  if (awaited && !await(std::move(known), stop).value_or(false)) {
    return AccessLease::expired();
  }
  auto erased = find(order.user_id);
  if (erased && !cleaned) erased->left = cleaned.error().message;
  if (erased && cleaned) erased->left = left_by_dead(order.user_id);
  if (erased) return std::move(*erased);
  return Error{ErrorCode::kUnavailable, "The erasure cannot be read yet: repeat it."};
}

std::string Eraser::left_by_dead(const std::string& owner) const {
  const auto names = joined(parts_.dead_nodes(owner));
  return names.empty()
             ? names
             : "Nodes that are dead clean their files at their next start: " + names + ".";
}

Status Eraser::clean(const Order& order, const std::stop_token& stop) {
  const auto& owner = order.user_id;
  const auto destroyed = parts_.keys->destroy(owner);
  if (!destroyed && !parts_.keys->is_destroyed(owner)) return destroyed;
  // After the key, so that nothing that a request of before still appends can be read.
  const bool holds = parts_.holds(owner);
  if (holds) {
    const auto removed =
        append(parts_.registry.cells(), owner, order, deciding(EraseRecords{}), stop);
    if (!removed) return removed;
  }
  parts_.forget_recent();
  const auto ended = parts_.usage.sessions().end_all(
      [&](const Sessions::Found& found) { return found.session.by.user_id == owner; });
  if (!ended) return ended.error();
  if (const auto forgotten = parts_.usage.forget(owner); !forgotten) return forgotten;
  const auto goes_on = [&stop] { return !stop.stop_requested(); };
  for (const auto& [keeper, stream] : {std::pair{&parts_.registry, owner},
                                       std::pair{&parts_.access, std::string(kAccessStream)}}) {
    if (keeper == &parts_.registry && !holds) continue;
    if (const auto purged = keeper->purge(stream, goes_on); !purged) return purged;
  }
  if (!holds && parts_.registry.has_rows(owner)) {
    return Error{ErrorCode::kUnavailable,
                 "This node has rows of land that it does not hold. It removes them once enough "
                 "others hold it; a node that drains does so at its next start."};
  }
  // Again, since a backup may just have been made.
  if (const auto in_copies = parts_.keys->destroy(owner); !in_copies) return in_copies;
  return parts_.keys->set_cleaned(owner);
}

Status Eraser::wait_for_others(const std::string& owner, const std::stop_token& stop) {
  const auto until = std::chrono::steady_clock::now() + kOthersMayTake;
  for (auto left = parts_.unclean_nodes(owner); !left.empty(); left = parts_.unclean_nodes(owner)) {
    if (stop.stop_requested()) return kEnds;
    if (std::chrono::steady_clock::now() >= until) {
      return Error{ErrorCode::kUnavailable,
                   "It may still be in the files of other nodes: " + joined(left) + "."};
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kBetweenLooks, [] { return false; });
  }
  return kDone;
}

}  // namespace tilth
