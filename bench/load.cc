// Loads an HTTP server from one thread, over N keep-alive connections with one request in flight
// each, and prints the number of responses, their latencies and how many were wrong.
//
// Usage: bench_load ADDRESS REQUESTS CONNECTIONS SECONDS STATUS
//
// ADDRESS is HOST:PORT of this machine. A line of the file REQUESTS is METHOD, PATH, KEY and
// BODY with tabs between them; connection c sends the lines c, c + N, c + 2N … over and over. In
// PATH and BODY `{number}` is replaced with a unique number. Every response must have STATUS, or
// that of its line, which may follow BODY. The first fraction of a second is not counted, except
// in `responses`, the number of all responses.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kWarmUp = 400ms;
constexpr auto kTimeout = 10s;
constexpr std::string_view kNumber = "{number}";
constexpr std::size_t kNumberDigits = 14;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

// The text of one request and the positions of its numbers.
struct Request {
  std::string text;
  std::vector<std::size_t> numbers;
  int status;

  void number(std::uint64_t value) {
    for (const auto at : numbers) {
      auto rest = value;
      for (auto digit = kNumberDigits; digit-- > 0; rest /= 10) {
        text[at + digit] = static_cast<char>('0' + rest % 10);
      }
    }
  }
};

Request read_request(const std::string& line, const std::string& host, int status) {
  std::array<std::string, 5> parts;  // method, path, key, body, status
  std::size_t from = 0;
  for (auto& part : parts) {
    const auto tab = std::min(line.find('\t', from), line.size());
    part = line.substr(from, tab - from);
    from = std::min(tab + 1, line.size());
  }
  auto& [method, path, key, body, own_status] = parts;
  const std::string digits(kNumberDigits, '0');
  std::vector<std::size_t> in_path, in_body;
  for (auto& [text, found] : {std::pair{&path, &in_path}, std::pair{&body, &in_body}}) {
    for (auto at = text->find(kNumber); at != text->npos; at = text->find(kNumber, at)) {
      text->replace(at, kNumber.size(), digits);
      found->push_back(at);
    }
  }
  Request request;
  request.status = own_status.empty() ? status : std::stoi(own_status);
  request.text = method + " ";
  for (const auto at : in_path) request.numbers.push_back(request.text.size() + at);
  request.text += path + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + key + "\r\n";
  if (!body.empty()) {
    request.text +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  request.text += "\r\n";
  for (const auto at : in_body) request.numbers.push_back(request.text.size() + at);
  request.text += body;
  return request;
}

struct Tally {
  std::vector<std::uint32_t> microseconds;
  std::uint64_t responses = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;
};

class Connection {
 public:
  Connection(const sockaddr_in& to, std::vector<Request> requests)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), requests_(std::move(requests)) {
    require(socket_ >= 0, "socket");
    require(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "connect");
    const int on = 1;
    require(::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
  }
  Connection(Connection&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), requests_(std::move(other.requests_)) {}
  ~Connection() {
    if (socket_ >= 0) ::close(socket_);
  }

  int socket() const { return socket_; }

  void send(std::uint64_t number) {
    auto& request = requests_[next_++ % requests_.size()];
    request.number(number);
    status_ = request.status;
    sent_ = Clock::now();
    const auto size = ::send(socket_, request.text.data(), request.text.size(), MSG_NOSIGNAL);
    require(size == static_cast<ssize_t>(request.text.size()), "send");
  }

  // Whether the response is now complete.
  bool receive() {
    const auto size = ::recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, 0);
    require(size > 0, "The server closed a connection");
    filled_ += static_cast<std::size_t>(size);
    const std::string_view seen(buffer_.data(), filled_);
    if (expected_ == 0) {
      const auto end = seen.find("\r\n\r\n");
      if (end == seen.npos) return false;
      const auto head = seen.substr(0, end);
      auto length = head.find("Content-Length: ");
      if (length == head.npos) length = head.find("content-length: ");  // as Node.js writes it
      expected_ = end + 4;
      if (length != seen.npos) expected_ += std::strtoull(seen.data() + length + 16, nullptr, 10);
      if (expected_ > buffer_.size()) buffer_.resize(expected_);
    }
    return filled_ == expected_;
  }

  void settle(bool counts, Tally& tally) {
    const int answered = std::atoi(buffer_.data() + 9);
    ++tally.responses;
    if (answered != status_ && tally.wrong++ == 0)
      tally.first_wrong.assign(buffer_.data(), filled_);
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - sent_);
    if (counts) tally.microseconds.push_back(static_cast<std::uint32_t>(took.count()));
    filled_ = expected_ = 0;
  }

 private:
  int socket_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
  int status_ = 0;  // of the response that is awaited
  Clock::time_point sent_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{256} << 10);
  std::size_t filled_ = 0;
  std::size_t expected_ = 0;  // bytes of the response; 0 while its head is incomplete
};

std::vector<Connection> connect_all(const std::string& address, const char* file, std::size_t count,
                                    int status) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  if (::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) != 1) {
    throw std::runtime_error("ADDRESS must be an IPv4 address and a port");
  }
  std::ifstream lines(file);
  std::vector<std::vector<Request>> requests(count);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    requests[number % count].push_back(read_request(line, address, status));
  }
  if (number < count) throw std::runtime_error("REQUESTS has fewer lines than CONNECTIONS");
  std::vector<Connection> connections;
  connections.reserve(count);
  for (auto& each : requests) connections.emplace_back(to, std::move(each));
  return connections;
}

Tally load(std::vector<Connection>& connections, Clock::duration length) {
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  require(poll >= 0, "epoll_create1");
  // Two runs against one service must not send the same numbers.
  std::uint64_t number = std::uint64_t{std::random_device{}() % 100'000} * 1'000'000'000;
  for (auto& connection : connections) {
    epoll_event event{EPOLLIN, {.ptr = &connection}};
    require(::epoll_ctl(poll, EPOLL_CTL_ADD, connection.socket(), &event) == 0, "epoll_ctl");
    connection.send(++number);
  }
  const auto from = Clock::now() + kWarmUp, until = from + length;
  Tally tally;
  tally.microseconds.reserve(1 << 20);
  std::array<epoll_event, 64> events;
  for (std::size_t in_flight = connections.size(); in_flight > 0;) {
    const int ready = ::epoll_wait(poll, events.data(), events.size(), 1'000);
    const auto now = Clock::now();
    if (ready == 0 && now > until + kTimeout) throw std::runtime_error("An answer never came");
    for (int i = 0; i < ready; ++i) {
      auto& connection = *static_cast<Connection*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      if (!connection.receive()) continue;
      connection.settle(now >= from && now < until, tally);
      if (now < until) {
        connection.send(++number);
      } else {
        --in_flight;
      }
    }
  }
  ::close(poll);
  return tally;
}

std::uint32_t percentile(std::vector<std::uint32_t>& sorted, std::size_t of_hundred) {
  return sorted.empty() ? 0 : sorted[std::min(sorted.size() * of_hundred / 100, sorted.size() - 1)];
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 6) throw std::runtime_error("ADDRESS REQUESTS CONNECTIONS SECONDS STATUS");
  const double seconds = std::stod(arguments[4]);
  auto connections =
      connect_all(arguments[1], arguments[2], std::stoul(arguments[3]), std::stoi(arguments[5]));
  auto tally =
      load(connections,
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  auto& times = tally.microseconds;
  std::sort(times.begin(), times.end());
  std::cout << "{\"perSecond\":" << static_cast<double>(times.size()) / seconds
            << ",\"p50\":" << percentile(times, 50) << ",\"p99\":" << percentile(times, 99)
            << ",\"responses\":" << tally.responses << ",\"wrong\":" << tally.wrong << "}"
            << std::endl;
  if (tally.wrong == 0) return 0;
  std::cerr << "bench_load: the first wrong answer was:\n" << tally.first_wrong << '\n';
  return 1;
} catch (const std::exception& error) {
  std::cerr << "bench_load: " << error.what() << '\n';
  return 1;
}
