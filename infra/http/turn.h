// A turn of a server's thread: all that it does for the requests which it has read together.

#pragma once

#include <memory>
#include <vector>

namespace tilth {

// Operation: what is worth doing once for many requests, such as to write to another node, is put
// off to the end of the turn in which they came.
//
// Threads: the one that makes it. A turn within another one is a part of that.
class Turn {
 public:
  class Ending {
   public:
    Ending() = default;
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    virtual ~Ending() = default;
    virtual void on_end_of_turn() = 0;
  };

  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Has `what` be called at the end of this thread's turn, once however often it was put off.
  // Returns false if the thread is in no turn: then the caller does it now.
  static bool put_off(const std::shared_ptr<Ending>& what);

  // Calls now what was put off so far, because the caller goes on for long.
  static void flush();

 private:
  std::vector<std::shared_ptr<Ending>> endings_;
};

}  // namespace tilth
