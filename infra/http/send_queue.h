// Bytes for one client that its socket has not accepted yet.

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace tilth {

// Threads: one.
class SendQueue {
 public:
  enum class Sent { kAll, kSome, kNothing, kBroken };  // kBroken: the client is gone

  // Where to append small pieces; call grown() afterwards.
  std::string& tail();
  void grown(std::size_t bytes) { size_ += bytes; }

  void append(std::string_view bytes);
  void append(std::string&& bytes);

  Sent send(int socket);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  void drop(std::size_t bytes);

  std::deque<std::string> pieces_;
  std::size_t first_offset_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tilth
