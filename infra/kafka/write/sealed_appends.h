// Seals records before they are produced, in the order of their streams.

#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "events/log/event_log.h"
#include "infra/keys/sealed_json.h"
#include "infra/keys/shared_owner_keys.h"

namespace tilth {

// Operation: a record whose owner has a key is sealed and produced at once. One of a new owner
// waits until there is a key, and so do later ones of its stream. The keys of all owners that wait
// are made together. Where the log of the keys was lost once, an owner who has records gets no new
// one: their record is refused with kUnavailable.
//
// Threads: any; one of its own makes keys. Destroying it ends what waits with kUnavailable.
class SealedAppends {
 public:
  using OnAppended = EventLog::OnAppended;
  // Produces `record`, with `sealed` in place of its JSON, if it is not null. The record itself is
  // as others read it: without what was erased.
  using Produce = std::function<void(Record record, const SealedJson* sealed, OnAppended done)>;
  // Runs work on another thread.
  using Post = std::function<void(std::function<void()>)>;

  SealedAppends(std::shared_ptr<SharedOwnerKeys> keys, Produce produce, Post post);
  ~SealedAppends();

  void append(Record record, OnAppended done);

  // Waits up to `timeout` until nothing waits for a key; returns whether nothing does.
  bool wait_until_idle(std::chrono::milliseconds timeout);

 private:
  struct Append {
    Record record;
    std::optional<PersonalPart> personal;
    OnAppended done;
  };

  void run(const std::stop_token& stop);
  bool may_make_key(const Append& append) const;
  static Error missing(const std::string& owner);
  void carry_out(Append append);
  void refuse(OnAppended done, Error why);

  const std::shared_ptr<SharedOwnerKeys> keys_;
  const Produce produce_;
  const Post post_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Append> waiting_;
  std::unordered_map<std::string, std::size_t>
      behind_;  // how many of a stream are not produced yet
  std::jthread thread_;
};

}  // namespace tilth
