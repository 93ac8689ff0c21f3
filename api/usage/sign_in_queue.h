// Decides which sign-ins may wait for a thread that checks passwords, so that a flood of them
// leaves places for other people.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilth {

// Operation: an address, an email or a network (/24, for IPv6 /48) with n sign-ins that wait or run
// gets another place only while more than n parts of n + 1 are free. So one that sends many gets a
// small share, and one with none gets the last place. Known browsers have places of their own, and
// come first.
//
// Threads: any. It must outlive what it posts. Crash: nothing survives.
class SignInQueue {
 public:
  // A sign-in. False: it is too late for it, and it only gets its response.
  using Work = std::function<void(bool may_begin)>;

  struct Places {
    std::size_t known = 32;   // for browsers in which that account has signed in before
    std::size_t others = 64;  // for all others
  };

  struct Asker {
    std::string address;  // of the client
    std::string email;    // in one case
    bool known = false;   // the browser, to that account
  };

  // Runs work on a thread that may be slow, once; false: it will not.
  using Post = std::function<bool(const Asker&, Work)>;

  explicit SignInQueue(Post post) : SignInQueue(std::move(post), Places{}) {}
  SignInQueue(Post post, Places places) : post_(std::move(post)), places_(places) {}

  // False, and `work` never runs, if there is no place for this asker.
  bool submit(const Asker& asker, Work work);

  // For metrics: sign-ins that had no place, since the start.
  std::uint64_t refused() const;

 private:
  struct Waiting {
    std::vector<std::string> subjects;
    bool known;
    Work work;
    std::uint64_t turn = 0;  // the lower, the longer it has waited
  };
  using Counts = std::unordered_map<std::string, std::size_t>;

  bool has_place(const Waiting& waiting) const;
  std::deque<Waiting>& next_to_run();
  std::deque<Waiting>& oldest();
  void run_next(bool may_begin);
  void leave(const Waiting& waiting);

  const Post post_;
  const Places places_;
  mutable std::mutex mutex_;
  std::deque<Waiting> known_, others_;
  std::size_t taken_by_known_ = 0, taken_by_others_ = 0;  // waiting or running
  Counts taken_;                                          // by subject
  std::uint64_t refused_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace tilth
