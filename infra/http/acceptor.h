// Listens on one address and passes every client that connects to a worker.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "events/values/result.h"
#include "infra/system/descriptor.h"

namespace tilth {

struct Listening {
  Descriptor socket;
  std::string address;  // "127.0.0.1:40123"
};

// kUnavailable: the host is unknown or the port cannot be bound.
Result<Listening> listen_on(const std::string& host, std::uint16_t port);

// Pistache's Listener is not used: it spins when descriptors run out, and cannot stop without its
// workers, which still have requests to complete. Threads: one of its own, which calls `hand_over`
// and `log`.
class Acceptor {
 public:
  // `group` is what its connections are counted for.
  using HandOver =
      std::function<void(Descriptor client, std::string peer, const std::string& group)>;

  Acceptor(Descriptor socket, HandOver hand_over, std::function<void(std::string_view)> log);
  ~Acceptor() { stop(); }
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void stop();

 private:
  void run();
  bool accept_all();
  bool wait(bool for_clients, int at_most_ms) const;

  Descriptor socket_;
  const Descriptor stop_event_;
  const HandOver hand_over_;
  const std::function<void(std::string_view)> log_;
  bool logged_ = false;  // logged that no client can be accepted
  std::thread thread_;
};

}  // namespace tilth
