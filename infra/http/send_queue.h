// Bytes for one client that its socket has not accepted yet.

#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/http.h"
#include "infra/http/memory_budget.h"

namespace tilth {

// Threads: one.
class SendQueue {
 public:
  enum class Sent { kAll, kSome, kNothing, kBroken };  // kBroken: the client is gone

  // Where to append small pieces; call grown() afterwards.
  std::string& tail();
  void grown(std::size_t bytes) { size_ += bytes; }

  void append(std::string_view bytes);
  void append(std::string&& bytes, std::unique_ptr<MemoryShare> memory = {});
  void append(SharedBytes bytes);

  // At most about `most` bytes.
  Sent send(int socket, std::size_t most);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Piece {
    std::string own;
    SharedBytes shared = {};
    std::unique_ptr<MemoryShare> memory = {};  // of `own`; given back once it is sent

    std::string_view bytes() const { return own.empty() ? shared.bytes : own; }
    bool is_small() const;
  };

  void drop(std::size_t bytes);

  std::deque<Piece> pieces_;
  std::size_t first_offset_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tilth
