// A client that sends exactly the bytes it is given, and reads responses one by one.

#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "events/values/ascii.h"
#include "infra/system/descriptor.h"

namespace tilth {

struct Answer {
  int status = 0;  // 0: no response
  std::string head;
  std::string body;

  std::string header(const std::string& name) const {
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class RawClient {
 public:
  // Connects to "127.0.0.1:PORT".
  // From `source`, an address of this machine, if one is given.
  explicit RawClient(const std::string& address, int receive_buffer = 0,
                     const char* source = nullptr)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (source != nullptr) {
      sockaddr_in own{};
      own.sin_family = AF_INET;
      ::inet_pton(AF_INET, source, &own.sin_addr);
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
    }
    if (receive_buffer > 0) {
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port =
        htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1)));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0;
  }

  bool connected() const { return connected_; }

  // False once the server no longer accepts bytes.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The next response. Bodies are framed by Content-Length, by chunks, or by the end of the stream.
  Answer receive(bool to_head = false) {
    Answer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return answer;
    }
    answer.head = buffer_.substr(0, end + 4);
    buffer_.erase(0, end + 4);
    answer.status = std::atoi(answer.head.c_str() + 9);
    if (to_head || answer.status < 200 || answer.status == 204 || answer.status == 304) {
      return answer;
    }
    if (answer.header("Transfer-Encoding") == "chunked") {
      if (!read_chunks(answer.body)) answer.status = 0;
    } else if (const auto length = answer.header("Content-Length"); !length.empty()) {
      const auto size = static_cast<std::size_t>(std::atoll(length.c_str()));
      while (buffer_.size() < size && read_more()) {
      }
      if (buffer_.size() < size) answer.status = 0;
      answer.body = buffer_.substr(0, size);
      buffer_.erase(0, size);
    } else {
      while (read_more()) {
      }
      answer.body = std::exchange(buffer_, {});
    }
    return answer;
  }

  Answer ask(std::string_view bytes) {
    send(bytes);
    return receive();
  }

  // True if the server closes the connection without sending anything before.
  bool ends() { return !read_more() && !timed_out_ && buffer_.empty(); }
  bool was_reset() const { return reset_; }

  // True if something can be read at once.
  bool hears_something() {
    pollfd watched{socket_.get(), POLLIN, 0};
    return !buffer_.empty() || ::poll(&watched, 1, 0) > 0;
  }

  void end_sending() { ::shutdown(socket_.get(), SHUT_WR); }
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_.reset();
  }

 private:
  bool read_more() {
    pollfd watched{socket_.get(), POLLIN, 0};
    if (::poll(&watched, 1, 20'000) <= 0) {
      timed_out_ = true;
      ADD_FAILURE() << "The server neither responds nor closes the connection.";
      return false;
    }
    const auto before = buffer_.size();
    buffer_.resize(before + (std::size_t{64} << 10));
    const auto size = ::recv(socket_.get(), buffer_.data() + before, buffer_.size() - before, 0);
    if (size < 0) reset_ = true;
    buffer_.resize(before + (size > 0 ? static_cast<std::size_t>(size) : 0));
    return size > 0;
  }

  bool read_chunks(std::string& body) {
    for (;;) {
      std::size_t line = 0;
      while ((line = buffer_.find("\r\n")) == std::string::npos) {
        if (!read_more()) return false;
      }
      const auto size = static_cast<std::size_t>(std::strtoull(buffer_.c_str(), nullptr, 16));
      while (buffer_.size() < line + 2 + size + 2) {
        if (!read_more()) return false;
      }
      body.append(buffer_, line + 2, size);
      buffer_.erase(0, line + 2 + size + 2);
      if (size == 0) return true;
    }
  }

  Descriptor socket_;
  std::string buffer_;
  bool connected_ = false;
  bool timed_out_ = false;
  bool reset_ = false;
};

}  // namespace tilth
