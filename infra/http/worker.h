// One of the server's threads with its connections, on Pistache's reactor.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <pistache/reactor.h>

#include "infra/http/connection.h"
#include "infra/http/embedded_loop.h"
#include "infra/http/fair_order.h"
#include "infra/http/mailbox.h"
#include "infra/http/open_connections.h"
#include "infra/http/refusal_budget.h"

namespace tilth {

// Pistache's Tcp::Transport is not used: it keys pending writes by descriptor, so that a response
// can reach the next client with the same one. Here everything is keyed by a number that no two
// connections share, including the reactor's tags. Threads: its own, except for mailbox().
class Worker final : public Pistache::Aio::Handler, public WorkerMessageReader {
 public:
  struct Shared {
    ServerOptions options;
    HttpHandler& handler;
    OpenConnections open;
    std::vector<std::shared_ptr<Mailbox>> mailboxes =
        {};  // of all workers; set before clients come
  };

  explicit Worker(std::shared_ptr<Shared> shared);
  ~Worker() override;

  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  void onReady(const Pistache::Aio::FdSet& events) override;
  void registerPoller(Pistache::Polling::Epoll& poller) override;
  std::shared_ptr<Pistache::Aio::Handler> clone() const override;

  void read(WorkerMessage message) override;

 private:
  struct Client {
    std::shared_ptr<Connection> connection;  // shared with a call during which it closes
    Connection::Interest watched;
    bool rests = false;  // is in resting_
  };

  void collect(const Pistache::Aio::FdSet& events);
  void put_in_order(WorkerMessage message);
  void take_turn();
  Party party_of(const WorkerMessage& message) const;
  void receive(NewClient client);
  bool make_room(const AddressGroup* of);
  void welcome(NewClient client, bool welcome);
  void after(std::uint64_t id, const Connection& connection);
  void begin_rest(std::uint64_t id, std::chrono::milliseconds rest);
  void end_rests();
  void tick();
  void drain();
  void run_timer(bool on);

  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  RefusalBudget refusals_;
  const ConnectionHome home_;
  const Descriptor timer_;
  const Descriptor rest_timer_;
  std::unique_ptr<EmbeddedLoop> embedded_;  // may be null
  std::unordered_map<std::uint64_t, Client> clients_;
  FairOrder order_;
  std::multimap<Connection::Clock::time_point, std::uint64_t> resting_;  // by the rest's end
  std::uint64_t next_id_;
  bool in_embedded_ = false;  // its responses are queued, not written at once
  bool draining_ = false;
};

}  // namespace tilth
