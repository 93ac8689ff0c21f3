#include "infra/http/acceptor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "api/platform/thread_name.h"

namespace tilth {
namespace {

constexpr int kBacklog = 4096;
constexpr int kRetryMs = 100;  // when descriptors run out

Error cannot_listen(const std::string& host, std::uint16_t port, const std::string& why) {
  return {ErrorCode::kUnavailable,
          "Cannot listen on " + host + ":" + std::to_string(port) + ": " + why + "."};
}

template <class Address>
const Address& as(const sockaddr_storage& storage) {
  return reinterpret_cast<const Address&>(storage);
}

// An IPv4 client of a dual-stack socket is shown as IPv4.
std::string host_of(const sockaddr_storage& storage) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address = &as<sockaddr_in>(storage).sin_addr;
  int family = storage.ss_family;
  if (family == AF_INET6) {
    const in6_addr& v6 = as<sockaddr_in6>(storage).sin6_addr;
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6);
    family = mapped ? AF_INET : AF_INET6;
    address = mapped ? &v6.s6_addr[12] : &v6.s6_addr[0];
  }
  const char* shown = ::inet_ntop(family, address, text.data(), text.size());
  return shown == nullptr ? "" : shown;
}

// What its connections are counted for: the address, of IPv6 the first 64 bits, which one client
// has to itself.
std::string group_of(const sockaddr_storage& storage, const std::string& host) {
  if (storage.ss_family != AF_INET6) return host;
  auto network = as<sockaddr_in6>(storage).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&network)) return host;
  std::fill(std::begin(network.s6_addr) + 8, std::end(network.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* shown = ::inet_ntop(AF_INET6, &network, text.data(), text.size());
  return shown == nullptr ? host : std::string(shown) + "/64";
}

std::string address_of(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size);
  const bool v6 = storage.ss_family == AF_INET6;
  const auto port =
      ntohs(v6 ? as<sockaddr_in6>(storage).sin6_port : as<sockaddr_in>(storage).sin_port);
  const auto host = host_of(storage);
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Descriptor open_listener(const addrinfo& found) {
  Descriptor socket(::socket(found.ai_family, found.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                             found.ai_protocol));
  const int on = 1;
  // Accepted sockets inherit TCP_NODELAY.
  const bool listens = socket &&
                       ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
                       ::bind(socket.get(), found.ai_addr, found.ai_addrlen) == 0 &&
                       ::listen(socket.get(), kBacklog) == 0;
  return listens ? std::move(socket) : Descriptor();
}

}  // namespace

Result<Listening> listen_on(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
  if (failure != 0) return cannot_listen(host, port, ::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(first, ::freeaddrinfo);
  int reason = 0;
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    if (auto socket = open_listener(*each)) {
      auto address = address_of(socket.get());
      return Listening{std::move(socket), std::move(address)};
    }
    reason = errno;
  }
  return cannot_listen(host, port, std::generic_category().message(reason));
}

Acceptor::Acceptor(Descriptor socket, HandOver hand_over, std::function<void(std::string_view)> log)
    : socket_(std::move(socket)),
      stop_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      hand_over_(std::move(hand_over)),
      log_(std::move(log)),
      thread_([this] { run(); }) {}

void Acceptor::stop() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_event_.get(), 1);
  thread_.join();
  socket_.reset();
}

void Acceptor::run() {
  name_thread("accept");
  bool room = true;
  while (!wait(room, room ? -1 : kRetryMs)) room = accept_all();
}

// Waits for a client, or only for the time. True when stop() was called.
bool Acceptor::wait(bool for_clients, int at_most_ms) const {
  std::array<pollfd, 2> watched{{{stop_event_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}}};
  ::poll(watched.data(), for_clients ? 2 : 1, at_most_ms);
  return watched[0].revents != 0;
}

// False when there is no room for another client: an immediate retry would only burn CPU.
bool Acceptor::accept_all() {
  for (;;) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    Descriptor client(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &size,
                                SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (client) {
      logged_ = false;
      auto host = host_of(peer);
      const auto group = group_of(peer, host);
      hand_over_(std::move(client), std::move(host), group);
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (!std::exchange(logged_, true)) {
        log_("No client can be accepted: " + std::generic_category().message(errno) + ".");
      }
      return false;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
    // Any other error concerns one client that is gone already.
    if (errno == EBADF || errno == EINVAL) return false;
  }
}

}  // namespace tilth
