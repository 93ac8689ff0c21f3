// Another event loop that a server's thread runs, next to its clients' sockets.

#pragma once

#include <functional>
#include <memory>

namespace tilth {

// The thread waits for its descriptor as for a client's socket; libev's ev_embed does the same. So
// a response that comes through another socket needs no other thread. Threads: the one that runs
// it; made and destroyed by the server's owner while that thread does not run.
class EmbeddedLoop {
 public:
  EmbeddedLoop() = default;
  EmbeddedLoop(const EmbeddedLoop&) = delete;
  EmbeddedLoop& operator=(const EmbeddedLoop&) = delete;
  virtual ~EmbeddedLoop() = default;

  virtual int descriptor() const = 0;  // readable while there is something to do
  virtual void run_ready() = 0;        // does it; must not block
};

using MakeEmbeddedLoop = std::function<std::unique_ptr<EmbeddedLoop>()>;

}  // namespace tilth
