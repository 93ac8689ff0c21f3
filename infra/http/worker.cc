#include "infra/http/worker.h"

#include <algorithm>
#include <system_error>
#include <tuple>
#include <vector>

#include <sys/timerfd.h>

#include "infra/http/turn.h"
#include "infra/system/thread_priority.h"

namespace tilth {
namespace {

using Pistache::Polling::Mode;
using Pistache::Polling::NotifyOn;
using Pistache::Polling::Tag;

// Lower values are descriptors, which the reactor itself uses as tags.
constexpr std::uint64_t kMailboxTag = std::uint64_t{1} << 32;
constexpr std::uint64_t kTimerTag = kMailboxTag + 1;
constexpr std::uint64_t kRestTag = kMailboxTag + 2;
constexpr std::uint64_t kEmbeddedTag = kMailboxTag + 3;
constexpr std::uint64_t kFirstConnection = kMailboxTag + 4;
// Then the thread looks again what waits, and of whom.
constexpr std::chrono::milliseconds kTurn{1};
constexpr std::chrono::milliseconds kLeast{1};  // between two ends of rests

int new_timer() {
  const int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return fd;
}

// Often enough for the shortest deadline, seldom enough for ten thousand connections.
std::chrono::milliseconds tick_of(const ServerOptions& options) {
  const auto shortest =
      std::min({options.header_deadline, options.body_deadline, options.idle_deadline,
                options.write_deadline, options.linger_deadline});
  return std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
}

void set_timer(const Descriptor& timer, std::chrono::nanoseconds first,
               std::chrono::nanoseconds each) {
  const auto parts = [](std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return timespec{seconds.count(), (time - seconds).count()};
  };
  const itimerspec times{parts(each), parts(first)};
  ::timerfd_settime(timer.get(), 0, &times, nullptr);
}

NotifyOn notify_on(const Connection::Interest& interest) {
  if (interest.read && interest.write) return NotifyOn::Read | NotifyOn::Write;
  if (interest.write) return NotifyOn::Write;
  return interest.read ? NotifyOn::Read : NotifyOn::None;
}

}  // namespace

Worker::Worker(std::shared_ptr<Shared> shared)
    : shared_(std::move(shared)),
      refusals_(shared_->options.refusals_each_second),
      home_{shared_->options, shared_->handler, mailbox_, refusals_},
      timer_(new_timer()),
      rest_timer_(new_timer()),
      next_id_(kFirstConnection) {}

Worker::~Worker() {
  mailbox_->close();
  for (const auto& [id, client] : clients_) client.connection->abort();  // nothing is done for them
  embedded_.reset();
  while (const auto next = order_.next()) {
    drop(next->message);
    order_.used(next->of, {});
  }
  for (const auto& [id, client] : clients_) shared_->open.remove(client.connection->group());
}

std::shared_ptr<Pistache::Aio::Handler> Worker::clone() const {
  return std::make_shared<Worker>(shared_);
}

void Worker::registerPoller(Pistache::Polling::Epoll& poller) {
  using Interest = Pistache::Flags<NotifyOn>;
  poller.addFd(mailbox_->event_fd(), Interest(NotifyOn::Read), Tag(kMailboxTag));
  poller.addFd(timer_.get(), Interest(NotifyOn::Read), Tag(kTimerTag));
  poller.addFd(rest_timer_.get(), Interest(NotifyOn::Read), Tag(kRestTag));
  if (shared_->options.embed) embedded_ = shared_->options.embed();
  if (embedded_) poller.addFd(embedded_->descriptor(), Interest(NotifyOn::Read), Tag(kEmbeddedTag));
}

void Worker::onReady(const Pistache::Aio::FdSet& events) {
  // Pistache does not say when a thread begins.
  thread_local const bool kTakes = (take_short_slices(), true);
  static_cast<void>(kTakes);
  mailbox_->belongs_to(*this);
  const Turn turn;
  collect(events);
  take_turn();
}

void Worker::collect(const Pistache::Aio::FdSet& events) {
  for (const auto& event : events) {
    const auto tag = event.getTag().value();
    if (tag == kMailboxTag) {
      for (auto& message : mailbox_->take()) put_in_order(std::move(message));
    } else if (tag == kTimerTag) {
      tick();
    } else if (tag == kRestTag) {
      end_rests();
    } else if (tag == kEmbeddedTag) {
      in_embedded_ = true;
      embedded_->run_ready();
      in_embedded_ = false;
    } else {
      put_in_order({tag, 0, Ready{event.isReadable(), event.isWritable()}});
    }
  }
}

void Worker::put_in_order(WorkerMessage message) {
  const auto of = party_of(message);
  order_.add(of, std::move(message));
}

// What is left when the time is over waits for the next turn: of the sockets that are ready the
// system tells again.
void Worker::take_turn() {
  auto now = FairOrder::Clock::now();
  const auto end = now + kTurn;
  order_.begin(now);
  while (now < end) {
    auto next = order_.next();
    if (!next) break;
    read(std::move(next->message));
    const auto begun = std::exchange(now, FairOrder::Clock::now());
    order_.used(next->of, now - begun);
  }
  order_.forget_ready();
  if (order_.size() > 0) mailbox_->wake();
}

Party Worker::party_of(const WorkerMessage& message) const {
  if (const auto* client = std::get_if<NewClient>(&message.content)) return client->group->party;
  const auto found = clients_.find(message.connection);
  return found == clients_.end() ? Party() : found->second.connection->party();
}

void Worker::read(WorkerMessage message) {
  if (in_embedded_) return put_in_order(std::move(message));
  if (auto* client = std::get_if<NewClient>(&message.content)) {
    return receive(std::move(*client));
  }
  if (std::holds_alternative<DrainBegins>(message.content)) return drain();

  const auto found = clients_.find(message.connection);
  if (found == clients_.end()) {
    if (auto* stream = std::get_if<StreamBegins>(&message.content)) stream->pipe->close();
    return;
  }
  const auto connection = found->second.connection;
  if (const auto* ready = std::get_if<Ready>(&message.content)) {
    connection->on_ready(ready->readable, ready->writable);
  } else if (auto* response = std::get_if<BuiltAnswer>(&message.content)) {
    connection->on_answer(message.request, std::move(*response));
  } else if (auto* stream = std::get_if<StreamBegins>(&message.content)) {
    connection->on_stream(message.request, std::move(*stream));
  } else if (std::holds_alternative<Unanswered>(message.content)) {
    connection->on_unanswered(message.request);
  } else {
    connection->on_stream_moved();
  }
  after(message.connection, *connection);
}

// A client for whom there is no room takes the place of another connection, of this worker or of
// the next ones.
void Worker::receive(NewClient client) {
  const auto* of = client.address_full ? client.group.get() : nullptr;
  const bool full = client.server_full || client.address_full;
  if (!full || draining_ || make_room(of)) return welcome(std::move(client), !draining_);
  const auto& all = shared_->mailboxes;
  if (++client.refused_by >= all.size()) return welcome(std::move(client), false);
  const auto own = std::find(all.begin(), all.end(), mailbox_);
  const auto next = static_cast<std::size_t>(own - all.begin() + 1) % all.size();
  const auto group = client.group;
  const bool posted = all[next]->post({.content = std::move(client)});
  if (posted) return;
  shared_->open.received();
  shared_->open.remove(*group);
}

// Closes the connections that are missed least, of one address or of any; false if all are needed.
// Several at a time, so that a flood of clients costs little.
bool Worker::make_room(const AddressGroup* of) {
  struct Candidate {
    Dispensability dispensability;
    std::uint64_t id;
  };
  const auto now = Connection::Clock::now();
  std::vector<Candidate> candidates;
  for (const auto& [id, client] : clients_) {
    if (of != nullptr && &client.connection->group() != of) continue;
    if (const auto found = client.connection->dispensability(now))
      candidates.push_back({*found, id});
  }
  const auto goes_first = [](const Candidate& a, const Candidate& b) {
    const auto rank = [](const Dispensability& each) {
      return std::tuple(each.vouched, -each.neighbors, each.in_request, each.since);
    };
    return rank(a.dispensability) < rank(b.dispensability);
  };
  const auto enough = 1 + clients_.size() / 128;
  const auto looked_at = static_cast<std::ptrdiff_t>(std::min(candidates.size(), 4 * enough));
  const auto end = candidates.begin() + looked_at;
  std::partial_sort(candidates.begin(), end, candidates.end(), goes_first);
  std::size_t evicted = 0;
  for (auto each = candidates.begin(); each != end && evicted < enough; ++each) {
    const auto connection = clients_.at(each->id).connection;
    if (connection->evict()) ++evicted;
    after(each->id, *connection);
  }
  return evicted > 0;
}

void Worker::welcome(NewClient client, bool welcome) {
  shared_->open.received();
  const auto id = next_id_++;
  const auto connection = std::make_shared<Connection>(home_, id, std::move(client));
  reactor()->registerFd(key(), connection->socket(), notify_on({}), Tag(id), Mode::Level);
  clients_.emplace(id, Client{connection, {}});
  if (clients_.size() == 1) run_timer(true);
  if (!welcome) {
    connection->turn_away();
    after(id, *connection);
  }
}

// After a call to a connection: updates the events it waits for, or removes it if it is closed.
void Worker::after(std::uint64_t id, const Connection& connection) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  if (connection.closed()) {
    reactor()->removeFd(key(), connection.socket());
    shared_->open.remove(connection.group());
    clients_.erase(found);
    if (clients_.empty()) run_timer(false);
    return;
  }
  const auto rest = connection.rest();
  if (rest > rest.zero() && !found->second.rests) begin_rest(id, rest);
  const auto wanted = connection.wants();
  if (found->second.watched == wanted) return;
  found->second.watched = wanted;
  reactor()->modifyFd(key(), connection.socket(), notify_on(wanted), Tag(id), Mode::Level);
}

void Worker::begin_rest(std::uint64_t id, std::chrono::milliseconds rest) {
  clients_.at(id).rests = true;
  const auto at = resting_.emplace(Connection::Clock::now() + rest, id);
  if (at == resting_.begin()) set_timer(rest_timer_, rest, {});
}

void Worker::end_rests() {
  std::uint64_t expirations = 0;
  if (::read(rest_timer_.get(), &expirations, sizeof expirations) < 0) return;
  const auto now = Connection::Clock::now();
  while (!resting_.empty() && resting_.begin()->first <= now) {
    const auto id = resting_.begin()->second;
    resting_.erase(resting_.begin());
    const auto found = clients_.find(id);
    if (found == clients_.end()) continue;
    found->second.rests = false;
    const auto connection = found->second.connection;
    connection->end_rest();
    after(id, *connection);
  }
  if (resting_.empty()) return;
  const auto left = resting_.begin()->first - now;
  set_timer(rest_timer_, std::max<std::chrono::nanoseconds>(left, kLeast), {});
}

void Worker::tick() {
  std::uint64_t expirations = 0;
  if (::read(timer_.get(), &expirations, sizeof expirations) < 0) return;
  const auto now = Connection::Clock::now();
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Connection>>> all;
  all.reserve(clients_.size());
  for (const auto& [id, client] : clients_) all.emplace_back(id, client.connection);
  for (const auto& [id, connection] : all) {
    connection->on_tick(now);
    after(id, *connection);
  }
}

void Worker::drain() {
  draining_ = true;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Connection>>> all;
  for (const auto& [id, client] : clients_) all.emplace_back(id, client.connection);
  for (const auto& [id, connection] : all) {
    connection->drain();
    after(id, *connection);
  }
}

void Worker::run_timer(bool on) {
  const auto tick = on ? tick_of(shared_->options) : std::chrono::milliseconds(0);
  set_timer(timer_, tick, tick);
}

}  // namespace tilth
