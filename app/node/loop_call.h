// Runs work on a command loop's own thread from another thread.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "command/loop/command_loop.h"

namespace tilth {

// Runs `work` between two iterations and waits for it. Returns false if it had not run when
// `given_up`, which is polled, returned true; it does not start after that. Threads: any but the
// loop's.
inline bool call_on_loop(CommandLoop& loop, const std::function<void()>& work,
                         const std::function<bool()>& given_up) {
  struct Pending {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false, is_given_up = false;
  };
  const auto call = std::make_shared<Pending>();
  loop.run([call, &work] {
    const std::lock_guard lock(call->mutex);  // giving up waits while this runs
    if (call->is_given_up) return;
    work();
    call->is_done = true;
    call->done.notify_one();
  });
  std::unique_lock lock(call->mutex);
  while (
      !call->done.wait_for(lock, std::chrono::milliseconds(100), [&] { return call->is_done; })) {
    if (given_up()) call->is_given_up = true;
    if (call->is_given_up) return false;
  }
  return true;
}

// Whether readers see all records before `end`, if the loop reads that partition, unless it is
// faulted or paused and they never will. Threads: any.
inline bool has_reached(const CommandLoop& loop, const Position& end) {
  const auto& projector = loop.projector();
  if (end.offset == 0 || !projector.reads(end.partition) || projector.is_halted()) return true;
  return projector.view({}, Position{end.partition, end.offset - 1}).has_value();
}

// Waits until has_reached() of all `ends`. kUnavailable: `given_up`, which is polled, returned
// true. Threads: any but the loop's.
inline Status reach_ends(CommandLoop& loop, const std::vector<Position>& ends,
                         const std::function<bool()>& given_up) {
  constexpr std::chrono::milliseconds kTimeout{200};
  const auto is_there = [&](const Position& end) {
    if (has_reached(loop, end)) return true;
    std::promise<bool> reached;
    loop.when_reached({}, {end.partition, end.offset - 1}, kTimeout,
                      [&](bool is) { reached.set_value(is); });
    return reached.get_future().get();
  };
  for (const auto& end : ends) {
    while (!is_there(end)) {
      if (given_up()) return Error{ErrorCode::kUnavailable, "The service ends."};
    }
  }
  return kDone;
}

}  // namespace tilth
